#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A few injected faults: make inject has all of them.
set -u
. tests/support/tap.sh

plan 1
name="allocations that fail end with a message"
: "${OUT:=build}" "${DTPROF:=build/dtprof}"
if ! command -v python3 >/dev/null; then
	skip "$name" "there is no python3"
	finish
fi
if grep -q __asan_init "$DTPROF" || grep -q __tsan_init "$DTPROF"; then
	skip "$name" "the sanitizers have allocators of their own"
	finish
fi
output=$(tests/inject/inject.py --dtprof "$DTPROF" --preload "$OUT/tests/inject/fail_alloc.so" --points 2 --kinds alloc \
	--only report-json,code,layout,index,pprof,store --show 2>&1)
status=$?
case $output in
skipped:*) skip "$name" "${output#skipped: }" ;;
*) result $status "$name" "$output" ;;
esac
finish
