#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# dwz 0.15 does not compress what Debian 12's clang 14 writes by default, although both are about DWARF 5.
#
# Guess: dwz reads DWARF 5 since 0.14, and clang 14's -g means DWARF 5, so a package built with clang is compressed like one of gcc's.
# Seen:  "Unknown debugging section .debug_addr", exit status 1, and no output file. gcc writes addresses into .debug_info, where
#        clang uses .debug_addr and .debug_str_offsets. With clang -gdwarf-4, dwz compresses the same source. So alternate debug
#        files (.gnu_debugaltlink) of a distribution come from gcc only, unless a package asks for DWARF 4.
#
# Installs Debian 12's dwz, gcc-12 and clang-14 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

dwz_version=0.15-1 clang_version=1:14.0.6-12 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "dwz=$dwz_version" libelf1 libxxhash0 "clang-14=$clang_version" "libclang-cpp14=$clang_version" "libllvm14=$clang_version" \
	"libclang-common-14-dev=$clang_version" "gcc-12=$gcc_version" "cpp-12=$gcc_version" "libgcc-12-dev=$gcc_version" libisl23 libmpc3 \
	libmpfr6 libgmp10 binutils binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0 libedit2 libbsd0 libmd0 \
	libxml2 libicu72 libz3-4 libtinfo6 libffi8
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-14/lib
export PATH=$folder/root/usr/bin:$PATH

cat >list.c <<'C'
struct node {
	struct node *next;
	long key;
};

long next_key(struct node *node)
{
	return node->next->key;
}
C
compress() { # FILE: what dwz says, and its status
	local status=0

	dwz "$1" -o "$1.dwz" 2>&1 || status=$?
	echo "status $status"
}
dwz --version 2>&1 | head -1
gcc-12 -g -shared -fPIC -nostdlib list.c -o gcc.so
"$folder/root/usr/lib/llvm-14/bin/clang" -g -shared -fPIC -nostdlib list.c -o clang.so
"$folder/root/usr/lib/llvm-14/bin/clang" -gdwarf-4 -shared -fPIC -nostdlib list.c -o clang4.so
for file in gcc clang clang4; do
	echo "$file: $(readelf --debug-dump=info $file.so 2>/dev/null | awk '/Version:/ { print "DWARF", $2; exit }')"
	compress $file.so | tee $file.txt
done
! grep -q 'Unknown' gcc.txt && grep -q 'Unknown debugging section \.debug_addr' clang.txt && grep -q 'status 1' clang.txt &&
	! grep -q 'Unknown' clang4.txt
