#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Crystal gives each record an alignment that is its size, and describes nothing where its objects have their type's number.
#
# Guess: DW_AT_alignment is a power of two, of which offsets and sizes are multiples; a class whose first variable is at offset 4, and
#        whose variables all have alignment 4, has a hole of four bytes at its beginning, which another order saves.
# Seen:  a class of 20 bytes has DW_AT_alignment 20, and a struct of three numbers, 12 bytes, has 12, also as a member, though that is
#        at offset 8. The first four bytes of each object, where no member is described, hold the
#        number of its class, which is compared wherever the class is asked for. Who believes the alignment takes records
#        for packed; who takes the gap for padding saves bytes that the language uses.
#
# Installs Debian 12's Crystal in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download crystal=1.6.0+dfsg-3 libllvm14 libgc1 libevent-2.1-7 libpcre3 libedit2 libbsd0 libmd0 libtinfo6 \
	libxml2 libicu72 libz3-4 libffi8 libyaml-0-2 libgmp10 binutils-x86-64-linux-gnu=2.40-2 libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
usr=$folder/root/usr
export LD_LIBRARY_PATH=$usr/lib/x86_64-linux-gnu CRYSTAL_CACHE_DIR=$folder/cache
CRYSTAL_PATH=$(dirname "$(find "$usr" -name prelude.cr)")
export CRYSTAL_PATH

cat >objects.cr <<'CRYSTAL'
struct Colour
  def initialize(@red : Int32, @green : Int32, @blue : Int32); end
  def sum; @red + @green + @blue; end
end
class Dot
  def initialize(@number : Int32, @colour : Colour); end
  def sum; @number + @colour.sum; end
end
all = [] of Dot
9.times { |i| all << Dot.new(i, Colour.new(i, 1, 2)) }
puts all.sum(&.sum)
CRYSTAL
"$usr/bin/crystal" build --debug --cross-compile --target x86_64-linux-gnu -o objects objects.cr >/dev/null
record() { # NAME: the attributes of the record and of its members
	"$usr/bin/x86_64-linux-gnu-readelf" --debug-dump=info objects.o 2>/dev/null | awk -v name="$1" '
		/\(DW_TAG_/ { mine = mine && /DW_TAG_member/; tag = $NF }
		/DW_AT_name/ && tag == "(DW_TAG_structure_type)" { mine = $NF == name }
		mine && /DW_AT_(name|byte_size|alignment|data_member)/ { sub(/^ *<[^ ]*> */, ""); sub(/\(indirect[^)]*\): /, ""); gsub(/ +/, " "); print }'
}
record Dot | tee dot
record Colour | tee colour
has() { grep -qE "$2" "$1"; }
has dot 'DW_AT_byte_size : 20' && has dot 'DW_AT_alignment : 20' && has dot 'DW_AT_data_member_location: 4' && ! has dot 'location: 0$' &&
	has colour 'DW_AT_byte_size : 12' && has colour 'DW_AT_alignment : 12' && has dot 'DW_AT_data_member_location: 8'
