#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A few injected faults: make inject has all of them.
set -u
. tests/support/tap.sh

plan 3
names=("allocations that fail end with a message, and short reads and writes change nothing" "so do all allocations of small commands"
	"symbols of the kernel and PMUs that cannot be read are told, for few samples, too")
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
inject "${names[0]}" --kinds alloc,short --points 2 --only report-json,annotate-code,layout-rules,index,export-pprof,store-add,store-top
inject "${names[1]}" --kinds alloc,short --only debug-,print,print-,try

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if ! strace -qq -o /dev/null true 2>/dev/null; then
	skip "${names[2]}" "no strace, or it may not trace"
elif ! "$DTPROF" record -q -N -e cpu-clock -g -o "$folder/data" awk 'BEGIN { while (i++ < 30000000); }' 2>"$folder/log"; then
	skip "${names[2]}" "programs cannot be recorded here: $(head -1 "$folder/log")"
else
	"$DTPROF" script -i "$folder/data" >"$folder/whole" 2>/dev/null
	strace -f -qq -o /dev/null -P /proc/kallsyms -e trace=openat -e inject=openat:error=EIO \
		"$DTPROF" script -i "$folder/data" >"$folder/part" 2>"$folder/log"
	if cmp -s "$folder/whole" "$folder/part"; then
		skip "${names[2]}" "no samples with symbols of the kernel"
	else
		pmus=/sys/bus/event_source/devices
		strace -f -qq -o /dev/null -P $pmus -e trace=getdents64 -e inject=getdents64:error=EIO "$DTPROF" list pmu \
			>/dev/null 2>"$folder/list"
		grep -q "/proc/kallsyms: Input/output error" "$folder/log" &&
			{ [ ! -d $pmus ] || grep -q "not all PMUs are listed: Input/output error" "$folder/list"; }
		result $? "${names[2]}" "$(cat "$folder/log" "$folder/list")"
	fi
fi
finish
