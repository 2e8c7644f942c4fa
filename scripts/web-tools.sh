#!/usr/bin/env bash
# Installs Chromium from Debian's packages for the tests of the page, if it is missing. Needs npm.
set -euo pipefail

if ! "$(dirname "$0")/node-suffices.sh"; then
    echo "error: the tests of the page need Node.js 20.19 or later with npm; install it by hand" >&2
    exit 1
fi
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] && exit 0

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium fonts-liberation >&2
}
if ! command -v apt-get >/dev/null; then
    echo "error: the tests of the page need Chromium; install it by hand and name it in CHROMIUM" >&2
    exit 1
fi
install || { as_root apt-get update >&2 && install; }
