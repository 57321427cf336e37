#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program of several objects that gcc compiled with -gbtf has the types of the first object alone, and no tool says so.
#
# Guess: the linker merges .BTF sections, as it merges .ctf sections, or leaves them out; or readers find a section that is larger
#        than its header says, and complain.
# Seen:  GNU ld puts the .BTF sections of all objects one after the other. The header at the start counts the first object's
#        types and strings; pahole prints these, exits with 0, and does not find types of other objects: which types a program
#        has depends on the order of its objects.
#
# Installs Debian 12's gcc-12, binutils and pahole in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download "gcc-12=$version" "cpp-12=$version" libisl23 libmpc3 libmpfr6 libgmp10 binutils=2.40-2 \
	binutils-x86-64-linux-gnu=2.40-2 libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0 pahole=1.24-4.1 libbpf1 libdw1 libelf1
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >alpha.c <<'C'
struct alpha { long one, two; };
struct alpha first[10], second[10];
long sum_alpha(struct alpha *a) { return a->one + a->two; }
C
cat >beta.c <<'C'
struct beta { int number; double weight; };
double weight_of(struct beta *b) { return b->weight * b->number; }
C
gcc-12 -O2 -gbtf -c alpha.c beta.c
structs() { # OBJECT...: of the program that they are
	ld -shared "$@" -o program.so
	pahole -F btf program.so | awk '/^struct/ { print $2 }' | paste -sd ' '
}
size() { echo $((16#$(objdump -h "$1" | awk '$2 == ".BTF" { print $3 }'))); }
ahead=$(structs alpha.o beta.o) behind=$(structs beta.o alpha.o)
echo "alpha.o beta.o: $ahead; beta.o alpha.o: $behind; bytes of .BTF: $(size alpha.o) + $(size beta.o) = $(size program.so)"
[ "$ahead" = alpha ] && [ "$behind" = beta ] && [ $(($(size alpha.o) + $(size beta.o))) -eq "$(size program.so)" ]
structs alpha.o beta.o >/dev/null
! pahole -F btf -C beta program.so 2>/dev/null | grep -q 'struct beta'
