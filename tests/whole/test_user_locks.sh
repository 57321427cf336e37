#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The names of locks of programs that print the truth about them (tests/workloads/locks): none is wrong, and nine tenths of the
# waiting time have one. With --sets, only prints the lines of source, compiler and flags.
set -u
. "$(dirname "$0")/../support/tap.sh"

: "${DTPROF:=build/dtprof}"
abseil=$(pkg-config --cflags --libs absl_synchronization 2>/dev/null)
glib=$(pkg-config --cflags --libs glib-2.0 2>/dev/null)
sets=("kinds.c gcc -O2" "kinds.c gcc -O0" "conditions.c gcc -O2 -static" "c11.c clang -O2" "classes.cc g++ -std=c++20 -O2"
	"passed.cc g++ -std=c++20 -O2" "passed.cc g++ -std=c++20 -O0" "passed.cc clang++ -std=c++20 -O0"
	"passed.cc clang++ -std=c++20 -O2"
	"waits.cc g++ -std=c++20 -O2" "waits.cc g++ -std=c++20 -O0"
	"glib.c gcc -O2 $glib" "openmp.c gcc -O2 -fopenmp"
	"abseil.cc g++ -std=c++17 -O2 $abseil" "rust.rs rustc" "go.go go")
[ -z "$abseil" ] || sets+=("abseil.cc g++ -std=c++17 -O0 $abseil")
! command -v rustc >/dev/null || sets+=("rust.rs rustc -O")
[ "${1:-}" != --sets ] || { printf '%s\n' "${sets[@]}"; exit 0; }
# programs whose compiler or library is not here are skipped as one test, which names them
here=() missing=
for set in "${sets[@]}"; do
	read -r source compiler flags <<<"$set"
	needs=$compiler
	[ "$source" != glib.c ] || [ -n "$glib" ] || needs="glib-2.0"
	[ "$source" != abseil.cc ] || [ -n "$abseil" ] || needs=absl_synchronization
	command -v python3 >/dev/null || needs=python3
	if [ "$needs" = "$compiler" ] && command -v "$compiler" >/dev/null; then
		here+=("$set")
	else
		missing+="${missing:+, }$source ($needs)"
	fi
done
plan $((${#here[@]} + (${#missing} > 0)))
[ -z "$missing" ] || skip "programs that cannot be built here" "what they need is missing: $missing"
for set in "${here[@]}"; do
	read -r source compiler flags <<<"$set"
	case $compiler in
	go) ;;
	rustc) flags="-g $flags" ;;
	*) flags="-g $flags -pthread" ;;
	esac
	# shellcheck disable=SC2086 # flags are words
	found=$(timeout 100 tests/bench/locks.py "$(realpath "$DTPROF")" "tests/workloads/locks/$source" "$compiler" $flags 2>&1)
	case $? in
	77 | 124) skip "$set" "it cannot be built or recorded here: $(head -c 200 <<<"$found" | tr '\n' ' ')" ;;
	0) result 0 "$source $compiler" ;;
	*) result 1 "$source $compiler" "$found" ;;
	esac
done
finish
