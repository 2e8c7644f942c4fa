#!/usr/bin/env bash
# Installs Stockfish from Debian's packages, and python-chess, mypy, Zig and the wheel builder into
# a virtual environment in .tools, if they are missing. Prints the path of that environment's
# Python.
set -euo pipefail

PYTHON_CHESS=1.11.2
MYPY=1.19.1
SETUPTOOLS=80.9.0
ZIG=0.17.1
root=$(cd "$(dirname "$0")/../.." && pwd)
environment=$root/.tools/python-$PYTHON_CHESS-$MYPY-$SETUPTOOLS-$ZIG
packages=$root/tools/scripts/packages.sh

"$packages" stockfish
if [ ! -x "$environment/bin/python" ] || ! "$environment/bin/python" -c 'import chess.engine, mypy, setuptools, ziglang' 2>/dev/null; then
    python3 -c 'import ensurepip' 2>/dev/null || "$packages" "ensurepip=python3 python3-venv"
    rm -rf "$environment"
    python3 -m venv "$environment" >&2
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "chess==$PYTHON_CHESS" \
        "mypy==$MYPY" "setuptools==$SETUPTOOLS" "ziglang==$ZIG" >&2
fi
echo "$environment/bin/python"
