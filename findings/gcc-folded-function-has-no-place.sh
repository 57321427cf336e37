#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 12 with -O2 -g gives a function no DW_AT_low_pc although its code is in the object, if -fipa-icf found an equal function.
#
# Guess: each function of a file that is compiled with -g, and that has code and a symbol, has a DW_TAG_subprogram with its
#        place: -fipa-icf makes an alias of one address, or a jump to the other function.
# Seen:  the thunk that calls the equal function is inlined again, so that both functions have a body. The DIE of the second one
#        has its parameters, but no DW_AT_low_pc, as if it were declared only. Whoever looks functions up
#        by address (addr2line -f, debuggers) finds none there. All lines of the body are that of the function's head.
#
# Installs Debian 12's gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gcc-12=$version" "cpp-12=$version" libisl23 libmpc3 libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu libbinutils \
	libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >equal.c <<'C'
struct item { int pad[3], key; };

int key_of(struct item *p, int i)
{
	return p[i].key * 3;
}

int key_of_another(struct item *p, int i)
{
	return p[i].key * 3;
}
C
places() { # FLAGS: how many functions have a place
	gcc-12 "$@" -g -c equal.c -o equal.o
	readelf --debug-dump=info equal.o | awk '/DW_TAG_/ { function_ = /DW_TAG_subprogram/ } function_ && /DW_AT_low_pc/' | wc -l
}
gcc-12 --version | head -1
plain=$(places -O2 -fno-ipa-icf) folded=$(places -O2)
instructions=$(objdump -d --no-show-raw-insn --disassemble=key_of_another equal.o | grep -c '^ .*:	')
echo "functions with a place: $plain of 2 with -O2 -fno-ipa-icf, $folded of 2 with -O2"
echo "instructions of key_of_another with -O2: $instructions (a jump is one)"
[ "$plain" -eq 2 ] && [ "$folded" -eq 1 ] && [ "$instructions" -gt 2 ]
