#!/usr/bin/env bash
# Compiles rookery_ai.h and its examples, with warnings as errors, using two compilers, three
# standards and three targets. A 32-bit target must reject the header.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=(clang gcc-i686-linux-gnu gcc-aarch64-linux-gnu g++-aarch64-linux-gnu g++-mingw-w64-x86-64)
commands=(clang i686-linux-gnu-gcc aarch64-linux-gnu-g++ x86_64-w64-mingw32-g++)
for command in "${commands[@]}"; do
    if ! command -v "$command" >/dev/null; then
        apt-get install --yes --no-install-recommends "${packages[@]}" libc6-dev-i386-cross libc6-dev-arm64-cross
        break
    fi
done
flags=(-O2 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iai-api/include)
example() { echo "$1: $2 $3"; "$1" "-std=$2" "${flags[@]}" "ai-api/examples/$3"; }
for c in gcc clang aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc; do
    for standard in c11 c17; do
        # No struct has padding.
        "$c" "-std=$standard" "${flags[@]}" -Wpadded -x c - <<<'#include "rookery_ai.h"'
        example "$c" "$standard" c/pawns.c
    done
done
for c in g++ clang++ aarch64-linux-gnu-g++ x86_64-w64-mingw32-g++; do
    example "$c" c++17 cpp/rooks.cpp
done
if refused=$(i686-linux-gnu-gcc -std=c11 "${flags[@]}" -x c - 2>&1 <<<'#include "rookery_ai.h"'); then
    echo "error: a 32-bit target compiles the header; expected an error" >&2
    exit 1
fi
grep -q "ABI 1 is for 64-bit little-endian machines" <<<"$refused"
echo "no warnings"
