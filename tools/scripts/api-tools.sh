#!/usr/bin/env bash
# Installs schemathesis, which tests a server against its OpenAPI document, into a virtual
# environment in .tools if it is missing. Prints the path of the program.
set -euo pipefail

SCHEMATHESIS=4.32.5
root=$(cd "$(dirname "$0")/../.." && pwd)
environment=$root/.tools/schemathesis-$SCHEMATHESIS

if ! "$environment/bin/schemathesis" --version >/dev/null 2>&1; then
    if ! python3 -c 'import ensurepip' 2>/dev/null; then
        echo "error: this needs Python with venv; on Debian install python3-venv" >&2
        exit 1
    fi
    rm -rf "$environment"
    python3 -m venv "$environment" >&2
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "schemathesis==$SCHEMATHESIS" >&2
fi
echo "$environment/bin/schemathesis"
