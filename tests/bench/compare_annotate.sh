#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares dtprof annotate with perf annotate: the members of each type that both show, and the code of each function.
#
#   PERF=program DTPROF=program tests/bench/compare_annotate.sh [-v] [RECORDING...]
#
# -v: the lines that differ. Without a RECORDING one is made of tests/workloads/cache.c. Needs perf >= 7 (the first with
# --code-with-type), and says so where there is none.
#
# Types are compared by offset, size and declaration of each member, code by address, percentage and instruction, and the types of
# instructions are counted; the shares of types are not,
# for each finds types of its own. A line that only one of them has is explained by
#   keyword     perf says Table or struct Table for one type, as a variable has it; ours is the struct
#   typedef     perf shows a type by a typedef's name, ours by the tag (robj is struct redisObject)
#   elements    members of the records in an array, which perf leaves closed
#   several     one name of several types, of which perf shows those that it finds accesses to
#   name        perf prints no name, or bytes of its memory, for types that it cannot name (_Atomic)
#   capstone    constants, shifts by one and moves that another version of capstone spells in another way
# or else is a difference, which is shown and counted in the exit status.
set -u
export LC_ALL=C

PERF=${PERF:-perf}
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }

if ! command -v "$PERF" >/dev/null || ! "$PERF" annotate -h 2>&1 | grep -q code-with-type; then
	echo "compare_annotate: no perf with annotate --code-with-type here (PERF=program names one): nothing compared"
	exit 0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG= PERF_CONFIG=/dev/null

if [ $# -eq 0 ]; then
	gcc -O2 -g -o "$work/cache" tests/workloads/cache.c -pthread 2>/dev/null &&
		"$DTPROF" record -q -e cpu-clock -o "$work/cache.data" -- timeout 3 "$work/cache" >/dev/null 2>&1
	set -- "$work/cache.data"
fi

# "Table|0x8 0x1 lu_byte tt;" for each member of each type with members. OTHER has the lines of perf: what is closed there (an
# array of records, also by a typedef's name) is closed here.
members() { # [OTHER]
	awk -v other="${1:-}" '
		BEGIN { while (other != "" && (getline line < other) > 0) known[line] = 1 }
		/^Annotate type: / { split($0, part, "\047"); name = part[2]; sub(/^(struct|union|class|enum) /, "", name); next }
		/^ *[0-9.]+ +(0x[0-9a-f]+|0) +(0x[0-9a-f]+|0)  / {
			offset = $2; size = $3
			sub(/^ *[0-9.]+ +[0-9a-fx]+ +[0-9a-fx]+  /, "")
			indent = match($0, /[^ ]/) - 1
			gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, ""); sub(/ \*/, "*"); sub(/ \[/, "[")
			if (closed != "" && indent > closed) next
			closed = ""
			shut = $0
			if (sub(/ \{$/, ";", shut) && (name "|" offset " " size " " shut) in known) {
				closed = indent; $0 = shut; elements++
			}
			if (indent) print name "|" offset " " size " " $0
		}
		END { print elements + 0 > "/dev/stderr" }' 2>"$work/elements"
}

# "lua luaH_get|17ff0|11.11|movl 0xc(%rdi), %edx|Table +0xc (alimit)" for each instruction
instructions() {
	awk -F'\t' '
		/\|\tSource code & Disassembly of / { object = $0; sub(/.*Disassembly of /, "", object); sub(/ for .*/, "", object) }
		/^ +: 0 +0x[0-9a-f]+ </ { symbol = $0; sub(/^[^<]*</, "", symbol); sub(/>:.*/, "", symbol) }
		/^ +[0-9.]+( +[0-9.]+)* :  +[0-9a-f]+:/ {
			type = ""
			for (i = 2; i <= NF; i++) if (sub(/^# data-type: /, "", $i)) type = $i
			sub(/^(struct|union|class|enum) /, "", type)
			share = text = $1
			sub(/ :  .*/, "", share); gsub(/^ +/, "", share); gsub(/ +/, " ", share)
			sub(/^.* :  +/, "", text)
			address = text; sub(/:.*/, "", address); sub(/^[0-9a-f]+: +/, "", text); gsub(/ +/, " ", text); sub(/ $/, "", text)
			print object " " symbol "|" address "|" share "|" text "|" type
		}'
}

# Only functions that both print are compared: perf may not find the object of others.
in_both() { # FILE, of perf.code and ours.code
	awk -F'|' -v other="$work/perf.code" -v ours="$work/ours.code" '
		BEGIN {
			while ((getline line < other) > 0) { split(line, part, "|"); first[part[1]] = 1 }
			while ((getline line < ours) > 0) { split(line, part, "|"); second[part[1]] = 1 }
		}
		($1 in first) && ($1 in second)' "$1"
}

# Counts the instructions to which both give the same type, or different ones. perf has no qualified names of C++ and Rust, so the
# last part is compared.
compare_instruction_types() {
	for side in perf ours; do
		in_both "$work/$side.code" | awk -F'|' '{ print $1 "|" $2 "\t" $5 }' | sort -u -t"$(printf '\t')" -k1,1 >"$work/$side.types"
	done
	join -t"$(printf '\t')" "$work/perf.types" "$work/ours.types" | awk -F'\t' '
		function last(name) { sub(/ \+.*/, "", name); sub(/<.*/, "", name); sub(/^.*::/, "", name); return name }
		{
			if ($2 == "" && $3 == "") neither++
			else if ($2 == "" || $2 ~ /^\(/) ours++
			else if ($3 == "" || $3 ~ /^\(/) perf++
			else if ($2 == $3 || last($2) == last($3)) same++
			else other++
		}
		END {
			printf "  types of instructions: %d the same, %d another (each finds its own), %d only ours, %d only perf, %d none\n",
				same, other, ours, perf, neither
		}'
}

# how capstone 4 and 5 differ
spelling() {
	sed -E -e 's/^([0-9a-f]+ [0-9. ]+) mov[dq] (%r[a-z0-9]+, %xmm|%xmm[0-9]+, %r)/\1 movd \2/; s/\$-?(0x)?[0-9a-f]+/$N/g' \
		-e 's/ (ro[lr]|rc[lr]|sh[lr]|sa[lr])[bwlq]? (\$N, )?/ \1 /; s/ (fu?com)(ip|pi) / \1ip /; s/(ip .*), %st(\(0\))?$/\1/'
}

differences=0
show() { # WHAT, what is left in perf.left and ours.left
	local count
	count=$(cat "$work/perf.left" "$work/ours.left" | wc -l)
	differences=$((differences + count))
	echo "  $1: $count lines differ without a reason"
	[ -z "$verbose" ] || { sed 's/^/    perf: /' "$work/perf.left"; sed 's/^/    ours: /' "$work/ours.left"; }
}

compare_types() { # FILE
	timeout 600 "$PERF" annotate --stdio --data-type -i "$1" 2>/dev/null | members | sort -u >"$work/perf"
	timeout 600 "$DTPROF" --no-pager annotate -q --stdio --hex --blame=sampled --data-type -i "$1" 2>/dev/null >"$work/ours.text"
	members "$work/perf" <"$work/ours.text" | sort -u >"$work/ours"
	sed -nE "s/^Annotate type: '(struct |union |class |enum )?([^']*)'.*/\2|/p" "$work/ours.text" | sort | uniq -d >"$work/several"
	cut -d'|' -f1 "$work/perf" | sort -u >"$work/perf.types"
	cut -d'|' -f1 "$work/ours" | sort -u >"$work/ours.types"
	comm -12 "$work/perf.types" "$work/ours.types" >"$work/both.types"
	echo "  types: $(wc -l <"$work/both.types") of both;" \
		"only perf $(comm -23 "$work/perf.types" "$work/ours.types" | wc -l) (typedef)," \
		"only ours $(comm -13 "$work/perf.types" "$work/ours.types" | wc -l); $(cat "$work/elements") arrays opened (elements)"
	for side in perf ours; do
		awk -F'|' 'NR == FNR { both[$1] = 1; next } $1 in both' "$work/both.types" "$work/$side" | sort >"$work/$side.now"
	done
	comm -23 "$work/perf.now" "$work/ours.now" >"$work/perf.left"
	comm -13 "$work/perf.now" "$work/ours.now" >"$work/ours.left"
	echo "  members: $(comm -12 "$work/perf.now" "$work/ours.now" | wc -l) the same"
	# name: the same place and name after a type that is no text
	grep -aP '[^\x20-\x7e]|\|\S+ \S+ ;?\S*$' "$work/perf.left" | sed -E 's/ [^ ]+ ([^ ]+)$/ \1/' | cut -d' ' -f1-2 >"$work/unnamed"
	for side in perf ours; do
		grep -avFf "$work/unnamed" "$work/$side.left" >"$work/$side.next"
		[ ! -s "$work/unnamed" ] || mv "$work/$side.next" "$work/$side.left"
	done
	if [ -s "$work/several" ]; then
		grep -vFf "$work/several" "$work/ours.left" >"$work/ours.next"
		mv "$work/ours.next" "$work/ours.left"
	fi
	show types
}

compare_code() { # FILE
	timeout 600 "$PERF" annotate --stdio --code-with-type -i "$1" 2>/dev/null | instructions >"$work/perf.code"
	timeout 600 "$DTPROF" --no-pager annotate -q --stdio --hex --blame=sampled --no-source --code-with-type -i "$1" 2>/dev/null |
		instructions >"$work/ours.code"
	compare_instruction_types
	for side in perf ours; do
		in_both "$work/$side.code" | cut -d'|' -f2-4 | tr '|' ' ' | sort -u >"$work/$side.now"
	done
	echo "  code: $(comm -12 "$work/perf.now" "$work/ours.now" | wc -l) instructions and their percentages the same"
	comm -23 "$work/perf.now" "$work/ours.now" | spelling | sort -u >"$work/perf.spelled"
	comm -13 "$work/perf.now" "$work/ours.now" | spelling | sort -u >"$work/ours.spelled"
	echo "  code: $(comm -12 "$work/perf.spelled" "$work/ours.spelled" | wc -l) spelled in another way (capstone)"
	comm -23 "$work/perf.spelled" "$work/ours.spelled" >"$work/perf.left"
	comm -13 "$work/perf.spelled" "$work/ours.spelled" >"$work/ours.left"
	show code
}

for file; do
	echo "$file"
	compare_types "$file"
	compare_code "$file"
done
exit $((differences > 0))
