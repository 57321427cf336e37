#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tells whether commands print the same, byte for byte, with debug information and with a companion of stripped files.
#
#   [EVERY=N] [VMLINUX=FILE] tests/bench/companion.sh [-v] DTPROF [PROGRAM...]
#
# Each PROGRAM, which has debug information and a build id, is recorded with one sample for each of its memory
# instructions (only each EVERYth of them), and then indexed and stripped. With VMLINUX the recordings of that kernel in
# ../shared/kernel are compared, too; it is not stripped, because its modules are beside it. compare_builds.sh compares,
# and its exit status is this one's.
set -u

verbose=
[ "${1:-}" != -v ] || { verbose=-v; shift; }
[ $# -ge 1 ] || { echo "usage: companion.sh [-v] DTPROF [PROGRAM...]" >&2; exit 2; }
dtprof=$(realpath "$1")
shift
here=$(dirname "$0") shared=${SHARED:-../shared}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/whole" "$work/stripped" "$work/companions"

cat >"$work/list" <<'LIST'
report --stdio -i @ -n -s comm,dso,sym,srcline
report --stdio -i @ -n -s type
report --stdio -i @ -n -s type,typeoff,sym,srcline
report --stdio -i @ -s type,typeoff --hierarchy
report --stdio -i @ -n -s type,typecln,dso
report --stdio -i @ -n -s how,rule,typeoff
annotate --stdio -i @ --type-stat
report --stdio -i @ --blame=sampled -s sym,type,typeoff
report --csv -i @ -s lang,type,typeoff,sym
report --json -i @ -s type,typeoff
report --html /dev/stdout -i @
annotate --stdio -i @ --data-type
annotate --stdio -i @ --layout
annotate --stdio -i @ --code-with-type
annotate --json -i @ --data-type
mem report --stdio -i @
c2c report --stdio -i @
layout -i @
layout --json -i @
check -i @ RULES
diff @ @
script -i @ -F ip,sym,type,typeoff,srcline
export -i @ --format=pprof --type-frames
export -i @ --format=speedscope
export -i @ --format=data-type-json
LIST

# Adds the commands for a recording, with these options.
add() { # RECORDING OPTION...
	local recording=$1 rules=$work/${1##*/}.rules line
	shift
	# rules on the records that have most samples
	"$dtprof" report -i "$recording" --symfs "$work/whole,flat" "$@" --csv -s type 2>/dev/null |
		sed -n 's/.*struct \([a-z_0-9]*\)$/sizeof(\1) <= 64\nholes of \1 <= 0\nheat of \1 in <= 1 lines/p' | head -60 >"$rules"
	while read -r line; do
		line=${line//@/$recording}
		echo "${line/RULES/$rules}${*:+ $*}"
	done <"$work/list" >>"$work/commands"
}

for program in "$@"; do
	name=${program##*/}
	cp "$program" "$work/whole/$name"
	strip -o "$work/stripped/$name" "$program"
	"$dtprof" index "$work/whole/$name" -o "$work/companions/$name.dtp" || exit 1
	"${PYTHON:-python3}" "$shared/oracle/mkperf.py" "$work/$name.data" "$work/whole/$name" --every "${EVERY:-1}" >/dev/null || exit 1
	add "$work/$name.data"
done
if [ -n "${VMLINUX:-}" ]; then
	"$dtprof" index "$VMLINUX" -o "$work/companions/${VMLINUX##*/}.dtp" || exit 1
	for recording in "$shared"/kernel/{kregs,memsamp,callgraph}.data; do
		kallsyms=${recording%.data}.kallsyms
		[ -f "$kallsyms" ] || kallsyms=$shared/kernel/kallsyms
		add "$recording" -k "$VMLINUX" --kallsyms "$kallsyms"
	done
fi

# Makes a program that adds options.
wrap() { # NAME OPTION...
	printf '#!/bin/sh\nexec %s "$@" %s\n' "$dtprof" "${*:2}" >"$work/$1"
	chmod +x "$work/$1"
}
wrap debug-information --symfs "$work/whole,flat" --ignore-companion
wrap companion --symfs "$work/stripped,flat" --companion "$work/companions"
CORPUS='' COMMANDS=$work/commands "$here/compare_builds.sh" $verbose "$work/debug-information" "$work/companion"
