#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What BTF gives of what DWARF gives, over one recording of a kernel: how many of the samples that DWARF types BTF types, too, and how
# many of those are the same type and field; the most frequent that are not.
#
#   btf.sh RECORDING VMLINUX IMAGE KALLSYMS MODULES [SYMFS]
#
# VMLINUX has the debug information, IMAGE is the same kernel without (its boot image); SYMFS has the modules without.
set -eu
export LC_ALL=C

recording=$1 vmlinux=$2 image=$3 kallsyms=$4 modules=$5 symfs=${6:-/}
: "${DTPROF:=build/dtprof}"

# instruction and access, type and field, samples: a line for each instruction that has one answer
answers() {
	"$DTPROF" report -q -n -t '\t' -s symoff,acc,typeoff -i "$recording" --modules="$modules" "$@" 2>/dev/null |
		awk -F'\t' 'NF >= 5 { gsub(/ +$/, "", $5); key = $3 "|" $4; seen[key]++; type[key] = $5; count[key] = $2 }
			END { for (key in seen) if (seen[key] == 1) print key "\t" type[key] "\t" count[key] }' |
		sort -t '	' -k 1,1
}

join -t '	' <(answers -k "$vmlinux") \
	<(answers -k "$image" --kallsyms "$kallsyms" --symfs "$symfs") |
	awk -F'\t' '
	$2 !~ /^ *\(/ { dwarf += $3; if ($4 !~ /^ *\(/) { both += $3; if ($2 == $4) same += $3; else other[$2 " | " $4] += $3 } }
	END {
		if (!both) { print "nothing to compare" > "/dev/stderr"; exit 1 }
		printf "typed with DWARF %d, with BTF, too, %d (%.2f%%), the same type and field %d (%.2f%%)\n",
			dwarf, both, 100 * both / dwarf, same, 100 * same / both
		for (pair in other) print other[pair] "\t" pair | "sort -rn | head -20"
	}'
