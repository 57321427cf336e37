#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time and memory of `dtprof report`, and of perf's beside it where there is one that knows types (PERF=program, else perf
# in PATH; 6.8 or newer, built with libdw). The samples are of dtprof itself, so nothing has to be fetched.
# OUT and DTPROF come from the Makefile; RUNS, REPEAT and OBJECT can be set.
set -u

: "${RUNS:=3}" "${REPEAT:=40}"
: "${OBJECT:=$DTPROF}"
perf=${PERF:-$(command -v perf || true)}
folder=$OUT/bench
measure=$OUT/tests/bench/measure
mkdir -p "$folder"

rows() { # DATA
	for keys in sym type,typeoff comm,dso,sym,type,typeoff,local_weight; do
		"$measure" "$RUNS" "dtprof report -s $keys" "$DTPROF" report -i "$1" --stdio -s "$keys" || failed=1
	done
	[ -n "$perf" ] || return
	for keys in sym type,typeoff comm,dso,sym,type,typeoff,local_weight; do
		# an older perf does not know the keys: that is its line then, not our failure
		"$measure" 1 "${perf##*/} report -s $keys" "$perf" report -f -i "$1" --stdio -s "$keys" || :
	done
}

failed=0
[ -n "$perf" ] || echo "no perf to compare with: dtprof alone"
for repeat in 1 "$REPEAT"; do
	echo
	"$OUT/tests/bench/make_data" "$OBJECT" "$folder/$repeat.data" "$repeat" || exit 1
	printf '%-44s %10s %10s %11s\n' '' wall processor 'peak memory'
	rows "$folder/$repeat.data"
done
exit $failed
