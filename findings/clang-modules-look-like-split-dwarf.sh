#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang 14 -fmodules -gmodules names the files with a program's types as split DWARF does, but they are none: for gdb 13 and pahole 1.24, a
# variable that is defined has no type.
#
# Guess: -gmodules makes debug information smaller, as -fdebug-types-section does, and readers of DWARF 5 see the same types; or, as
#        DW_AT_dwo_name leads to the file, what reads split DWARF reads it.
# Seen:  the object has declarations alone, and a unit whose DW_AT_dwo_name is a module (.pcm). That unit is a DW_UT_compile, no
#        DW_UT_skeleton, and has its id in DW_AT_GNU_dwo_id of DWARF 4, though it is DWARF 5; the module is a relocatable object with
#        ordinary .debug_info, and has no .debug_info.dwo. gdb looks for the id 0, "Could not find DWO CU", and prints
#        sizeof 0 for a struct of 16 bytes; pahole finds no type. Neither sees it in the module itself, where it is below a
#        DW_TAG_module. The module is in a cache, from which clang removes what was not used for a month.
#
# Installs Debian 12's clang-14, gdb-minimal, binutils and pahole in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

clang=1:14.0.6-12 gdb=13.1-3 pahole=1.24-4.1 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "clang-14=$clang" "libllvm14=$clang" "libclang-cpp14=$clang" libedit2 libbsd0 libmd0 libz3-4 libxml2 libicu72 libtinfo6 \
	libffi8 libstdc++6 "gdb-minimal=$gdb" libdebuginfod1 libcurl3-gnutls libexpat1 libgmp10 libipt2 liblzma5 libreadline8 libxxhash0 \
	libzstd1 "pahole=$pahole" libbpf1 libdw1 libelf1 "binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils" "libctf0=$binutils" \
	"libctf-nobfd0=$binutils" libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$usr/lib/llvm-14/lib
readelf() { "$usr/bin/x86_64-linux-gnu-readelf" "$@" 2>/dev/null; }

echo 'struct item { long id; int qty; };' >shop.h
echo 'module shop { header "shop.h" }' >module.modulemap
printf '#include "shop.h"\nstruct item first = { 1, 2 };\n' >main.c
"$usr/lib/llvm-14/bin/clang" -g -fmodules -gmodules -fmodules-cache-path=cache -c main.c -o main.o
"$usr/lib/llvm-14/bin/clang" -g -c main.c -o plain.o
module=$(echo cache/*/shop-*.pcm)

echo "units:"
readelf --debug-dump=info main.o | grep -E 'Version|Unit Type|dwo_(id|name)' | tee units
readelf -S "$module" | grep -oE ' \.debug_info[a-z.]*' | tee sections
for object in plain.o main.o; do
	echo "gdb, $object:"
	"$usr/bin/gdb" -nx -batch -ex 'print sizeof(first)' -ex 'whatis first' -ex 'ptype struct item' $object 2>&1 | tee $object.gdb || true
	echo "pahole, $object:"
	"$usr/bin/pahole" -C item $object 2>&1 | tee $object.pahole || true
done
[ "$(grep -c DW_UT_compile units)" = 2 ] && grep -q 'DW_AT_GNU_dwo_id' units && grep -q 'DW_AT_dwo_name.*\.pcm' units && ! grep -q DW_UT_skeleton units
grep -qx ' .debug_info' sections && ! grep -q dwo sections
grep -qx '$1 = 16' plain.o.gdb && grep -q 'size: 16' plain.o.pahole
grep -q 'Could not find DWO CU .*\.pcm(0x0)' main.o.gdb && grep -qx '$1 = 0' main.o.gdb && grep -q 'No struct type named item' main.o.gdb
{ "$usr/bin/pahole" -C item "$module" 2>&1 || true; } | grep -q "type 'item' not found"
{ "$usr/bin/gdb" -nx -batch -ex 'ptype struct item' "$module" 2>&1 || true; } | grep 'No struct type named item'
grep -q "type 'item' not found" main.o.pahole
