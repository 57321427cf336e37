#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs whose file is gone when the recording is read: the recorder keeps a copy while it can still read them. DTPROF and CC
# come from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
names=("a program that was deleted while it ran is kept" "a copy of what has no name is its owner's" "a program without a name (memfd) is kept"
	"a program that is deleted at its end (go run) is kept" "one without a build id is kept, too" "and no other of its name is taken for it")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}

export HOME=$folder
program=$folder/program
if ! ${CC:-gcc} -O2 -g -Wl,--build-id -o "$program" tests/workloads/cache.c 2>"$folder/log" ||
	! ${CC:-gcc} -O2 -w -o "$folder/nameless" tests/workloads/nameless.c 2>"$folder/log" ||
	! "$DTPROF" record -N -e cpu-clock:u -o "$folder/probe.data" -- true 2>"$folder/log"; then
	for name in "${names[@]}"; do
		skip "$name" "cannot record here: $(head -1 "$folder/log")"
	done
	finish
fi
record() { # NAME [OPTION...]
	"$DTPROF" record -e cpu-clock:u -F 2000 -o "$folder/$1.data" "${@:2}" 2>"$folder/log"
}
running() { # NAME COMMAND...: records a command that runs already, half a second after its start
	"${@:2}" >/dev/null &
	local pid=$!
	sleep 0.3
	rm -f "$folder/gone"
	record "$1" -p $pid -- sleep 0.5
	kill $pid
	wait $pid 2>/dev/null
}
fields() { # NAME: rows of the program's types
	"$DTPROF" report --stdio -q -s typeoff -i "$folder/$1.data" 2>"$folder/err" | grep -c 'struct entry'
}

cp "$program" "$folder/gone"
running deleted "$folder/gone" 90000000
[ "$(fields deleted)" -gt 0 ]
check $? "$(cat "$folder/log" "$folder/err")"
[ "$(find "$folder/.debug" -name elf -path '*gone*' -printf '%m\n')" = 700 ]
check $? "$(find "$folder/.debug" -name elf -printf '%m %p\n')"

rm -r "$folder/.debug"
running memory "$folder/nameless" "$program" 90000000
if grep -q nameless "$folder/log"; then
	skip "${names[$tap_number]}" "a program cannot run from memory here"
else
	mv "$program" "$program.away"
	[ "$(fields memory)" -gt 0 ]
	check $? "$(cat "$folder/log" "$folder/err")"
	mv "$program.away" "$program"
fi

rm -r "$folder/.debug"
cp "$program" "$folder/gone"
# much shorter than the second for which the recorder waits for a ring to fill
record ended -- sh -c "'$folder/gone' 2000000 >/dev/null; rm '$folder/gone'"
[ ! -e "$folder/gone" ] && [ "$(fields ended)" -gt 0 ]
check $? "$(cat "$folder/log" "$folder/err")"

${CC:-gcc} -O2 -g -Wl,--build-id=none -o "$folder/gone" tests/workloads/cache.c
rm -r "$folder/.debug"
running bare "$folder/gone" 90000000
[ "$(fields bare)" -gt 0 ]
check $? "$(cat "$folder/log" "$folder/err")"
# one with a byte more, in the place of the copy
copy=$(find "$folder/.debug" -name elf -path '*gone*')
printf x >>"$copy"
[ "$(fields bare)" -eq 0 ]
check $? "$(cat "$folder/err")"
finish
