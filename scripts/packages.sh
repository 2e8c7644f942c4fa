#!/usr/bin/env bash
# Installs the Debian packages of programs that are missing: scripts/packages.sh PROGRAM[=PACKAGES] ...
set -euo pipefail

PATH=$PATH:/usr/sbin:/usr/games
missing=()
for wanted in "$@"; do
    if ! command -v "${wanted%%=*}" > /dev/null; then
        read -ra packages <<< "${wanted#*=}"
        missing+=("${packages[@]}")
    fi
done
[ "${#missing[@]}" -gt 0 ] || exit 0
if ! command -v apt-get > /dev/null; then
    echo "error: this needs ${missing[*]}; install by hand what these Debian packages contain" >&2
    exit 1
fi
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}
install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}" >&2
}
install || { as_root apt-get update >&2 && install; }
