#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tells whether two builds print the same, byte for byte: for changes that must not alter output.
#
#   [VMLINUX=FILE] [CORPUS=FOLDER...] [LIMIT=N] tests/bench/compare_builds.sh [-v] OLD NEW [RECORDING...]
#
# OLD and NEW are two dtprof programs. Both run every command below on every recording; standard output, standard
# error and the exit status must agree. -v shows the beginning of each difference. The recordings are
#   the given ones, or else all of ../shared/perfdata and ../shared/kernel (with VMLINUX, also with types), and
#   one sample for each memory instruction of each program in the folders of CORPUS (made by ../shared/oracle/mkperf.py,
#   LIMIT instructions each).
# COMMANDS names a file with a command in each line, to be run instead of all these.
# Missing recordings are left out, and a message says so. The exit status is 1 if any output differs.
set -u
export LC_ALL=C DTPROF_CONFIG= DEBUGINFOD_URLS=

verbose=
[ "${1:-}" != -v ] || { verbose=1; shift; }
[ $# -ge 2 ] || { echo "usage: compare_builds.sh [-v] OLD NEW [RECORDING...]" >&2; exit 2; }
old=$(realpath "$1") new=$(realpath "$2")
shift 2
shared=${SHARED:-../shared} jobs=${JOBS:-$(nproc)}
: "${CORPUS=${TMPDIR:-/tmp}/dtprof-corpus/bin}" "${LIMIT:=12000}" "${VMLINUX:=}" "${COMMANDS:=}"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# One line of arguments for each output; @ stands for the recording.
cat >"$work/tables" <<'LIST'
report --stdio -i @
report --stdio -i @ -n -s comm,dso,sym
report --stdio -i @ --header-only
report --json -i @
mem --stdio -i @ report
LIST
cat >"$work/types" <<'LIST'
report --stdio -i @ -n -s type
report --stdio -i @ -n -s type,typeoff,sym
report --stdio -i @ -n -s type,typeoff,typecln,dso
report --stdio -i @ -s type,typeoff --hierarchy
report --stdio -i @ -s how,typeoff
annotate --stdio -i @ --type-stat
report --stdio -i @ --blame=sampled -s sym,type,typeoff
report --csv -i @ -s type,typeoff,sym
report --json -i @ -s type,typeoff
annotate --stdio -i @ --data-type
annotate --stdio -i @ --layout
annotate --stdio -i @ --code-with-type
annotate --json -i @ --data-type
report --stdio -i @ --debug type-profile -s type
LIST

commands() { # RECORDING LIST OPTION...
	local recording=$1 list=$2 line
	shift 2
	while read -r line; do
		printf '%s%s\n' "${line//@/$recording}" "${*:+ $*}"
	done <"$work/$list"
}

if [ -n "$COMMANDS" ]; then
	cat "$COMMANDS"
elif [ $# -gt 0 ]; then
	for recording in "$@"; do
		commands "$recording" tables
		commands "$recording" types ${VMLINUX:+-k "$VMLINUX"}
	done
else
	for recording in "$shared"/perfdata/files/* "$shared"/perfdata/hostile/*; do
		[ ! -f "$recording" ] || commands "$recording" tables
	done
	[ -d "$shared/perfdata" ] || echo "no $shared/perfdata: left out" >&2
	for recording in "$shared"/kernel/*.data; do
		[ -f "$recording" ] || continue
		kallsyms=${recording%.data}.kallsyms
		[ -f "$kallsyms" ] || kallsyms=$shared/kernel/kallsyms
		commands "$recording" tables
		[ -z "$VMLINUX" ] || commands "$recording" types -k "$VMLINUX" --kallsyms="$kallsyms"
	done
	[ -n "$VMLINUX" ] || echo "no VMLINUX: kernel recordings without types" >&2
fi >"$work/commands"

for folder in $CORPUS; do
	[ -d "$folder" ] || { echo "no $folder: left out" >&2; continue; }
	for program in "$folder"/*; do
		[ -f "$program" ] && [ -x "$program" ] || continue
		made=$work/${program##*/}.data
		"${PYTHON:-python3}" "$shared/oracle/mkperf.py" "$made" "$program" --max "$LIMIT" >/dev/null 2>&1 || continue
		commands "$made" tables
		commands "$made" types
	done
done >>"$work/commands"

# Runs one line with both builds; prints the line if their outputs differ.
compare() { # NUMBER LINE
	local out=$work/out.$1 side
	for side in old new; do
		# shellcheck disable=SC2086 # a line is words
		"${!side}" --no-pager $2 >"$out.$side" 2>&1 </dev/null
		echo "exit $?" >>"$out.$side"
		# the path of the program does not count as a difference
		sed -i "s|${!side}|dtprof|g" "$out.$side"
	done
	if ! cmp -s "$out.old" "$out.new"; then
		echo "differs: dtprof $2"
		[ -z "$verbose" ] || diff "$out.old" "$out.new" | head -10
	fi
	rm -f "$out.old" "$out.new"
}
export -f compare
export old new work verbose

count=$(wc -l <"$work/commands")
nl -w1 -s' ' "$work/commands" | xargs -P"$jobs" -d '\n' -n1 bash -c 'compare "${1%% *}" "${1#* }"' compare >"$work/differences"
sort "$work/differences" | sed "s|$work/||g" >"$work/sorted"
[ -z "$verbose" ] || cp "$work/differences" "$work/sorted"
cat "$work/sorted"
differ=$(grep -c '^differs: ' "$work/sorted")
echo "$count outputs compared, $differ differ"
[ "$differ" -eq 0 ]
