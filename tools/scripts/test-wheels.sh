#!/usr/bin/env bash
# Installs the wheels in /dist with each installer and plays, as a user of a bare Debian without a
# network. pipx and uv are in /installers. Prints how long each step takes. Run by test-package.sh.
set -euo pipefail

export HOME=$PWD/home PIP_NO_INDEX=1 PIP_FIND_LINKS="/dist /installers" PIP_DISABLE_PIP_VERSION_CHECK=1
export UV_OFFLINE=1 UV_FIND_LINKS=/dist UV_NO_INDEX=1 UV_PYTHON_DOWNLOADS=never
mkdir empty
trap 'kill $(jobs -p) 2> /dev/null || true' EXIT

step() { # NAME COMMAND...
    local began
    began=$(date +%s%N)
    "${@:2}" > output 2>&1 || { cat output; echo "error: $1 failed" >&2; exit 1; }
    LC_ALL=C awk -v name="$1" -v time="$(($(date +%s%N) - began))" 'BEGIN { printf "%6.1f s  %s\n", time / 1e9, name }'
}
# Plays in an empty folder with the AI that has a book.
plays() { # COMMAND...
    (cd empty && "$@" best-move --ai nnue1 --depth 3 && "$@" new-ai mine && "$@" new-ai other --lang c && rm -r mine other)
}
# Every installer puts the command into the same folder of the user.
forget() { rm -rf "$HOME"; }
starts() {
    rookery serve --listen 127.0.0.1:8080 > address 2> log &
    until grep --quiet '^listening on ' address; do kill -0 $! || { cat log; return 1; }; sleep 0.1; done
}
moves() { # AI
    python3 - "$1" << 'END'
import json, sys, urllib.request
asked = {"game": {}, "ai": sys.argv[1], "limit": {"movetime_ms": 500}}
request = urllib.request.Request("http://127.0.0.1:8080/v1/best-move", json.dumps(asked).encode(), {"Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(request))["move"]["uci"])
END
}

knows() {
    python3 - << 'END'
import json, urllib.request
asked = json.dumps({"game": {"fen": "8/8/8/8/8/2k5/8/K6Q w - - 0 1"}}).encode()
url, headers = "http://127.0.0.1:8080/v1/tablebase", {"Content-Type": "application/json"}
request = urllib.request.Request(url, asked, headers)
assert json.load(urllib.request.urlopen(request))["wdl"] == "win"
END
}
contains() {
    venv/bin/python << 'END'
import importlib.metadata
names = {path.name for path in importlib.metadata.files("rookery")}
assert {"rookery_ai.h", "LICENSE-MIT", "LICENSE-APACHE"} <= names, sorted(names)
END
}

! command -v rustc cargo cc || { echo "error: this Debian is not bare" >&2; exit 1; }
all=$SECONDS
step "python3 -m venv" python3 -m venv venv
step "pip install rookery[ai]" venv/bin/pip install 'rookery[ai]'
PATH=$PWD/venv/bin:$PATH
step "rookery serve" starts
step "a move over HTTP" moves basic1
step "a tablebase over HTTP" knows
step "the header and the licences are in the wheel" contains
step "rookery new-ai --lang python" rookery new-ai mine --lang python
step "rookery add" rookery add mine/engine.py
step "a move of the new AI" moves engine
echo "from nothing to a playing AI in Python: $((SECONDS - all)) s"
step "the SDK is in the environment" venv/bin/python -c 'import rookery_ai'
step "it plays in an empty folder" plays rookery
forget
step "pip install --user" /usr/bin/python3 -m pip install --user --break-system-packages rookery
step "it plays" plays "$HOME/.local/bin/rookery"
forget
step "pip install pipx uv" venv/bin/pip install pipx uv
step "pipx install" pipx install /dist/rookery-*.whl
step "it plays" plays "$HOME/.local/bin/rookery"
forget
step "uv tool install" uv tool install rookery
step "it plays" plays "$HOME/.local/bin/rookery"
step "uvx rookery" plays uvx rookery
