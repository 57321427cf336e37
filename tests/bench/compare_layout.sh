#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares dtprof annotate --layout with pahole: places, sizes, holes, padding and cachelines of each member of each type.
#
#   [DTPROF=program] [PAHOLE=program] tests/bench/compare_layout.sh [-v] [RECORDING OBJECT [OPTION...]]
#
# -v: the lines that differ. OBJECT is what pahole reads: the recorded program, or the kernel's BTF (quicker than its vmlinux); OPTIONs
# are dtprof's, as -k. Without a RECORDING one is made of a program with 300 types that are made up here (SEED=number: others).
#
# A line that only one of them has is explained by
#   several     one name of several types
#   typedef     padding in a member that is declared by a typedef, or in the elements of an array: pahole looks into neither
#   union       the sums below a union, which pahole does not print
#   flattened   int[6] for int[2][3], as some BTF has it; x[] for x[0]; jmp_buf for the array that it is a typedef of
#   _Atomic     records with members that pahole 1.24 leaves out
#   pointee     a pointer to an anonymous record, which pahole expands
# or else is a difference, which is counted in the exit status. C++ cannot be compared: pahole loses count after a base class.
set -u
export LC_ALL=C

PAHOLE=${PAHOLE:-pahole}
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }

if ! command -v "$PAHOLE" >/dev/null; then
	echo "compare_layout: no pahole here (PAHOLE=program names one): nothing compared"
	exit 0
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG=

# A C program with COUNT structs, and a function for each that accesses it.
made_up() { # COUNT SEED
	awk -v count="$1" -v seed="$2" '
		function pick(n) { return int(rand() * n) }
		function member(name, depth,   kind, text, i, n) {
			kind = pick(depth ? 12 : 9)
			if (kind < 4) return plain[pick(plains)] " " name ";"
			if (kind == 4) return plain[pick(plains)] " " name "[" pick(5) + 1 "];"
			if (kind == 5) return plain[pick(plains)] " " name "[" pick(3) + 1 "][" pick(4) + 1 "];"
			if (kind < 9) {
				i = pick(units)
				return unit[i] " " name ":" pick(bits[i]) + 1 ";"
			}
			if (kind == 9 && made) return "struct made" pick(made) " " name (pick(3) ? "" : "[2]") ";"
			text = (kind == 10 ? "union" : "struct") " { "
			n = pick(4) + 1
			for (i = 0; i < n; i++) text = text member(name "_" i, depth - 1) " "
			return text "}" (pick(2) ? " " name : "") ";"
		}
		BEGIN {
			srand(seed)
			plains = split("char short int long double char* float", word, " ")
			for (i = 1; i <= plains; i++) plain[i - 1] = word[i]
			unit[0] = "unsigned char"; bits[0] = 8; unit[1] = "unsigned short"; bits[1] = 16
			unit[2] = "unsigned int"; bits[2] = 32; unit[3] = "int"; bits[3] = 32
			unit[4] = "unsigned long"; bits[4] = 64; unit[5] = "_Bool"; bits[5] = 1
			units = 6
			for (made = 0; made < count; made++) {
				print "struct made" made " {"
				n = pick(14) + 1; probe = pick(n)
				for (i = 0; i < n; i++) {
					if (i == probe) print "\tint probe;"
					print "\t" member("m" i, 2)
				}
				attribute = pick(12)
				print "}" (attribute == 0 ? " __attribute__((packed))" : attribute == 1 ? " __attribute__((aligned(64)))" : "") ";"
				print "static struct made" made " one" made ";"
				print "__attribute__((noinline, noclone)) static int use" made "(volatile struct made" made " *made)\n{"
				print "\tint sum = 0;\n\tfor (int i = 0; i < 500; i++) {"
				for (i = 0; i < 32; i++) print "\t\tsum += made->probe;"
				print "\t}\n\treturn sum;\n}"
			}
			print "int main(void)\n{\n\tfor (;;) {"
			for (i = 0; i < count; i++) print "\t\tuse" i "(&one" i ");"
			print "\t}\n}"
		}'
}

# "TYPE|DEPTH NAME PLACE SIZE" for each member, "TYPE|DEPTH XXX ..." for each remark, of either program.
layouts() {
	awk '
		/^Annotate type: / { split($0, part, "\047"); ours = part[2]; sub(/^(struct|union|class) /, "", ours) }
		{
			line = $0
			if (ours != "") sub(/^ *[0-9]+\.[0-9]+ /, " ", line)
			gsub(/\/\* typedef [^*]*\*\/ /, "", line)
			gsub(/ *__attribute__\(\(__[a-z]+__(\([0-9]+\))?\)\)/, "", line)
			gsub(/^[ \t]+|[ \t]+$/, "", line)
		}
		line ~ /Bitfield combined|forced alignments|Force padding|Force alignment/ { next }
		!open {
			if (line !~ /\{$/ || ($0 ~ /^[ \t]/ && ours == "")) next
			type = line; depth = 0; count = 0
			if (ours != "") type = ours
			sub(/^(typedef )?(struct|union|class|enum) ?/, "", type); sub(/ *\{$/, "", type)
			open = 1
			next
		}
		line ~ /^\}/ && !depth { close_type(); next }
		# constants of an enum that pahole opens
		line ~ /^[A-Za-z_0-9]+ += -?[0-9]+,$/ { next }
		line ~ /\{$/ { mark[depth++] = count; next }
		match(line, /\/\* XXX .* \*\//) { remark(substr(line, RSTART + 3, RLENGTH - 6)); next }
		match(line, /\/\* --- .* --- \*\//) { remark(substr(line, RSTART + 3, RLENGTH - 6)); next }
		# the heat of several bit-fields together: "/* type, lru */", "/* type..lru */"
		line ~ /^\/\* [^ *]+((\.\.|, )[^ *,]+)+ \*\// { next }
		# for a nested one only pahole has them, sometimes
		line ~ /^\/\* (size|sum|padding|bit_padding|paddings|last)/ { if (!depth) remark(line); next }
		match(line, /\/\* *-?[0-9]+(: *[0-9]+)? +[0-9]+ \*\//) {
			place = substr(line, RSTART + 2, RLENGTH - 4); name = substr(line, 1, RSTART - 1)
			gsub(/: +/, ":", place); gsub(/^ +| +$/, "", place); gsub(/ +/, " ", place)
			if (line ~ /^\}/) depth--
			if (line ~ /^\} *\*/) count = mark[depth]
			sub(/; *$/, "", name); sub(/^\} */, "", name)
			if (match(name, /\(\*+ *[A-Za-z_0-9]+/)) {
				name = substr(name, RSTART, RLENGTH); gsub(/[(* ]/, "", name)
			} else {
				sub(/^.*[ *]/, "", name)
			}
			text[count++] = depth " " flat(name) " " place
			next
		}
		line ~ /^\}/ { depth-- }
		function remark(words) { gsub(/^ +| +$/, "", words); text[count++] = depth " " words }
		# a typedef has the name after it
		function close_type(   i) {
			sub(/^\} */, "", line); sub(/;$/, "", line)
			for (i = 0; i < count; i++) print (line != "" ? line : type) "|" text[i]
			open = 0; ours = ""
		}
		# [2][3] as [6]
		function flat(name,   product, base) {
			if (name !~ /\[/) return name
			base = name; sub(/\[.*/, "", base); product = 1
			while (match(name, /\[[0-9]*\]/)) {
				product *= substr(name, RSTART + 1, RLENGTH - 2)
				name = substr(name, RSTART + RLENGTH)
			}
			return base "[" product "]"
		}'
}

if [ $# -lt 2 ]; then
	made_up 300 "${SEED:-1}" >"$work/made.c"
	gcc -g -O1 -o "$work/made" "$work/made.c" || exit 2
	"$DTPROF" record -q -F 4000 -o "$work/made.data" -- timeout 4 "$work/made" >/dev/null 2>&1
	set -- "$work/made.data" "$work/made"
fi
recording=$1 object=$2
shift 2

"$DTPROF" --no-pager annotate -q --layout --no-group -i "$recording" "$@" >"$work/ours.text"
# of the object itself, not of libraries or modules
awk -v object="$(basename "$object")" '
	/^Annotate type: / { print_it = index($0, "/" object " (") || (object ~ /btf|vmlinux/ && index($0, "in [kernel")) }
	print_it' "$work/ours.text" >"$work/ours.next"
mv "$work/ours.next" "$work/ours.text"
sed -nE "s/^Annotate type: '((struct|union) )?([^']*)' in .*/\3/p" "$work/ours.text" | grep -v '[][*<(]' | sort >"$work/names"
uniq -d "$work/names" >"$work/several"
sort -u -o "$work/names" "$work/names"
"$PAHOLE" -E --skip_missing -C "file://$work/names" "$object" >"$work/pahole.text" 2>/dev/null
for side in ours pahole; do
	layouts <"$work/$side.text" | sort -u >"$work/$side.all"
	cut -d'|' -f1 "$work/$side.all" | sort -u >"$work/$side.types"
done
awk '/^Annotate type: / { split($0, part, "\047"); sub(/^(struct|union) /, "", part[2]) } /_Atomic / { print part[2] }' \
	"$work/ours.text" | sort -u >"$work/atomic"
comm -12 "$work/ours.types" "$work/pahole.types" | grep -vxFf "$work/atomic" | grep -vxFf "$work/several" >"$work/both"
for side in ours pahole; do
	awk -F'|' 'NR == FNR { both[$1] = 1; next } $1 in both' "$work/both" "$work/$side.all" | sort -u >"$work/$side.now"
done
echo "$(wc -l <"$work/both") types of both, $(wc -l <"$work/several") names left out (several), $(wc -l <"$work/atomic") more (_Atomic)"
echo "$(comm -12 "$work/ours.now" "$work/pahole.now" | wc -l) lines the same"
# flattened: name and place are there, the count is not
for side in ours pahole; do
	other=$([ $side = ours ] && echo pahole || echo ours)
	sed -E 's/\[[0-9]*\] / /' "$work/$other.now" | sort -u >"$work/$other.bare"
	comm -23 "$work/$side.now" "$work/$other.now" | awk -v other="$work/$other.bare" '
		BEGIN { while ((getline line < other) > 0) known[line] = 1 }
		{ bare = $0; sub(/\[[0-9]*\] /, " ", bare) }
		!(bare in known)' | sort >"$work/$side.left"
done

# typedef, union
grep -E 'XXX (each element|last struct) has|\|[0-9]+ /\* paddings:' "$work/ours.left" >"$work/typedef"
grep -E '\|0 /\* (size|sum|last|padding|bit_padding)' "$work/ours.left" >"$work/union"
echo "$(wc -l <"$work/typedef") lines of padding (typedef), $(wc -l <"$work/union") of sums (union)"
sort -u "$work/typedef" "$work/union" | comm -23 "$work/ours.left" - >"$work/ours.next"
mv "$work/ours.next" "$work/ours.left"
grep -vE '\|[0-9]+ /\* paddings:' "$work/pahole.left" >"$work/pahole.next"
mv "$work/pahole.next" "$work/pahole.left"
differences=$(cat "$work/ours.left" "$work/pahole.left" | wc -l)
echo "$differences lines differ without a reason"
[ -z "$verbose" ] || { sed 's/^/    pahole: /' "$work/pahole.left"; sed 's/^/    ours:   /' "$work/ours.left"; }
exit $((differences > 0))
