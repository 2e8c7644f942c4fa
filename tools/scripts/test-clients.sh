#!/usr/bin/env bash
# Generates clients from a server's OpenAPI document, checks their types, and plays a game with each.
# Usage: test-clients.sh BINARY_FOLDER [CLIENT ...]
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
sources=$root/tools/clients
work=$root/target/clients
binaries=$(cd "$1" && pwd)
clients=("${@:2}")
[ ${#clients[@]} -gt 0 ] ||
    clients=(openapi-python-client openapi-fetch hey-api generator-python generator-typescript generator-rust)
mkdir -p "$work"
server=

end() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
}
trap end EXIT

install_tools() {
    # Only the three clients of openapi-generator require Java.
    case "${clients[*]}" in *generator-*) "$root/tools/scripts/packages.sh" java=default-jre-headless ;; esac
    if ! cmp -s "$sources/requirements.txt" "$work/requirements.txt"; then
        python3 -c 'import ensurepip' 2>/dev/null ||
            { echo "error: this needs Python with venv; on Debian install python3-venv" >&2; exit 1; }
        rm -rf "$work/python"
        python3 -m venv "$work/python"
        "$work/python/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps -r "$sources/requirements.txt"
        cp "$sources/requirements.txt" "$work/"
    fi
    local programs
    programs=$("$root/tools/scripts/typescript-tools.sh")
    export PATH="$programs:$work/python/bin:$PATH"
    jar=$(echo "$work"/python/lib/python3*/site-packages/openapi_generator_cli/openapi-generator.jar)
}

start_server() {
    cat >"$work/rookery.toml" <<CONFIG
[plugins]
policy = "configured"
# If only the tests were built, the libraries are in deps.
directories = ["$binaries/deps", "$binaries"]

[ai.basic1]
library = "ai_basic1"

[client.default]
ai = "basic1"
CONFIG
    "$binaries/rookery" serve --config "$work/rookery.toml" --listen 127.0.0.1:0 >"$work/out" 2>"$work/err" &
    server=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$work/out")
        [ -z "$address" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$work/err" >&2
    exit 1
}

# Prints the guide's code for a language.
example() {
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/clients.md"
}

generate() {
    java -jar "$jar" generate -i "$document" -g "$1" -o "$2" "${@:3}"
}

# Each client has three steps in its own folder: generate it, check its types, and play.
openapi-python-client() {
    case $1 in
        generate)
            command openapi-python-client generate --url "$address/openapi.json"
            example python >play.py
            ;;
        check) MYPYPATH=rookery-client mypy --no-error-summary play.py ;;
        play) PYTHONPATH=rookery-client python play.py "$address" ;;
    esac
}

openapi-fetch() {
    case $1 in
        generate)
            openapi-typescript "$address/openapi.json" --output rookery.d.ts
            example typescript >play.mts
            ;;
        check) tsc --noEmit --strict --target es2023 --module nodenext --allowImportingTsExtensions play.mts ;;
        play) node --disable-warning=ExperimentalWarning play.mts "$address" ;;
    esac
}

hey-api() {
    case $1 in
        generate)
            openapi-ts --input "$document" --output client
            cp "$sources/hey_api.ts" play.ts
            ;;
        check) compile_typescript ;;
        play) node built/play.js "$address" ;;
    esac
}

generator-typescript() {
    case $1 in
        generate)
            generate typescript-fetch client
            cp "$sources/typescript_fetch.ts" play.ts
            ;;
        check) compile_typescript ;;
        play) node built/play.js "$address" ;;
    esac
}

compile_typescript() {
    tsc --strict --target es2023 --module commonjs --moduleResolution node10 --skipLibCheck --outDir built play.ts
}

generator-python() {
    case $1 in
        generate)
            generate python client
            cp "$sources/generator_python.py" play.py
            ;;
        check) MYPYPATH=client mypy --no-error-summary play.py ;;
        play) PYTHONPATH=client python play.py "$address" ;;
    esac
}

generator-rust() {
    case $1 in
        generate)
            # Cargo.lock contains this version.
            generate rust client --additional-properties packageVersion=0.1.0
            cp -r "$sources/rust/." .
            ;;
        check) CARGO_TARGET_DIR=$work/rust-target cargo check --quiet --locked ;;
        play) CARGO_TARGET_DIR=$work/rust-target cargo run --quiet --locked -- "$address" ;;
    esac
}

# Runs a step of a client and prints its result, or all its output if it fails.
run_step() {
    local log=$work/$1/$2.log
    # Not in an `if`, which would ignore failures within the step.
    set +e
    (set -e; cd "$work/$1"; "$1" "$2") >"$log" 2>&1
    local status=$?
    set -e
    if [ $status != 0 ]; then
        cat "$log" >&2
        echo "$1: $2 failed" >&2
        return 1
    fi
    printf ' %s %s s,' "$2" "$SECONDS"
    SECONDS=0
}

install_tools
start_server
document=$work/openapi.json
curl --silent --show-error --fail "$address/openapi.json" --output "$document"
failed=0
for client in "${clients[@]}"; do
    rm -rf "${work:?}/$client"
    mkdir -p "$work/$client"
    printf '%s:' "$client"
    SECONDS=0
    if run_step "$client" generate && run_step "$client" check && run_step "$client" play; then
        played=$(tail -n 1 "$work/$client/play.log")
        case $played in
            *" half-moves: "*) printf ' %s\n' "$played" ;;
            *) echo "$client: no complete game: $played" >&2; failed=$((failed + 1)) ;;
        esac
    else
        failed=$((failed + 1))
    fi
done
echo "$((${#clients[@]} - failed)) passed, $failed failed"
[ $failed = 0 ]
