#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs in Fortran, Ada, Pascal and gccgo's Go, where their compilers are: fields have the names of the source, whatever the case of a
# type's name in an option; what depends on the object has no size; members never have more than the record has. DTPROF comes
# from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
names=("Fortran: elements, COMMON and names in capitals" "Ada: records with variants and of no constant size"
	"Pascal: variants, and arrays that begin at 1"
	"Go by gccgo: packages have no dot before their names")
plan ${#names[@]}

# needs COMPILER: or the test is skipped.
needs() {
	command -v "$1" >/dev/null || { skip "${names[$tap_number]}" "there is no $1 here"; return 1; }
}

# has FUNCTION PATTERN...: its accesses are of these types (dtprof debug types), and few are unknown.
has() {
	local address types pattern
	address=$(nm program | awk -v name="$1" 'tolower($3) ~ name && tolower($2) == "t" { print $1; exit }')
	types=$("$DTPROF" debug types program "0x$address" 2>&1)
	shift
	for pattern; do
		grep -qE "$pattern" <<<"$types" || { echo "no $pattern in:"; echo "$types"; failed=1; }
	done
}

# accesses RECORDING: those of the program that runs now, by the timer.
accesses() {
	"$DTPROF" record -q -e cpu-clock:u -F 4000 -o data -- ./program >/dev/null 2>log
}

# prints PATTERN COMMAND...
prints() {
	local pattern=$1 output
	shift
	output=$("$@" 2>&1)
	grep -qE "$pattern" <<<"$output" || { echo "no $pattern in:"; echo "$output"; failed=1; }
}

DTPROF=$(realpath "$DTPROF")
sources=$PWD/tests/workloads/languages
cd "$folder" || exit 1

fortran() {
	has 'walk' 'struct node \+[0-9]+ \(weight\)' 'struct node \+32 \(count\)'
	has 'share' 'real\(kind=8\)\[\]' 'integer\(kind=4\) \+0'
	# described-element is the rule: only the descriptor says how far the elements are apart
	has 'every_other' 'xorq .*struct node \+0 \(key\)'
	has 'of_class' 'xorq .*struct node \+0 \(key\)'
	has 'nth' 'struct node \+32 \(count\)'
	has 'size_of' '(\(unknown\)|struct chain \+8 \(size\))'
	has 'size_again' '(\(unknown\)|struct chain \+8 \(size\))'
	has 'element' 'real\(kind=8\)\[\] \+0'
	has 'mark' 'struct label \+17 \(codes\)' 'struct label \+0 \(uses\)' 'character'
	has 'occurrences' 'cmpb .*character'
	[ "$1" = again ] && return
	echo 'program: sizeof(NODE) == 40' >rules
	prints ': ok: ' "$DTPROF" check rules program
	accesses || return
	prints "Annotate type: 'struct node'" "$DTPROF" annotate -i data --stdio --data-type=Node
	prints "Type 'struct node'" "$DTPROF" layout -i data --type=NODE
	prints 'program: sources in Fortran are not read' "$DTPROF" layout -i data --type=NODE
	gfortran -O2 -g -w -fno-pie -no-pie -fno-var-tracking "$sources/nodes.f90" -o program >log 2>&1 || return
	fortran again
}

ada() {
	has 'shapes__grow' 'struct shapes__shape \+8 \(radius\)' 'struct shapes__shape \+8 \(width\)' \
		'struct shapes__shape \+16 \(depth\)'
	accesses || return
	prints '^ +[0-9.]+ +0 +\? +struct shapes__buffer' "$DTPROF" annotate -i data --stdio --data-type=Shapes.Buffer
	prints '^ +[0-9.]+ +12 +\? ' "$DTPROF" annotate -i data --stdio --data-type=shapes.buffer
	prints 'size unknown: it depends on the object' "$DTPROF" layout -i data --type=Shapes.Buffer
	prints 'size unknown: it depends on the object' "$DTPROF" annotate -i data --stdio --layout --data-type=Shapes.Buffer
	prints '"size": null' "$DTPROF" layout -i data --json --type=Shapes.Buffer
	# arrays give the record a size, which its companion does not take for that of the name
	echo 'sizeof(shapes__shape) <= 64' >rules
	"$DTPROF" index -q program
	prints "the size of 'shapes__shape' is not a constant" "$DTPROF" check -i data --ignore-companion rules
	prints "the size of 'shapes__shape' is not a constant" "$DTPROF" check -i data rules
	rm -f program.dtp
	# members share bytes, but no access
	"$DTPROF" annotate -i data --stdio --data-type=Shapes.Shape 2>/dev/null |
		awk '$NF ~ /;$/ { sum += $1 } END { exit sum > 100.1 }' || { echo "members have more than the record"; failed=1; }
}

pascal() {
	has 'grow' 'struct TSHAPE \+4 \(Kind\)' 'struct TSHAPE \+8 \(Radius\)' 'struct TSHAPE \+8 \(Width\)'
	echo 'program: sizeof(TShape) == 24' >rules
	prints ': ok: ' "$DTPROF" check rules program
}

# The debug information is that of gccgo 12: a typedef ".main.node" in a unit of Go.
gccgo() {
	has 'walk' '(^|[^.])main\.node \+8 \(value\)'
}

build_gccgo() {
	cat >go.c <<-'END'
		typedef struct { long key; int value; } main_node;
		int walk(main_node *node) { int sum = 0; for (int i = 0; i < 9; i++) sum += node[i].value; return sum; }
		int main(void) { main_node nodes[9] = { { 1, 2 } }; return walk(nodes); }
	END
	command gcc -O1 -g -dA -fno-inline -S go.c -o go.s &&
		sed -i -e '/# DW_AT_language/s/0x[0-9a-f]*/0x16/' -e 's/"main_node\(\\0\)*"/".main.node\1"/' go.s && command gcc go.s -o program
}

for language in fortran:gfortran ada:gnatmake pascal:fpc gccgo:gcc; do
	compiler=${language#*:} language=${language%:*} failed=0
	needs "$compiler" || continue
	rm -f program data
	case $language in
	fortran) gfortran -O2 -g -w -fno-pie -no-pie "$sources/nodes.f90" -o program ;;
	ada) cp "$sources"/shapes.ad? "$sources/use_shapes.adb" . && gnatmake -q -g -O1 -gnatp use_shapes.adb -o program ;;
	pascal) fpc -O2 -gw3 "$sources/shapes.pas" -oprogram -FE. ;;
	gccgo) build_gccgo ;;
	esac >log 2>&1
	[ -x program ] || { skip "${names[$tap_number]}" "$compiler does not compile here: $(head -1 log)"; continue; }
	$language first >said
	result $failed "${names[$tap_number]}" "$(cat said)"
done
finish
