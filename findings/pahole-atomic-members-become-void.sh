#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# pahole 1.24 knows no DW_TAG_atomic_type: _Atomic members have no type in its layouts, and are void in the BTF that it writes.
#
# Guess: a qualifier that is not known is passed over, as `restrict` is; or the file is refused.
# Seen:  messages on stderr, exit status 0, and BTF in which `_Atomic int n` has the type 0, void, which has no size: whoever reads it
#        sees a hole of four bytes where the struct's busiest member is. The layout by DWARF prints an error in place of the member,
#        and counts its bytes as missing. DWARF 5 is enough for it, the default of gcc 12 (and of clang 14); with -gdwarf-4 the
#        compilers leave the qualifier out.
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

cat >queue.c <<'C'
struct queue { _Atomic int n; int limit; } queue;
C
gcc-12 -g -c queue.c -o queue.o
gcc-12 -g -gdwarf-4 -c queue.c -o older.o
echo "by DWARF:"
pahole -C queue queue.o 2>said | tee layout
cat said
grep -q 'tag not supported 0x47' said && grep -q 'ERROR.*not found' layout
echo "by its own BTF:"
pahole -J queue.o 2>/dev/null && pahole -J older.o
pahole -F btf -C queue queue.o 2>&1 | tee layout
! grep -q 'int  *n;' layout
pahole -F btf -C queue older.o | tee layout
grep -q 'int  *n;' layout
