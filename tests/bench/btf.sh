#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares BTF with DWARF over one recording of a kernel: how many of the samples that DWARF types BTF types, too, how many of
# those have the same type and field, how many differ only in how far out the answer is, and the most frequent other differences.
#
# How far out: the path of one answer's field ends in all of the other's (struct task_struct se.vruntime, struct sched_entity vruntime;
# struct folio lru.next, struct page lru.next). Both are right, and one is the record around the other. An answer without a field (a
# u32) is not in another one.
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
	"$DTPROF" report -q --blame=sampled -n -t '\t' -s symoff,acc,typeoff -i "$recording" --modules="$modules" "$@" 2>/dev/null |
		awk -F'\t' 'NF >= 5 { gsub(/ +$/, "", $5); key = $3 "|" $4; seen[key]++; type[key] = $5; count[key] = $2 }
			END { for (key in seen) if (seen[key] == 1) print key "\t" type[key] "\t" count[key] }' |
		sort -t '	' -k 1,1
}

join -t '	' <(answers -k "$vmlinux") \
	<(answers -k "$image" --kallsyms "$kallsyms" --symfs "$symfs") |
	awk -F'\t' '
	function field(answer) { return match(answer, /\(.*\)$/) ? substr(answer, RSTART + 1, RLENGTH - 2) : "no field" }
	function ends_in(path, part) {
		return length(path) > length(part) + 1 && substr(path, length(path) - length(part)) == "." part
	}
	function are_nested(one, other) {
		one = field(one); other = field(other)
		return one != "no field" && other != "no field" && (one == other || ends_in(one, other) || ends_in(other, one))
	}
	$2 ~ /^ *\(/ { next }
	{ dwarf += $3 }
	$4 ~ /^ *\(/ { next }
	{ both += $3 }
	$2 == $4 { same += $3; next }
	{ differs[$2 " | " $4] += $3; if (are_nested($2, $4)) nested += $3 }
	END {
		if (!both) { print "nothing to compare" > "/dev/stderr"; exit 1 }
		printf "typed with DWARF %d, with BTF, too, %d (%.2f%%), the same type and field %d (%.2f%%), or one within the other %d (%.2f%%)\n",
			dwarf, both, 100 * both / dwarf, same, 100 * same / both, same + nested, 100 * (same + nested) / both
		for (pair in differs) print differs[pair] "\t" pair | "sort -rn | head -20"
	}'
