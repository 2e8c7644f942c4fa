#!/usr/bin/env bash
# Installs the TypeScript generators in tools/clients into target/clients if they are missing.
# Prints the folder of their programs.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
sources=$root/tools/clients
work=$root/target/clients

if ! cmp -s "$sources/package-lock.json" "$work/package-lock.json"; then
    mkdir -p "$work"
    cp "$sources/package.json" "$sources/package-lock.json" "$work/"
    npm ci --prefix "$work" --no-audit --no-fund --silent >&2 || { rm "$work/package-lock.json"; exit 1; }
fi
echo "$work/node_modules/.bin"
