#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Commands on a recording of Arm's SPE, whose samples are in AUX data: tests/fuzz/seeds/build_perf.sh wrote it.
# DTPROF comes from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
file=tests/fuzz/seeds/perf_data/spe
plan 7

run() { "$DTPROF" "$@" 2>&1; }
has() { # NAME TEXT PATTERN
	grep -qE -- "$3" <<<"$2"
	result $? "$1" "$2"
}

found=$(run script -f -i $file --itrace=i1i -F +weight,+data_src,+addr,+phys_addr)
[ "$(grep -c 'instructions:' <<<"$found")" = 96 ]
result $? 'script makes a sample of each instruction' "$found"
has 'a sample has the address, its source and its weight' "$found" \
	'prog +10 .* 7f0000001000 .*OP LOAD.LVL L1 hit.* 10 +400000 .* 80001000'
found=$(run report -f -i $file --stdio)
for event in l1d-miss tlb-access branch memory instructions; do
	grep -q "of event '$event'" <<<"$found" || break
done
result $? 'report shows all events, as perf does' "$found"
found=$(run mem report -f -i $file --stdio)
[ "$(grep -c 'of event' <<<"$found")" = 1 ] && grep -q "of event 'memory'" <<<"$found"
result $? 'mem report shows each access once' "$found"
found=$(run c2c report -f -i $file --stdio)
has 'c2c counts the accesses by their sources' "$found" 'Total records +: +80'
found=$(run report -f -i $file --no-itrace --stdio)
has 'no samples are made if none are wanted' "$found" 'no samples'
run report -f -i $file --itrace=i10us >/dev/null
found=$(run report -f -i $file --itrace=i10us)
has 'a period of time is refused' "$found" '--itrace=i1i'
finish
