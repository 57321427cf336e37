#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where companions come from: a file server, the system's folder below --symfs, and the user's cache, which record fills
# (index.auto) and which has a limit. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'kill "${server:-}" 2>/dev/null; rm -rf "$folder"' EXIT
names=("a folder serves companions" "what was fetched is in the cache" "a server that has none is not asked again" "a server over HTTP serves companions"
	"a server that does not answer is left after the timeout" "a fetch that is killed leaves nothing"
	"a companion of another build is refused" "one in the system's folder is found"
	"index.auto: record makes companions" "the oldest companions go first" "a module's BTF needs that of its kernel")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}
mkdir -p "$folder/home" "$folder/other"
unset XDG_CACHE_HOME
export HOME=$folder/home DTPROF_CONFIG='' DEBUGINFOD_CACHE_PATH=$folder/other
cache=$HOME/.cache/dtprof/companions
program=$folder/cache
if ! ${CC:-gcc} -O2 -g -Wl,--build-id -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! "$DTPROF" record -q -N -e cpu-clock:u -F 2000 -o "$folder/perf.data" -- "$program" 3000000 >/dev/null 2>"$folder/log"; then
	for name in "${names[@]}"; do
		skip "$name" "cannot record here: $(head -1 "$folder/log")"
	done
	finish
fi
id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
served=$folder/server/buildid/$id
mkdir -p "$served"
"$DTPROF" index -q "$program" -o "$served/dtprof"
cp "$program" "$folder/whole" && strip "$program"
fields() { # [OPTION...]: rows of the program's types
	"$DTPROF" report --stdio -q -s typeoff -i "$folder/perf.data" "$@" 2>"$folder/log" | grep -c 'struct entry'
}
[ "$(fields)" -eq 0 ] || echo "# types without debug information?"

export DEBUGINFOD_URLS="ima:ignore file://$folder/server"
rows=$(fields)
if [ "$rows" -eq 0 ] && ! ldconfig -p | grep -q 'libcurl\(-gnutls\)\?\.so\.4'; then
	for i in 0 1 2 3 4 5; do
		skip "${names[$i]}" "no libcurl.so.4 (libcurl4)"
	done
else
	[ "$rows" -gt 0 ]
	check $? "$(cat "$folder/log")"
	[ -f "$cache/$id.dtp" ] && [ "$(DEBUGINFOD_URLS='' fields)" -eq "$rows" ]
	check $? "$(ls -R "$HOME")"

	rm -rf "$cache" && mv "$served" "$served.later"
	[ "$(fields)" -eq 0 ] && [ -f "$cache/$id.missing" ] && mv "$served.later" "$served" && [ "$(fields)" -eq 0 ] &&
		touch -d '-1 hour' "$cache/$id.missing" && [ "$(fields)" -eq "$rows" ]
	check $? "$(ls -R "$HOME" "$folder/server")"

	rm -rf "$cache"
	python3 -u -m http.server --bind 127.0.0.1 -d "$folder/server" 0 >"$folder/http" 2>&1 &
	server=$!
	for _ in $(seq 100); do
		port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$folder/http" 2>/dev/null)
		[ -n "$port" ] && break
		sleep 0.1
	done
	if [ -z "$port" ]; then
		skip "${names[3]}" "no server of HTTP: $(head -1 "$folder/http" 2>/dev/null) (python3)"
	else
		[ "$(DEBUGINFOD_URLS=http://127.0.0.1:$port/ fields)" -eq "$rows" ]
		check $? "$(cat "$folder/log" "$folder/http")"
	fi

	# a port that takes connections and never says anything
	rm -rf "$cache"
	kill $server 2>/dev/null
	server=
	python3 - "$folder/silent" <<'PY' >/dev/null 2>&1 &
import socket, sys, time
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(8)
open(sys.argv[1], 'w').write(str(s.getsockname()[1]))
time.sleep(60)
PY
	server=$!
	for _ in $(seq 100); do
		[ -s "$folder/silent" ] && break
		sleep 0.1
	done
	if [ ! -s "$folder/silent" ]; then
		skip "${names[4]}" "no python3"
		skip "${names[5]}" "no python3"
	else
		message=$(DEBUGINFOD_TIMEOUT=1 DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$folder/silent") timeout 50 "$DTPROF" report --stdio -s typeoff \
			-i "$folder/perf.data" 2>&1)
		status=$?
		[ $status -eq 0 ] && [ ! -f "$cache/$id.missing" ] && [ ! -f "$cache/$id.dtp" ]
		check $? "status $status: $message"
		# at most a name for a file system without files that have none
		DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$folder/silent") timeout -s KILL 2 "$DTPROF" report --stdio -s typeoff -i "$folder/perf.data" \
			>"$folder/log" 2>&1
		left=$(ls "$cache")
		if ! python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$cache" 2>/dev/null; then
			skip "${names[5]}" "no O_TMPFILE in $cache"
		else
			[ -z "$left" ]
			check $? "$left"
		fi
	fi
	kill "$server" 2>/dev/null
	server=

	rm -rf "$cache"
	${CC:-gcc} -O1 -g -Wl,--build-id -o "$folder/different" tests/workloads/cache.c && "$DTPROF" index -q "$folder/different" -o "$served/dtprof"
	[ "$(fields)" -eq 0 ]
	check $? "$(cat "$folder/log")"
fi
unset DEBUGINFOD_URLS
rm -rf "$cache"

system=$folder/root/usr/lib/debug/.dtprof/${id:0:2}
mkdir -p "$system" "$folder/root$(dirname "$program")" && cp "$program" "$folder/root$program" && "$DTPROF" index -q "$folder/whole" -o "$system/${id:2}.dtp"
[ "$(fields --symfs "$folder/root")" -gt 0 ]
check $? "$(cat "$folder/log")"

printf '[index]\n\tauto = true\n' >"$folder/config"
cp "$folder/whole" "$program"
DTPROF_CONFIG=$folder/config "$DTPROF" record -e cpu-clock:u -F 2000 -o "$folder/auto.data" -- "$program" 3000000 >"$folder/log" 2>&1
[ -f "$cache/$id.dtp" ] && grep -q 'companions were made' "$folder/log"
check $? "$(cat "$folder/log")"

# the limit of one byte leaves the newest alone
printf '[index]\n\tcache-size = 1\n' >"$folder/config"
rm -f "$cache"/*.dtp
"$DTPROF" index --cache -q "$folder/whole"
${CC:-gcc} -O1 -g -Wl,--build-id -o "$folder/different" tests/workloads/cache.c
other=$(readelf -n "$folder/different" | sed -n 's/.*Build ID: //p')
touch -d '-1 hour' "$cache/$id.dtp"
"$DTPROF" index --cache --cache-size 1G -q "$folder/different" && [ -f "$cache/$id.dtp" ] &&
	DTPROF_CONFIG=$folder/config "$DTPROF" index --cache -q "$folder/different" && [ ! -f "$cache/$id.dtp" ] && [ -f "$cache/$other.dtp" ]
check $? "$(ls -l "$cache")"

echo 'struct task { long flags; struct task *next; long state; } *first;' >"$folder/base.c"
cat >"$folder/module.c" <<'C'
struct task { long flags; struct task *next; long state; };
struct own { long number; struct task *task; };
long get(struct own *own) { return own->task->state; }
C
module() {
	# pahole -J needs llvm-objcopy
	cd "$folder" && gcc -O2 -g -c base.c module.c && pahole --btf_encode_detached=base.btf base.o &&
		ld -r --build-id -o module.ko module.o && pahole --btf_base base.btf --btf_encode_detached=module.btf module.ko &&
		strip -g module.ko && objcopy --add-section .BTF=module.btf module.ko
}
if ! (module) >"$folder/log" 2>&1; then
	skip "${names[10]}" "no BTF of a module: $(head -1 "$folder/log")"
else
	! "$DTPROF" index "$folder/module.ko" >"$folder/log" 2>&1 && grep -q -e '--btf' "$folder/log" && [ ! -f "$folder/module.ko.dtp" ] &&
		"$DTPROF" index --btf "$folder/base.btf" "$folder/module.ko" >"$folder/log" 2>&1 && grep -q '; 2 of 3 accesses have a type' "$folder/log"
	check $? "$(cat "$folder/log")"
fi
finish
