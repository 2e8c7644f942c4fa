#!/usr/bin/env bash
# Installs Chromium from Debian's packages for the tests of the page, if it is missing. Needs npm.
set -euo pipefail

if ! command -v npm >/dev/null || ! node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'; then
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
