#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# capstone is loaded when an instruction needs it, and not before: where it is missing, all else works, and what needs it says so.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${CC:=gcc}"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
plan 3

echo 'long first(long *p) { return p[1]; }' >"$scratch/code.c"
for major in 4 5 6; do : >"$scratch/libcapstone.so.$major"; done
if [ "$(head -c 2 "$DTPROF")" = '#!' ]; then
	why="a script starts dtprof, as in an emulator"
elif [ "$(uname -m)" != x86_64 ]; then
	why="only code of x86-64 is decoded by capstone"
elif ! $CC -O1 -g -fPIC -shared -nostdlib -Wl,--build-id "$scratch/code.c" -o "$scratch/code"; then
	why="$CC does not compile the code"
elif LD_LIBRARY_PATH=$scratch python3 -c 'import ctypes; ctypes.CDLL("libcapstone.so.4")' 2>/dev/null; then
	why="the dynamic linker takes no library from LD_LIBRARY_PATH"
else
	why=
fi

# Runs dtprof where capstone cannot be loaded.
without() { # ARGUMENT...
	LD_LIBRARY_PATH=$scratch "$DTPROF" "$@" 2>&1
}

check() { # NAME STATUS PATTERN ARGUMENT...
	local name=$1 status=$2 pattern=$3 output
	shift 3
	[ -z "$why" ] || { skip "$name" "$why"; return; }
	output=$(without "$@")
	[ $? = "$status" ] && printf '%s\n' "$output" | grep -q "$pattern"
	result $? "$name" "$output"
}

check "dtprof starts without capstone" 0 'dtprof version' --version
check "common instructions are decoded without it" 0 '1 functions' index "$scratch/code" -o "$scratch/companion"
check "what needs it, as texts do, says that it is missing" 2 'libcapstone.so.*is not installed' debug cfg "$scratch/code" first
finish
