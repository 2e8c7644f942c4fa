#!/bin/sh
# Builds the AIs that every later host must load. ai-api/frozen/VERSION contains the header of a
# contract release, an AI in C and one in Rust, the compiler versions, the items of the Rust crate,
# and the source of an author's crate.
#
#     tools/scripts/freeze.sh          builds the AIs for the current version of ai-api
#
# Rebuild a release only with the same compilers.
set -eu
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^#define ROOKERY_API "\(.*\)"$/\1/p' ai-api/include/rookery_ai.h)
release="ai-api/frozen/$version"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
    echo "machine: $(uname -m)"
    cc --version | sed -n '1s/^/cc: /p'
    rustc --version | sed 's/^/rustc: /'
} >"$work/TOOLCHAIN"
if [ -f "$release/TOOLCHAIN" ] && ! cmp -s "$release/TOOLCHAIN" "$work/TOOLCHAIN"; then
    echo "error: $release was built with other compilers; install those, or leave the release unchanged" >&2
    diff "$release/TOOLCHAIN" "$work/TOOLCHAIN" >&2
    exit 1
fi

mkdir -p "$work/rust/src"
cp host/tests/ais/faulty.rs "$work/rust/src/lib.rs"
cp Cargo.lock "$work/rust/"
cat >"$work/rust/Cargo.toml" <<END
[package]
name = "frozen"
version = "0.1.0"
edition = "2024"

[lib]
crate-type = ["cdylib"]

[dependencies]
ai-api = { package = "rookery-ai-api", path = "$PWD/ai-api" }

[profile.release]
lto = "thin"
codegen-units = 1
strip = true

[workspace]
END
RUSTFLAGS="--remap-path-prefix=$work=. --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
    cargo build --release --manifest-path "$work/rust/Cargo.toml" --target-dir "$work/target"

mkdir -p "$release/include"
cp "$work/TOOLCHAIN" "$release/"
cp ai-api/include/rookery_ai.h "$release/include/"
cc -std=c11 -O2 -fPIC -shared -s -I ai-api/include ai-api/examples/c/minimax.c -o "$release/libminimax.so"
cp "$work/target/release/libfrozen.so" "$release/librust.so"
cp ai-api/tests/growth/author.rs "$release/"
ROOKERY_FREEZE="$PWD/$release/api.txt" cargo test --quiet -p rookery-ai-api --test api >/dev/null
ls -l "$release"
