#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gfortran 12 describes no variable of a COMMON block that a module declares.
#
# Guess: DW_TAG_common_block owns an entry for each of its variables, with its type and place (DWARF 5, 3.4), wherever the block
#        is declared; modern programs declare it once, in a module.
# Seen:  that is so in a procedure. In a module the entry has a name and nothing below it, and no other entry describes the
#        variables, although a procedure of the module uses them, at -O0 as at -O2: neither gdb's `print` nor a profiler can name
#        them.
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

cat >module.f90 <<'F'
module state
  common /grid/ width, cells(10)
  real(8) :: width, cells
contains
  subroutine fill(i)
    integer, intent(in) :: i
    cells(i) = width
  end subroutine
end module
F
cat >procedure.f90 <<'F'
subroutine fill(i)
  common /grid/ width, cells(10)
  real(8) :: width, cells
  integer, intent(in) :: i
  cells(i) = width
end subroutine
F
# Prints how many blocks, and how many entries of variables called width or cells, an object has.
entries() {
	readelf --debug-dump=info "$1" | awk '/DW_TAG_common_block/ { blocks++ } /DW_AT_name .*(width|cells)$/ { variables++ }
		END { print blocks + 0, variables + 0 }'
}
gfortran-12 --version | head -1
for level in -O0 -O2; do
	for name in module procedure; do
		gfortran-12 $level -g -c $name.f90 -o $name.o
		read -r blocks variables < <(entries $name.o)
		echo "$level, COMMON in a $name: $blocks block(s), $variables variable(s)"
		[ "$blocks" -ge 1 ]
		if [ $name = module ]; then [ "$variables" -eq 0 ]; else [ "$variables" -eq 2 ]; fi
	done
done
