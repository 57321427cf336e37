#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# LDC 1.30 (D, with LLVM 14) describes a union as a structure whose members all begin at one place, and a nameless union within a
# struct not at all.
#
# Guess: a union of D is a DW_TAG_union_type, as in C, and a nameless one is a member without a name whose type is one (DWARF 5,
#        5.7.1), so that a reader knows which members exclude each other.
# Seen:  `union Value` is a DW_TAG_structure_type with each DW_AT_data_member_location 0. The members of a nameless union are members
#        of the struct around it, at equal locations. No DW_TAG_union_type is written. Who looks for the one member at an offset
#        finds the first of several, and who packs the members of "the struct" gives each a place of its own.
#
# Installs Debian 12's ldc in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=1:1.30.0-1+b1 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "ldc=$version" "libphobos2-ldc-shared-dev=$version" libllvm14 libtinfo6 libedit2 libz3-4 libxml2 libbsd0 libmd0 libicu72 \
	"binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils" "libctf0=$binutils" "libctf-nobfd0=$binutils" libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu

cat >values.d <<'D'
union Value { double number; long whole; }
struct Item { int kind; union { double decimal; long counted; } }
__gshared Value value;
__gshared Item item;
void main() { value.whole = 1; item.counted = 2; }
D
echo 'default: { switches = []; };' >conf
"$usr/bin/ldc2" --version | head -1
"$usr/bin/ldc2" -conf=conf -I"$usr/lib/ldc/x86_64-linux-gnu/include/d" -I"$usr/include/d" -g -c -of=values.o values.d
"$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info values.o >dies

# prints "TAG NAME: MEMBER LOCATION ..." of each type with members
awk '/DW_TAG_/ { tag = $NF; gsub(/[()]/, "", tag); if (tag != "DW_TAG_member") type = tag }
	/DW_AT_name/ { if (tag == "DW_TAG_member") text[type " " name] = text[type " " name] " " $NF; else name = $NF }
	/DW_AT_data_member_location/ { text[type " " name] = text[type " " name] " " $NF }
	END { for (key in text) if (key ~ / (Value|Item)$/) print key ":" text[key] }' dies | sort | tee types
if [ "$(cat types)" != 'DW_TAG_structure_type Item: kind 0 decimal 8 counted 8
DW_TAG_structure_type Value: number 0 whole 0' ] || grep -q DW_TAG_union_type dies; then
	echo "LDC tells unions from structures now: this finding is out of date"
	exit 1
fi
