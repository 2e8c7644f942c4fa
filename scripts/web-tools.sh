#!/usr/bin/env bash
# Installs Chromium from Debian's packages for the tests of the page, if it is missing. Needs npm.
set -euo pipefail

if ! command -v npm >/dev/null || ! node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'; then
    echo "error: the tests of the page need Node.js 20.19 or later with npm; install it by hand" >&2
    exit 1
fi
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || "$(dirname "$0")/packages.sh" "chromium=chromium fonts-liberation"
