#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# llvm-dwarfutil 16 removes the debug information of a program with .debug_rnglists, warns, and exits with 0.
#
# Guess: what it cannot optimize it refuses, or copies as it is; --garbage-collection loses unused parts and nothing else.
# Seen:  "'.debug_rnglists' is not currently supported: file will be skipped", exit status 0, and a program without .debug_info: what was
#        skipped is the information, not the file. DWARF 5 is what gcc 12 and clang 14 and later write, and a unit with code in several
#        sections (inline functions, -ffunction-sections, cold parts) has such ranges. Without them, the unit's own file and folder
#        names (DW_FORM_line_strp) are dropped. With -gdwarf-4 the same program keeps its information.
#
# Installs Debian 12's llvm-16 and gcc-12 in a temporary folder; the C library's start files are the system's. Exits 0 as long as this
# is so.
set -euo pipefail
export LC_ALL=C

llvm=1:16.0.6-15~deb12u1 gcc=12.2.0-14+deb12u1 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "llvm-16=$llvm" "libllvm16=$llvm" libedit2 libbsd0 libmd0 libz3-4 libxml2 libicu72 libtinfo6 libffi8 libstdc++6 libcurl4 libpfm4 \
	"gcc-12=$gcc" "cpp-12=$gcc" "libgcc-12-dev=$gcc" "binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils" \
	"libctf0=$binutils" "libctf-nobfd0=$binutils" libjansson4 libgprofng0 libisl23 libmpc3 libmpfr6 libgmp10
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
mkdir tools
for tool in as ld readelf; do
	ln -s "$usr/bin/x86_64-linux-gnu-$tool" "tools/$tool"
done
cat >pair.c <<'C'
struct pair { int first, second; } pair;
int twice(void) { return 2 * pair.second; }
int main(void) { return twice(); }
C
for version in 5 4; do
	"$usr/bin/gcc-12" -B"$folder/tools" -g -gdwarf-$version -O1 -ffunction-sections pair.c -o pair
	"$usr/lib/llvm-16/bin/llvm-dwarfutil" --garbage-collection pair smaller 2>said && status=0 || status=$?
	cat said
	records=$(tools/readelf --debug-dump=info smaller 2>/dev/null | grep -c ': twice$' || true)
	echo "DWARF $version: exit status $status, $(tools/readelf -SW pair | grep -c ' \.debug_info') section .debug_info before," \
		"$(tools/readelf -SW smaller | grep -c ' \.debug_info' || true) after; $records DIEs named twice"
	[ $status = 0 ]
	if [ $version = 5 ]; then
		grep -q "'.debug_rnglists' is not currently supported" said && [ "$records" = 0 ]
	else
		[ "$records" -gt 0 ]
	fi
done
