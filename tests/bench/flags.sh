#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts right and wrong types of programs that are compiled with the flags that people build with: optimization levels,
# instruction sets, hardening, sanitizers, no variable tracking, link-time optimization in one and in several partitions.
# Prints a line for each program and set; fails if a set is more than GAP points below -O2, or if more than WRONG % of its
# answers are wrong.
#
#	SOURCES   a folder with the sources of the programs: lua-5*, zstd-1*, memcached-1*
#	PLUGIN    the compiler's plugin that records what each instruction accesses
#	ORACLE    the folder of score.py
#
# flags_figures.py says which answers are right. Those that it calls placed, which name the declared array of integers in
# which the program keeps a record, are in a column of their own. A set may have more of them than -O2, which follows the
# pointer to the record.
set -u

: "${ORACLE:=../shared/oracle}" "${SOURCES:=${TMPDIR:-/tmp}/dtprof-corpus/src}" "${PLUGIN:=${TMPDIR:-/tmp}/dtprof-corpus/typetruth.so}"
: "${CC:=gcc-12}" "${LIMIT:=12000}" "${PROGRAMS:=lua zstd memcached}" "${GAP:=1}" "${WRONG:=0.5}"
: "${SETS:=O2 O0 O1 O3 Os Og v3 hardened untracked sanitized lto partitions}"
python=${PYTHON:-/usr/bin/python3}
folder=$OUT/bench/flags
failed=0

for needed in "$ORACLE/score.py" "$PLUGIN" "$SOURCES"; do
	[ -e "$needed" ] || { echo "flags: $needed is missing (ORACLE, PLUGIN, SOURCES): skipped"; exit 0; }
done
command -v "$CC" >/dev/null || { echo "flags: $CC is missing (CC): skipped"; exit 0; }
mkdir -p "$folder"

flags_of() { # SET
	case $1 in
	v3) echo "-O2 -march=x86-64-v3" ;;
	hardened) echo "-O2 -fno-omit-frame-pointer -fstack-protector-strong -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=2" ;;
	untracked) echo "-O2 -fno-var-tracking" ;;
	sanitized) echo "-O2 -fsanitize=address" ;;
	lto) echo "-O2 -flto -flto-partition=one" ;;
	partitions) echo "-O2 -flto -flto-partition=balanced --param lto-partitions=16 --param lto-min-partition=500" ;;
	*) echo "-$1" ;;
	esac
}

# Compiles a copy of the program's sources; its place is $folder/PROGRAM.SET.
build() { # PROGRAM SET
	flags=$(flags_of "$2")
	compiler="$CC -g -fplugin=$PLUGIN"
	copy=$folder/$1.source
	source=$(find "$SOURCES" -maxdepth 1 -type d -name "$1-[0-9]*" | head -1)
	[ -n "$source" ] || { echo "flags: no sources of $1 in $SOURCES: left out"; return 1; }
	rm -rf "$copy"
	cp -a "$source" "$copy" || return 1
	case $1 in
	lua)
		make -C "$copy" clean
		make -C "$copy" linux CC="$compiler" MYCFLAGS="$flags" MYLDFLAGS="$flags" AR="${CC%gcc*}gcc-ar${CC#gcc} rcu" && cp "$copy/src/lua" "$folder/$1.$2"
		;;
	zstd)
		make -C "$copy/programs" clean
		make -C "$copy/programs" zstd CC="$compiler" CFLAGS="$flags" && cp "$copy/programs/zstd" "$folder/$1.$2"
		;;
	memcached)
		(cd "$copy" && { [ ! -f Makefile ] || make clean; } && ./configure CC="$compiler" CFLAGS="$flags" && make memcached CFLAGS="$flags -pthread") && cp "$copy/memcached" "$folder/$1.$2"
		;;
	esac >"$folder/$1.$2.log" 2>&1
}

printf '%-12s %-12s %7s %7s %7s\n' '' '' right wrong placed
for program in $PROGRAMS; do
	best=
	for set in $SETS; do
		[ -s "$folder/$program.$set" ] || build "$program" "$set" || { echo "$program $set: does not build ($folder/$program.$set.log)"; continue; }
		dump=$folder/$program.$set.dump
		"$python" "$ORACLE/score.py" "$folder/$program.$set" --max "$LIMIT" --keep "$folder/keep" --dump "$dump" -- "$DTPROF" >/dev/null 2>&1
		found=$("$python" "${0%/*}/flags_figures.py" "$folder/$program.$set" "$dump")
		[ -n "$found" ] || { echo "$program $set: has no figures"; failed=1; continue; }
		[ -n "$best" ] || best=$found
		echo "$best $found" | awk -v gap="$GAP" -v limit="$WRONG" -v program="$program" -v set="$set" '{
			missed = $4 + $6 < $1 + $3 - gap || $5 > limit
			printf "%-12s %-12s %6s%% %6s%% %6s%% %s\n", program, set, $4, $5, $6, missed ? "missed" : ""
			exit missed
		}' || failed=1
	done
	rm -rf "$folder/$program.source"
done
exit $failed
