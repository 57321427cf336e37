#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts right types, with time and memory, over programs whose compiler recorded what each instruction accesses; beside
# perf (PERF=program) where there is one that knows types. ORACLE is the folder of score.py, CORPUS that of the programs;
# without them nothing can be compared. Large programs are sampled: LIMIT instructions.
set -u

: "${ORACLE:=../shared/oracle}" "${CORPUS:=${TMPDIR:-/tmp}/dtprof-corpus/bin}" "${LIMIT:=12000}"
perf=${PERF:-$(command -v perf || true)}
folder=$OUT/bench
python=${PYTHON:-/usr/bin/python3}

if ! [ -f "$ORACLE/score.py" ] || ! [ -d "$CORPUS" ]; then
	echo "no programs to hold the types against (ORACLE=$ORACLE, CORPUS=$CORPUS): skipped"
	exit 0
fi
mkdir -p "$folder"

# One line of figures from what score.py prints.
figures() {
	awk '
	function share(name,   i) { for (i = 1; i < NF; i++) if ($i == name) return $(i + 1) + 0; return 0 }
	/ instructions, / {
		for (i = 1; i < NF; i++) {
			if ($(i + 2) ~ /^wall/) wall = $i
			if ($(i + 2) ~ /^cpu/) processor = $i
			if ($(i + 1) == "MiB") peak = $i
		}
	}
	/coverage/ { sub(/.*: */, ""); covered = $1 + 0 }
	/mem strong/ { right = share("exact") + share("inner") + share("outer"); exact = share("exact"); wrong = share("typeonly") + share("wrong") }
	/stk strong/ { stack = share("exact") + share("inner") + share("outer"); lost = share("typeonly") + share("wrong") }
	END { if (wall != "") print right, exact, wrong, stack, lost, covered, wall, processor, peak }'
}

score() { # PROGRAM NAME COMMAND
	"$python" "$ORACLE/score.py" "$1" --max "$LIMIT" --keep "$folder/${1##*/}" -- "$3" 2>/dev/null | figures
}

row() { # PROGRAM NAME FIGURES
	[ -n "$3" ] || { printf '%-14s %-8s has no figures\n' "$1" "$2"; return; }
	# shellcheck disable=SC2086 # figures are words
	printf '%-14s %-8s %6.1f%% %6.1f%% %6.1f%% %7.1f%% %6.1f%% %6.1f%% %8.2f s %8.2f s %6.0f MB\n' "$1" "$2" $3
}

printf '%-14s %-8s %7s %7s %7s %8s %7s %7s %10s %10s %9s\n' '' '' right exact wrong 'stack ok' wrong covered wall processor peak
failed=0
for program in "$CORPUS"/*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	name=${program##*/}
	ours=$(score "$program" dtprof "$DTPROF")
	row "$name" dtprof "$ours"
	[ -n "$ours" ] || { failed=1; continue; }
	[ -n "$perf" ] || continue
	theirs=$(score "$program" perf "$perf")
	row "$name" "${perf##*/}" "$theirs"
	[ -n "$theirs" ] || continue
	echo "$theirs $ours" | awk '{ if ($16 > 0 && $17 > 0) printf "%-14s %-8s 1/%.0f of the wall time, 1/%.0f of the processor time\n", "", "", $7 / $16, $8 / $17 }'
done
exit $failed
