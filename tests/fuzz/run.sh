#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libFuzzer on each target:  run.sh BUILT SECONDS [ONLY]
#
# New inputs gather in BUILT/corpus/TARGET; what crashes, hangs, leaks or eats memory is left in BUILT/found/TARGET-*:
# after the fix it belongs in tests/fuzz/crashers/TARGET/.
set -u

built=$1 seconds=$2 only=${3:-} failed=0
mkdir -p "$built/found"
for source in tests/fuzz/fuzz_*.c; do
	program=${source%.c} target=${source##*/fuzz_}
	target=${target%.c}
	case $program in
	*"$only"*) ;;
	*) continue ;;
	esac
	folders=("$built/corpus/$target")
	for place in "tests/fuzz/seeds/$target" "tests/fuzz/crashers/$target" ../shared/perfdata/hostile; do
		[ ! -d "$place" ] || folders+=("$place")
	done
	mkdir -p "${folders[0]}"
	echo "  FUZZ    $target, $seconds s"
	"$built/$program" -max_total_time="$seconds" -timeout=3 -rss_limit_mb=512 -max_len=262144 \
		-artifact_prefix="$built/found/$target-" -print_final_stats=1 "${folders[@]}" >"$built/$target.log" 2>&1
	status=$?
	grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$built/$target.log" | sed 's/^/          /'
	if [ "$status" -ne 0 ]; then
		failed=$((failed + 1))
		echo "          found something, see $built/$target.log:"
		grep -m 5 -E 'ERROR|SUMMARY|Test unit written' "$built/$target.log" | sed 's/^/          | /'
	fi
done
echo "$failed fuzz targets found something"
[ "$failed" -eq 0 ]
