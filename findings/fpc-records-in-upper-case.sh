#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Free Pascal 3.2.2 names a record in upper case, and only the typedef around it as the source does; a field's range type has no name.
#
# Guess: DW_AT_name of a DW_TAG_structure_type is the name in the source, as in every other compiled language (DWARF 5, 2.15); if a
#        compiler folds case, it folds all names.
# Seen:  `TPart = record` is a DW_TAG_typedef "TPart" of a DW_TAG_structure_type "TPART", and the members keep their case: one unit
#        has both spellings. The unit's DW_AT_identifier_case is case_insensitive, which a reader has to obey although the typedef
#        is found without. Who looks for the record by its name in the source finds only the typedef. `set of char` points to a
#        DW_TAG_subrange_type that has no name.
#
# Installs Debian 12's fp-compiler-3.2.2 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=3.2.2+dfsg-20 binutils=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "fp-compiler-3.2.2=$version" "fp-units-rtl-3.2.2=$version" "binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils" \
	"libctf0=$binutils" "libctf-nobfd0=$binutils" libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu

cat >parts.pas <<'PASCAL'
program parts;
type
  TPart = record
    Weight: LongInt;
    Marks: set of char;
  end;
var
  part: TPart;
begin
  part.Weight := 3;
  include(part.Marks, 'a');
  writeln(part.Weight);
end.
PASCAL
lib=$(dirname "$(find "$usr" -name ppcx64 | head -1)")
"$lib/ppcx64" -n -gw3 -Cn -Fu"$lib/units/x86_64-linux/rtl" parts.pas >log || { cat log; exit 1; }
"$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info parts.o >dump 2>/dev/null
names() { # TAG: the names of the DIEs with this tag, "-" for none
	awk -v tag="$1" '/\(DW_TAG_/ { if (inside) print name; inside = index($0, "(" tag ")"); name = "-" }
		inside && /DW_AT_name/ { name = $0; sub(/.*: /, "", name); sub(/ *$/, "", name) }' dump
}
echo "records:   $(names DW_TAG_structure_type | grep -i '^tpart$')"
echo "typedefs:  $(names DW_TAG_typedef | grep -i '^tpart$')"
echo "members:   $(names DW_TAG_member | grep -i '^weight$')"
echo "subranges: $(names DW_TAG_subrange_type | sort -u | tr '\n' ' ')"
grep -m1 DW_AT_identifier_case dump
[ "$(names DW_TAG_structure_type | grep -i '^tpart$')" = TPART ] && [ "$(names DW_TAG_typedef | grep -i '^tpart$')" = TPart ] &&
	[ "$(names DW_TAG_member | grep -i '^weight$')" = Weight ] && names DW_TAG_subrange_type | grep -qx -- - &&
	grep -q 'DW_AT_identifier_case: 3' dump
