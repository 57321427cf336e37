#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the advice of dtprof layout with its effect: each program of tests/bench/advice/ is recorded, then built with the
# advised layout, and both are timed in turns.
#
#   [DTPROF=program] [RUNS=7] [KEEP=FOLDER] tests/bench/advice.sh [NAME...]
#
# A line "compiler: NAME" of a program names another one than cc, c++ or rustc, and "options: WORDS" more options for it. Rust
# has --cfg new and --cfg KIND for -DNEW and -DKIND.
# A line "case: TYPE KIND ARGUMENTS" is a row of the table: the proposal KIND, its verdict, the range that is
# predicted for user space, and the measured median: user time of the old program divided by that of the new one, with the least
# and the most of RUNS pairs. -DNEW -DKIND builds the program with the proposed layout. "low": whether the low end of a
# promised range was kept. "rank": the place of the type among those that have advice without any option. The last column:
#
#   yes, NO    whether "gain" is in the range, and "no gain" (or no such proposal) below 1.1
#   SLOWER     a "gain" that slows the program down
#   (yes) (NO) "cannot tell", with the measured gain in the range that is shown beside it, or outside
#   + KIND     another proposal is advised, which is not what was measured
#
# The last lines count the rows: gains that were advised, no gains with no advice, promises that were kept, and the median
# width of a promised range. A KIND that dtprof layout does not know ("beside": what is compared, beside the pointer) counts
# as a gain that was not advised.
#
# Recordings and times stay in KEEP, and those that are there are used again: then only the advice is new. Times of a busy
# machine mean little.
set -u
export LC_ALL=C DTPROF_CONFIG=
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
RUNS=${RUNS:-7}
programs=$(realpath "$(dirname "$0")/advice")
figures=$(realpath "$(dirname "$0")/advice_figures.py")
work=${KEEP:-$(mktemp -d)} || exit 1
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work" && cd "$work" || exit 1

user_time() { # COMMAND...: seconds of processor time in user space
	local TIMEFORMAT=%U
	{ time "$@" >/dev/null 2>&1; } 2>&1
}

build() { # SOURCE PROGRAM OPTIONS...
	local compiler options
	options=$(sed -n 's/^ \* options: //p' "$1")
	compiler=$(sed -n 's/^ \* compiler: //p' "$1")
	if [ "${1##*.}" = rs ]; then
		options="$options $(printf '%s\n' "${@:3}" | sed -n 's/^-D/--cfg /p' | tr 'A-Z\n' 'a-z ')"
		# shellcheck disable=SC2086 # options are words
		${compiler:-rustc} -A warnings -O -g $options -o "$2" "$1"
		return
	fi
	[ "${1##*.}" = cc ] && compiler=${compiler:-c++}
	compiler=${compiler:-cc}
	# shellcheck disable=SC2086 # options are words
	$compiler -O2 -g $options "${@:3}" -o "$2" "$1" -lm
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
	"$DTPROF" layout -q -i "$4.data" --json >"$4.all.json" 2>/dev/null
	python3 "$figures" row "$@" && cat "$4.row" >>rows
}

: >rows
printf '%-8s %-18s %-8s %-12s %-16s %-22s %-4s %-4s %s\n' \
	program arguments proposal verdict predicted 'measured (least, most)' low rank agrees
for source in "$programs"/*.c "$programs"/*.cc "$programs"/*.rs; do
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
[ -s rows ] && python3 "$figures" summary rows
