#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run test programs in parallel and count their test cases.
#
#   run.sh PROGRAM...      from the project's root; OUT, DTPROF, CC, JOBS, ONLY, REPEAT, EMULATOR come from the Makefile
#
# A program speaks TAP (testanything.org, version 12), as cmocka does when told to; a test_*.sh as well. Its output is
# kept in $OUT/results/PROGRAM.log and shown if it fails. The last line is "N passed, N failed, N skipped" alone.
# A program that crashes, times out, or gives fewer results than its plan counts as one more failure.
set -u

# A developer's own configuration of dtprof must not change the tests.
export DTPROF_CONFIG=
# Recordings put objects into a cache at home (~/.debug), which must not be the developer's, either.
# Rust's compiler finds its tools from there.
export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
HOME=$(mktemp -d) || exit 1
export HOME
trap 'rm -rf "$HOME"' EXIT

# Programs that the engine's cases were compiled to, by compiler, command and source: compiling takes most of the time of the
# tests. Empty: compile each afresh.
export CASE_CACHE=${CASE_CACHE-$OUT/tests/cases}
[ -z "$CASE_CACHE" ] || mkdir -p "$CASE_CACHE"

TIMEOUT=${TIMEOUT:-1800} # seconds a program: one that hangs ends, one on a loaded machine does not

no_reason='no reason given'

# stdin: a TAP log. Prints "passed failed skipped planned", then the names of the skipped, each with the reason that the
# line "# skipped: REASON" before it tells.
# A result is looked for anywhere in its line: the tested code may have written before it without a newline. cmocka
# writes a skipped test as "not ok N # SKIP name", and from version 2 on as "ok N - name # SKIP".
count_results() {
	awk -v NO_REASON="$no_reason" '
	/^1\.\.[0-9]+$/ { planned += substr($0, 4); next_number = 1 }
	/^(# )?skipped: / { reason = $0; sub(/^(# )?skipped: /, "", reason) }
	{
		if (match($0, "ok " next_number " *# *(SKIP|skip)")) {
			skipped++; next_number++
			names = names "\n" substr($0, RSTART + RLENGTH + 1) ": " (reason ? reason : NO_REASON)
			reason = ""
		} else if (match($0, "ok " next_number " - .* # SKIP")) {
			skipped++; next_number++
			name = substr($0, RSTART, RLENGTH)
			sub(/^ok [0-9]+ - /, "", name); sub(/ # SKIP$/, "", name)
			names = names "\n" name ": " (reason ? reason : NO_REASON)
			reason = ""
		} else if (match($0, "not ok " next_number "( |$)")) {
			failed++; next_number++; reason = ""
		} else if (match($0, "ok " next_number "( |$)")) {
			passed++; next_number++; reason = ""
		}
	}
	END { print passed + 0, failed + 0, skipped + 0, planned + 0 names }'
}

arguments_of() {
	case $1 in
	*/tests/fuzz/fuzz_*)
		local target=${1##*/fuzz_}
		for place in "tests/fuzz/seeds/$target" "tests/fuzz/crashers/$target" ../shared/perfdata/hostile; do
			[ ! -d "$place" ] || echo "$place"
		done
		;;
	esac
}

run_one() {
	local program=$1 name=${1#"$OUT"/}${2:+ $2} log start seconds status emulator=${EMULATOR:-}
	log=$OUT/results/${name/ /.}.log
	mkdir -p "${log%/*}"
	start=$(date +%s%N)
	[ "$program" != "${program%.sh}" ] && emulator=
	CMOCKA_MESSAGE_OUTPUT=TAP timeout --kill-after=10 "$TIMEOUT" $emulator "$program" $(arguments_of "$program") >"$log" 2>&1 </dev/null
	status=$?
	seconds=$(( ($(date +%s%N) - start) / 100000000 ))
	seconds=$((seconds / 10)).$((seconds % 10))

	local passed failed skipped planned names why= word=ok
	{
		read -r passed failed skipped planned
		names=$(cat)
	} < <(count_results <"$log")
	if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
		why="not done after $TIMEOUT s"
	elif [ "$status" -gt 128 ]; then
		why="killed by signal $((status - 128))"
	elif [ "$planned" -eq 0 ]; then
		why="ran no test (exit status $status)"
	elif [ $((passed + failed + skipped)) -ne "$planned" ]; then
		why="$planned tests planned, $((passed + failed + skipped)) results (exit status $status)"
	elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		why="exit status $status"
	elif [[ $names == *": $no_reason"* ]]; then
		why="a test is skipped without a reason"
	fi
	[ -z "$why" ] || failed=$((failed + 1))
	[ "$failed" -eq 0 ] || word=FAILED
	echo "$passed $failed $skipped" >"${log%.log}.count"

	# one write, so that programs that end together do not mix
	{
		printf '  %-7s %-42s %3d passed' "$word" "$name" "$passed"
		[ "$failed" -eq 0 ] || printf ', %d failed' "$failed"
		[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
		printf '  %s s\n' "$seconds"
		[ -z "$why" ] || printf '          %s\n' "$why"
		[ -z "$names" ] || printf '%s\n' "$names" | sed 's/^/          skipped: /'
		if [ "$failed" -ne 0 ]; then
			printf '          the end of %s:\n' "$log"
			grep -v '^ok ' "$log" | tail -n 60 | cut -c1-400 | sed 's/^/          | /'
		fi
	} >"${log%.log}.shown"
	cat "${log%.log}.shown"
}

if [ "${1:-}" = --one ]; then
	run_one "$2" "$3"
	exit 0
fi

export OUT
rm -rf "$OUT/results"
mkdir -p "$OUT/results"
# Tests start dtprof themselves, so it begins with the emulator of the machine that it was built for.
if [ -n "${EMULATOR:-}" ]; then
	printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$EMULATOR" "$DTPROF" >"$OUT/results/dtprof"
	chmod +x "$OUT/results/dtprof"
	DTPROF=$(realpath "$OUT/results/dtprof")
	export DTPROF
fi
chosen=()
for program in "$@"; do
	case $program in
	*"${ONLY:-}"*) chosen+=("$program") ;;
	esac
done
runs=('') # the number of each run, which is told only if there are several
[ "${REPEAT:-1}" -eq 1 ] || mapfile -t runs < <(seq "$REPEAT")
if [ ${#chosen[@]} -eq 0 ]; then
	echo "no test program's path contains '${ONLY:-}'" >&2
	exit 1
fi
for run in "${runs[@]}"; do
	for program in "${chosen[@]}"; do
		printf '%s\0' "$program" "$run"
	done
done | xargs -0 -n 2 -P "${JOBS:-1}" "$0" --one

find "$OUT/results" -name '*.count' -exec cat {} + | awk -v programs=$((${#chosen[@]} * ${#runs[@]})) '
	{ passed += $1; failed += $2; skipped += $3 }
	END {
		if (NR < programs)
			failed += programs - NR
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0 || NR < programs
	}'
