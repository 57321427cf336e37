#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No access to an element of a flexible array is named after another member, wherever the array is in
# its record, and all but those of old arrays of one element are named: over generated records
# (tests/bench/flexible.py).
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
sets=("gcc -O0" "gcc -O2" "clang -O1")
plan ${#sets[@]}
for set in "${sets[@]}"; do
	if ! command -v python3 >/dev/null || ! command -v "${set%% *}" >/dev/null; then
		skip "$set" "no python3, or no ${set%% *}"
		continue
	fi
	found=$(tests/bench/flexible.py "$(realpath "$DTPROF")" --records 12 --show 3 "$set" 2>&1)
	[[ $? = 0 && $(grep -cE ': (last|nested|union): of 3 records right 3,' <<<"$found") = 3 ]]
	result $? "$set" "$found"
done
finish
