#!/usr/bin/env bash
# Installs kubernetes-validate, which contains the Kubernetes schemas, into a virtual environment in
# .tools if it is missing. Prints the folder of its programs.
set -euo pipefail

KUBERNETES_VALIDATE=1.37.0
root=$(cd "$(dirname "$0")/../.." && pwd)
environment=$root/.tools/kubernetes-validate-$KUBERNETES_VALIDATE

if ! "$environment/bin/kubernetes-validate" --version >/dev/null 2>&1; then
    python3 -c 'import ensurepip' 2>/dev/null || "$root/tools/scripts/packages.sh" "ensurepip=python3 python3-venv"
    rm -rf "$environment"
    python3 -m venv "$environment" >&2
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "kubernetes-validate==$KUBERNETES_VALIDATE" >&2
fi
echo "$environment/bin"
