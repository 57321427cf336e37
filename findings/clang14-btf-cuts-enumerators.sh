#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang 14 writes enumerators of 64 bits into BTF cut to 32 bits, without a word; its DWARF of the same file has them whole.
#
# Guess: a value that BTF_KIND_ENUM cannot hold is refused or left out, or the type becomes an integer, as pahole did before
#        BTF_KIND_ENUM64 was known.
# Seen:  `HUGE = 0x100000000` is a BTF_KIND_ENUM of size 8 with HUGE = 0, the same value as ZERO, and LOW = -0x200000000 is 0, too. So a
#        tool that prints data by this BTF calls zeros HUGE, and the value that is HUGE has no name. The enum's size of 8 is the only
#        sign of it: the values are the low halves.
#
# Installs Debian 12's clang-14 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=1:14.0.6-12
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "clang-14=$version" "libllvm14=$version" "libclang-cpp14=$version" libedit2 libbsd0 libmd0 libz3-4 libxml2 libicu72 \
	libtinfo6 libffi8 libstdc++6
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-14/lib

cat >big.c <<'C'
enum big { ZERO = 0, HUGE = 0x100000000ull, SMALL = 2 } big;
enum low { LOW = -0x200000000ll, ONE = 1 } low;
C
root/usr/lib/llvm-14/bin/clang -target bpf -g -O2 -c big.c -o big.o
cat >enums.py <<'PYTHON'
import struct, sys
data = open(sys.argv[1], "rb").read()
start = data.index(struct.pack("<HB", 0xeb9f, 1))
length, types, types_size, strings = struct.unpack_from("<IIII", data, start + 4)
at, end = start + length + types, start + length + types + types_size
name = lambda offset: data[start + length + strings + offset:].split(b"\0")[0].decode()
rest = {1: 4, 3: 12, 14: 4, 17: 4}            # INT, ARRAY, VAR, DECL_TAG
each = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}  # STRUCT, UNION, ENUM, FUNC_PROTO, DATASEC, ENUM64
while at < end:
    offset, info, size = struct.unpack_from("<III", data, at)
    kind, count, at = info >> 24 & 31, info & 0xffff, at + 12
    if kind == 6:
        values = [struct.unpack_from("<Ii", data, at + 8 * i) for i in range(count)]
        print("ENUM size", size, " ".join("%s=%d" % (name(n), v) for n, v in values))
    at += rest.get(kind, 0) + count * each.get(kind, 0)
PYTHON
python3 enums.py big.o | tee enums
grep -qx 'ENUM size 8 ZERO=0 HUGE=0 SMALL=2' enums && grep -qx 'ENUM size 8 LOW=0 ONE=1' enums
