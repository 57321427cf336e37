#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No access to an element of a flexible array is named after another member, wherever the array is in
# its record. Elements of arrays at the end of a record, or of a record in it, are all named; in
# unions the name may end at the union. Over generated records (tests/bench/flexible.py).
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
	found=$(tests/bench/flexible.py "$(realpath "$DTPROF")" --records 15 --show 3 "$set" 2>&1)
	[[ $? = 0 && $(grep -cE ': (last|nested): of 3 records right 3,' <<<"$found") = 2 &&
		$(grep -cE ': of 3 records .* wrong 0; .* wrong 0$' <<<"$found") = 5 ]]
	result $? "$set" "$found"
done
finish
