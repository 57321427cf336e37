#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damages real perf.data files: truncates each at CUTS places, changes FLIPS single bytes of five of them, and prints what
# `dtprof report` makes of them; then perf's report of the same, where there is one (PERF=program).
# OUT and DTPROF come from the Makefile; CUTS, FLIPS, PERF and FILES (a folder) can be set. make check has a smaller one
# of its own, tests/ingest/test_damage.
set -u

: "${CUTS:=200}" "${FLIPS:=2000}" "${FILES:=../shared/perfdata/files}"
folder=$OUT/bench
mkdir -p "$folder"
shopt -s nullglob
all=("$FILES"/*.data)
if [ ${#all[@]} -eq 0 ]; then
	echo "skipped: no perf.data files in $FILES (FILES=folder names another one)"
	exit 0
fi
# of a file, a pipe, and compressed ones, large and small
flipped=()
for name in perf.data.weight_struct perf.data.branch_stack_hw_index perf.data.hybrid_topology lpd-fibo.compressed2.pipe \
	lpd-sleep.compressed; do
	[ ! -f "$FILES/$name.data" ] || flipped+=("$FILES/$name.data")
done
[ ${#flipped[@]} -gt 0 ] || flipped=("${all[@]:0:5}")

table() { # NAME COMMAND...
	local name=$1 status=0
	shift
	echo "$name: ${#all[@]} files cut off at $CUTS places each"
	"$OUT/tests/bench/damage" "$CUTS" 0 "$folder/damaged.data" "${all[@]}" -- "$@" || status=1
	echo "$name: ${#flipped[@]} files with $FLIPS single bytes changed each"
	"$OUT/tests/bench/damage" 0 "$FLIPS" "$folder/damaged.data" "${flipped[@]}" -- "$@" || status=1
	return $status
}

table dtprof "$DTPROF" report --header -i @ --stdio -s comm,dso
status=$?
if [ -n "${PERF:-}" ]; then
	table "${PERF##*/}" "$PERF" report -f --header -i @ --stdio -s comm,dso || :
else
	echo "no perf beside it (PERF=program names one)"
fi
exit $status
