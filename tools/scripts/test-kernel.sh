#!/usr/bin/env bash
# Boots Debian's kernel in qemu (without KVM) and tests the release binary with cgroups and clock jumps.
# Usage: tools/scripts/test-kernel.sh RELEASE_FOLDER [CACHE_FOLDER]. Prints a line per check and a result line.
set -euo pipefail

release=$(realpath "$1")
cache=${2:-target/kernel}
minutes=${KERNEL_MINUTES:-10}
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")

"$root/tools/scripts/packages.sh" qemu-system-x86_64=qemu-system-x86 cc=gcc dpkg-deb=dpkg

# The kernel and busybox are unpacked next to the build, not installed.
mkdir -p "$cache"
cache=$(realpath "$cache")
if [ ! -e "$cache/system/bin/busybox" ]; then
    kernel=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')
    (cd "$cache" && apt-get download "$kernel" busybox-static)
    rm -rf "$cache/unpacked" && mkdir "$cache/unpacked"
    for package in "$cache"/*.deb; do dpkg-deb -x "$package" "$cache/unpacked"; done
    mv "$cache/unpacked" "$cache/system"
fi
vmlinuz=$(find "$cache/system/boot" -name 'vmlinuz-*' | sort | tail -1)

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{bin,ais,proc,sys,dev,tmp,run,etc}
cp "$cache/system/bin/busybox" "$tree/bin/"
cp "$release/rookery" "$tree/bin/"
cp "$release/libai_basic1.so" "$tree/ais/"
for name in "$here"/test-kernel/*.c; do
    cc -std=gnu11 -O2 -fPIC -shared -I "$root/ai-api/include" "$name" -o "$tree/ais/lib$(basename "$name" .c).so" -lpthread
done
# Copies the loader and the system's libraries to the same paths.
for library in $(ldd "$tree/bin/rookery" "$tree"/ais/*.so | grep -o '/[^ :]*\.so[^ :]*' | grep -v "^$tree" | sort -u); do
    mkdir -p "$tree/$(dirname "$library")"
    cp -L "$library" "$tree/$library"
done
cp "$here/test-kernel/init" "$here/test-kernel/rookery.toml" "$tree/"
chmod 755 "$tree/init" "$tree" "$tree"/ais/*.so
(cd "$tree" && find . | "$cache/system/bin/busybox" cpio -o -H newc 2> /dev/null | gzip -1) > "$cache/initrd.gz"

log="$cache/log"
started=$SECONDS
timeout "$((minutes * 60))" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1536 -nographic -no-reboot \
    -nic none -kernel "$vmlinuz" -initrd "$cache/initrd.gz" \
    -append 'console=ttyS0 quiet panic=-1 no_timer_check cgroup_no_v1=all lsm=landlock,yama rdinit=/init' < /dev/null > "$log" 2>&1 ||
    echo "qemu ended with status $? (the limit is $minutes minutes)" >&2
tr -d '\r' < "$log" | grep -E '^(ok|not ok|note|RESULT)' || true
echo "took $((SECONDS - started)) s; the complete log is $log"
tr -d '\r' < "$log" | grep -q '^RESULT: all .* checks passed' || { tail -n 20 "$log" >&2; exit 1; }
