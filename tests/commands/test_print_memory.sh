#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dtprof print shows variables in the memory of a process and of a core file.
set -u
. tests/support/tap.sh

dtprof=${DTPROF:-build/dtprof}
compiler=${CC:-gcc}
plan 25
names=("a static variable has its values" "members, indexes and pointers are followed" "--depth shows what pointers lead to, each once"
	"text that a pointer leads to is shown, escaped" "an object is shown by its address" "JSON has the same"
	"a member that is not there is told" "a pointer that is NULL is told" "an index beyond the array is told"
	"a variable that is not there is told"
	"variables of other languages are found by their names in the source" "an object that is not there is told"
	"a process that is not there is told" "an object that changes is told"
	"a core file has the same values" "cut and changed core files do no harm"
	"--hot shows the objects with the most samples" "--hot shows the share of each member" "--hot tells a process without samples"
	"--union shows one member of unions that have it"
	"a kernel's memory is shown by its vmlinux" "the vmlinux of another kernel is refused" "a per-cpu variable of a kernel is told"
	"variables of C++ are found by their names in the source"
	"text of std::string is shown, escaped")
number=0
next() { result "$1" "${names[$number]}" "${2:-}"; number=$((number + 1)); }
folder=$(mktemp -d) || exit 1
trap 'kill "${process:-$$}" 2>/dev/null; rm -rf "$folder"' EXIT
trap : TERM
cat >"$folder/live.c" <<'END'
#include <stdio.h>
#include <unistd.h>
enum color { RED, GREEN };
struct node {
	int key;
	enum color color;
	struct node *next;
	const char *name;
	unsigned int low : 3, high : 5;
};
struct server {
	int port;
	struct node *clients, *none;
	int (*handler)(int, char **);
	struct node *table[3];
	char title[16];
};
static struct server server = { .port = 8080, .title = "main\033[31m" };
static struct node pool[3];
/* as compilers of Fortran, Pascal, Ada and D call them */
int fortran __asm__("__m_MOD_counted") = 41, other __asm__("__m_MOD_twice"), another __asm__("__n_MOD_twice") = 42;
int pascal __asm__("U_$P$PROG_$$_FIRST") = 43, ada __asm__("shop__stock__item") = 44, d __asm__("_D4shop5totali") = 45;
/* of a COMMON block of Fortran only the block has a symbol */
static __attribute__((used)) struct { int before, last; } block __asm__(".Lblock") = { 1, 46 };
__asm__(".set world_, .Lblock\n.type world_, @object\n.size world_, 8");
/* printing it takes longer than processes run without a break */
volatile unsigned long turns[1 << 18];
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		pool[i] = (struct node){ 10 * i, i & 1, &pool[(i + 1) % 3], i ? "say \"x\"" : "first", i, 9 };
		server.table[i] = &pool[i];
	}
	server.clients = pool;
	server.handler = main;
	(void)argv;
	puts("ready");
	fflush(stdout);
	for (;;)
		if (argc > 1)
			turns[0]++;
		else
			pause();
}
END
if ! "$compiler" -g -O0 -o "$folder/live" "$folder/live.c" 2>"$folder/errors"; then
	for name in "${names[@]}"; do skip "$name" "$compiler does not build the program"; done
	finish
fi
if ! makes_native "$compiler" "$folder"; then
	for name in "${names[@]}"; do skip "$name" "programs that $compiler builds do not run here"; done
	finish
fi
start() {
	mkfifo "$folder/pipe.$1"
	(
		cd "$folder" || exit 1
		ulimit -c unlimited 2>/dev/null
		exec ./live ${2:-} >"pipe.$1"
	) &
	process=$!
	read -r _ <"$folder/pipe.$1"
}
start one
show() { "$dtprof" print -p "$process" "$@" 2>&1; }
if show server.port | grep -q 'memory of process .* cannot be read'; then
	for name in "${names[@]}"; do skip "$name" "processes may not be read here"; done
	finish
fi
shown=$(show server)
grep -q '^/\* server: struct server at 0x[0-9a-f]* \*/$' <<<"$shown" && grep -qF '	.port = 8080,' <<<"$shown" &&
	grep -qF '.title = "main\033[31m",' <<<"$shown" && grep -q '\.handler = 0x[0-9a-f]* /\* main \*/,$' <<<"$shown" &&
	grep -qE '\.clients = 0x[0-9a-f]* /\* pool \*/,$' <<<"$shown"
next $? "$shown"
shown=$(show 'server.clients->next->key'; show 'server.table[2]->color'; show 'pool[1].next')
[ "$(grep -vc '^/\*' <<<"$shown")" -eq 3 ] && grep -qx '10,' <<<"$shown" && grep -qx 'RED,' <<<"$shown" &&
	grep -qx '0x[0-9a-f]* /\* pool+0x[0-9a-f]* \*/,' <<<"$shown"
next $? "$shown"
shown=$(show '*server.clients' --depth 5)
[ "$(grep -c '^/\* .*: struct node at' <<<"$shown")" -eq 3 ] && grep -q '^/\* 0x[0-9a-f]*\.next: struct node at 0x[0-9a-f]* \*/$' <<<"$shown" &&
	grep -qF '	.high = 9,' <<<"$shown"
next $? "$shown"
shown=$(show 'pool[1].name' --depth 1)
grep -qxF '"say \"x\"",' <<<"$shown"
next $? "$shown"
address=$(show server.clients | tail -1 | cut -d" " -f1)
shown=$(show --address "${address%,}" 'struct node')
grep -qF '	.key = 0,' <<<"$shown"
next $? "$shown"
shown=$(show --json 'pool[1]' --depth 1 | tr -d ' \n')
grep -q '"expression":"pool\[1\]","type":"structnode","address":"0x[0-9a-f]*","value":{"key":10,"color":"GREEN"' <<<"$shown" &&
	grep -q '"pointer":"name","type":"char","address":"0x[0-9a-f]*","value":"say\\"x\\""' <<<"$shown"
next $? "$shown"
shown=$(show server.clientz)
[ $? -ne 0 ] && grep -q "struct server has no member 'clientz'" <<<"$shown"
next $? "$shown"
shown=$(show 'server.none->key')
[ $? -ne 0 ] && grep -q 'server.none is NULL' <<<"$shown"
next $? "$shown"
shown=$(show 'server.table[3]')
[ $? -ne 0 ] && grep -q 'server.table has only 3 elements' <<<"$shown"
next $? "$shown"
shown=$(show nothing)
[ $? -ne 0 ] && grep -q "has no variable 'nothing'" <<<"$shown"
next $? "$shown"
shown=$(for name in counted m::Counted prog.First Shop.Stock.Item shop.total n.twice block.last twice; do show $name; done)
[ "$(grep -o '^4[0-9],' <<<"$shown" | tr -d '\n')" = 41,41,43,44,45,42,46, ] && grep -q 'several have this name' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" print -p "$process" --object /nowhere server 2>&1)
[ $? -ne 0 ] && grep -q 'cannot open /nowhere: No such file' <<<"$shown"
next $? "$shown"
shown=$("$dtprof" print -p 2147483647 server 2>&1)
[ $? -ne 0 ] && grep -q 'there is no process 2147483647' <<<"$shown"
status=$?
# Process 2 makes the kernel's threads, where its processes are seen; root may open its memory, of which there is none.
if [ "$status" -eq 0 ] && [ -d /proc/2 ] && [ ! -s /proc/2/maps ]; then
	shown=$("$dtprof" print -p 2 server 2>&1)
	[ $? -ne 0 ] && ! grep -q 'there is no process' <<<"$shown"
	status=$?
fi
next $status "$shown"
wanted=$(show server | sed 1d)
# The process leaves a core file where the system writes them to the current folder; else gcore makes one.
core=
if command -v gcore >/dev/null && gcore -o "$folder/core" "$process" >/dev/null 2>&1; then
	core=$folder/core.$process
	kill "$process"
else
	kill -ABRT "$process"
	wait "$process" 2>/dev/null
	for file in "$folder/core" "$folder/core.$process"; do [ -s "$file" ] && core=$file; done
fi
start two busy
# the process may get no processor meanwhile
for _ in 1 2 3 4 5 6; do
	shown=$("$dtprof" print -p "$process" turns 2>&1 >/dev/null)
	grep -q '1 of 1 objects changed while they were read' <<<"$shown" && break
done
grep -q '1 of 1 objects changed while they were read' <<<"$shown"
next $? "$shown"
hot_objects() {
	for name in "${names[@]:16:3}"; do [ -n "${1:-}" ] && skip "$name" "$1"; done
	[ -n "${1:-}" ] && return
	cat >"$folder/hot.c" <<'END'
#include <stdlib.h>
struct item {
	long key;
	union {
		long whole;
		double fraction;
	} value;
	struct {
		int hits, misses;
	} statistics;
	unsigned int age : 24, kind : 4;
};
struct item *items[64];
int main(void)
{
	unsigned int random = 1;

	for (int i = 0; i < 64; i++) {
		items[i] = calloc(1, sizeof(struct item));
		items[i]->key = i;
	}
	for (;;) {
		random = random * 1664525 + 1013904223;
		/* the sixth has three of four visits */
		struct item *item = items[(random >> 24) % 4 ? 5 : (random >> 16) % 64];
		/* each visit takes as long: a visit alone is the faster the rarer its object is */
		for (int k = 0; k < 50; k++) {
			item->statistics.hits++;
			item->value.whole += item->key;
			__asm__ volatile("" ::: "memory");
		}
	}
}
END
	"$compiler" -g -O1 -o "$folder/hot" "$folder/hot.c" || return
	"$folder/hot" &
	local hot=$!
	# on a loaded machine, a second may be a few samples
	for seconds in 1 2 4 8 16; do
		"$dtprof" record -q -e cpu-clock -F 1000 --user-regs -p $hot -o "$folder/hot.data" -- sleep $seconds 2>"$folder/errors"
		[ "$("$dtprof" script -q -i "$folder/hot.data" -F type --csv | grep -c 'struct item')" -lt 100 ] || break
	done
	shown=$("$dtprof" print -p $hot --hot 2 -i "$folder/hot.data" item 2>&1)
	grep -q '^/\* 1\. [0-9.]* %, [0-9]* samples: struct item at 0x[0-9a-f]* \*/$' <<<"$shown" &&
		[ "$(grep -m1 '\.key = ' <<<"$shown" | grep -o ' 5,')" = " 5," ] && [ "$(grep -c '\.key = ' <<<"$shown")" -eq 2 ]
	next $? "$shown"
	grep -q '\.hits = [0-9]*, /\* [0-9.]* % \*/$' <<<"$shown" && grep -qx '		\.misses = 0,' <<<"$shown" &&
		grep -q '\.fraction = [-+e0-9.]*,$' <<<"$shown"
	next $? "$shown"
	shown=$("$dtprof" print -p $process --hot 2 -i "$folder/hot.data" item 2>&1)
	[ $? -ne 0 ] && grep -q "has no samples of process $process" <<<"$shown"
	next $? "$shown"
	kill $hot
}
if [ -z "$core" ]; then
	skip "${names[12]}" "no core file was left, and there is no gcore (package gdb)"
	skip "${names[13]}" "no core file was left, and there is no gcore (package gdb)"
	number=14
else
shown=$("$dtprof" print --core "$core" server 2>&1)
[ "$(sed 1d <<<"$shown")" = "$wanted" ]
next $? "$shown"
size=$(stat -c %s "$core")
bad=
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	head -c $((size * i / 13)) "$core" >"$folder/cut"
	"$dtprof" print --core "$folder/cut" server >/dev/null 2>"$folder/errors"
	[ $? -gt 1 ] && bad="$bad cut $i"
	cp "$core" "$folder/changed"
	printf '\xff\xff\xff\xff\xff\xff\xff\x7f' | dd of="$folder/changed" bs=1 seek=$((16 + i * 24)) conv=notrunc 2>/dev/null
	timeout 20 "$dtprof" print --core "$folder/changed" server >/dev/null 2>"$folder/errors"
	[ $? -gt 1 ] && bad="$bad changed $i"
done
[ -z "$bad" ]
next $? "$bad"
fi

if ! "$dtprof" record -q -e cpu-clock -o "$folder/probe.data" -- true 2>"$folder/errors"; then
	hot_objects "no samples can be recorded here: $(head -1 "$folder/errors")"
	number=17
else
	hot_objects
fi
cat >"$folder/union.c" <<'END'
union number { int whole; float fraction; };
struct tagged { int kind; union number number; };
struct tagged data[2] = { { 1, { .whole = 7 } }, { 2, { .whole = 8 } } };
int main(void) { return data[0].kind; }
END
"$compiler" -g -o "$folder/union" "$folder/union.c" && printf '\001\0\0\0\007\0\0\0' |
	"$dtprof" print --object "$folder/union" --union whole tagged >"$folder/shown" 2>&1
grep -qF '.whole = 7,' "$folder/shown" && ! grep -q fraction "$folder/shown"
next $? "$(cat "$folder/shown")"
kill "$process"
# A kernel's core: its file was built for other addresses, and its note says how far it moved.
kernel_core() {
	local moved=0xffffffff00000000 note data address i
	number_of() { for ((i = 0; i < $2; i++)); do printf "\\x$(printf %02x $(($1 >> 8 * i & 255)))"; done; }
	numbers() { while [ $# -gt 1 ]; do number_of "$1" "$2"; shift 2; done; }
	cat >"$folder/kernel.c" <<'END'
struct list { struct list *next; int jiffies; };
struct list second = { 0, 77 };
struct list first = { (struct list *)((char *)&second + MOVED), 5 };
__attribute__((section(".data..percpu"))) int queue = 1;
int main(void) { return first.jiffies + queue; }
END
	"$compiler" -g -no-pie -DMOVED=$moved -Wl,--unique=.data..percpu,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o "$folder/vmlinux" "$folder/kernel.c" &&
		objcopy -O binary -j .data "$folder/vmlinux" "$folder/kernel.data" || return
	address=0x$(readelf -SW "$folder/vmlinux" | sed -n 's/.* \.data *PROGBITS *\([0-9a-f]*\) .*/\1/p')
	data=$(stat -c %s "$folder/kernel.data")
	note=$'OSRELEASE=6.1.0\nBUILD-ID='$1$'\nKERNELOFFSET='${moved#0x}$'\n'
	while [ $((${#note} % 4)) -ne 0 ]; do note+=$'\n'; done
	{
		printf '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0'
		numbers 4 2 62 2 1 4 0 8 64 8 0 8 0 4 64 2 56 2 2 2 0 2 0 2 0 2
		numbers 4 4 0 4 176 8 0 8 0 8 $((24 + ${#note})) 8 0 8 4 8
		numbers 1 4 6 4 $((200 + ${#note})) 8 $((address + moved)) 8 0 8 "$data" 8 "$data" 8 1 8
		numbers 11 4 ${#note} 4 0 4
		printf 'VMCOREINFO\0\0%s' "$note"
		cat "$folder/kernel.data"
	} >"$folder/vmcore"
}
kernel_shown() { "$dtprof" print --core "$folder/vmcore" --object "$folder/vmlinux" "$@" 2>&1; }
if ! kernel_core 0123456789abcdef0123456789abcdef01234567 2>"$folder/errors"; then
	for name in "${names[@]:20:3}"; do skip "$name" "no program at fixed addresses is built: $(head -1 "$folder/errors")"; done
	number=21
else
	shown=$(kernel_shown first; kernel_shown 'first.next->jiffies')
	grep -q '^/\* first: struct list at 0xffffffff00[0-9a-f]* \*/$' <<<"$shown" && grep -qE '\.next = 0xffffffff00[0-9a-f]* /\* second \*/,$' <<<"$shown" &&
		grep -qx '77,' <<<"$shown"
	next $? "$shown"
	kernel_core ffff456789abcdef0123456789abcdef01234567
	shown=$(kernel_shown first)
	[ $? -ne 0 ] && grep -q "it is another kernel's" <<<"$shown"
	next $? "$shown"
	kernel_core ""
	shown=$(kernel_shown queue)
	[ $? -ne 0 ] && grep -q 'the variable is per-cpu' <<<"$shown"
	next $? "$shown"
fi
cat >"$folder/text.cc" <<'END'
#include <stdio.h>
#include <string>
#include <unistd.h>
namespace app {
struct Base { int number; virtual ~Base() {} };
struct Item : Base { std::string name; };
static Item item;
}
std::string title = "longer than what fits into the object, with \x1b[31m";
int main()
{
	app::item.number = 5;
	app::item.name = "short";
	puts("ready");
	fflush(stdout);
	pause();
}
END
if ! ${CXX:-g++} -g -O0 -o "$folder/text" "$folder/text.cc" 2>"$folder/errors"; then
	for name in "${names[@]:23:2}"; do skip "$name" "${CXX:-g++} does not build the program"; done
	finish
fi
mkfifo "$folder/pipe.text"
"$folder/text" >"$folder/pipe.text" &
process=$!
read -r _ <"$folder/pipe.text"
shown=$(show app::item)
grep -q '^/\* app::item: app::Item at 0x' <<<"$shown" && grep -qx '	.number = 5,' <<<"$shown" && grep -qx '	.name = "short",' <<<"$shown"
next $? "$shown"
shown=$(show title; show --json title)
grep -qxF '"longer than what fits into the object, with \033[31m",' <<<"$shown" && grep -qF '\u001b[31m"' <<<"$shown"
next $? "$shown"
kill "$process"
finish
