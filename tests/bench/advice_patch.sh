#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Applies the patch of dtprof layout to the source of any program, and times the program before and after it in turns.
#
#   [DTPROF=program] [RUNS=7] tests/bench/advice_patch.sh FOLDER TYPE KIND 'BUILD' 'RUN'
#
# FOLDER has the source and stays as it is: two copies are made. BUILD is run in a copy, and RUN after it, whose user time
# counts. KIND is a proposal that keeps one record: reorder, shrink or pad. The line printed has the verdict on KIND, the
# predicted range of the gain in user space, and the measured median (user time before divided by that after the patch, with
# the least and the most). "gain" has to be in the range; "no gain" must be below 1.1.
#
# Programs that were measured with it, which are fetched by hand:
#   Olden's tsp and mst (github.com/llvm/llvm-test-suite, MultiSource/Benchmarks/Olden; cc -O2 -g -std=gnu89 -DTORONTO *.c -lm):
#     struct tree reorder './tsp 400000 0'; struct hash_entry reorder './mst 2000 1'
#   CLOMP (clomp.c): struct _Zone reorder './clomp 1 1 64 4000 64 1 1'
set -u
export LC_ALL=C DTPROF_CONFIG=
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
RUNS=${RUNS:-7}
if [ $# != 5 ]; then
	sed -n '3,/^set/{/^set/!p;}' "$0" | sed 's/^# \?//'
	exit 2
fi
folder=$(realpath "$1") type=$2 kind=$3 build=$4 run=$5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

for copy in old new; do
	cp -r "$folder" "$work/$copy"
done
(cd "$work/old" && sh -c "$build") >"$work/log" 2>&1 || { tail -3 "$work/log"; exit 1; }
(cd "$work/old" && "$DTPROF" record -q -o "$work/data" -- sh -c "$run") >/dev/null 2>&1
"$DTPROF" layout -q -i "$work/data" --type="$type" --top=1 --json >"$work/json" 2>/dev/null || exit 1
"$DTPROF" layout -q -i "$work/data" --type="$type" --top=1 --emit=patch --even-if --proposal="$kind" >"$work/patch" 2>/dev/null || {
	grep -h 'no patch' "$work/patch"
	exit 1
}
patch -s -p1 -d "$work/new" <"$work/patch" || exit 1
(cd "$work/new" && sh -c "$build") >"$work/log" 2>&1 || { tail -3 "$work/log"; exit 1; }

user_time() { # FOLDER: seconds of processor time in user space
	local TIMEFORMAT=%U
	cd "$1" || exit 1
	{ time sh -c "$run" >/dev/null 2>&1; } 2>&1
}

pairs=$(for ((i = 0; i < RUNS; i++)); do
	echo "$(user_time "$work/old") $(user_time "$work/new")"
done | awk '$2 > 0 { print $1 / $2 }' | sort -n)
KIND=$kind PAIRS=$pairs python3 - "$work/json" <<'END'
import json, os, sys
record = json.load(open(sys.argv[1]))["types"][0]
proposal = next(p for p in record["proposals"] if p["kind"] == os.environ["KIND"])
ratios = [float(ratio) for ratio in os.environ["PAIRS"].split()]
median, own = ratios[len(ratios) // 2], proposal["own"]
if proposal["verdict"] == "gain":
    agrees = own["low"] <= median <= own["high"]
elif proposal["verdict"] == "no gain":
    agrees = median < 1.1
else:
    agrees = None
print("%s %s: %s, predicted %.2f to %.2f, measured %.2f (%.2f, %.2f): %s" % (
    record["name"], proposal["kind"], proposal["verdict"], own["low"], own["high"], median, ratios[0], ratios[-1],
    {True: "agrees", False: "DOES NOT AGREE", None: "-"}[agrees]))
END
