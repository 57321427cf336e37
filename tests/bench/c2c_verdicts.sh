#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How often the verdicts of dtprof c2c report are right: tests/workloads/sharing.c is recorded many times.
#
#   DTPROF=program tests/bench/c2c_verdicts.sh [RUNS [WAY ...]]
#
# Each WAY runs for a second on two processors, sampled by a timer at 1 kHz. Prints for each how many of RUNS (40) had
# the right verdict, with the right fields, and how many had false sharing that is not there. Then `neighbours` with
# its objects at each of 64 offsets in a line, and on one processor only.
set -u
export LC_ALL=C

DTPROF=$(realpath "${DTPROF:-build/dtprof}")
runs=${1:-40}
shift
ways=${*:-neighbours neighbours-mended fields fields-mended locks locks-mended histogram histogram-mended parts parts-mended counter queue barrier random turns hand-over offsets one-cpu}
folder=$(mktemp -d "${TMPDIR:-/tmp}/c2c_verdicts.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
# gcc 12 keeps the sums of a loop in registers, and stores them after it
gcc -g -O2 -fno-move-loop-stores -pthread -o "$folder/sharing" tests/workloads/sharing.c || exit 1

csv() { # WAY OFFSET CPU CPU
	"$DTPROF" record -q -F 1000 -U -I -d --sample-cpu --switch-events -o "$folder/data" "$folder/sharing" "$1" 1000 "$2" "$3" "$4" >/dev/null 2>&1
	"$DTPROF" c2c report -q --csv -i "$folder/data" >"$folder/csv" 2>/dev/null
}

has() { # PATTERN: a line of the result
	grep -qE "$1" "$folder/csv"
}

# The verdict that a way must have. It prints nothing; its status says whether it is there.
is_right() { # WAY
	case $1 in
	neighbours) has '^false,neighbours.*struct regression,s' ;;
	fields) has '^false,one-object.*,struct stats,sent' && has '^false,one-object.*,struct stats,received' ;;
	locks) has '^false,neighbours.*,struct spinlock,taken,.*,pool' ;;
	histogram) has '^false,.*,struct histogram,blue' && has '^false,.*,struct histogram,red' ;;
	parts) has '^false,elements.*,double,.*scale_part' ;;
	counter) has '^true,.*,counter,' && ! has '^(false|both)' ;;
	# each thread has a counter of its own in the queue
	queue) has '^(true|both),.*,struct queue,lock' && ! has '^false' ;;
	# the stores to the flag are so rare that no sample may show one
	barrier) (has '^true,.*,struct barrier,' || ! has '^(true|latent)') && ! has '^(false|both)' ;;
	*) ! has '^(false|both|true|latent)' ;;
	esac
}

repeat() { # WAY
	local right=0 false=0
	for ((run = 0; run < runs; run++)); do
		csv "$1" 16 0 1
		is_right "$1" && right=$((right + 1))
		has '^false' && false=$((false + 1))
	done
	printf '%-20s right %3d of %d, false sharing claimed %d\n' "$1" $right "$runs" $false
}

# Objects of 64 bytes whose bytes from 24 on are written: two of them share a line if the first begins 1 to 39 bytes
# after the line's begin.
offsets() {
	local right=0 latent=0 not_shared=0 wrong=
	for ((offset = 0; offset < 64; offset++)); do
		csv neighbours $offset 0 1
		if ((offset >= 1 && offset < 40)); then
			has '^false,neighbours.*struct regression' && right=$((right + 1)) || wrong="$wrong $offset"
		else
			not_shared=$((not_shared + 1))
			has '^latent-place,.*struct regression' && latent=$((latent + 1))
			has '^(false|both)' && wrong="$wrong $offset" || right=$((right + 1))
		fi
	done
	echo "64 offsets           right $right of 64, latent $latent of $not_shared that do not share; wrong:${wrong:- none}"
}

one_cpu() {
	local latent=0 false=0
	for ((run = 0; run < runs; run++)); do
		csv neighbours 16 0 0
		has '^latent-(cpu|place),.*struct regression' && latent=$((latent + 1))
		has '^(false|both)' && false=$((false + 1))
	done
	echo "one processor        latent $latent of $runs, false sharing claimed $false"
}

for way in $ways; do
	case $way in
	offsets) offsets ;;
	one-cpu) one_cpu ;;
	*) repeat "$way" ;;
	esac
done
