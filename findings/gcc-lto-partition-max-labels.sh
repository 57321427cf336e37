#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 12.2 with -flto -flto-partition=max: a program with a table of label addresses ("labels as values") does not link.
#
# Guess: -flto-partition only says how the work of link-time optimization is cut, so any value gives a program that links.
# Seen:  "undefined reference to `.L2'": the static table goes into another partition than the function that has the labels,
#        which are local to an assembly file. With -flto-partition=one, and with the default, the same source links and runs.
#        An interpreter that dispatches in this way, as lua does, cannot be built so.
#
# Installs Debian 12's gcc-12 in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gcc-12=$version" "cpp-12=$version" "libgcc-12-dev=$version" libisl23 libmpc3 libmpfr6 libgmp10 binutils \
	binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
gcc() { LD_LIBRARY_PATH=$libraries PATH=$folder/root/usr/bin:$PATH "$folder/root/usr/bin/gcc-12" "$@"; }

cat >dispatch.c <<'C'
static int run(const unsigned char *code)
{
	static const void *const labels[] = { &&stop, &&add, &&sub };
	int sum = 0;

	goto *labels[*code];
add:
	sum++;
	goto *labels[*++code];
sub:
	sum--;
	goto *labels[*++code];
stop:
	return sum;
}

int main(int argc, char **argv)
{
	static const unsigned char code[] = { 1, 1, 2, 1, 0 };

	return run(code + (argc > 9)) == 2 ? 0 : 1;
}
C
gcc --version | head -1
gcc -O2 -flto dispatch.c -o default && ./default
gcc -O2 -flto -flto-partition=one dispatch.c -o one && ./one
echo "default, one: links and runs"
if gcc -O2 -flto -flto-partition=max dispatch.c -o max 2>messages; then
	echo "max: links now: this finding is out of date"
	exit 1
fi
grep -m1 'undefined reference to `\.L' messages
