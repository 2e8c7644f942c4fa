#!/usr/bin/env bash
# Succeeds if Node.js and npm are installed and recent enough to build the page.
set -euo pipefail
command -v npm >/dev/null && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number)
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
