#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 12 -flto -gsplit-dwarf says that it disables -gsplit-dwarf, splits the debug information of the code all the same, and loses
# every reference from there to the functions and types of the sources.
#
# Guess: after "'-gsplit-dwarf' is not supported with LTO, disabling" all debug information is in the program, and no .dwo file is made.
# Seen:  the note is of the compilation alone. The link writes PROGRAM.ltrans0.ltrans.dwo (and leaves .dwo files of 208 bytes without
#        debug information for the sources). Functions and variables with their addresses are in it, and each DW_AT_abstract_origin,
#        a DW_FORM_ref_addr that should lead into the program's .debug_info, is 0: the relocation stayed behind. No function there has
#        a name or a type. A debugger knows neither arguments nor locals, although names and types are in the program, a few kilobytes
#        away. Without -gsplit-dwarf at the link, all is well.
#
# Installs Debian 12's gcc-12 and binutils in a temporary folder; the C library's start files are the system's. Exits 0 as long as
# this is so.
set -euo pipefail
export LC_ALL=C

version=12.2.0-14+deb12u1 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gcc-12=$version" "cpp-12=$version" "libgcc-12-dev=$version" "binutils-x86-64-linux-gnu=$binutils" \
	"libbinutils=$binutils" "libctf0=$binutils" "libctf-nobfd0=$binutils" libjansson4 libgprofng0 libisl23 libmpc3 libmpfr6 libgmp10
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu PATH=$folder/tools:$PATH
mkdir tools
for tool in as ld objcopy readelf nm ar ranlib; do
	ln -s "$usr/bin/x86_64-linux-gnu-$tool" "tools/$tool"
done
cat >walk.c <<'C'
struct item { long key; struct item *next; };
struct item items[4];
__attribute__((noipa)) long walk(struct item *p) { long sum = 0; for (; p; p = p->next) sum += p->key; return sum; }
int main(void) { return (int)walk(items); }
C
gcc() { "$usr/bin/gcc-12" -B"$folder/tools" -O2 -g -flto "$@"; }
gcc -gsplit-dwarf -c walk.c 2>note
gcc -gsplit-dwarf walk.o -o split 2>>note
gcc walk.o -o whole
cat note
ls -- *.dwo
origins() { readelf --debug-dump=info "$1" 2>/dev/null | awk '/DW_AT_abstract_origin/ { print $3 }' | sort | uniq -c; }
echo "origins in the .dwo file:"; origins split.ltrans0.ltrans.dwo
echo "origins in the program that was linked without -gsplit-dwarf:"; origins whole
grep -q "is not supported with LTO, disabling" note
[ "$(origins split.ltrans0.ltrans.dwo | awk '{ print $2 }')" = "<0>" ]
! readelf --debug-dump=info split.ltrans0.ltrans.dwo 2>/dev/null | grep -A12 DW_TAG_subprogram | grep -q DW_AT_name
! origins whole | grep -q '<0>$'
