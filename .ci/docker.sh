#!/bin/sh
# A Docker engine and the base image for the container tests.
#
#   engine=$(.ci/docker.sh start)   an engine can be reached, the image is there
#   .ci/docker.sh stop "$engine"    ends the engine if that start began it
#
# start prints the engine that it began and nothing if one ran already; that one
# is used as it is and never stopped. Beginning one needs root and Debian's or
# Ubuntu's docker.io, which is installed if missing.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
base=debian:bookworm-slim

say() { echo "docker.sh: $*" >&2; }
reachable() { docker info >/dev/null 2>&1; }

install() {
	missing=
	command -v dockerd >/dev/null && command -v docker >/dev/null || missing="docker.io"
	command -v mmdebstrap >/dev/null || missing="$missing mmdebstrap"
	[ -n "$missing" ] || return 0
	say "installing $missing"
	apt-get update -qq
	# shellcheck disable=SC2086 # a list of packages
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# The pid alone does not name a process for ever; its start time with it does.
started() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

start_engine() {
	# A folder of its own: the pid file of an engine that was killed would keep
	# this one from starting.
	state=$(mktemp -d)
	# dockerd writes its own pid file: $! behind setsid may be another process.
	setsid dockerd --pidfile "$state/dockerd.pid" >"$state/dockerd.log" 2>&1 </dev/null 3>&- &
	tries=0
	until reachable; do
		tries=$((tries + 1))
		if [ $tries -gt 300 ]; then
			tail -n 40 "$state/dockerd.log" >&2
			say "the engine did not come up in 30 s; its log is above"
			[ ! -s "$state/dockerd.pid" ] || kill "$(cat "$state/dockerd.pid")" || true
			exit 1
		fi
		sleep 0.1
	done
	pid=$(cat "$state/dockerd.pid")
	echo "$pid:$(started "$pid")" >&3
	say "started an engine (pid $pid)"
}

start() {
	if reachable; then
		say "an engine already runs"
	else
		install
		reachable || start_engine
	fi
	docker image inspect "$base" >/dev/null 2>&1 && return 0
	say "pulling $base"
	timeout 120 docker pull -q "$base" >/dev/null 2>&1 && return 0
	say "no registry within reach: making $base out of this machine's Debian mirror"
	install
	"$here/base.sh" "$base"
}

stop() {
	pid=${1%:*}
	since=${1#*:}
	if [ -z "$pid" ] || [ "$(started "$pid")" != "$since" ]; then
		return 0 # none was begun, or it is gone
	fi
	kill "$pid"
	tries=0
	while [ "$(started "$pid")" = "$since" ] && [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	if [ "$(started "$pid")" = "$since" ]; then
		say "the engine (pid $pid) did not end in 30 s; end it with: kill -9 $pid"
		exit 1
	fi
	say "stopped the engine"
}

exec 3>&1 1>&2 # stdout is for the engine's name alone
case ${1-} in
start) start ;;
stop) stop "${2-}" ;;
*)
	echo "usage: .ci/docker.sh start | stop engine"
	exit 64
	;;
esac
