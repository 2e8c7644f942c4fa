#!/usr/bin/env bash
# Creates a minimal Debian with systemd, Stockfish and Python in target/package/debian, if it is
# missing, and prints its path. Requires root.
set -euo pipefail
cd "$(dirname "$0")/../.."

debian=target/package/debian
if [ ! -e "$debian/usr/bin/pip3" ]; then
    tools/scripts/packages.sh debootstrap
    rm -rf "$debian" "$debian.new"
    mkdir -p "$debian.new"
    debootstrap --variant=minbase --include=systemd-sysv,dbus,stockfish,python3-pip,python3-venv bookworm "$debian.new" >&2
    mv "$debian.new" "$debian"
fi
echo "$PWD/$debian"
