#!/usr/bin/env bash
# Tests the packages in target/dist in a Debian with systemd and without a network: the units, the
# tarball, the wheels, the image and the manifests. Usage: test-package.sh CARGO_DEB. Requires root.
# Prints a line per check and a result line.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" = 0 ] || { echo "error: this needs root, for chroots and namespaces" >&2; exit 1; }
cargo_deb=$1
PIPX=1.18.4
UV=0.13.9
tools/scripts/packages.sh shellcheck systemd-nspawn=systemd-container curl nsenter=util-linux
debian=$(tools/scripts/debian.sh)
kubernetes=$(tools/scripts/kubernetes-tools.sh)
installers=$PWD/.tools/pipx-$PIPX-uv-$UV
if [ ! -e "$installers" ]; then
    "$kubernetes/python" -m pip download --quiet --disable-pip-version-check --dest "$installers.new" "pipx==$PIPX" "uv==$UV" pip
    mv "$installers.new" "$installers"
fi
work=$(mktemp -d)
trap 'kill "${nspawn:-}" "${server:-}" 2> /dev/null || true; wait; rm -rf "$work"' EXIT

passed=0
failed=0
check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" > "$work/output" 2>&1; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "not ok $name"
        tail -n 20 "$work/output"
    fi
}
not() { ! "$@"; }
await() { # COMMAND...
    local deadline=$((SECONDS + 60))
    until "$@" > /dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || { echo "gave up: $*" >&2; return 1; }
        sleep 0.1
    done
}
start='{"game": {}, "limit": {"depth": 3}}'

# The sources.
check "scripts are clean" shellcheck --severity=warning tools/scripts/*.sh deploy/debian/*
check "the manifests match the schemas of Kubernetes" "$kubernetes/kubernetes-validate" --strict deploy/kubernetes.yaml
cp -r target/dist "$work/dist"
check "the packages can be rebuilt" tools/scripts/package.sh "$cargo_deb"
check "the same build gives the same bytes" cmp "$work/dist/SHA256SUMS" target/dist/SHA256SUMS

# The tarball, for an unprivileged user.
chmod a+x "$work"
install --directory --owner=nobody "$work/home"
as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
check "the checksums match" env --chdir="$work/dist" sha256sum --check SHA256SUMS
check "a user unpacks the tarball" "${as_nobody[@]}" tar --extract --directory "$work/home" --file "$(echo "$work"/dist/*.tar.gz)"
folder=$(echo "$work"/home/rookery-*)
"${as_nobody[@]}" "$folder/bin/rookery" serve --config "$folder/etc/rookery/rookery.toml" --listen 127.0.0.1:0 > "$work/address" 2> "$work/log" &
server=$!
first_move() { curl --silent --fail --json "$start" "$(sed -n 's/^listening on //p' "$work/address")/v1/best-move" | grep '"uci"'; }
check "its server plays a move" await first_move
probe() { curl --silent --fail --json '{"game": {"fen": "8/8/8/8/8/2k5/8/K6Q w - - 0 1"}}' "$(sed -n 's/^listening on //p' "$work/address")/v1/tablebase" | grep '"wdl":"win"'; }
check "its server finds the shipped tablebases" await probe
kill "$server"

# New AIs, without a clone, registry or network.
mkdir "$work/new"
new_ai() { # LANGUAGE COMMAND...
    (
        cd "$work/new"
        "$folder/bin/rookery" new-ai "ai-$1" --lang "$1"
        cd "ai-$1"
        unshare --net env ROOKERY="$folder/bin/rookery" CARGO_HOME="$work/new/cargo" "${@:2}"
    )
}
check "an AI in Rust passes its tests" new_ai rust cargo test --offline
check "it builds" env --chdir="$work/new/ai-rust" CARGO_HOME="$work/new/cargo" cargo build --release --offline
check "it passes the checks" "$folder/bin/rookery" check-ai "$work/new/ai-rust/target/release/libai_rust.so"
check "an AI in C passes its tests" new_ai c make test
check "an AI in C++ passes its tests" new_ai cpp make test
check "an AI in Python passes its tests" new_ai python python3 -m unittest
check "the header is in the package" cmp ai-api/include/rookery_ai.h "$folder/include/rookery_ai.h"
check "each link in the documents leads to a file" python3 -c '
import pathlib, re, sys
for page in pathlib.Path(sys.argv[1]).rglob("*.md"):
    for path in re.findall(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)", page.read_text()):
        if not (page.parent / path).exists():
            sys.exit(f"{page}: {path}")' "$folder/share/doc/rookery"
check "each command has a manual page" zgrep --quiet 'rookery-client-rotate' "$folder/share/man/man1/rookery-client-rotate.1.gz"
for script in bash-completion/completions/rookery fish/vendor_completions.d/rookery.fish zsh/vendor-completions/_rookery; do
    check "a shell completes arguments: $script" grep --quiet best-move "$folder/share/$script"
done

# An upgrade with a different default configuration.
deb=$(basename "$work"/dist/rookery_*.deb)
dpkg-deb --raw-extract "$work/dist/$deb" "$work/next"
sed -i 's/^Version: .*/&.1/' "$work/next/DEBIAN/control"
echo '# Another default.' >> "$work/next/etc/rookery/rookery.toml"
dpkg-deb --root-owner-group -Zgzip --build "$work/next" "$work/dist/next.deb" > /dev/null
"$kubernetes/python" - deploy/kubernetes.yaml > "$work/dist/kubernetes.toml" << 'END'
import sys, yaml
print(next(iter(yaml.safe_load_all(open(sys.argv[1]))))["data"]["rookery.toml"])
END

# The container has systemd, no network, and a temporary file system. By default, its filter denies
# the sandbox's system calls.
export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
container=(systemd-nspawn --quiet --directory="$debian" --volatile=overlay --private-network --register=no --keep-unit
    --machine=rookery-test --console=pipe --bind-ro="$work/dist:/dist" --bind-ro="$installers:/installers"
    --bind-ro="$PWD/tools/scripts/test-wheels.sh:/test-wheels.sh"
    --system-call-filter="@mount landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp")
check "installs without a running systemd" "${container[@]}" sh -ec "
    apt-get install --yes /dist/$deb
    runuser -u rookery -- rookery best-move --config /etc/rookery/rookery.toml --depth 3"

check "the tarball plays in a bare Debian" "${container[@]}" sh -ec "
    useradd --create-home ann
    cd /home/ann && runuser -u ann -- tar --extract --file /dist/$(basename "$work"/dist/*.tar.gz)
    runuser -u ann -- rookery-*/bin/rookery best-move --depth 3"

# The wheels, for a user of a Debian without Rust, with every Python installer.
wheel=$(basename "$work"/dist/rookery-*.whl)
glibc=${wheel#*manylinux_} && glibc=${glibc%_x86_64.whl}
check "the documents name the wheel's glibc ${glibc/_/.}" grep --quiet "glibc ${glibc/_/.}" docs/operations.md
check "the wheel has less than 25 MB: $(stat --format %s "$work/dist/$wheel") bytes" \
    test "$(stat --format %s "$work/dist/$wheel")" -lt 25000000
check "the wheels install with pip, pipx and uv, and play" "${container[@]}" sh -ec "
    useradd --create-home ann
    cd /home/ann && runuser -u ann -- /test-wheels.sh"
cat "$work/output"

"${container[@]}" --boot > "$work/boot" 2>&1 < /dev/null &
nspawn=$!
await grep -q . "/proc/$nspawn/task/$nspawn/children"
read -r init < "/proc/$nspawn/task/$nspawn/children" || true
inside() { # COMMAND...
    nsenter --target "$init" --all env --ignore-environment PATH=/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
get() { # PATH
    nsenter --target "$init" --net curl --silent --fail --max-time 30 "http://127.0.0.1:8080$1"
}
move() { # REQUEST
    nsenter --target "$init" --net curl --silent --fail --max-time 30 --json "$1" http://127.0.0.1:8080/v1/best-move |
        tee "$work/move" | grep '"uci"' || { cat "$work/move"; return 1; }
}
is_whole() {
    get /v1/ais > "$work/ais" && grep '"missing":\[\]' "$work/ais" && not grep --only-matching '"missing":\["[^]]*' "$work/ais"
}
as_service() { inside runuser -u rookery -- "$@"; } # COMMAND...
check "systemd boots" await inside systemctl is-active multi-user.target

# From the installation to the first move.
began=$(date +%s%N)
check "apt installs the package" inside apt-get install --yes "/dist/$deb"
check "the installed server plays a move" await move "$start"
took=$((($(date +%s%N) - began) / 1000000))
check "from apt to the first move in less than a minute: $took ms" test "$took" -lt 60000
check "its sandbox is complete" is_whole
check "the server runs as its own user" \
    inside test rookery = "$(inside stat --format %U "/proc/$(inside systemctl show --property MainPID --value rookery)")"
check "the server is enabled" inside systemctl is-enabled rookery
check "a new AI in Rust has the installed crates" inside sh -ec "
    cd /root && rookery new-ai mine && cmp /usr/share/rookery/crates/ai-api/src/lib.rs mine/vendor/*ai-api/src/lib.rs && rm -r mine"
check "the node is neither enabled nor started" not inside systemctl is-enabled rookery-node
check "the node requires a configuration" not inside systemctl start rookery-node
check "the service can read its configuration" as_service rookery config check --config /etc/rookery/rookery.toml
check "other users cannot" not inside runuser -u nobody -- cat /etc/rookery/rookery.toml
for path in /etc/rookery /etc/rookery/rookery.toml /usr/lib/rookery /usr/lib/rookery/libai_basic1.so /usr/bin/rookery; do
    check "the service cannot write $path" not as_service test -w "$path"
done
check "the Kubernetes configuration is valid" inside rookery config check --config /dist/kubernetes.toml

# The units.
for unit in rookery rookery@two rookery-node; do
    check "$unit.service is valid" inside systemd-analyze verify --man=no "$unit.service"
    check "$unit.service has an exposure score of at most 2.3 out of 10" \
        inside systemd-analyze security --no-pager --offline=true --threshold=23 "$unit.service"
done

# A second server.
inside sh -ec "cp -p /etc/rookery/rookery.toml /etc/rookery/two.toml
    printf '\n[server]\nlisten = [\"127.0.0.1:8081\", \"unix:/run/rookery-two/s.sock\"]\n' >> /etc/rookery/two.toml"
check "a second server starts" inside systemctl start rookery@two
check "it answers as soon as it has started" \
    nsenter --target "$init" --net curl --silent --fail --max-time 30 http://127.0.0.1:8081/readyz
check "its Unix socket is in its runtime folder" inside test -S /run/rookery-two/s.sock
check "systemctl reload reaches only this server" inside systemctl reload rookery@two
check "systemctl stops it" inside systemctl stop rookery@two
inside rm /etc/rookery/two.toml

# Reload, with an engine that the sandbox may start.
inside tee --append /etc/rookery/rookery.toml > /dev/null << 'END'

[ai.stockfish]
library = "ai_uci"
allow_exec = ["/usr/games/stockfish"]
limit = { movetime_ms = 100 }

[ai.stockfish.options]
command = "/usr/games/stockfish"
END
check "systemctl reload applies the configuration" inside systemctl reload rookery
check "Stockfish plays" move '{"game": {}, "ai": "stockfish"}'
check "its sandbox is complete" is_whole
inside cp -p /etc/rookery/rookery.toml /root/
inside rookery client add bob --ai basic1 --write --config /etc/rookery/rookery.toml > /dev/null 2> "$work/added"
key=$(grep --only-matching --ignore-case 'rookery-key-[^ ]*' "$work/added")
has_status() { # STATUS
    nsenter --target "$init" --net curl --silent --output /dev/null --write-out '%{http_code}' \
        --header "Authorization: Bearer $key" http://127.0.0.1:8080/v1/ais | grep --line-regexp "$1"
}
check "a client added by root is served immediately" has_status 200
inside rookery client remove bob --config /etc/rookery/rookery.toml > /dev/null
check "a client removed by root is rejected immediately" has_status 401
echo 'nonsense' | inside tee --append /etc/rookery/rookery.toml > /dev/null
check "systemctl reload reports an invalid configuration" not inside systemctl reload rookery
check "the server keeps the last configuration" move '{"game": {}, "ai": "stockfish"}'
inside cp -p /root/rookery.toml /etc/rookery/rookery.toml

# Stop.
move '{"game": {}, "ai": "stockfish", "limit": {"movetime_ms": 3000}}' > "$work/last" 2>&1 &
searching=$!
is_searching() { get /metrics | grep -F '{ai="stockfish",state="busy"} 1'; }
check "a client waits for a search" await is_searching
check "systemctl stop lets a search finish" inside systemctl stop rookery
wait "$searching" || true
check "its client gets the move" grep '"uci"' "$work/last"
inside journalctl --unit rookery --output cat > "$work/journal"
check "no worker is killed" not grep 'killed by signal' "$work/journal"

# Settings that the units omit, and what each one would break.
with() { # SETTINGS: starts the service with them until it answers or fails
    inside mkdir -p /run/systemd/system/rookery.service.d
    printf '[Service]\n%b\n' "$1" | inside tee /run/systemd/system/rookery.service.d/zz.conf > /dev/null
    inside systemctl daemon-reload
    inside systemctl reset-failed rookery 2> /dev/null || true
    inside systemctl restart rookery || true
    await is_settled
}
is_settled() { get /readyz || inside systemctl is-failed rookery; }
with 'RestrictNamespaces=\nRestrictNamespaces=yes'
check "RestrictNamespaces=yes breaks the sandbox" inside systemctl is-failed rookery
with 'RestrictNamespaces=\nRestrictNamespaces=user mnt'
check "without PID namespaces no AI may start programs" inside systemctl is-failed rookery
with 'SystemCallFilter=~landlock_create_ruleset'
check "without Landlock the server does not start" inside systemctl is-failed rookery
with 'SystemCallFilter=~@mount'
check "without @mount there is no private root" grep -q '"missing":\["mount_namespace"\]' <(get /v1/ais)
with 'SystemCallFilter=~@resources'
check "without @resources workers have the server's priority" grep -q '"missing":\["priority"\]' <(get /v1/ais)
with 'ProtectControlGroups=yes'
check "ProtectControlGroups=yes prevents cgroups" grep -q 'may not create cgroups' <(get /v1/ais)
with ''
delegates() { get /v1/ais > "$work/ais" && not grep 'may not create cgroups' "$work/ais"; }
check "the unmodified unit allows them" delegates
inside rm /run/systemd/system/rookery.service.d/zz.conf
inside systemctl daemon-reload

# Reinstallation, upgrade and removal.
is_edited() { inside cmp /root/rookery.toml /etc/rookery/rookery.toml; }
check "apt reinstalls it" inside apt-get install --yes --reinstall "/dist/$deb"
check "an edited configuration stays" is_edited
check "the postinst may run twice" inside /var/lib/dpkg/info/rookery.postinst configure 0.1.0
check "apt upgrades it" inside apt-get install --yes --option Dpkg::Options::=--force-confold /dist/next.deb
check "an edited configuration stays after an upgrade" is_edited
check "the upgraded server plays a move" await move '{"game": {}, "ai": "stockfish"}'
check "the configuration is readable only for root and the service" \
    grep -qx '640 root:rookery' <(inside stat --format '%a %U:%G' /etc/rookery/rookery.toml)
check "apt removes it" inside apt-get remove --yes rookery
check "the server has stopped" not get /healthz
check "the binary is removed" not inside test -e /usr/bin/rookery
check "the configuration stays" is_edited
check "apt purges it" inside apt-get purge --yes rookery
inside rm -f /root/rookery.toml
inside find / -xdev -iname '*rookery*' > "$work/left"
check "no file is left" not grep . "$work/left"
check "no user or group is left" not inside grep rookery /etc/passwd /etc/group

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
