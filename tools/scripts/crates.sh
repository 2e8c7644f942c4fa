#!/usr/bin/env bash
# Copies the crates needed to build and test a Rust AI into a folder, as a separate workspace, for
# the packages.
# Usage: crates.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$1
crates=(ai-api host/crates/rules sdk/attacks sdk/book sdk/search sdk/tablebase)
for crate in "${crates[@]}"; do
    mkdir -p "$folder/$crate"
    for part in LICENSE-APACHE LICENSE-MIT README.md build.rs examples include src; do
        [ ! -e "$crate/$part" ] || cp -r "$crate/$part" "$folder/$crate/"
    done
    # The crates' tests are not shipped, and depend on other crates.
    awk '/^\[/ { skip = /^\[dev-dependencies\]/ } !skip' "$crate/Cargo.toml" > "$folder/$crate/Cargo.toml"
done
{
    echo '[workspace]'
    echo 'resolver = "3"'
    printf 'members = ['
    printf '"%s", ' "${crates[@]}"
    printf ']\n\n'
    awk '/^\[/ { keep = /^\[workspace\.(package|dependencies|lints)/ } keep' Cargo.toml
} > "$folder/Cargo.toml"
chmod -R a+rX,u+w "$folder"
