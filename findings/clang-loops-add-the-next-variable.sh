#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a program at fixed addresses, clang reads a static array at the address of the variable behind it.
#
# Guess: the constant in the operand of array[i] is an address in the array, or some elements before it where the index begins at 1;
#        the symbol there is the array's name, as gcc's code has it. Only a negative index reaches what lies before the symbol.
# Seen:  of four loops over four arrays, clang 14 -O2 -fno-pie counts the index of each from minus the size of the array up to 0, which
#        saves a comparison, and adds the address where the array ends. That is where the next one begins: three accesses have the
#        symbol of another array, of another type, and the last one that of the end of the program. With -fpie, and by gcc 12,
#        all four have their own. Who names the variable by the constant of the instruction counts its misses for its neighbour.
#
# Installs Debian 12's clang-14 and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

clang_version=1:14.0.6-12 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download "clang-14=$clang_version" "libclang-cpp14=$clang_version" "libllvm14=$clang_version" \
	"libclang-common-14-dev=$clang_version" "gcc-12=$gcc_version" "cpp-12=$gcc_version" libisl23 libmpc3 libmpfr6 libgmp10 binutils \
	binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0 libedit2 libbsd0 libmd0 libxml2 libicu72 libz3-4 libtinfo6 libffi8
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-14/lib
export PATH=$folder/root/usr/bin:$PATH

cat >loops.c <<'C'
struct point { int x, y; } points[100];
struct range { long first, last; } ranges[100];
double sums[100];
int numbers[400];

long all_points(void) { long sum = 0; for (int i = 0; i < 100; i++) sum += points[i].y; return sum; }
long all_ranges(void) { long sum = 0; for (int i = 0; i < 100; i++) sum += ranges[i].last; return sum; }
double all_sums(void) { double sum = 1; for (int i = 0; i < 100; i++) sum *= sums[i]; return sum; }
void all_numbers(int value) { for (int i = 0; i < 400; i++) { numbers[i] ^= value; value *= 3; } }
void _start(void) { all_numbers((int)(all_points() + all_ranges() + (long)all_sums())); }
C
# Prints, for each loop's function, the symbol at the constant of its operand, or at the address that it loads before the loop.
named() { # FILE
	nm -n "$1" | awk '$2 ~ /[BbDd]/ { print $1, $3 }' >symbols
	objdump -d --no-show-raw-insn "$1" |
		sed -n -e 's/^[0-9a-f]* <\(all_[a-z]*\)>:$/@ \1/p' -e 's/.*[ ,*]\(0x[0-9a-f]*\)(%r[a-ds][xi]).*/\1/p' \
			-e 's/.*mov .*[ $]\(0x40[0-9a-f]*\),%[er].*/\1/p' -e 's/.*lea .*# \([0-9a-f]*\) <.*/0x\1/p' |
		awk '$1 == "@" { name = $2; next } name && length($1) > 5 { print name, $1; name = "" }' |
		while read -r function constant; do
			symbol=$(while read -r address symbol; do ((16#$address <= constant)) && last=$symbol; echo "${last:-none}"; done <symbols | tail -n1)
			echo "$function:$symbol"
		done | xargs
}
flags=(-O2 -fno-vectorize -fno-unroll-loops -ffreestanding -nostdlib -static)
"$folder/root/usr/lib/llvm-14/bin/clang" "${flags[@]}" -fno-pie -o clang loops.c
"$folder/root/usr/lib/llvm-14/bin/clang" "${flags[@]}" -fpie -o clang-pie loops.c
"$folder/root/usr/bin/gcc-12" -O2 -fno-tree-vectorize -ffreestanding -nostdlib -static -fno-pie -no-pie -o gcc loops.c
for file in clang clang-pie gcc; do
	echo "$file: $(named "$file" | tee "$file.txt")"
done
nm -n clang | grep -E ' [BbDd] '
own='all_points:points all_ranges:ranges all_sums:sums all_numbers:numbers'
[ "$(cat clang.txt)" = 'all_points:ranges all_ranges:sums all_sums:numbers all_numbers:_end' ] &&
	[ "$(cat clang-pie.txt)" = "$own" ] && [ "$(cat gcc.txt)" = "$own" ]
