#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 12 for arm64 leaves the no-ops of -fpatchable-function-entry, which ftrace patches, out of the function that its debug
# information describes. gcc for x86-64 does not.
#
# Guess: a function's DW_AT_low_pc is the address of its symbol, to which calls go. Only code that was moved away (.cold) has
#        ranges elsewhere.
# Seen:  on x86-64 that is so. On arm64 DW_AT_low_pc and the first row of the line table are 8 bytes after the symbol, so the
#        function's first two instructions have neither a function nor a line, and no call goes to an address at which a
#        function begins. Kernels of distributions are built with this option.
#
# Installs Debian 12's gcc-12 for arm64 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download gcc-12-aarch64-linux-gnu=12.2.0-14cross1 cpp-12-aarch64-linux-gnu=12.2.0-14cross1 \
	binutils-aarch64-linux-gnu=2.40-2 gcc-12=12.2.0-14+deb12u1 cpp-12=12.2.0-14+deb12u1 libisl23 libmpc3 libmpfr6 libgmp10 \
	binutils=2.40-2 binutils-x86-64-linux-gnu=2.40-2 libbinutils=2.40-2 libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >sum.c <<'C'
struct pair { int a, b; };
int sum(struct pair *p) { return p->a + p->b; }
C
# The distances in bytes of DW_AT_low_pc and of the first row of lines from the symbol, which is at 0.
distances() { # PREFIX
	"$1gcc-12" -O2 -g -fpatchable-function-entry=2 -c sum.c -o sum.o
	"$1readelf" -W --debug-dump=info sum.o | awk '/DW_TAG_subprogram/ { inside = 1 } inside && /DW_AT_low_pc/ { print $NF; exit }'
	"$1readelf" -W --debug-dump=decodedline sum.o | awk '$1 == "sum.c" && $2 == 2 { print $3; exit }'
	"$1nm" sum.o | awk '$3 == "sum" { print $1 }'
}
echo "gcc-12 $(gcc-12 -dumpfullversion) for x86-64 and $(aarch64-linux-gnu-gcc-12 -dumpfullversion) for arm64: low_pc, first line, symbol"
x86=$(distances '' | tr '\n' ' ') arm64=$(distances aarch64-linux-gnu- | tr '\n' ' ')
echo "$x86/ $arm64"
[ "$x86" = '0 0 0000000000000000 ' ] && [ "$arm64" = '0x8 0x8 0000000000000000 ' ]
