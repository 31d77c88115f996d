#!/bin/sh
# Makes the base image for machines that reach a Debian mirror but no
# container registry: usage: .ci/base.sh [image [suite]]
# Or only writes the image's files into a folder: usage: .ci/base.sh -root FOLDER [suite]
#
# The mirrors, the keys and the extra certificate authorities are this
# machine's own. Behind a TLS proxy npm needs those authorities inside the
# build, and Debian's node takes them from the system's store.
set -eu

image=debian:bookworm-slim
root=
if [ "${1-}" = -root ]; then
	root=$2
	shift
else
	image=${1:-$image}
fi
suite=${2:-bookworm}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/openchrome-bench/base-$suite.tar.gz

if [ -z "$root" ] && docker image inspect "$image" >/dev/null 2>&1; then
	exit 0
fi

# apt knows its sources whatever format they are written in.
mirrors() {
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v s="$suite" '($2 == s || $2 == s "-updates" || $2 == s "-security") && $3 == "main" { print "deb " $1 " " $2 " main" }' |
		sort -u
}

if [ ! -s "$cache" ]; then
	sources=$(mirrors)
	if [ -z "$sources" ]; then
		echo "base.sh: apt has no sources for $suite here; use a machine with a registry or with Debian $suite's sources" >&2
		exit 1
	fi
	mkdir -p "$(dirname "$cache")"
	# docker-clean, as in the official image: without it every layer keeps the
	# packages that apt fetched.
	printf '%s\n' "$sources" | mmdebstrap --quiet --variant=minbase --include=ca-certificates \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--customize-hook='mkdir -p "$1/usr/local/share/ca-certificates"' \
		--customize-hook='find /usr/local/share/ca-certificates -name "*.crt" -exec cp {} "$1/usr/local/share/ca-certificates/" \;' \
		--customize-hook='chroot "$1" update-ca-certificates >/dev/null' \
		--customize-hook='echo "DPkg::Post-Invoke { \"rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true\"; };" >"$1/etc/apt/apt.conf.d/docker-clean"' \
		--customize-hook='rm -rf "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*' \
		"$suite" "$cache.tar" -
	gzip -1 -c "$cache.tar" >"$cache.new"
	rm -f "$cache.tar"
	mv "$cache.new" "$cache"
fi

if [ -n "$root" ]; then
	mkdir -p "$root"
	tar -xzf "$cache" -C "$root"
	exit 0
fi
docker import --change 'CMD ["bash"]' "$cache" "$image" >/dev/null
