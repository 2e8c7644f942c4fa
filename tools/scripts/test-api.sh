#!/usr/bin/env bash
# Starts a server on a free port and tests it with schemathesis. Usage: test-api.sh BINARY_FOLDER [EXAMPLES]
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
binaries=$(cd "$1" && pwd)
examples=${2:-50}
schemathesis=$("$root/tools/scripts/api-tools.sh")
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

# Searches are short, so that many fit in the test.
cat >"$folder/rookery.toml" <<CONFIG
[plugins]
policy = "configured"
directories = ["$binaries"]

[ai.basic1]
library = "ai_basic1"
workers = 2
limit = { depth = 1 }

[client.default]
ai = "basic1"
max_depth = 3
max_nodes = 2000
max_movetime_ms = 50
CONFIG

"$binaries/rookery" serve --config "$folder/rookery.toml" --listen 127.0.0.1:0 >"$folder/out" 2>"$folder/err" &
server=$!
for _ in $(seq 300); do
    address=$(sed -n 's/^listening on //p' "$folder/out")
    [ -n "$address" ] && break
    kill -0 "$server" 2>/dev/null || { cat "$folder/err" >&2; exit 1; }
    sleep 0.1
done

cd "$folder"
# schemathesis tests the document's own path only if it is selected, so every path is selected.
PYTHONPATH=$root/tools/scripts SCHEMATHESIS_HOOKS=schemathesis_hooks \
    "$schemathesis" --config-file "$root/tools/scripts/schemathesis.toml" run "$address/openapi.json" \
    --include-path-regex "^/" --max-examples "$examples" --generation-deterministic --warnings off --request-timeout 30
