#!/usr/bin/env bash
# Installs the external programs that the tests of `make test-all` start, or names all missing ones.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' 2> /dev/null || ! command -v npm > /dev/null; then
    by_hand="Node.js 20.19 or later with npm"
fi
chromium=${CHROMIUM:-/usr/bin/chromium}
BY_HAND=${by_hand:-} tools/scripts/packages.sh stockfish gnuchess phalanx toga2 glaurung haproxy nats-server promtool=prometheus valgrind jq \
    "$chromium=chromium fonts-liberation" python3 go=golang-go
tools/scripts/uci-tools.sh > /dev/null
tools/scripts/mcp-tools.sh > /dev/null
tools/scripts/typescript-tools.sh > /dev/null
tools/scripts/ruff.sh > /dev/null
