#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# GNU Modula-2 12.2 says that its units are C, and names neither record nor pointer types; the variants of a record are called $$1, $$2.
#
# Guess: DW_AT_language is DW_LANG_Modula2 (0x0a), and `Node = RECORD ... END` is a DW_TAG_structure_type "Node", or one without a
#        name below a typedef "Node", as gcc's other front ends have it.
# Seen:  the language is DW_LANG_C (2). There is no DIE of the name Node: records have members with names, and no name themselves, and
#        no typedef leads to them; nor to the pointer type Ptr. Enumerations have no name either, while their values have. A tool that
#        chooses rules by language takes the unit for C, and one that looks for types by name finds the base types alone.
#
# Installs Debian 12's gm2-12 and binutils in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gm2-12=$version" "libgm2-12-dev=$version" "binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils" \
	"libctf0=$binutils" "libctf-nobfd0=$binutils" libjansson4 libgprofng0 libisl23 libmpc3 libmpfr6 libgmp10
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu

cat >shapes.mod <<'MODULA'
MODULE shapes;
TYPE
  Color = (red, green);
  Ptr = POINTER TO Node;
  Node = RECORD
    key: CARDINAL;
    CASE round: BOOLEAN OF TRUE: radius: REAL | FALSE: width: CARDINAL END;
    color: Color;
    next: Ptr;
  END;
VAR head: Node; first: Ptr;
BEGIN
  head.key := 1; head.color := green; head.width := 2; first := NIL; head.next := first
END shapes.
MODULA
gcc=$usr/lib/gcc/x86_64-linux-gnu/12
"$gcc/cc1gm2" -quiet -g -O0 -I"$gcc/m2/m2pim" shapes.mod -o shapes.s 2>log || { cat log; exit 1; }
"$usr/bin/x86_64-linux-gnu-as" shapes.s -o shapes.o
"$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info shapes.o >dump 2>/dev/null
names() { # TAG: the names of the DIEs with this tag, "-" for none
	awk -v tag="$1" '/\(DW_TAG_/ { if (inside) print name; inside = index($0, "(" tag ")"); name = "-" }
		inside && /DW_AT_name/ { name = $0; sub(/.*: /, "", name); sub(/ *$/, "", name) }' dump
}
grep -m1 DW_AT_language dump
for tag in structure_type typedef pointer_type enumeration_type enumerator base_type member; do
	echo "$tag: $(names DW_TAG_$tag | tr '\n' ' ')"
done
grep -q 'DW_AT_language *: 2' dump && ! names DW_TAG_structure_type | grep -qv '^-$' && [ -n "$(names DW_TAG_structure_type)" ] &&
	[ -z "$(names DW_TAG_typedef)" ] && ! names DW_TAG_enumeration_type | grep -qv '^-$' &&
	names DW_TAG_enumerator | grep -qx green && names DW_TAG_member | grep -qx radius && names DW_TAG_member | grep -qxF '$$1'
