#!/usr/bin/env bash
# The README's two commands on a machine that has only Go: first as root, whose
# HOME is read-only, then as an ordinary user, who has none. usage: .ci/bare.sh
#
# The machine is a plain Debian in a folder, with mounts and processes of its
# own, so that nothing stays however this ends. A chroot is refused user
# namespaces. Go, its modules and the checkout have their usual paths, so that
# Go's build cache knows them. That cache is a copy: Go's test cache does not see
# that a program is missing, so nothing from here may get into the real one.
set -euo pipefail
cd "$(dirname "$0")/.."

goroot=$(go env GOROOT)
modules=$(go env GOMODCACHE)
path=$goroot/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Outside of the machine: makes it, and removes it.
outside() {
	if ! command -v mmdebstrap >/dev/null; then
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null
	fi
	go mod download
	machine=
	top=$(mktemp -d)
	trap clean EXIT
	trap 'exit 130' INT TERM HUP
	.ci/base.sh -root "$top"
	chmod 755 "$top" "$top/root" # the user's checkout or modules may be below
	mkdir -p "$top$PWD"
	git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$top$PWD"
	cp -r "$(go env GOCACHE)" "$top/cache"
	set -m # or Ctrl-C is ignored in the machine, and tests want it
	unshare --mount --pid --fork --kill-child .ci/bare.sh inside "$top" </dev/null &
	set +m
	machine=$!
	wait "$machine"
}

# When the first process of the machine has ended, so have all others.
clean() {
	local first
	if [ -n "$machine" ] && first=$(cat "/proc/$machine/task/$machine/children" 2>/dev/null); then
		kill -KILL $first 2>/dev/null || true
		wait "$machine" || true
	fi
	rm -rf --one-file-system "$top"
}

inside() {
	root=$1
	local dir program
	mount -t proc proc "$root/proc"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
	mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx"
	for dir in null zero full random urandom tty; do
		mount --bind "/dev/$dir" "$root/dev/$dir"
	done
	for dir in "$goroot" "$modules"; do
		mkdir -p "$root$dir"
		mount -o bind,ro "$dir" "$root$dir"
	done
	for program in git ps kill gcc cc node chromium google-chrome docker; do
		for dir in ${path//:/ }; do
			if [ -e "$root$dir/$program" ]; then
				echo "bare.sh: the bare machine has $dir/$program" >&2
				exit 1
			fi
		done
	done
	planted
	commands --userspec=0:0 "HOME=$goroot"
	chown -R 1000:1000 "$root$PWD" "$root/cache"
	for dir in "$root"/tmp/*; do # of root; the checkout may be below
		[[ $root$PWD/ == "$dir"/* ]] || rm -rf "$dir"
	done
	commands --userspec=1000:1000
}

# bare USER [VARIABLE...] PROGRAM... runs a program on the machine.
bare() {
	local user=$1
	shift
	chroot "$user" --groups= "$root" env -i -C "$PWD" PATH="$path" GOCACHE=/cache GOMODCACHE="$modules" \
		GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-count=1 "$@"
}

commands() {
	printf '\n-- %s: bench:mock (%ss)\n' "$*" "$SECONDS"
	bare "$@" go run mage.go bench:mock
	printf '\n-- %s: test (%ss)\n' "$*" "$SECONDS"
	bare "$@" go run mage.go test
}

# A test that needs git and does not say so fails here.
planted() {
	local dir=harness/planted out
	mkdir "$root$PWD/$dir"
	cat >"$root$PWD/$dir/planted_test.go" <<-'EOF'
		package planted

		import (
			"os/exec"
			"testing"
		)

		func TestPlanted(t *testing.T) {
			if err := exec.Command("git", "version").Run(); err != nil {
				t.Fatal("planted:", err)
			}
		}
	EOF
	out=$(bare --userspec=0:0 go test "./$dir" 2>&1) && out="it passed: $out"
	rm -r "${root:?}$PWD/$dir"
	if [[ $out != *'planted: exec: "git": executable file not found'* ]]; then
		printf 'bare.sh: a planted test that needs git did not fail as it must:\n%s\n' "$out" >&2
		exit 1
	fi
}

if [ "${1-}" = inside ]; then
	inside "$2"
else
	outside
fi
