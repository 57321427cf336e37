#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Time and memory of `dtprof report`, and of perf's, if there is one that knows types (PERF=program, else perf
# in PATH; 6.8 or newer, built with libdw). The samples are of dtprof itself, so nothing has to be fetched.
# OUT and DTPROF come from the Makefile; RUNS, REPEAT and OBJECT can be set.
set -u

: "${RUNS:=3}" "${REPEAT:=40}"
: "${OBJECT:=$DTPROF}"
perf=${PERF:-$(command -v perf || true)}
folder=$OUT/bench
measure=$OUT/tests/bench/measure
mkdir -p "$folder"

all_keys='sym type,typeoff comm,dso,sym,type,typeoff,local_weight'
perf_keys=$all_keys

# An older perf says so, and exits with 0.
check_perf() { # DATA
	[ -n "$perf" ] || return
	if "$perf" report -f -i "$1" --stdio -s type 2>&1 | grep -q 'Unknown --sort key'; then
		echo "$perf knows no types (6.8 or newer does): its symbols alone"
		perf_keys=sym
	fi
}

rows() { # DATA
	for keys in $all_keys; do
		"$measure" "$RUNS" "dtprof report -s $keys" "$DTPROF" report -i "$1" --stdio -s "$keys" || failed=1
	done
	[ -n "$perf" ] || return
	for keys in $perf_keys; do
		"$measure" 1 "${perf##*/} report -s $keys" "$perf" report -f -i "$1" --stdio -s "$keys" || :
	done
}

failed=0
[ -n "$perf" ] || echo "no perf to compare with: dtprof alone"
for repeat in 1 "$REPEAT"; do
	echo
	"$OUT/tests/bench/make_data" "$OBJECT" "$folder/$repeat.data" "$repeat" || exit 1
	[ "$repeat" -ne 1 ] || check_perf "$folder/$repeat.data"
	printf '%-58s %10s %10s %11s\n' '' wall processor 'peak memory'
	rows "$folder/$repeat.data"
done

echo
# perf record of any version will do
if command -v perf >/dev/null; then
	"$OUT/tests/bench/record_cost" "$folder" "$RUNS" "$DTPROF" perf || failed=1
else
	"$OUT/tests/bench/record_cost" "$folder" "$RUNS" "$DTPROF" || failed=1
fi
echo
PERF=$perf "$(dirname "$0")/corpus.sh" || failed=1
exit $failed
