#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No access to a bitfield is named after another one, whatever masks and shifts the compilers make of
# it, and most are named after the right one: over generated structs (tests/bench/bitfields.py).
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
sets=("gcc -O0" "gcc -O2" "g++ -Os" "clang -O1" "clang++ -O2 -fno-vectorize" "gcc -O2 -march=x86-64-v3")
plan ${#sets[@]}
for set in "${sets[@]}"; do
	if ! command -v python3 >/dev/null || ! command -v "${set%% *}" >/dev/null; then
		skip "$set" "no python3, or no ${set%% *}"
		continue
	fi
	found=$(tests/bench/bitfields.py "$(realpath "$DTPROF")" --structs 1 --show 3 "$set" 2>&1)
	counts=$(tail -1 <<<"$found")
	right=$(sed -n 's/.*right \([0-9]*\).*/\1/p' <<<"$counts")
	unit=$(sed -n 's/.*unit \([0-9]*\).*/\1/p' <<<"$counts")
	[[ $counts == *"wrong 0" && ${right:-0} -gt 50 && ${unit:-99} -lt $((${right:-0} / 5)) ]]
	result $? "$set" "$found"
done
finish
