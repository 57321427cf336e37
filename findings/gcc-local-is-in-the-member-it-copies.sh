#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# gcc 12 with -O1 or more says that a local variable is in the member that it was copied from: setting it in a debugger sets the member.
#
# Guess: a local pointer that gets the value of a member is in a register, in a stack slot of its own, or nowhere until it is loaded
#        (optimized out); a location without DW_OP_stack_value is memory of the variable, which an assignment in a debugger may change.
# Seen:  from the function's start on, the variable's location is DW_OP_breg5 (rdi): 0, the memory of image->base itself, and in a type
#        of its own (const long *, the member is a const char *). In gdb, `print &words` is the address of the member, and
#        `set var words = 0` makes image->base 0. The location ends at the next store to any memory, also to the stack, although the
#        value is still there. Who reads locations learns in this way which type the member's bytes have.
#
# Installs Debian 12's gcc-12 in a temporary folder; with gdb, if it is installed, shows the assignment. Exits 0 as long as this is so.
set -euo pipefail
export LC_ALL=C

version=12.2.0-14+deb12u1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq -o APT::Sandbox::User=root download "gcc-12=$version" "cpp-12=$version" libisl23 libmpc3 libmpfr6 libgmp10 binutils \
	binutils-x86-64-linux-gnu libbinutils libctf0 libctf-nobfd0 libjansson4 libgprofng0
for package in *.deb; do
	dpkg-deb -x "$package" root
done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/usr/bin:$PATH

cat >first.c <<'C'
struct image { const char *base; long size; };

long first_word(struct image *image)
{
	const long *words = (const long *)image->base;

	return image->size < 8 ? 0 : words[0];
}
C
cat >main.c <<'C'
struct image { const char *base; long size; };

long first_word(struct image *image);

int main(void)
{
	static const long words[2] = { 42, 7 };
	struct image image = { (const char *)words, sizeof(words) };

	return (int)first_word(&image);
}
C
gcc-12 --version | head -1
for level in -O1 -O2 -O3; do
	gcc-12 $level -g -c first.c -o first.o
	location=$(readelf --debug-dump=loc first.o 2>/dev/null | grep -o '(DW_OP_breg5 (rdi): 0.*' | head -1)
	echo "$level: words is at $location"
	[ "$location" = "(DW_OP_breg5 (rdi): 0)" ]
done
command -v gdb >/dev/null && command -v cc >/dev/null || exit 0
cc -g main.c first.o -o first 2>/dev/null
LD_LIBRARY_PATH='' gdb -q -batch -ex 'break *first_word' -ex run -ex 'print &words == (const long **)&image->base' \
	-ex 'set var words = 0' -ex 'print image->base == 0' ./first 2>/dev/null | grep '^\$' | tee shown
[ ! -s shown ] || [ "$(grep -c ' = 1$' shown)" -eq 2 ]
