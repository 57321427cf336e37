#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A few injected faults: make inject has all of them.
set -u
. tests/support/tap.sh

plan 2
names=("allocations that fail end with a message, and short reads and writes change nothing" "so do all allocations of small commands")
: "${OUT:=build}" "${DTPROF:=build/dtprof}"
if ! command -v python3 >/dev/null; then
	for name in "${names[@]}"; do skip "$name" "there is no python3"; done
	finish
fi
if grep -q __asan_init "$DTPROF" || grep -q __tsan_init "$DTPROF"; then
	for name in "${names[@]}"; do skip "$name" "the sanitizers have allocators of their own"; done
	finish
fi
# inject NAME WORD...
inject() {
	local name=$1 output status
	shift
	output=$(tests/inject/inject.py --dtprof "$DTPROF" --preload "$OUT/tests/inject/faults.so" --show "$@" 2>&1)
	status=$?
	case $output in
	skipped:*) skip "$name" "${output#skipped: }" ;;
	*) result $status "$name" "$output" ;;
	esac
}
inject "${names[0]}" --kinds alloc,short --points 2 --only report-json,annotate-code,layout-rules,index,pprof,store-add,store-top
inject "${names[1]}" --kinds alloc --only debug-,print
finish
