#!/usr/bin/env bash
# Installs ruff into .tools if it is missing. Prints its path.
set -euo pipefail

RUFF=0.17.6
root=$(cd "$(dirname "$0")/../.." && pwd)
environment=$root/.tools/ruff-$RUFF

if [ ! -x "$environment/bin/ruff" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || "$root/tools/scripts/packages.sh" "ensurepip=python3 python3-venv"
    rm -rf "$environment"
    python3 -m venv "$environment" >&2
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "ruff==$RUFF" >&2
fi
echo "$environment/bin/ruff"
