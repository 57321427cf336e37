#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 16's debug information leaves a parameter that is a small class in the register in which it was passed, after the code has
# put other values there.
#
# Guess: the location list of a parameter names %rdi until the code writes another value to it, and the register or stack slot of
#        its copy from then on, as gcc 15 writes it.
# Seen:  in std::__adjust_heap(), which std::sort() calls, __first (an iterator, a class of one pointer) is said to be in %rdi for
#        hundreds of bytes of code, up to the next call; the index is copied to %rdi within the first hundred, and %rdi is
#        written several times more. The pointer is in %r8 all the time. Debuggers print an index, or a string's text, as the
#        iterator, and profilers that trust the location give the accesses wrong types.
#
# Installs g++-16 and g++-15 of Debian sid in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

gcc16=16.2.0-4 gcc15=15.3.0-5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >apt/sources.list
sid() {
	apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
sid update
sid download "g++-16-x86-64-linux-gnu=$gcc16" "libstdc++-16-dev=$gcc16" "libgcc-16-dev=$gcc16" "g++-15-x86-64-linux-gnu=$gcc15" "libstdc++-15-dev=$gcc15" \
	"libgcc-15-dev=$gcc15" libisl23 libmpc3 libmpfr6 libgmp10 zlib1g libzstd1 libc6 libc6-dev linux-libc-dev libstdc++6 libgcc-s1 \
	binutils-x86-64-linux-gnu libbinutils libsframe3 libjansson4
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
run() { "$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu" "$@"; }
tool() { run "$usr/bin/x86_64-linux-gnu-$1" "${@:2}"; }

cat >sort.cc <<'CXX'
#include <algorithm>
#include <string>
#include <vector>
struct item {
	std::string name;
	long rank;
};
void order(std::vector<item> &items)
{
	std::sort(items.begin(), items.end(), [](auto &a, auto &b) { return a.rank > b.rank; });
}
CXX
# The range of __first in %rdi that begins with __adjust_heap(), where %rdi is its register: "BYTES WRITES", the range's size and how
# many instructions in it write %rdi.
look() { # VERSION
	run "$usr/libexec/gcc/x86_64-linux-gnu/$1/cc1plus" -quiet -O2 -g -fPIC -std=c++17 -D_GNU_SOURCE -isystem "$usr/include/c++/$1" -isystem "$usr/include/x86_64-linux-gnu/c++/$1" \
		-isystem "$usr/lib/gcc/x86_64-linux-gnu/$1/include" -isystem "$usr/include/x86_64-linux-gnu" -isystem "$usr/include" sort.cc -o sort.s
	tool as sort.s -o sort.o
	tool ld -shared sort.o -o sort.so
	local low high
	low=$(tool nm sort.so | awk '/__adjust_heap/ { print $1; exit }')
	high=$(tool readelf --debug-dump=loc sort.so 2>/dev/null | awk -v low="$low" '/DW_OP_reg5 \(rdi\)\)/ { for (i = 1; i < NF; i++) if ($i == low) print $(i + 1) }' | sort | tail -n 1)
	echo "$((0x$high - 0x$low)) $(tool objdump -d --no-show-raw-insn --start-address="0x$low" --stop-address="0x$high" sort.so |
		grep -cE '(mov|lea|add|sub|xor|pop) .*%rdi$')"
}
read -r bytes16 writes16 <<<"$(look 16)"
read -r bytes15 writes15 <<<"$(look 15)"
echo "gcc 16: $bytes16 bytes in which $writes16 instructions write %rdi; gcc 15: $bytes15 bytes, $writes15 instructions"
[ "$bytes16" -gt 300 ] && [ "$writes16" -gt 3 ] && [ "$bytes15" -lt 150 ] && [ "$writes15" -eq 0 ]
