#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Holds the types of one build of a program against those of another build of the same source, line by line: an optimized
# build against one that is not (in which nearly all accesses are to declared variables), or gcc's against clang's. Needs no
# compiler that recorded the truth.
#
#   cross_builds.sh REFERENCE JUDGED     two builds, as executables with debug information
#   cross_builds.sh                      the programs of tests/workloads, which it builds: gcc -O0, gcc -O2 and clang -O2
#
# An answer with a field agrees if the reference has, on the same line, the same type and offset, or a field whose path ends
# in the whole of the other's path: one is then the record around the other (struct list len, struct queue list.len). The
# others are listed, sorted by how and by which rule they were found: those of a type that the line has at another offset, and
# contradictions.
# Neither is sure to be wrong: an optimizing compiler moves accesses to other lines, merges code and copies records in
# pieces. So judge the list by hand. LIST=N lists at most N of each (default 50).
set -eu
export LC_ALL=C

: "${OUT:=build}" "${DTPROF:=$OUT/dtprof}" "${LIST:=50}"
writer=$OUT/tests/bench/make_data
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

[ -x "$writer" ] || { echo "no $writer: skipped (make $writer)"; exit 0; }

# line, place in the code, type, offset, field, what found it: a line for each access
answers() { # PROGRAM
	"$writer" "$1" "$folder/data" 1 >"$folder/written" || { cat "$folder/written"; return 1; }
	"$DTPROF" report -q --blame=sampled -t '\t' -s srcline,symoff,type,typeoff,how,rule -i "$folder/data" |
		awk -F'\t' 'NF >= 7 {
			for (i = 2; i <= 7; i++) gsub(/^ +| +$/, "", $i)
			if ($4 ~ /^\(/ && $4 !~ /^\(anonymous/ || $2 !~ /:[1-9][0-9]*$/) next
			if (!match($5, / \+[0-9]+( \(.*\))?$/)) next
			rest = substr($5, RSTART + 2)
			offset = rest + 0
			field = rest ~ /\(/ ? substr(rest, index(rest, "(") + 1) : ""
			sub(/\)$/, "", field)
			if (field == "no field") field = ""
			print $2 "\t" $3 "\t" $4 "\t" offset "\t" field "\t" $6 ($7 == "-" ? "" : ", rule " $7)
		}'
}

compare() { # REFERENCE JUDGED NAME
	answers "$1" >"$folder/reference"
	answers "$2" >"$folder/judged"
	awk -F'\t' -v name="$3" -v list="$LIST" '
	function ends_in(path, part) {
		return length(path) > length(part) + 1 && substr(path, length(path) - length(part)) == "." part
	}
	# DWARF of two compilers may differ in these
	function plain(type) { sub(/^(struct|union|class) /, "", type); return type }
	FNR == NR {
		if ($5 != "") { n = ++count[$1]; type[$1, n] = plain($3); offset[$1, n] = $4; field[$1, n] = $5 }
		next
	}
	$5 == "" || !($1 in count) { $5 == "" ? unjudged++ : absent++; next }
	{
		verdict = "contradiction"; said = ""
		for (n = 1; n <= count[$1] && verdict != "agreement"; n++) {
			if (type[$1, n] == plain($3) && offset[$1, n] == $4 || field[$1, n] == $5 ||
			    ends_in(field[$1, n], $5) || ends_in($5, field[$1, n]))
				verdict = "agreement"
			else if (type[$1, n] == plain($3))
				verdict = "other offset"
			if (length(said) < 300 && !index(said, type[$1, n] " +" offset[$1, n] " "))
				said = said "; " type[$1, n] " +" offset[$1, n] " (" field[$1, n] ")"
		}
		judged++; verdicts[verdict]++
		if (verdict != "agreement") {
			rules[verdict, $6]++; seen[$6]
			text[verdict, $6] = text[verdict, $6] sprintf("    %s  %s  %s +%d (%s), but %s\n", $1, $2, $3, $4, $5, substr(said, 3))
		}
	}
	function show(verdict, number,   how, best, done, lines, parts, i) {
		for (;;) {
			best = ""
			for (how in seen)
				if (!done[how] && rules[verdict, how] && (best == "" || rules[verdict, how] > rules[verdict, best])) best = how
			if (best == "") return
			done[best] = 1
			printf "  %s by %s: %d\n", verdict, best, rules[verdict, best]
			lines = split(text[verdict, best], parts, "\n")
			for (i = 1; i < lines && number-- > 0; i++) print parts[i]
		}
	}
	END {
		if (!judged) { print name ": no line in common"; exit }
		printf "%s: %d answers with a field, %.1f %% agree, %.1f %% have the type at another offset, %.1f %% contradict (%d on lines without an answer, %d without a field)\n",
			name, judged, 100 * verdicts["agreement"] / judged, 100 * verdicts["other offset"] / judged,
			100 * verdicts["contradiction"] / judged, absent, unjudged
		show("contradiction", list); show("other offset", list)
	}' "$folder/reference" "$folder/judged"
}

if [ $# = 2 ]; then
	compare "$1" "$2" "${2##*/} by ${1##*/}"
	exit
fi

build() { # COMPILER FLAGS SOURCE OUTPUT
	command -v "$1" >/dev/null || { echo "${3##*/}: no $1 here: skipped"; return 1; }
	# shellcheck disable=SC2086
	"$1" -g $2 -w "$3" -o "$4" -lm -lpthread 2>"$folder/errors" ||
		{ echo "${3##*/}: not built by $1 $2: skipped ($(head -n 1 "$folder/errors"))"; return 1; }
}

for source in tests/workloads/*.c tests/workloads/*.cc; do
	name=${source##*/}
	grep -q '^int main(\|[ *]main(' "$source" || continue # a library, or code that starts by itself
	case $source in *.cc) gcc=g++ clang=clang++ ;; *) gcc=gcc clang=clang ;; esac
	build "$gcc" -O0 "$source" "$folder/plain" || continue
	if build "$gcc" -O2 "$source" "$folder/gcc"; then compare "$folder/plain" "$folder/gcc" "$name, $gcc -O2 by $gcc -O0"; fi
	if build "$clang" -O2 "$source" "$folder/clang"; then compare "$folder/plain" "$folder/clang" "$name, $clang -O2 by $gcc -O0"; fi
done
