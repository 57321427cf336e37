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
# With link-time optimization the record counts the elements of an array from its first one, and types of equal structure
# are one type. An answer for the same type whose offset differs by whole elements is therefore right here.
# A variable of the sanitizer is answered as "(sanitizer)".
#
# score.py knows no members of a struct without a name, which C answers by its typedef. If such an answer goes on to a member
# of a record in it, and that has the name of the member of the truth's outermost record, it is right here.
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

# Prints the shares of right and wrong answers in the lines that score.py dumps.
figures() { # DUMP
	awk -F '\t' '
	# The place of the access in the outermost type of a chain ">union item@16/16>struct cell@8/16.tag>...".
	function is_element(answer, truth,   parts, count, i, part, name, size, offset) {
		count = split(truth, parts, ">")
		for (i = count; i > 1; i--) {
			if (!match(parts[i], /@-?[0-9]+\/[0-9]+/))
				continue
			split(substr(parts[i], RSTART + 1, RLENGTH - 1), part, "/")
			name = substr(parts[i], 1, RSTART - 1)
			offset += part[1]
			size = part[2]
		}
		if (!size)
			return 0
		offset = ((offset % size) + size) % size
		return index(answer, "(\047" name "\047, " offset ",") == 1
	}
	# The answer is in a typedef, at "record.member", and the chain begins with a record that has this member.
	function is_inner(answer, truth,   answered, part, member, count) {
		split(answer, answered, "\047")
		split(truth, part, ">")
		if (answered[2] ~ /^(struct|union|enum) |\[\]$|\*$/ || part[2] !~ /^(struct|union) .*\./)
			return 0
		member = part[2]
		sub(/^[^@]*@[^.]*\./, "", member)
		count = split(answered[4], part, ".")
		return count > 1 && part[count] == member
	}
	$2 == "mem" && $5 ~ /^\(.\(sanitizer\)/ && $6 ~ /__asan_/ {
		$3 = "exact"
	}
	$2 == "mem" && $3 ~ /^(exact|inner|outer|storage|typeonly|wrong|none)$/ {
		all++
		if ($3 ~ /^(exact|inner|outer|storage)$/ || ($3 == "typeonly" && is_element($5, $6)) || ($3 == "wrong" && is_inner($5, $6)))
			right++
		else if ($3 != "none")
			wrong++
	}
	END { if (all) printf "%.1f %.2f\n", 100 * right / all, 100 * wrong / all }' "$1"
}

printf '%-12s %-12s %7s %7s\n' '' '' right wrong
for program in $PROGRAMS; do
	best=
	for set in $SETS; do
		[ -s "$folder/$program.$set" ] || build "$program" "$set" || { echo "$program $set: does not build ($folder/$program.$set.log)"; continue; }
		dump=$folder/$program.$set.dump
		"$python" "$ORACLE/score.py" "$folder/$program.$set" --max "$LIMIT" --keep "$folder/keep" --dump "$dump" -- "$DTPROF" >/dev/null 2>&1
		found=$(figures "$dump")
		[ -n "$found" ] || { echo "$program $set: has no figures"; failed=1; continue; }
		[ -n "$best" ] || best=${found% *}
		verdict=$(echo "$best $found" | awk -v gap="$GAP" -v limit="$WRONG" '{ print(($2 < $1 - gap || $3 > limit) ? "missed" : "") }')
		[ -z "$verdict" ] || failed=1
		printf '%-12s %-12s %6s%% %6s%% %s\n' "$program" "$set" "${found% *}" "${found#* }" "$verdict"
	done
	rm -rf "$folder/$program.source"
done
exit $failed
