#!/usr/bin/env bash
# Installs clients of the Model Context Protocol into .tools if they are missing: the conformance
# suite, the Inspector with the required Node.js, and the Python SDK. Prints their folder.
set -euo pipefail

CONFORMANCE=0.2.0-alpha.12
INSPECTOR=2.12.0
NODE=22.23.3
PYTHON_SDK=2.3.0
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/.tools/mcp-$CONFORMANCE-$INSPECTOR-$NODE-$PYTHON_SDK

if [ ! -e "$folder/complete" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || "$root/tools/scripts/packages.sh" "ensurepip=python3 python3-venv"
    rm -rf "$folder"
    python3 -m venv "$folder/python" >&2
    "$folder/python/bin/python" -m pip install --quiet --disable-pip-version-check "mcp==$PYTHON_SDK" >&2
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error \
        "@modelcontextprotocol/conformance@$CONFORMANCE" "@modelcontextprotocol/inspector@$INSPECTOR" "node@$NODE" >&2
    touch "$folder/complete"
fi
echo "$folder"
