#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts outputs of dtprof layout that work, for many types: C that compiles with its assertions, and patches that apply and build.
#
#   [DTPROF=program] tests/bench/layout_forms.sh c [-t TYPES] PROGRAM...
#   [DTPROF=program] tests/bench/layout_forms.sh patch [-t TYPES] PROGRAM 'BUILD COMMAND'
#
# Samples are made: one for each memory instruction of PROGRAM (build/tests/bench/make_data), so that all types of the program
# are there. A PROGRAM that ends in .data is a recording, of which OPTIONS=... (such as "-k vmlinux") are added.
#
# c: for each of TYPES (100) types and each proposal the C is compiled with gcc -std=gnu11 (CC=...).
#
# patch: the patches of "reorder", else of "shrink", are applied one after the other, each in the folder that it names,
# BUILD COMMAND is run, and the patch is taken back. The sources must be copies that may be changed.
set -u
export LC_ALL=C DTPROF_CONFIG=
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
MAKE_DATA=$(realpath "${MAKE_DATA:-build/tests/bench/make_data}")
CC=${CC:-gcc}
OPTIONS=${OPTIONS:-}
most=100
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

form=${1:-}
shift
if [ "${1:-}" = -t ]; then
	most=$2
	shift 2
fi

samples() { # PROGRAM: prints the name of a recording
	case $1 in
	*.data) echo "$1" ;;
	*) "$MAKE_DATA" "$1" "$work/made.data" 1 >/dev/null && echo "$work/made.data" ;;
	esac
}

layout() { # DATA ARGUMENTS...
	local data=$1
	shift
	# shellcheck disable=SC2086
	"$DTPROF" layout -q -i "$data" $OPTIONS "$@" 2>"$work/errors"
}

names() { # DATA: the types, one a line
	layout "$1" --top="$most" --json |
		python3 -c 'import json, sys
for name in dict.fromkeys(t["name"] for t in json.load(sys.stdin)["types"]): print(name)'
}

count_c() { # PROGRAM
	local data kind file name types good=0 bad=0 records
	data=$(samples "$1") || return 1
	types=$(names "$data" | wc -l)
	for kind in keep reorder shrink split peel; do
		rm -rf "$work/c" && mkdir "$work/c"
		layout "$data" --top="$most" --emit=c --proposal=$kind |
			awk -v folder="$work/c" '/^\/\* Stand-ins for the names/ { n++ } n { print > (folder "/" n ".c") }'
		[ $kind = keep ] && records=$(find "$work/c" -name '*.c' | wc -l)
		for file in "$work"/c/*.c; do
			# a type that has no such proposal is printed as it is
			[ $kind != keep ] && grep -q '; as it is \*/' "$file" && continue
			if $CC -std=gnu11 -w -c -o /dev/null "$file" 2>"$work/errors"; then
				good=$((good + 1))
			else
				name=$(sed -n '1s/.*names that \(.*\) uses:.*/\1/p' "$file")
				bad=$((bad + 1))
				echo "$name" >>"$work/bad.$$"
				echo "  $name, $kind: $(grep -m1 error "$work/errors" | sed 's/.*error: //')"
			fi
		done
	done
	bad_types=$(sort -u "$work/bad.$$" 2>/dev/null | wc -l)
	rm -f "$work/bad.$$"
	echo "$1: $records of $types types are records of C; of $((records - bad_types)) all proposals compile ($good texts, $bad do not)"
}

one_patch() { # DATA NAME PROGRAM BUILD
	local kind folder warned built
	for kind in reorder shrink; do
		layout "$1" --type="$2" --top=1 --emit=patch --even-if --proposal=$kind >"$work/patch" && break
		[ $kind = reorder ] && cp "$work/patch" "$work/first"
	done
	if ! grep -q '^--- a/' "$work/patch"; then
		grep -m1 '^# .*no patch' "$work/first" | sed 's/^# /  /'
		return 1
	fi
	folder=$(sed -n 's/^# apply it with: patch -p1 -d //p' "$work/patch")
	warned=$(grep -c 'initialized by position' "$work/patch")
	if ! patch -s -p1 -d "$folder" <"$work/patch" >"$work/applied" 2>&1; then
		echo "  $2: DOES NOT APPLY: $(head -1 "$work/applied")"
		return 2
	fi
	sh -c "$4" >"$work/build" 2>&1 </dev/null
	built=$?
	if [ $built = 0 ]; then
		echo "  $2: applies ($kind, $(grep -c '^[-+][^-+]' "$work/patch") lines) and builds"
	else
		echo "  $2: applies, DOES NOT BUILD (initialized by position: $warned): $(grep -m1 error "$work/build")"
	fi
	patch -s -R -p1 -d "$folder" <"$work/patch"
	[ $built = 0 ] && return 0
	[ "$warned" != 0 ] && return 3
	return 2
}

count_patches() { # PROGRAM BUILD
	local data name good=0 none=0 bad=0 said=0
	# of a copy, because BUILD makes the program anew
	cp "$1" "$work/program"
	case $1 in
	*.data) data=$1 ;;
	*) data=$(samples "$work/program") || return 1 ;;
	esac
	while read -r name; do
		one_patch "$data" "$name" "$1" "$2"
		case $? in
		0) good=$((good + 1)) ;;
		1) none=$((none + 1)) ;;
		3) said=$((said + 1)) ;;
		*) bad=$((bad + 1)) ;;
		esac
	done < <(names "$data")
	echo "$1: $good patches apply and build, $said do not build for the reason that they name, $bad do not, $none types have none"
}

case $form in
c) for program; do count_c "$program"; done ;;
patch) count_patches "$1" "$2" ;;
*) sed -n '3,/^set/{/^set/!p;}' "$0" | sed 's/^# \?//' && exit 2 ;;
esac
