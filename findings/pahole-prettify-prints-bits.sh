#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pahole 1.24 --prettify prints the bits of numbers, and not what they are: only signed integers and characters are right.
#
# Guess: raw data is printed by the types that pahole has read: 4000000000 of an unsigned int, 1.5 of a float, GREEN of an enum,
#        0x1234 of a pointer.
# Seen:  -294967296, 1069547520, "0x05 0x00 0x00 0x00" and eight bytes, in a form that looks like C initializers (the last two are
#        none). pahole itself names the types rightly in the layout of the same struct. A table of such values is believed:
#        nothing says that a double was printed as an integer.
#
# Installs Debian 12's pahole and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=1.24-4.1 gcc=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "pahole=$version" libbpf1 libdw1 libelf1 "gcc-12=$gcc" "cpp-12=$gcc" "libgcc-12-dev=$gcc" libisl23 libmpc3 \
	libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >point.c <<'C'
enum colour { RED, GREEN = 5 };
struct point {
	unsigned int number;
	float single;
	double twice;
	enum colour colour;
	int negative;
	void *next;
} point;
C
gcc-12 -g -c point.c -o point.o
# { 4000000000, 1.5, -2.25, GREEN, -7, 0x1234 } as x86-64 has it
printf '\x00\x28\x6b\xee\x00\x00\xc0\x3f\x00\x00\x00\x00\x00\x00\x02\xc0\x05\x00\x00\x00\xf9\xff\xff\xff\x34\x12\x00\x00\x00\x00\x00\x00' >data
pahole --version
pahole -C point --prettify=data point.o | tee printed
for line in '.number = -294967296,' '.single = 1069547520,' '.twice = -4611123068473966592,' '.colour = 0x05 0x00 0x00 0x00,' \
	'.negative = -7,' '.next = 0x34 0x12 0x00 0x00 0x00 0x00 0x00 0x00,'; do
	grep -qF -e "$line" printed || {
		echo "not printed: $line: this finding is out of date"
		exit 1
	}
done
