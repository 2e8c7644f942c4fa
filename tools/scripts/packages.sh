#!/usr/bin/env bash
# Installs the Debian packages of missing programs: tools/scripts/packages.sh PROGRAM[=PACKAGES] ...
# BY_HAND names missing programs that have no package. One message names everything that cannot be
# installed.
set -euo pipefail

PATH=$PATH:/usr/sbin:/usr/games
missing=()
for wanted in "$@"; do
    if ! command -v "${wanted%%=*}" > /dev/null; then
        read -ra packages <<< "${wanted#*=}"
        missing+=("${packages[@]}")
    fi
done
fail() {
    echo "error: $1; missing:${BY_HAND:+ $BY_HAND, to be installed by hand;}${missing[*]:+ the Debian packages ${missing[*]}}" >&2
    exit 1
}
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}" >&2
}
[ -z "${BY_HAND:-}" ] || fail "these tests require more programs"
[ "${#missing[@]}" -gt 0 ] || exit 0
command -v apt-get > /dev/null || fail "found no apt-get to install packages"
[ "$(id -u)" = 0 ] || sudo -n true 2> /dev/null || fail "only root or a user with sudo can install packages"
install || { as_root apt-get update >&2 && install; } || fail "the packages cannot be installed"
