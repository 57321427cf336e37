#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the tables of dtprof c2c report --stdio with those of perf c2c report --stdio.
#
#   PERF=program DTPROF=program tests/bench/compare_c2c.sh [-v] [FILE ...]
#
# FILE: a recording; without one, those that tests/bench/write_c2c makes (all data sources of Intel, AMD and Arm)
# and those of ../shared/perfdata. -v: all lines that differ, side by side. Needs perf >= 7.2, and says so where there
# is none. Both must see the same files.
#
# A difference is explained by the first rule below that makes it go away:
#   unread      perf gives up (no nodes in the file, a pipe, a broken record); ours has a table
#   blanks      spaces at the ends of lines
#   stretched   perf takes addresses after the kernel's recorded map for the kernel's as well, so that
#               fewer are in no map; lines in a map come first, so that some have other numbers
#   kernel      the kernel's symbols and the objects of user space as each finds them: with -c pid,tid, which has
#               neither, there is no difference
# Lines that no rule explains are counted, and are the exit status.
set -u
export LC_ALL=C

PERF=${PERF:-perf}
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
OUT=$(realpath "${OUT:-build}")
verbose=
[ "${1:-}" = -v ] && verbose=1 && shift

"$PERF" version >/dev/null 2>&1 || { echo "no perf (PERF=$PERF)"; exit 0; }

folder=$(mktemp -d "${TMPDIR:-/tmp}/compare_c2c.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT

files=("$@")
if [ ${#files[@]} -eq 0 ]; then
	mkdir "$folder/written"
	"$OUT/tests/bench/write_c2c" "$folder/written" || exit 1
	files=("$folder"/written/*.data)
	for file in ../shared/perfdata/files/*.data; do
		[ -e "$file" ] && files+=("$(realpath "$file")")
	done
fi

# Writes three tables: ours, perf's, and the differences.
both() { # FILE OPTIONS...
	local file=$1
	shift
	"$PERF" c2c report --stdio -f "$@" -i "$file" >"$folder/perf" 2>"$folder/perf.err"
	"$DTPROF" c2c report --stdio -q -f "$@" -i "$file" >"$folder/ours" 2>"$folder/ours.err"
	diff "$folder/perf" "$folder/ours" >"$folder/diff"
}

# Removes the sum of unmapped samples and the numbers of lines, and sorts the lines.
unordered() {
	grep -v 'No Page Map' "$1" | sed -E 's/^ +[0-9]+ +/ /; s/ +/ /g; s/ $//' | sort
}

explain() { # FILE OPTIONS...
	if ! grep -q 'Total records' "$folder/perf"; then
		echo unread
	elif diff <(sed 's/ *$//' "$folder/perf") <(sed 's/ *$//' "$folder/ours") >/dev/null; then
		echo blanks
	elif diff <(unordered "$folder/perf") <(unordered "$folder/ours") >/dev/null; then
		echo stretched
	elif both "$@" -c pid,tid || diff <(unordered "$folder/perf") <(unordered "$folder/ours") >/dev/null; then
		echo kernel
	fi
}

bad=0 tables=0 lines=0
declare -A reasons
for file in "${files[@]}"; do
	for choice in "" "-d lcl" "-d rmt" "-d tot" "-d peer" "-c pid" "-c tid" "-c dso" "-c pid,tid,iaddr,dso" -N "-N -N" \
		--double-cl --show-all --stats --no-source --full-symbols "-g caller" "-g callee" "-g none"; do
		# shellcheck disable=SC2086 # words of options
		both "$file" $choice
		same=$?
		tables=$((tables + 1))
		lines=$((lines + $(wc -l <"$folder/perf")))
		[ $same -eq 0 ] && continue
		[ -n "$verbose" ] && cp "$folder/diff" "$folder/shown"
		# shellcheck disable=SC2086
		reason=$(explain "$file" $choice)
		if [ -n "$reason" ]; then
			reasons[$reason]=$((${reasons[$reason]:-0} + 1))
			continue
		fi
		# shellcheck disable=SC2086
		both "$file" $choice
		count=$(grep -c '^[<>]' "$folder/diff")
		bad=$((bad + 1))
		echo "$file ${choice:-(no options)}: $count lines differ"
		[ -n "$verbose" ] && cat "$folder/shown"
	done
done
echo "$tables tables, $lines lines of perf; $bad tables differ without a reason"
for reason in "${!reasons[@]}"; do
	echo "    $reason: ${reasons[$reason]}"
done
exit $((bad != 0))
