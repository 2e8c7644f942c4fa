#!/usr/bin/env bash
# Measures Rookery and its peers on this machine and writes target/bench/report.md, report.json and
# plots. Installs the peers and wrk. Arguments select groups: rules games searches uci match http
# load streams host. Without arguments, it measures all groups. Every ratio comes from a single
# run, in which the contenders take turns. `match` requires FASTCHESS, the absolute path of a folder
# with the fastchess sources. The script builds fastchess there.
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${BENCH_ROUNDS:-5}
groups=" ${*:-rules games searches uci match http load streams host} "
folder=target/bench
rows=$folder/rows.jsonl
peers=target/peers/release
mkdir -p "$folder"
: > "$rows"
wants() { [[ $groups == *" $1 "* ]]; }
row() { # group, work, unit, contender, value
    printf '{"group":"%s","work":"%s","unit":"%s","contender":"%s","values":[%s]}\n' "${@//\"/\\\"}" >> "$rows"
}

cargo build --release --locked --manifest-path tools/bench/Cargo.toml --target-dir target/peers >&2

for group in rules games searches; do
    if wants "$group"; then
        echo "$group ..." >&2
        "$peers/peers" "$rounds" "$group" >> "$rows"
    fi
done

if wants uci || wants match; then
    tools/scripts/packages.sh stockfish
    stockfish=$(PATH=$PATH:/usr/games command -v stockfish)
    printf '[ai.stockfish]\nlibrary = "%s"\nallow_exec = ["%s"]\noptions = { command = "%s" }\n[client.default]\nai = "stockfish"\n' \
        "$PWD/target/release/libai_uci.so" "$stockfish" "$stockfish" > "$folder/rookery.toml"
fi

if wants uci; then
    echo "uci ..." >&2
    uci() { # contender, command
        read -r ready move < <(python3 tools/bench/uci_latency.py "${@:2}")
        row uci "UCI, isready" µs "$1" "$ready"
        row uci "UCI, go nodes 1 of Stockfish" µs "$1" "$move"
    }
    for _ in $(seq "$rounds"); do
        uci rookery target/release/rookery uci --config "$folder/rookery.toml"
        uci "the engine itself" "$stockfish"
    done
fi

if wants match && [ -n "${FASTCHESS:-}" ]; then
    echo "match ..." >&2
    [ -x "$FASTCHESS/fastchess" ] || make -C "$FASTCHESS" -j "$(nproc)" >&2
    head -10 host/extras/tournament/src/openings/named.txt | target/release/rookery convert --from uci --to fen > "$folder/openings.epd" 2> /dev/null
    ln -sf "$stockfish" "$folder/other"
    match() { # contender, command
        rm -f "$folder/games.pgn"
        local started=$EPOCHREALTIME
        (cd "$folder" && "${@:2}") > "$folder/match.txt" 2>&1
        row match "20 games of Stockfish against itself, 1,000 nodes a move" plies/s "$1" \
            "$(awk -F '"' -v now="$EPOCHREALTIME" -v started="$started" '/^.PlyCount/ { plies += $2 }
                END { print plies / (now - started) }' "$folder/games.pgn")"
    }
    for _ in $(seq "$rounds"); do
        match rookery "$PWD/target/release/rookery" match "$stockfish" ./other --games 20 --nodes 1000 --draw off --resign off \
            --max-moves 0 --openings openings.epd --pgn games.pgn
        match fastchess "$FASTCHESS/fastchess" -engine "cmd=$stockfish" name=a -engine "cmd=$stockfish" name=b -each nodes=1000 \
            -rounds 10 -openings file=openings.epd format=epd order=sequential -pgnout file=games.pgn
    done
fi

servers=()
trap 'kill "${servers[@]}" 2> /dev/null || true' EXIT
await() { # port
    for _ in $(seq 100); do (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null && return || sleep 0.1; done
    echo "no server on port $1; check that it is free and see $folder/rookery.log" >&2
    exit 1
}
start() { # port
    target/release/rookery serve --config "$folder/rookery.toml" --listen "127.0.0.1:$1" > "$folder/rookery.log" 2>&1 &
    servers+=($!)
    await "$1"
}
serve() { # port, workers
    cat > "$folder/rookery.toml" << END
[server]
max_connections_per_address = 2000
[ai.basic1]
library = "$PWD/target/release/libai_basic1.so"
workers = $2
queue_capacity = 256
[client.default]
ai = "basic1"
END
    start "$1"
}
stop_servers() {
    kill "${servers[@]}"
    wait "${servers[@]}" 2> /dev/null || true
    servers=()
}
load() { # script, port, path, connections
    wrk -t1 -c"$4" -d3 --latency -s "tools/bench/$1.lua" "http://127.0.0.1:$2$3" > "$folder/wrk.txt"
    ! grep -q Non-2xx "$folder/wrk.txt" || { cat "$folder/wrk.txt" >&2; exit 1; }
}
rate() { awk '/Requests\/sec/ { printf "%d", $2 }' "$folder/wrk.txt"; }
latency() { # percentile, such as 50%
    awk -v at="$1" '$1 == at { unit = $2; sub(/[0-9.]+/, "", unit); printf "%.3f", $2 * (unit == "us" ? 0.001 : unit == "s" ? 1000 : 1) }' "$folder/wrk.txt"
}
resident_kb() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }

if wants http || wants load; then
    tools/scripts/packages.sh wrk
    [ -x "$folder/python/bin/uvicorn" ] || {
        python3 -m venv "$folder/python"
        "$folder/python/bin/pip" install --quiet fastapi==0.116.1 uvicorn==0.35.0 chess==1.11.2
    } > /dev/null
fi

if wants http; then
    echo "http ..." >&2
    serve 18082 1
    "$peers/bare_server" 127.0.0.1:18090 & servers+=($!)
    "$folder/python/bin/uvicorn" --app-dir tools/bench --port 18091 --workers 2 --log-level error legal_moves:app & servers+=($!)
    await 18090
    await 18091
    for _ in $(seq "$rounds"); do
        for contender in "18082 rookery" "18090 bare actix-web, equal sizes" "18091 FastAPI and python-chess"; do
            load legal_moves "${contender%% *}" /v1/legal-moves 16
            # Two rows, because one peer is far faster than the other.
            case ${contender%% *} in
                18082)
                    row http "POST /v1/legal-moves against actix-web" requests/s rookery "$(rate)"
                    row http "POST /v1/legal-moves against Python" requests/s rookery "$(rate)"
                    ;;
                18090) row http "POST /v1/legal-moves against actix-web" requests/s "${contender#* }" "$(rate)" ;;
                18091) row http "POST /v1/legal-moves against Python" requests/s "${contender#* }" "$(rate)" ;;
            esac
        done
    done
    stop_servers
fi

if wants load; then
    echo "load ..." >&2
    for workers in 1 2 4; do
        serve 18083 "$workers"
        for connections in 1 4 16 64 256; do
            work="POST /v1/best-move, depth 1, $workers workers, $connections connections"
            for _ in $(seq "$rounds"); do
                load best_move 18083 /v1/best-move "$connections"
                row load "$work" requests/s rookery "$(rate)"
                row load "$work, median" ms rookery "$(latency 50%)"
                row load "$work, 99th percentile" ms rookery "$(latency 99%)"
            done
        done
        stop_servers
    done
    serve 18083 1
    before=$(resident_kb "${servers[0]}")
    after=$("$folder/python/bin/python" tools/bench/idle_connections.py 18083 1000 "${servers[0]}")
    row load "memory of 1,000 idle connections" MB rookery "$(((after - before) / 1024))"
    stop_servers
fi

if wants streams; then
    echo "streams ..." >&2
    cargo build --release --locked -p test-ais --example deepening >&2
    {
        printf '[server]\nmax_connections_per_address = 2000\n'
        for ai in ai0 ai1 ai2 ai3; do
            # A thousand sandboxed workers would exceed the limits of most systems.
            printf '[ai.%s]\nlibrary = "%s"\nworkers = 250\nsandbox = "off"\nmove_timeout_ms = 600000\n' \
                "$ai" "$PWD/target/release/examples/libdeepening.so"
            printf '[ai.%s.options]\ninterval_ms = 100\n' "$ai"
        done
        printf '[client.default]\nai = "ai0"\n'
    } > "$folder/rookery.toml"
    start 18084
    # The other workers of each AI start after the first one.
    sleep 20
    read -r busy resident infos < <(python3 tools/bench/streams.py 18084 1000 "${servers[0]}")
    row streams "1,000 streams, ten infos a second each: processor" "% of a core" rookery "$busy"
    row streams "1,000 streams, ten infos a second each: memory" MB rookery "$((resident / 1024))"
    row streams "1,000 streams, ten infos a second each: infos of a stream" infos/s rookery "$infos"
    stop_servers
fi

if wants host; then
    for round in $(seq "$rounds"); do
        echo "host, round $round of $rounds ..." >&2
        cargo bench --locked -p host-benches --bench host > "$folder/host.txt"
        while IFS='|' read -r work median p99; do
            row host "$work, median" µs rookery "$median"
            row host "$work, 99th percentile" µs rookery "$p99"
        done < <(sed -nE 's/^(.*[^ ]) +median +([0-9.]+) µs +p99 +([0-9.]+) µs$/\1|\2|\3/p' "$folder/host.txt")
    done
fi

"$peers/report" "$folder" "$(grep -m 1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores, $(rustc --version | cut -d' ' -f1,2), $(date -u +%F), $(git rev-parse --short HEAD)" < "$rows"
