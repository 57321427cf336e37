#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Debian 12's binutils writes debug sections that Debian 12's elfutils does not read, and eu-addr2line does not say so.
#
# Guess: sections that objcopy --compress-debug-sections=zstd (binutils 2.40) makes are read by the same release's elfutils, or a
#        message names the compression and the status tells.
# Seen:  elfutils 0.188 knows zlib only. eu-addr2line prints "??:0" with status 0, as for a program without debug information;
#        eu-readelf says "invalid DWARF". addr2line of binutils reads the same file. Who builds on libdw 0.188 has to look at
#        ch_type (ELFCOMPRESS_ZSTD, 2) before asking for DWARF.
#
# Installs Debian 12's binutils, elfutils and gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

elfutils_version=0.188-2.1 binutils_version=2.40-2 gcc_version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "elfutils=$elfutils_version" "libelf1=$elfutils_version" "libdw1=$elfutils_version" "libasm1=$elfutils_version" \
	"binutils=$binutils_version" "binutils-x86-64-linux-gnu=$binutils_version" "libbinutils=$binutils_version" "libctf0=$binutils_version" \
	"libctf-nobfd0=$binutils_version" "libgprofng0=$binutils_version" libjansson4 "gcc-12=$gcc_version" "cpp-12=$gcc_version" \
	"libgcc-12-dev=$gcc_version" libisl23 libmpc3 libmpfr6 libgmp10 libzstd1
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/lib/x86_64-linux-gnu
export PATH=$folder/root/usr/bin:$PATH

cat >sum.c <<'C'
long sum(const long *list, long count)
{
	long result = 0;

	while (count--)
		result += list[count];
	return result;
}
C
gcc-12 -g -shared -fPIC -nostdlib sum.c -o plain.so
for how in zlib zstd; do
	objcopy --compress-debug-sections=$how plain.so $how.so
done
address=0x$(nm plain.so | awk '$3 == "sum" { print $1 }')
eu-addr2line --version | head -1
objcopy --version | head -1
for file in plain zlib zstd; do
	status=0
	line=$(eu-addr2line -e $file.so "$address" 2>messages) || status=$?
	echo "$file: eu-addr2line: ${line##*/}, status $status, $(wc -l <messages) messages; addr2line: $(addr2line -e $file.so "$address" | sed 's,.*/,,')"
done | tee seen
{ eu-readelf --debug-dump=info zstd.so 2>&1 >/dev/null || true; } | tee messages
grep -q '^plain: eu-addr2line: sum.c:2.*addr2line: sum.c:2' seen && grep -q '^zlib: eu-addr2line: sum.c:2' seen &&
	grep -q '^zstd: eu-addr2line: ??:0, status 0, 0 messages; addr2line: sum.c:2' seen && grep -q 'invalid DWARF' messages
