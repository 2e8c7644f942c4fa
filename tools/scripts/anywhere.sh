#!/usr/bin/env bash
# Runs Makefile targets as if on a different machine, by default `test` and `test-all`:
# tools/scripts/anywhere.sh [TARGET] ...
#
# It uses a new clone below /tmp, with a space and an umlaut in its path, and a user without root or
# sudo. The locale and time zone are foreign, and the temporary folder's path contains a comma. The
# targets run without a network, after crates and packages are installed. Requires root to create the
# user. Prints how long each target took.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ "$(id -u)" = 0 ] || { echo "error: only root can create another user; run it as root" >&2; exit 1; }
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(test test-all)
tools/scripts/packages.sh useradd=passwd ip=iproute2 setpriv=util-linux localedef=locales git
tools/scripts/test-tools.sh

folder=$(mktemp -d "/tmp/rookery ü XXXXXX")
user=rookery-anywhere
remove() {
    pkill -KILL -u "$user" || true
    userdel "$user" || true
    rm -rf "$folder"
}
trap remove EXIT
useradd --home-dir "$folder/home" --create-home "$user"
chmod 755 "$folder"
# Turkish has a dotted and a dotless i, which breaks programs that fold case by locale.
mkdir --mode 755 "$folder/locales" "$folder/rust"
mkdir --mode 1777 "$folder/tmp, 1"
localedef --inputfile tr_TR --charmap UTF-8 "$folder/locales/tr_TR.UTF-8"
sysroot=$(rustc --print sysroot)
clone="$folder/clone"
git clone --quiet . "$clone"
chown -R "$user:" "$clone"

# Runs a command as the user, without the programs in `hidden`. `--net` runs it in a namespace
# without a network.
as_user() {
    local namespaces=(--mount)
    [ "$1" != --net ] || { namespaces+=(--net); shift; }
    # shellcheck disable=SC2016
    unshare "${namespaces[@]}" bash -euc '
        sysroot=$1 folder=$2 user=$3 hidden=$4; shift 4
        mount --bind "$sysroot" "$folder/rust"
        mount -t tmpfs none /mnt
        for program in $hidden; do
            place=${program%/*}
            over=/mnt/${place##*/}
            if [ ! -d "$over" ]; then
                mkdir -p "$over/upper" "$over/work"
                mount -t overlay none -o "lowerdir=$place,upperdir=$over/upper,workdir=$over/work" "$place"
            fi
            rm "$program"
        done
        ip link set lo up
        cd "$folder/clone"
        exec setpriv --reuid "$user" --regid "$user" --clear-groups env --unset CARGO_HOME --unset RUSTUP_HOME \
            HOME="$folder/home" USER="$user" PATH="$folder/rust/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" \
            TMPDIR="$folder/tmp, 1" LOCPATH="$folder/locales" LC_ALL=tr_TR.UTF-8 TZ=Asia/Kathmandu "$@"' \
        bash "$sysroot" "$folder" "$user" "${hidden:-}" "$@"
}

echo "== missing tools are named before anything is compiled"
tools=(stockfish gnuchess phalanx toga2 glaurung haproxy nats-server valgrind chromium)
hidden=$(PATH=$PATH:/usr/games:/usr/sbin && command -v "${tools[@]}" | tr '\n' ' ')
if as_user --net make test-all > "$folder/log" 2>&1; then
    echo "error: make test-all passes without its tools" >&2
    exit 1
fi
cat "$folder/log"
if grep -q Compiling "$folder/log"; then
    echo "error: something is compiled before the missing tools are named" >&2
    exit 1
fi
message=$(grep '^error: ' "$folder/log")
for tool in "${tools[@]}"; do
    [[ $message == *"$tool"* ]] || { echo "error: $tool is missing but not named" >&2; exit 1; }
done

hidden=
echo "== with a network: make fetch test-tools"
as_user make fetch test-tools
for target in "${targets[@]}"; do
    echo "== without a network: make $target"
    SECONDS=0
    as_user --net make "$target"
    echo "== make $target: $SECONDS s"
done
