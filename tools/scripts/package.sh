#!/usr/bin/env bash
# Makes a Debian package, a tarball and wheels from the release build, and their checksums, in
# target/dist. The same build produces the same bytes. Usage: package.sh CARGO_DEB [TARGET]. TARGET
# is the target of a cross build. RUNNER is a command that runs the target's programs.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/scripts/packages.sh dpkg-shlibdeps=dpkg-dev python3 readelf=binutils
cargo_deb=$1
target=${2:-}
release=target/${target:+$target/}release
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 0)}
export SOURCE_DATE_EPOCH
umask 022
dist=target/dist
rm -rf "$dist"
mkdir -p "$dist"

# Prints the shipped configuration with different folders for plugins, documents and data.
configuration() { # PLUGINS DOCUMENTS DATA
    sed -e "1s|.make run.|the package|; 1s|config/reference.toml|$2/&|" -e "s|\"../target/release\"|$1|" -e "s|\"../data/|\"$3/|" config/rookery.toml
}

configuration '"/usr/lib/rookery", "/usr/local/lib/rookery"' /usr/share/doc/rookery /usr/share/rookery > "$release/rookery.toml"
rm -rf "$release"/{crates,man,completions}
tools/scripts/crates.sh "$release/crates"
tools/scripts/packaged_docs.py "$release/documents"
mkdir "$release/completions"
${RUNNER:-} "$release/rookery" man "$release/man"
gzip --no-name --best "$release"/man/*
for shell in bash fish zsh; do
    ${RUNNER:-} "$release/rookery" completions "$shell" > "$release/completions/$shell"
done
"$cargo_deb" ${target:+--target "$target"} --no-build --locked --package rookery --output "$dist" >&2
deb=$(echo "$dist"/rookery_*.deb)

# The tarball contains the package's files without `usr`, and works in any folder.
version=$(dpkg-deb --field "$deb" Version)
machine=${target%%-*}
name=rookery-${version%-*}-${machine:-$(uname -m)}-linux
staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
dpkg-deb --extract "$deb" "$staging/$name"
mv "$staging/$name"/usr/* "$staging/$name/"
rmdir "$staging/$name/usr"
configuration '"../../lib/rookery"' share/doc/rookery ../../share/rookery > "$staging/$name/etc/rookery/rookery.toml"
tar --create --directory "$staging" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    "$name" | gzip --no-name --best > "$dist/$name.tar.gz"
tools/scripts/wheels.py "$staging/$name" "$dist"

cd "$dist"
sha256sum rookery* | tee SHA256SUMS
