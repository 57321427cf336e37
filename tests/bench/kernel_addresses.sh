#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks types against data addresses: an independent test of the type engine's answers for a kernel.
#
#   VMLINUX=file [PERF=program] [DTPROF=program] tests/bench/kernel_addresses.sh [RECORDING [KALLSYMS]]
#
# RECORDING has samples of memory accesses in kernel code with virtual and physical data addresses (perf record -d
# --phys-data, or an emulator's trace); that of ../shared/kernel is taken if none is given. Without it, or without its
# vmlinux (with debug information), nothing is checked, and a message says so.
#
# An answer "type +offset" for an access to an address cannot be right if
#   align  objects of the type begin at a cacheline (their slab cache has SLAB_HWCACHE_ALIGN, or they are of a multiple of 64 bytes
#          in an aligned array), and (physical address - offset) % 64 is not 0
#   user   the type is one that only the kernel has, and the address is one of user space
#   image  objects of the type are allocated, and the address is one of the kernel's image or of its modules
# (init_task and the like, which are in the image, are left out; of two sk_buffs for one clone the second is askew). The table has, for each type with any such answer, how many
# samples there are of it and how many cannot be right, for dtprof and for perf, if there is one that knows types. Exit status 1 if
# dtprof has a type with more than two such samples, more than two in a hundred, of which perf has none.
set -u
export LC_ALL=C

cd "$(dirname "$0")/../.." || exit 2
DTPROF=${DTPROF:-build/dtprof}
PERF=${PERF:-perf}
VMLINUX=${VMLINUX:-/usr/lib/debug/boot/vmlinux-6.1.0-56-cloud-amd64}
recording=${1:-../shared/kernel/memsamp.data}
kallsyms=${2:-${recording%.data}.kallsyms}

for file in "$recording" "$kallsyms" "$VMLINUX"; do
	if [ ! -r "$file" ]; then
		echo "kernel_addresses: no $file: nothing checked"
		exit 0
	fi
done

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# Lines "samples|type|offset|virtual address|physical address" in hexadecimal.
"$DTPROF" report -q -i "$recording" -k "$VMLINUX" --kallsyms "$kallsyms" -n --hex -t '|' -s typeoff,phys_daddr,symbol_daddr \
	>"$scratch/rows" || exit 2
# addresses of variables are shown by name and offset: the physical one says enough of these
awk -F'|' 'NF >= 5 && match($3, / \+0x[0-9a-f]+/) {
	type = substr($3, 1, RSTART - 1); offset = substr($3, RSTART + 2, RLENGTH - 2)
	physical = $4; sub(/.*0x/, "", physical); gsub(/[^0-9a-f]/, "", physical)
	virtual = match($5, /\] 0x[0-9a-f]+/) ? substr($5, RSTART + 4, RLENGTH - 4) : "variable"
	samples = $2 + 0
	print samples "|" type "|" substr(offset, 3) "|" virtual "|" physical
}' "$scratch/rows" >"$scratch/dtprof"

: >"$scratch/perf"
if command -v "$PERF" >/dev/null && "$PERF" report -h 2>&1 | grep -q typeoff; then
	"$PERF" report -i "$recording" --vmlinux "$VMLINUX" -t '|' -w 8,160,240 -s symoff,typeoff 2>/dev/null |
		awk -F'|' '!/^#/ && NF >= 3 && match($3, / \+0x[0-9a-f]+/) {
			symbol = $2; sub(/^ *\[.\] */, "", symbol); gsub(/ /, "", symbol)
			print symbol "|" substr($3, 1, RSTART - 1) "|" substr($3, RSTART + 4, RLENGTH - 4)
		}' >"$scratch/types"
	"$PERF" script -i "$recording" --vmlinux "$VMLINUX" -F ip,sym,symoff,addr,phys_addr 2>/dev/null |
		awk '{ print $3 "|" $1 "|" $NF }' >"$scratch/samples"
	awk -F'|' 'NR == FNR { type[$1] = $2; offset[$1] = $3; next }
		$1 in type { print 1 "|" type[$1] "|" offset[$1] "|" $2 "|" $3 }' "$scratch/types" "$scratch/samples" >"$scratch/perf"
	[ -s "$scratch/perf" ] || echo "kernel_addresses: perf gives no types here: dtprof's are shown alone"
fi

awk -F'|' -v with_perf="$([ -s "$scratch/perf" ] && echo 1)" '
function low(hex) { # the last two digits as a number: enough for a distance modulo 64
	hex = "00" hex
	return (index(digits, substr(hex, length(hex) - 1, 1)) - 1) * 16 + index(digits, substr(hex, length(hex), 1)) - 1
}
function number(hex,  i, sum) {
	for (i = 1; i <= length(hex); i++) sum = sum * 16 + index(digits, substr(hex, i, 1)) - 1
	return sum
}
BEGIN {
	digits = "0123456789abcdef"
	# SLAB_HWCACHE_ALIGN, percpu and struct page arrays (Linux 6.1; as others have it, too)
	split("page folio task_struct kmem_cache rq cfs_rq file sk_buff cred signal_struct sighand_struct mm_struct pid sock_inode", names, " ")
	for (i in names) aligned["struct " names[i]] = 1
	# pid->tasks[type]: the offset does not tell which element it is
	array["struct pid"] = 16; array_end["struct pid"] = 48; element["struct pid"] = 8
	# never in the image but for an initial one each
	split("page folio kmem_cache file sk_buff vm_area_struct dentry inode maple_node xa_node anon_vma sock tcp_sock unix_sock", names, " ")
	for (i in names) allocated["struct " names[i]] = 1
}
{
	who = FILENAME ~ /dtprof$/ ? "dtprof" : "perf"
	all[who, $2] += $1; any[$2] = 1
	bad = ""
	step = $2 in array && number($3) >= array[$2] && number($3) < array_end[$2] ? element[$2] : 64
	if ($2 in aligned && $5 != "" && (low($5) - low($3) + 512) % step) bad = "align"
	else if (($2 in aligned || $2 in allocated) && $4 != "variable" && length($4) <= 12) bad = "user"
	else if ($2 in allocated && ($4 == "variable" || $4 ~ /^ffffffff[89a-f]/)) bad = "image"
	if (bad != "") { wrong[who, $2] += $1; why[$2] = bad; total[who] += $1 }
	samples[who] += $1
}
END {
	printf "%-7s %-34s %9s %9s %9s %9s\n", "", "type", "dtprof", "wrong", "perf", "wrong"
	for (type in why) {
		printf "%-7s %-34s %9d %9d %9s %9s\n", why[type], type, all["dtprof", type], wrong["dtprof", type],
			with_perf ? all["perf", type] + 0 : "-", with_perf ? wrong["perf", type] + 0 : "-" | "sort -k3"
		# an index into an array of the struct is not in its offset: a few may be askew
		if (with_perf && wrong["dtprof", type] > 2 && !wrong["perf", type] && 50 * wrong["dtprof", type] > all["dtprof", type])
			ours = ours " " type ";"
	}
	close("sort -k3")
	printf "%-7s %-34s %9d %9d %9s %9s\n", "", "typed samples", samples["dtprof"], total["dtprof"],
		with_perf ? samples["perf"] : "-", with_perf ? total["perf"] + 0 : "-"
	if (ours != "") { print "only dtprof has:" ours; exit 1 }
}' "$scratch/dtprof" "$scratch/perf"
