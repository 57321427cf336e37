#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the output of `dtprof report --header-only -I` with perf's, line by line, for each real perf.data file.
#
#   PERF=program DTPROF=program tests/bench/compare_headers.sh [TEXT]
#
# TEXT: only files whose name contains it. FILES is the folder that they are in (../shared/perfdata/files). What may differ:
#   PMU         perf names the type of an event, and the configuration of a hybrid processor's or a tracepoint's, after the PMUs
#               and tracepoints of the machine that it runs on; ours after those in the file
#   padding     where names of processors are not padded to 64 bytes, as perf itself does, perf assumes that the list ends
#               before the core ids, and says that there are none
#   opens       perf does not open the file (another architecture's without some features): nothing to compare
# Lines that no rule explains are shown, and are the exit status.
set -u
export LC_ALL=C TZ=UTC

PERF=${PERF:-perf}
DTPROF=${DTPROF:-build/dtprof}
: "${FILES:=../shared/perfdata/files}"
shopt -s nullglob
files=("$FILES"/*"${1:-}"*.data)
if [ ${#files[@]} -eq 0 ] || ! command -v "$PERF" >/dev/null; then
	echo "compare_headers: no files in $FILES, or no perf (PERF=program names one): nothing compared"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG= PERF_CONFIG=/dev/null

without_pmu() { sed -E '/^# event : /s/(type = [0-9]+)( \([^)]*\))?/\1/; /^# event : /s/(config = (0x)?[0-9a-f]+)( \([^)]*\))?/\1/' "$1"; }

without_cores() { without_pmu "$1" | grep -v -E '^# CPU [0-9]+: Core ID |^# Core ID and Socket ID information is not available'; }

same=0 pmu=0 padding=0 closed=0 differ=0
for file in "${files[@]}"; do
	"$DTPROF" report -i "$file" --header-only -I >"$work/ours" 2>"$work/ours.errors" </dev/null
	"$PERF" report -f -i "$file" --header-only -I >"$work/perf" 2>"$work/perf.errors" </dev/null
	if cmp -s "$work/ours" "$work/perf"; then
		same=$((same + 1))
	elif cmp -s <(without_pmu "$work/ours") <(without_pmu "$work/perf"); then
		pmu=$((pmu + 1))
	elif grep -q '^# Core ID and Socket ID information is not' "$work/perf" &&
		cmp -s <(without_cores "$work/ours") <(without_cores "$work/perf"); then
		padding=$((padding + 1))
	elif [ ! -s "$work/perf" ]; then
		closed=$((closed + 1))
		echo "${file##*/}: perf: $(head -1 "$work/perf.errors"); ours: $(wc -l <"$work/ours") lines"
	else
		differ=$((differ + 1))
		echo "${file##*/}:"
		diff <(without_pmu "$work/ours") <(without_pmu "$work/perf")
	fi
done
echo "${#files[@]} files: $same the same, $pmu but for the names of PMUs, $padding but for core ids (padding), $closed that perf does not open, $differ different"
[ "$differ" -eq 0 ]
