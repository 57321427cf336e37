#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The cost of the sandbox:  sandbox.sh DTPROF RECORDING...
#
# Times of two runs differ by more than the sandbox costs, so this counts: the system calls that it adds, and the files that are
# opened within it, each of which Landlock judges (about 0.1 microseconds). Prints both beside the processor time of the report,
# and the share of it if a system call takes 5 microseconds, which is many times what it does.
set -u

[ $# -ge 2 ] || { sed -n '4s/^# //p' "$0"; exit 2; }
command -v strace >/dev/null || { echo "skipped: strace is not installed"; exit 0; }
program=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
traced() { # NAME OPTIONS...
	strace -f -o "$folder/$1" "$program" "${@:2}" >/dev/null 2>&1
}
for recording; do
	arguments=(report --stdio -s type,typeoff --threads 1 -i "$recording")
	traced with "${arguments[@]}"
	traced without --no-sandbox "${arguments[@]}"
	calls=$(($(wc -l <"$folder/with") - $(wc -l <"$folder/without")))
	opened=$(grep -cE ' open(at)?\(' "$folder/with")
	TIMEFORMAT='%U %S'
	time=$({ time "$program" "${arguments[@]}" >/dev/null 2>&1; } 2>&1)
	awk -v name="${recording##*/}" -v calls="$calls" -v opened="$opened" -v time="$time" 'BEGIN {
		split(time, part, " "); seconds = part[1] + part[2]
		printf "%-24s %3d system calls more, %4d files opened, %.2f s: at most %.2f %%\n", name, calls, opened, seconds,
			seconds ? (calls * 5e-6 + opened * 1e-7) / seconds * 100 : 0 }'
done
