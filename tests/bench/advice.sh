#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the advice of dtprof layout with its effect: each program of tests/bench/advice/ is recorded, then built with the
# advised layout, and both are timed in turns.
#
#   [DTPROF=program] [RUNS=7] [KEEP=FOLDER] tests/bench/advice.sh [NAME...]
#
# A line "compiler: NAME" of a program names another one than cc or c++.
# A line "case: TYPE KIND ARGUMENTS" is a row of the table: the proposal KIND, its verdict, the range that is
# predicted for user space, and the measured median: user time of the old program divided by that of the new one, with the least
# and the most of RUNS pairs. -DNEW -DKIND builds the program with the proposed layout. The last column:
#
#   yes, NO    whether "gain" is in the range, and "no gain" (or no such proposal) below 1.1
#   SLOWER     a "gain" that slows the program down
#   (yes) (NO) "cannot tell", with the measured gain in the range that is shown beside it, or outside
#   + KIND     another proposal is advised, which is not what was measured
#
# Recordings and times stay in KEEP, and those that are there are used again: then only the advice is new. Times of a busy
# machine mean little.
set -u
export LC_ALL=C DTPROF_CONFIG=
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
RUNS=${RUNS:-7}
programs=$(realpath "$(dirname "$0")/advice")
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && cd "$work" || exit 1

user_time() { # COMMAND...: seconds of processor time in user space
	local TIMEFORMAT=%U
	{ time "$@" >/dev/null 2>&1; } 2>&1
}

build() { # SOURCE PROGRAM OPTIONS...
	local compiler
	compiler=$(sed -n 's/^ \* compiler: //p' "$1")
	[ "${1##*.}" = cc ] && compiler=${compiler:-c++}
	compiler=${compiler:-cc}
	$compiler -O2 -g "${@:3}" -o "$2" "$1" -lm
}

measure() { # SOURCE KIND ROW ARGUMENTS...: makes ROW.data and ROW.times
	local source=$1 kind=$2 row=$3 i
	shift 3
	build "$source" "$row.old" && build "$source" "$row.new" -DNEW "-D${kind^^}" || return 1
	"$DTPROF" record -q -o "$row.data" "./$row.old" "$@" >/dev/null 2>&1 || return 1
	for ((i = 0; i < RUNS; i++)); do
		echo "$(user_time "./$row.old" "$@") $(user_time "./$row.new" "$@")"
	done >"$row.times"
}

compare() { # PROGRAM TYPE KIND ROW ARGUMENTS...: prints a line
	"$DTPROF" layout -q -i "$4.data" --type="$2" --top=1 --json >"$4.json" 2>/dev/null
	python3 - "$@" <<'END'
import json, sys

program, name, kind, row, arguments = *sys.argv[1:5], " ".join(sys.argv[5:])
pairs = [list(map(float, line.split())) for line in open(row + ".times")]
ratios = sorted(old / new for old, new in pairs if new)
median = ratios[len(ratios) // 2]
try:
    proposals = json.load(open(row + ".json"))["types"][0]["proposals"]
except (ValueError, IndexError):
    proposals = []
mine = next((p for p in proposals if p["kind"] == kind), None)
verdict, predicted, agrees = "not proposed", "", "yes" if median < 1.1 else "NO"
if mine:
    low, high = mine["own"]["low"], mine["own"]["high"]
    inside = low - 0.005 <= median <= high + 0.005
    verdict, predicted = mine["verdict"], "%.2f to %.2f" % (low, high)
    agrees = {"gain": "yes" if inside else "SLOWER" if median < 1 else "NO",
              "no gain": "yes" if median < 1.1 else "NO",
              "cannot tell": "(yes)" if inside else "(NO)"}[verdict]
if proposals and proposals[0]["verdict"] == "gain" and proposals[0]["kind"] != kind:
    agrees += " + " + proposals[0]["kind"]
print("%-8s %-18s %-8s %-12s %-16s %.2f (%.2f, %.2f)      %s" % (
    program, arguments, kind, verdict, predicted, median, ratios[0], ratios[-1], agrees))
END
}

printf '%-8s %-18s %-8s %-12s %-16s %-22s %s\n' program arguments proposal verdict predicted 'measured (least, most)' agrees
for source in "$programs"/*.c "$programs"/*.cc; do
	program=$(basename "${source%.*}")
	[ $# = 0 ] || [[ " $* " = *" $program "* ]] || continue
	# shellcheck disable=SC2086 # arguments are words
	while read -r type kind arguments; do
		row=$program.$kind.${arguments// /.}
		if ! [ -s "$row.times" ] && ! measure "$source" "$kind" "$row" $arguments; then
			echo "$program: cannot be built, or this user may not record here"
			continue
		fi
		compare "$program" "$type" "$kind" "$row" $arguments
	done < <(sed -n 's/^ \* case: //p' "$source")
done
