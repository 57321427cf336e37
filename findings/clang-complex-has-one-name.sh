#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang 14's debug information gives `float _Complex`, `double _Complex` and `long double _Complex` the same name: "complex".
#
# Guess: a base type's DW_AT_name tells it from others of its language, as "float" and "double" do, and as gcc's "complex float"
#        and "complex double" do for these.
# Seen:  three DW_TAG_base_type with the name "complex" and the sizes 8, 16 and 32. Who interns types by name and kind makes one
#        of them; the size must be a part of the key. Neither compiler's name is C: it is "float _Complex" there (C11 6.2.5p11).
#
# Installs Debian 12's clang-14 and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

clang_version=1:14.0.6-12 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "clang-14=$clang_version" "libclang-cpp14=$clang_version" "libllvm14=$clang_version" "libclang-common-14-dev=$clang_version" \
	"gcc-12=$gcc_version" "cpp-12=$gcc_version" libisl23 libmpc3 libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu libbinutils libctf0 \
	libctf-nobfd0 libjansson4 libgprofng0 libedit2 libbsd0 libmd0 libxml2 libicu72 libz3-4 libtinfo6 libffi8
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-14/lib
export PATH=$folder/root/usr/bin:$PATH

cat >numbers.c <<'C'
float _Complex f;
double _Complex d;
long double _Complex l;
C
names() { # FILE: the names and sizes of its complex types
	readelf --debug-dump=info "$1" | awk '
		/DW_TAG_/ { if (complex) print name, size; complex = 0 }
		/DW_AT_name/ { name = $0; sub(/.*: /, "", name) }
		/DW_AT_byte_size/ { size = $NF }
		/DW_AT_encoding.*complex float/ { complex = 1 }
		END { if (complex) print name, size }' | sort
}
"$folder/root/usr/lib/llvm-14/bin/clang" -g -c numbers.c -o clang.o
"$folder/root/usr/bin/gcc-12" -g -c numbers.c -o gcc.o
echo "clang 14:"
names clang.o | tee clang.txt
echo "gcc 12:"
names gcc.o | tee gcc.txt
[ "$(grep -c '^complex [0-9]*$' clang.txt)" -eq 3 ] && [ "$(grep -c '^complex \(float\|double\|long double\) ' gcc.txt)" -eq 3 ]
