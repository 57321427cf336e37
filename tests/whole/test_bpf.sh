#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Types in BPF programs: values of maps, contexts, variables and arguments, in a kept recording and in one that is made here.
# tests/kept/bpf_recording.gz is of tests/kept/bpf_maps.c under Linux 6.18:
#
#   dtprof record -e cpu-clock -F 500 -o maps.data -- ./run_bpf bpf_maps.o 150000
#
# DTPROF and CC come from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}" "${CC:=cc}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
gzip -dc tests/kept/bpf_recording.gz >"$folder/kept.data"
gzip -dc tests/kept/bpf_maps.gz >"$folder/bpf_maps.o"
plan 6

# Prints each type with the field that accesses of the program's function have, once. A value whose map is chosen at run time
# (struct choice) has none.
types() { # RECORDING
	"$DTPROF" annotate --code --stdio -i "$1" 2>/dev/null | sed -n 's/.*# data-type: \(struct[^#]*[^#\t]\|__u32[^#]*[^#\t]\).*/\1/p' |
		LC_ALL=C sort -u
}
cat >"$folder/expected" <<'E2'
__u32 +0
struct __sk_buff +0 (len)
struct __sk_buff +8 (mark)
struct cell +0 (hits)
struct cell +8 (misses)
struct flow +0 (bytes)
struct flow +16 (state)
struct flow +8 (packets)
struct load*[] +0
struct load +8 (idle)
struct peer +8 (seen)
struct setting +4 (limit)
E2
LC_ALL=C sort -o "$folder/expected" "$folder/expected"

types "$folder/kept.data" >"$folder/found"
result $? "the recording is read"
difference=$(diff "$folder/expected" "$folder/found")
result $? "accesses have the structs of their maps and contexts" "$difference"

lines=$("$DTPROF" report --stdio -i "$folder/kept.data" -s sym,srcline 2>/dev/null | grep -c '_count .*bpf_maps\.c:[0-9]')
[ "$lines" -gt 3 ]
result $? "instructions have lines of the source" "$lines lines"

# Without the features at the end of the file there is no code.
size=$(($(od -An -t u8 -j 40 -N 8 "$folder/kept.data") + $(od -An -t u8 -j 48 -N 8 "$folder/kept.data")))
head -c "$size" "$folder/kept.data" >"$folder/cut.data"
said=$("$DTPROF" report --stdio -i "$folder/cut.data" -s type 2>&1)
grep -q 'BPF programs and trampolines without code in the recording' <<<"$said"
result $? "a recording without their code says so" "$said"

# Damaged features: no crash, no hang.
cat >"$folder/damage.awk" <<'E2'
BEGIN { srand(1); for (i = 0; i < 50; i++) printf "%d %d\n", from + int(rand() * (size - from)), int(rand() * 256) }
E2
all=$(stat -c %s "$folder/kept.data") worst=0
while read -r at byte; do
	cp "$folder/kept.data" "$folder/damaged.data"
	printf "\\x$(printf %x "$byte")" | dd of="$folder/damaged.data" bs=1 seek="$at" conv=notrunc status=none
	timeout 20 "$DTPROF" report --stdio -i "$folder/damaged.data" -s typeoff,srcline >/dev/null 2>&1
	status=$?
	[ $status -lt 124 ] || worst="$status (byte $at is $byte)"
done < <(awk -v from="$size" -v size="$all" -f "$folder/damage.awk")
[ "$worst" = 0 ]
result $? "damaged programs do no harm" "exit status $worst"

name="a program that is gone at the end is recorded with its maps"
if ! "$CC" -O2 -o "$folder/run_bpf" tests/workloads/run_bpf.c -lbpf 2>"$folder/errors"; then
	skip "$name" "libbpf cannot be linked: $(head -n 1 "$folder/errors")"
elif ! (cd "$folder" && ./run_bpf bpf_maps.o 1) >"$folder/errors" 2>&1; then
	skip "$name" "this user may load no BPF programs here, or the kernel refuses this one"
elif ! (cd "$folder" && "$DTPROF" record -q -e cpu-clock -F 2000 -o live.data -- ./run_bpf bpf_maps.o 100000) 2>"$folder/errors" ||
	! "$DTPROF" report --stdio -i "$folder/live.data" -s sym 2>/dev/null | grep -q 'bpf_prog_.*_count$'; then
	skip "$name" "the kernel is not recorded here: $(head -n 1 "$folder/errors")"
else
	# Older kernels look up values for each processor by a call; the function with cells may have no sample.
	missing=$(comm -23 <(grep -v 'load\*\[\]\|cell' "$folder/expected") <(types "$folder/live.data"))
	[ -z "$missing" ] && ! types "$folder/live.data" | grep -q 'struct choice\|(context)\|(map element)'
	result $? "$name" "missing: $missing"
fi
finish
