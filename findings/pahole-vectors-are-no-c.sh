#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pahole 1.24 prints a member that is an array of vectors as text that no compiler takes, and a pointer to vectors as one to numbers.
#
# Guess: the records that pahole prints are C, with the types that the members have: `pahole --compile` is there to compile them.
# Seen:  `short int av __attribute__ ((__vector_size__ (8)))[3];` is a syntax error in gcc and clang (the attribute stands between
#        the name and its dimension), and `double * pv` of a pointer to vectors has lost the attribute without a word.
#
# Installs Debian 12's dwarves and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=1.24-4.1 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "dwarves=$version" libbpf1 libelf1 libdw1 "gcc-12=$gcc_version" "cpp-12=$gcc_version" libisl23 libmpc3 libmpfr6 libgmp10 \
	binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >vectors.c <<'C'
struct vectors {
	__attribute__((vector_size(8))) short few[3];
	__attribute__((vector_size(32))) double *at;
} vectors;
C
gcc-12 -g -c vectors.c -o vectors.o
pahole --version
pahole -C vectors vectors.o | tee printed.h
grep -q 'few __attribute__ ((__vector_size__ (8)))\[3\];' printed.h
grep -qE 'double \* +at;' printed.h
if gcc-12 -fsyntax-only -x c printed.h 2>messages; then
	echo "gcc takes it now: this finding is out of date"
	exit 1
fi
grep -m1 error: messages
