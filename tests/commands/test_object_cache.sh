#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cache of objects that record fills: copies are for nobody who may not read the program, and neither a link in it nor the
# cache of another user leads root elsewhere. DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
names=("the program is in the cache" "a copy is readable by no more users than the program" "a copy is not setuid" "nothing is written through a link"
	"nothing is written into the cache of another user" "nothing is read from it")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}

program=$folder/cache
record() { # HOME
	HOME=$1 "$DTPROF" record -q -e cpu-clock:u -F 2000 -o "$folder/perf.data" -- "$program" 3000000
}
mkdir "$folder/home"
if ! ${CC:-gcc} -O2 -g -Wl,--build-id -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! record "$folder/home" >/dev/null 2>"$folder/log"; then
	for name in "${names[@]}"; do
		skip "$name" "cannot record here: $(head -1 "$folder/log")"
	done
	finish
fi
copies() { # HOME: the modes of the copies of the program
	find "$1" -path "*$program/*" -name elf -printf '%m\n' 2>/dev/null
}
fields() { # HOME: rows of the program's types, read from the cache alone
	mv "$program" "$program.gone"
	HOME=$1 "$DTPROF" report --stdio -q -s typeoff -i "$folder/perf.data" 2>/dev/null | grep -c 'struct entry'
	mv "$program.gone" "$program"
}
[ "$(copies "$folder/home")" = 755 ] && [ "$(fields "$folder/home")" -gt 0 ]
check $? "modes: $(copies "$folder/home")"

chmod 0700 "$program" && mkdir "$folder/private" && record "$folder/private" >/dev/null 2>&1
[ "$(copies "$folder/private")" = 700 ]
check $? "modes: $(copies "$folder/private")"
chmod 4755 "$program" && mkdir "$folder/setuid" && record "$folder/setuid" >/dev/null 2>&1
[ "$(copies "$folder/setuid")" = 755 ]
check $? "modes: $(copies "$folder/setuid")"
chmod 0755 "$program"

mkdir -p "$folder/linked/.debug" "$folder/elsewhere" && ln -s "$folder/elsewhere" "$folder/linked/.debug/${folder#/}" 2>/dev/null ||
	ln -s "$folder/elsewhere" "$folder/linked/.debug/$(echo "${folder#/}" | cut -d/ -f1)"
record "$folder/linked" >/dev/null 2>&1
[ -z "$(ls -A "$folder/elsewhere")" ]
check $? "$(ls -AR "$folder/elsewhere")"

if [ "$(id -u)" -ne 0 ]; then
	for _ in 1 2; do
		skip "${names[$tap_number]}" "only root can make a folder of another user"
	done
	finish
fi
mkdir -p "$folder/other" "$folder/mixed/.debug" && chown 12345:12345 "$folder/other" "$folder/mixed/.debug"
record "$folder/other" >/dev/null 2>&1
record "$folder/mixed" >/dev/null 2>&1
[ ! -e "$folder/other/.debug" ] && [ -z "$(ls -A "$folder/mixed/.debug")" ]
check $? "$(ls -AR "$folder/other")"
cp -a "$folder/home/.debug" "$folder/other/.debug" && chown -R 12345:12345 "$folder/other"
[ "$(fields "$folder/other")" = 0 ]
check $? "$(fields "$folder/other") rows"
finish
