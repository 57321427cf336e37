#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows what dtprof is for, in four commands, each of which is printed before it runs. OUT, CC and DTPROF come from the Makefile.
set -eu

export PAGER=cat # the commands follow each other without a key
mkdir -p "$OUT/demo"
data=$OUT/demo/perf.data

run() {
	echo
	echo "\$ $*"
	"$@"
}

run $CC -O2 -g -o "$OUT/demo/cache" tests/workloads/cache.c
run "$DTPROF" record -F 5000 -o "$data" -- "$OUT/demo/cache"
run "$DTPROF" report --stdio -i "$data" -s type,typeoff --hierarchy --percent-limit 2
run "$DTPROF" annotate --stdio -i "$data" --data-type=client
