#!/usr/bin/env bash
# Builds the image in deploy/Containerfile from the packages in target/dist and runs it with the
# options in deploy/compose.yaml. Its base images cannot be fetched everywhere, so our Debian
# replaces the second stage's image, and target/dist replaces the first stage. Requires root.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/scripts/packages.sh buildah podman crun curl ip=iproute2
debian=$(tools/scripts/debian.sh)
python=$(tools/scripts/kubernetes-tools.sh)/python
work=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
trap 'rm -rf "$work"' EXIT

make --dry-run dist > /dev/null
image() { # NAME FOLDER AT: makes an image from a folder
    local container
    container=$(buildah "${storage[@]}" from scratch)
    buildah "${storage[@]}" copy --quiet "$container" "$2" "$3"
    buildah "${storage[@]}" commit --quiet --rm "$container" "$1"
}
image docker.io/library/debian:bookworm-slim "$debian" /
image localhost/stage target/dist /src/target/dist
buildah "${storage[@]}" build --quiet --pull-never --network host --build-context build=container-image://localhost/stage \
    --file deploy/Containerfile --tag localhost/rookery .

"$python" - deploy/compose.yaml > "$work/options" << 'END'
import sys, yaml
service = yaml.safe_load(open(sys.argv[1]))["services"]["rookery"]
assert service["read_only"] and service["ports"] == ["127.0.0.1:8080:8080"], service
options = ["--read-only"]
for key, option in {"tmpfs": "--tmpfs", "cap_drop": "--cap-drop", "security_opt": "--security-opt"}.items():
    options += [f"{option}={value.replace(':', '=', 1).replace('=seccomp.json', '=deploy/seccomp.json')}" for value in service[key]]
print(*options, sep="\n")
END
mapfile -t options < "$work/options"

# Runs in separate namespaces: crun requires a system with only cgroups version 2, and port 8080 might be in use.
export work
unshare --mount --net bash -euo pipefail -s -- "${storage[@]}" -- "${options[@]}" << 'END'
storage=()
while [ "$1" != -- ]; do storage+=("$1"); shift; done
shift
umount --recursive --lazy /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
podman "${storage[@]}" --cgroup-manager cgroupfs --runtime crun run --rm --name rookery --cgroups disabled --network host \
    --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 "$@" localhost/rookery > "$work/log" 2>&1 &
for _ in $(seq 300); do
    curl --silent --fail http://127.0.0.1:8080/readyz && break
    kill -0 $! 2> /dev/null || { cat "$work/log"; exit 1; }
    sleep 0.1
done
curl --silent --fail --json '{"game": {}, "limit": {"depth": 3}}' http://127.0.0.1:8080/v1/best-move > "$work/move"
curl --silent --fail http://127.0.0.1:8080/v1/ais > "$work/ais"
kill $!
wait $! || true
END
grep -q '"uci"' "$work/move" || { echo "error: the container played no move" >&2; exit 1; }
grep -q '"missing":\[\]' "$work/ais" || { echo "error: the sandbox lacks a protection" >&2; cat "$work/ais" >&2; exit 1; }
echo "the image plays a move in its sandbox"
