#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gfortran 12's debug information gives a dummy argument the same type whether its address is passed or, with VALUE, itself.
#
# Guess: DW_AT_type says what is passed, as in C and C++: a DW_TAG_reference_type or DW_TAG_pointer_type for an argument whose
#        address is in the register, and the number's own type for one with the attribute VALUE.
# Seen:  both have the type "integer(kind=4)". Only the location differs: DW_OP_breg5 0 (memory at rdi) for the address. A
#        declaration, or a function that is described without a place, has no location: how to call it cannot be told.
#
# Installs Debian 12's gfortran-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gfortran-12=$version" "gcc-12=$version" "cpp-12=$version" "libgfortran-12-dev=$version" libisl23 libmpc3 libmpfr6 \
	libgmp10 binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >passed.f90 <<'F'
integer function by_address(n)
  integer, intent(in) :: n
  by_address = n + 1
end function

integer function by_value(n)
  integer, value :: n
  by_value = n + 1
end function
F
gfortran-12 --version | head -1
gfortran-12 -O1 -g -c passed.f90 -o passed.o
readelf --debug-dump=info passed.o | awk '
	/DW_TAG_/ { parameter = /DW_TAG_formal_parameter/ }
	/DW_AT_name/ && !parameter { name = $NF }
	parameter && /DW_AT_type/ { print name, "type", $NF }
	parameter && /DW_AT_location/ { print name, "location", /breg/ ? "memory" : "register" }' | grep '^by_' | tee parameters
[ "$(awk '$2 == "type" { print $3 }' parameters | sort -u | wc -l)" -eq 1 ]
grep -q '^by_address location memory' parameters
! grep -q '^by_value location memory' parameters
