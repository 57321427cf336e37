#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clang 14's debug information describes no calls of memcpy(), strcpy(), strchr(), malloc() and free(), nor these functions.
#
# Guess: with -O2 -g each call has a DW_TAG_call_site, and one of a declared function names its declaration with the parameters, as
#        gcc does (DWARF 5, 3.4): DW_AT_call_all_calls says that all calls of the function are described.
# Seen:  of nine calls, the four of the program's own functions have call sites; those of the five library functions that clang
#        knows itself have none, and there is no DW_TAG_subprogram for them, though DW_AT_call_all_calls is set. gcc 12 describes all
#        nine. Who wants to know that the third argument of memcpy() is a number has to know the C library.
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

# the prototypes of string.h and stdlib.h
cat >calls.c <<'C'
void *memcpy(void *to, const void *from, unsigned long size);
char *strcpy(char *to, const char *from);
char *strchr(const char *text, int byte);
void *malloc(unsigned long size);
void free(void *memory);
int length(const char *text);
void give(void *memory);

int copy(char *to, const char *from, unsigned long size)
{
	char *space = malloc(size);

	memcpy(to, from, size);
	give(space);
	strcpy(to, from);
	give(strchr(to, 'x'));
	free(space);
	return length(to) + length(from);
}
C
count() { # FILE: calls, call sites, and the functions that are described
	echo "calls: $(objdump -dr "$1" | grep -c 'R_X86_64_PL'), call sites: $(readelf --debug-dump=info "$1" | grep -c '(DW_TAG_call_site)'), functions: $(
		readelf --debug-dump=info "$1" | awk '/Abbrev Number/ { in_function = /DW_TAG_subprogram/ } in_function && /DW_AT_name/ { print $NF }' | sort | xargs)"
}
"$folder/root/usr/lib/llvm-14/bin/clang" -O2 -g -c calls.c -o clang.o
"$folder/root/usr/bin/gcc-12" -O2 -g -c calls.c -o gcc.o
echo "clang 14: $(count clang.o | tee clang.txt)"
echo "gcc 12:   $(count gcc.o | tee gcc.txt)"
readelf --debug-dump=info clang.o | grep -q DW_AT_call_all_calls
[ "$(cat clang.txt)" = "calls: 9, call sites: 4, functions: copy give length" ] &&
	grep -q '^calls: 9, call sites: 9, functions: .*free.*malloc.*memcpy.*strchr.*strcpy' gcc.txt
