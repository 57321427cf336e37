#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 16's compilers of Algol 68 and COBOL call every base type "__unknown__", whatever its size and encoding.
#
# Guess: `int`, `real`, `bool` and `long long int` are DW_TAG_base_type DIEs of these names, as other front ends of gcc write
#        theirs; in COBOL, at least the numbers of a PICTURE or USAGE have a type each.
# Seen:  there are base types of 1, 4 and 8 bytes, signed, unsigned, floating and boolean, all called "__unknown__", in units of
#        both languages. A tool that takes base types of one name for one type mixes integers with floating-point numbers.
#        Algol 68 units have DW_LANG code 0x44, which elfutils 0.188 and binutils 2.40 do not know, and DWARF 6's
#        DW_AT_language_name in a unit of version 5; modes are in capitals (NODE for "Node"), and a member of a mode keeps its name.
#
# Installs ga68-16 and gcobol-16 of Debian sid in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

gcc=16.2.0-4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p apt/lists/partial apt/cache/archives/partial
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >apt/sources.list
sid() {
	apt-get -qq -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root "$@"
}
sid update
sid download "ga68-16-x86-64-linux-gnu=$gcc" "gcobol-16-x86-64-linux-gnu=$gcc" "libga68-16-dev=$gcc" "libgcobol-16-dev=$gcc" "libga68-2=$gcc" \
	libisl23 libmpc3 libmpfr6 libgmp10 zlib1g libzstd1 libc6 libstdc++6 libgcc-s1 binutils-x86-64-linux-gnu libbinutils libsframe3 libjansson4
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
run() { "$usr/lib64/ld-linux-x86-64.so.2" --library-path "$usr/lib/x86_64-linux-gnu" "$@"; }

cat >node.a68 <<'ALGOL'
begin
  mode Node = struct (int key, real cost, long long int weight, bool live);
  Node n;
  key of n := 1;
  cost of n := 1.5
end
ALGOL
cat >sum.cob <<'COBOL'
       identification division.
       program-id. addup.
       data division.
       working-storage section.
       01 total             binary-double value 0.
       01 rate              comp-2 value 1.
       procedure division.
           add 1 to total
           stop run.
COBOL
compilers=$usr/libexec/gcc/x86_64-linux-gnu/16
run "$compilers/a681" -quiet -g -O1 -I"$usr/lib/gcc/x86_64-linux-gnu/16" -L"$usr/lib/gcc/x86_64-linux-gnu/16" node.a68 -o node.s
run "$compilers/cobol1" -quiet -g -O1 -main=sum.cob sum.cob -o sum.s
for unit in node sum; do
	run "$usr/bin/x86_64-linux-gnu-as" $unit.s -o $unit.o
	run "$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info $unit.o >$unit.dump 2>/dev/null
	grep -m1 'DW_AT_language ' $unit.dump
	# size, encoding and name of each base type
	awk '/\(DW_TAG_/ { if (base) print size, encoding, name; base = /DW_TAG_base_type/ }
		base && /DW_AT_byte_size/ { size = $NF } base && /DW_AT_encoding/ { encoding = $NF } base && /DW_AT_name/ { name = $NF }' $unit.dump |
		sort -u >$unit.types
	cat $unit.types
	[ "$(grep -c '__unknown__$' $unit.types)" -ge 3 ]
done
grep -q 'DW_AT_name.*: NODE' node.dump
grep -q '^4 (float) __unknown__' node.types && grep -q '^4 (signed) __unknown__' node.types
