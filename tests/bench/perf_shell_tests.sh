#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# perf's own shell tests, once with perf and once with dtprof in place of the commands that it has: the results side by side.
#
#   TESTS=FOLDER PERF=PROGRAM DTPROF=PROGRAM [ROOT=FOLDER] tests/bench/perf_shell_tests.sh [-v] [TEXT...]
#
# TESTS is tools/perf/tests/shell of the kernel's sources (Debian: the package linux-source), of the version of PERF. Nothing
# of it is kept here. ROOT: run all of it in this root (chroot), where TESTS and PERF are paths; it needs /proc, /sys, /dev and
# /tmp. dtprof and its libraries are copied into it for the time of the tests. TEXT: only tests whose name contains one of
# these; -v: what the tests printed, where dtprof fails and perf does not.
#
# A line has the test, perf's result and dtprof's: ok, skip, FAIL, or TIME if it ran for longer than LIMIT seconds (300). A test
# that perf passes and dtprof does not runs once more: many of them race with the machine's load.
# The exit status is the number of tests that perf passes and dtprof does not, without those that known() below explains.
set -u
export LC_ALL=C

DTPROF=$(realpath "${DTPROF:-build/dtprof}")
PERF=${PERF:-perf}
ROOT=${ROOT:-}
LIMIT=${LIMIT:-300}
: "${TESTS:?TESTS names tools/perf/tests/shell}"
verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }

# Tests that cannot pass: they are about a part of perf that dtprof does not have, or about a form that it does not write.
known() {
	case $1 in
	record_bpf_filter.sh) echo "it wants perf's refusal of fields that were not asked for; dtprof's filters add them" ;;
	*) return 1 ;;
	esac
}

# Options of dtprof record for one test; the reason is printed.
record_options() {
	case $1 in
	# perf inject --aslr removes all samples that have a part of the stack, in which addresses may be
	inject_aslr.sh) echo "--no-callers" ;;
	esac
}

work=$(mktemp -d "$ROOT/tmp/dtprof-shell.XXXXXX") || exit 1
inside=${work#"$ROOT"}
trap 'rm -rf "$work"' EXIT

# dtprof with the libraries and the loader of this system, which those of ROOT may be older than
mkdir "$work/lib" "$work/perf" "$work/dtprof"
"$(dirname "$0")/../support/libraries.sh" "$DTPROF" | xargs -I{} cp -L {} "$work/lib/"
cp "$DTPROF" "$work/lib/dtprof"
loader=$(basename "$(ls "$work"/lib/ld-* | head -n 1)")

cat >"$work/perf/perf" <<END
#!/bin/sh
exec $PERF "\$@"
END
# The command is the first word that is no option; some options of perf itself are followed by a value.
cat >"$work/dtprof/perf" <<END
#!/bin/bash
value= before=()
for word in "\$@"; do
	[ -z "\$value" ] || { value=; continue; }
	case \$word in
	--buildid-dir | --debugfs-dir | --exec-path | --debug) value=1 ;;
	-*) ;;
	record)
		while [ "\$1" != record ]; do before+=("\$1"); shift; done
		set -- "\${before[@]}" record \$DTPROF_RECORD "\${@:2}" ;;&
	record | report | annotate | mem | c2c | list | script)
		exec $inside/lib/$loader --library-path $inside/lib $inside/lib/dtprof "\$@" ;;
	*) break ;;
	esac
done
exec $PERF "\$@"
END
chmod +x "$work/perf/perf" "$work/dtprof/perf"

in_root() {
	if [ -n "$ROOT" ]; then
		chroot "$ROOT" "$@"
	else
		"$@"
	fi
}

# Print one word for the result of test $2 with the perf of folder $1.
run() {
	local status
	mkdir -p "$work/at"
	in_root timeout --kill-after=5 "$LIMIT" env PATH="$inside/$1:$PATH" PERF_CONFIG=/dev/null DTPROF_CONFIG= \
		DTPROF_RECORD="$(record_options "$2")" HOME="$inside" \
		bash -c 'cd "$1" && exec bash "$2"' shell "$inside/at" "$TESTS/$2" >"$work/$1.log" 2>&1 </dev/null
	status=$?
	rm -rf "${work:?}/at"
	case $status in
	0) echo ok ;;
	2) echo skip ;;
	124 | 137) echo TIME ;;
	*) echo FAIL ;;
	esac
}

chosen() {
	local text
	[ $# -gt 1 ] || return 0
	for text in "${@:2}"; do
		[[ $1 != *"$text"* ]] || return 0
	done
	return 1
}

worse=0
printf '%-44s %-6s %s\n' test perf dtprof
for path in "$ROOT$TESTS"/*.sh "$ROOT$TESTS"/base_report/test_*.sh; do
	name=${path#"$ROOT$TESTS"/}
	chosen "$name" "$@" || continue
	grep -qE '\b(record|report|annotate|mem|list|script|c2c)\b' "$path" || continue
	theirs=$(run perf "$name")
	ours=$(run dtprof "$name")
	if [ "$theirs" = ok ] && [ "$ours" != ok ] && ! known "$name" >/dev/null; then
		ours=$(run dtprof "$name")
	fi
	reason=$(record_options "$name")
	reason=${reason:+recorded with $reason}
	if [ "$theirs" != FAIL ] && [ "$theirs" != TIME ] && [ "$ours" != ok ] && [ "$ours" != "$theirs" ]; then
		reason=$(known "$name")
		[ -n "$reason" ] || [ "$theirs" = skip ] || worse=$((worse + 1))
	fi
	printf '%-44s %-6s %-6s %s\n' "$name" "$theirs" "$ours" "$reason"
	if [ -n "$verbose" ] && [ "$theirs" = ok ] && [ "$ours" != ok ]; then
		tail -n 40 "$work/dtprof.log" | sed 's/^/    | /'
	fi
done
exit "$worse"
