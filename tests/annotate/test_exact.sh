#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Exact mode: the plugin of gcc changes no instruction; what it records survives the linker, answers where the engine cannot
# know, and is not believed where it is damaged. DTPROF and CC come from the Makefile.
set -u
. tests/support/tap.sh

: "${DTPROF:=build/dtprof}"
DTPROF=$(realpath "$DTPROF")
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
names=("no instruction changes" "a laundered pointer has the compiler's type" "a union's member is named"
	"bytes that are read through a nameless record belong to the object around" "the linker drops what belongs to dropped code"
	"equal functions of several units are linked once" "the answers are in a companion, as they are without one"
	"a damaged section gives no signal and no other type")
plan ${#names[@]}
check() { # STATUS [MESSAGE]
	result "$1" "${names[$tap_number]}" "${2:-}"
}
skip_all() { # WHY
	for name in "${names[@]}"; do
		skip "$name" "$1"
	done
	finish
}
# the default compiler's; $CC may be clang
compiler=gcc
headers=$($compiler -print-file-name=plugin 2>/dev/null)/include/gcc-plugin.h
[ -f "$headers" ] || skip_all "no headers for plugins of $compiler (gcc-N-plugin-dev)"
make -s plugin PLUGIN_CC=$compiler BUILD="$folder/build" >"$folder/log" 2>&1 || skip_all "the plugin cannot be built: $(head -1 "$folder/log")"
exact=$folder/build/dtprof-gcc

cat >"$folder/a.c" <<'C'
struct rare { long before[3]; union { long number; double real; } u; int tag; };
struct list { struct list *next; long sum; };
typedef struct { char sum[30]; unsigned short level; long words[2]; } header;
static inline unsigned short read_unaligned(const void *p) { return ((const struct { unsigned short x; } __attribute__((packed)) *)p)->x; }
__attribute__((noipa)) int level(void **place, long i) { header *header = place[i]; return read_unaligned(&header->level); }
__attribute__((noipa)) int bytes(char *place, long i) { return read_unaligned(place + i + 30); }
/* nothing here tells what the pointer points to: the cast is in the compiler's head only */
__attribute__((noipa)) long get(void **place, long i) { return ((struct rare *)place[i])->tag; }
__attribute__((noipa)) long number(struct rare *rare) { return rare->u.number; }
__attribute__((noipa)) long walk(struct list *list) { long n = 0; for (; list; list = list->next) n += list->sum; return n; }
__attribute__((noipa)) long dead(struct list *list) { return list->sum; }
int main(void)
{
	struct rare rare = { .tag = 3 };
	struct list list = { 0, 4 };
	void *place[1] = { &rare };

	long all = 0;

	for (int i = 0; i < 30000000; i++)
		all += get(place, 0) + number(&rare) + walk(&list);
	return !(all + level(place, 0) + bytes((char *)&rare, 0));
}
C
build() { # COMPILER OUTPUT [OPTION...]: what comes out
	"$1" -O2 -g -Wl,--build-id "${@:3}" -o "$2" "$folder/a.c" 2>&1
}
code() { # PROGRAM
	objcopy -O binary --only-section=.text "$1" /dev/stdout
}
types() { # PROGRAM FUNCTION: its accesses
	"$DTPROF" debug types "$1" "$2" | sed -n 's/.* \(\(struct\|union\|header\|int\|(unknown)\).*\)/\1/p'
}
build $compiler "$folder/plain" && build "$exact" "$folder/exact" && cmp -s <(code "$folder/plain") <(code "$folder/exact")
check $? "the code differs"

types "$folder/exact" get | grep -q '^struct rare +32 (tag).*exact'
check $? "$(types "$folder/exact" get)"
types "$folder/exact" number | grep -q '^struct rare +24 (u.number); exact'
check $? "$(types "$folder/exact" number)"
types "$folder/exact" level | grep -q '^header +30 (level); exact' && ! types "$folder/exact" bytes | grep exact
check $? "$(types "$folder/exact" level; types "$folder/exact" bytes)"

build "$exact" "$folder/gc" -ffunction-sections -Wl,--gc-sections && types "$folder/gc" walk | grep -q '^struct list +8 (sum); exact' &&
	! nm "$folder/gc" | grep -q ' dead$' && ! readelf -p .dtprof.exact.paths "$folder/gc" 2>&1 | grep -q 'No strings'
check $? "$(types "$folder/gc" walk; readelf -SW "$folder/gc" | grep exact)"

comdat() {
	for unit in 1 2; do
		cat >"$folder/$unit.cc" <<C
namespace deep { template <class T> struct box { T *next; long key; struct part { long first, second; } last; }; }
struct node : deep::box<node> {};
__attribute__((noinline, weak)) long part(void *p) { return static_cast<deep::box<node>::part *>(p)->second; }
template <class T> __attribute__((noinline)) long sum(T *n) { long s = 0; for (; n; n = n->next) s += n->key; return s; }
long get$unit(node *n) { return sum(n) + part(n); }
C
	done
	echo 'struct node; long get1(node *), get2(node *); int main() { return (int)(get1(0) + get2(0)); }' >"$folder/main.cc"
	"$folder/build/dtprof-g++" -O2 -g -o "$folder/comdat" "$folder"/{1,2,main}.cc 2>"$folder/log" &&
		"$DTPROF" debug types "$folder/comdat" 'sum<node>' | grep -q ' +8 (key); exact' &&
		"$DTPROF" debug types "$folder/comdat" part | grep -q 'deep::box<node>::part +8 (second); exact'
}
if ! echo 'int main() {}' | g++ -xc++ - -o "$folder/probe" 2>/dev/null; then
	skip "${names[5]}" "no compiler of C++ (g++)"
else
	comdat
	check $? "$(cat "$folder/log"; "$DTPROF" debug types "$folder/comdat" 'sum<node>')"
fi

# one sample for each instruction is what `index` keeps; reports of a recording are compared with and without the companion
if "$DTPROF" record -q -e cpu-clock:u -F 5000 -o "$folder/data" -- "$folder/exact" >/dev/null 2>&1; then
	report() { "$DTPROF" report --stdio -q -s type,typeoff,sym,how -i "$folder/data" "$@" 2>&1; }
	with=$("$DTPROF" index -q "$folder/exact" && report)
	# a timer may meet get() at its return alone, so that struct rare has no sample
	grep -Eq 'struct (rare|list) .*exact' <<<"$with" && [ "$with" = "$(report --ignore-companion)" ]
	check $? "$with"
	rm -f "$folder/exact.dtp"
else
	skip "${names[6]}" "cannot record here"
fi

# flips of single bits all over both sections: each answer is the right one, or what the engine says without the sections
damaged() {
	local at size offset i status wrong=0
	for section in .dtprof.exact .dtprof.exact.paths; do
		read -r offset size < <(readelf -SW "$folder/exact" | sed 's/^ *\[[ 0-9]*\] *//' | awk -v s="$section" '$1 == s { print $4, $5 }')
		offset=$((16#$offset)) size=$((16#$size))
		for ((i = 0; i < 40; i++)); do
			at=$((offset + i * size / 40))
			cp "$folder/exact" "$folder/bad"
			printf "\\x$(printf %x $(($(od -An -tu1 -j$at -N1 "$folder/exact") ^ (1 << i % 8))))" |
				dd of="$folder/bad" bs=1 seek=$at conv=notrunc status=none
			timeout 60 "$DTPROF" debug types "$folder/bad" walk >"$folder/out" 2>&1
			status=$?
			[ $status -le 1 ] && ! grep 'struct' "$folder/out" | grep -vq 'struct list +[08] (\(next\|sum\))' || { wrong=1; echo "$section byte $at: $status"; cat "$folder/out"; }
		done
	done
	return $wrong
}
message=$(damaged)
check $? "$message"
finish
