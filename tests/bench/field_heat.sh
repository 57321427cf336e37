#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the heat of fields with the accesses that valgrind's DHAT counts for each byte of a heap block.
#
#   [DTPROF=program] tests/bench/field_heat.sh
#
# The program is tests/workloads/field_heat.c with three records. Each of its accesses waits, so that the samples of a
# timer are as many as the accesses. Prints the five hottest fields of both, and whether their order is the same.
# DHAT counts an offset modulo 65536, and only in blocks of at most 1,024 bytes: its run is short.
set -u
export LC_ALL=C DTPROF_CONFIG=
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
folder=$(mktemp -d "${TMPDIR:-/tmp}/field_heat.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
command -v valgrind >/dev/null || { echo "field_heat: valgrind is missing"; exit 1; }

for record in task order cell; do
	cc -O1 -g ${record:+-D$(tr '[:lower:]' '[:upper:]' <<< "$record")S} -o "$folder/run" tests/workloads/field_heat.c || exit 1
	valgrind -q --tool=dhat --dhat-out-file="$folder/dhat" "$folder/run" 300 4000 >/dev/null 2>&1 || exit 1
	"$DTPROF" record -q -F 2000 -o "$folder/data" "$folder/run" 150000 400000 >/dev/null 2>&1 || {
		echo "field_heat: this user may not record here"
		exit 1
	}
	"$DTPROF" layout -q --json --type=$record -i "$folder/data" 2>/dev/null >"$folder/json"
	python3 - "$folder/dhat" "$folder/json" <<'END'
import json, sys

dhat, record = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))["types"][0]
# the blocks of the records; a negative number is how often the next one is repeated
numbers = next(point["acc"] for point in dhat["pps"] if point.get("acc") and point["tbk"] == 300)
counts = []
while numbers:
    repeat = -numbers.pop(0) if numbers[0] < 0 else 1
    counts += [numbers.pop(0)] * repeat
hottest = [sorted(record["members"], key=lambda member: -heat(member))[:5]
           for heat in (lambda member: counts[member["offset"]], lambda member: member["samples"])]
print("%s: accesses %s; samples %s: %s" % (
    record["name"], ", ".join("%s %d" % (m["name"], counts[m["offset"]]) for m in hottest[0]),
    ", ".join("%s %d" % (m["name"], m["samples"]) for m in hottest[1]),
    "the same order" if hottest[0] == hottest[1] else "ANOTHER ORDER"))
END
done
