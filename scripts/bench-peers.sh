#!/usr/bin/env bash
# Compares Rookery with its peers on this machine and prints Markdown: the rules with three crates, POST /v1/legal-moves with a
# bare actix-web server and with FastAPI and python-chess. Installs the peers and wrk. Every ratio is of one run, in turns.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${BENCH_ROUNDS:-5}
folder=target/bench
mkdir -p "$folder"
sudo=; [ "$(id -u)" -eq 0 ] || sudo=sudo
command -v wrk > /dev/null || { $sudo apt-get update > /dev/null; $sudo apt-get install --yes --no-install-recommends wrk > /dev/null; }
[ -x "$folder/python/bin/uvicorn" ] || {
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" install --quiet fastapi==0.116.1 uvicorn==0.35.0 chess==1.11.2
} > /dev/null
cargo build --release --locked --manifest-path bench/Cargo.toml --target-dir target/peers >&2

servers=()
trap 'kill "${servers[@]}" 2> /dev/null || true' EXIT
target/release/rookery serve --listen 127.0.0.1:18082 > "$folder/rookery.log" 2>&1 & servers+=($!)
target/peers/release/bare_server 127.0.0.1:18090 & servers+=($!)
"$folder/python/bin/uvicorn" --app-dir bench --port 18091 --workers 2 --log-level error legal_moves:app & servers+=($!)
for port in 18082 18090 18091; do
    for _ in $(seq 100); do (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null && break || sleep 0.1; done
done
kill -0 "${servers[@]}" || { echo "a server has stopped; are ports 18082, 18090 and 18091 free? See $folder/rookery.log" >&2; exit 1; }

echo "Machine: $(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) cores; $(date -u +%F); $(git rev-parse --short HEAD)"
echo
target/peers/release/peers
echo
echo '| POST /v1/legal-moves, 48 moves, 16 connections, requests a second | rookery | bare actix-web | FastAPI and python-chess |'
echo '|---|---|---|---|'
rate() {
    wrk -t1 -c16 -d3 -s bench/legal_moves.lua "http://127.0.0.1:$1/v1/legal-moves" > "$folder/wrk.txt"
    ! grep -q Non-2xx "$folder/wrk.txt" || { cat "$folder/wrk.txt" >&2; exit 1; }
    awk '/Requests\/sec/ { printf "%d", $2 }' "$folder/wrk.txt"
}
for round in $(seq "$rounds"); do
    echo "| round $round | $(rate 18082) | $(rate 18090) | $(rate 18091) |"
done
