#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# GNU ld 2.40 with --gc-sections drops a section that is not loaded, if it has relocations and no name of debug information.
#
# Guess: --gc-sections is about sections that would be in memory. One without SHF_ALLOC, as a tool has that keeps facts about
#        the code beside it, stays in the program.
# Seen:  ".tool.moved" is gone, though the function that it refers to stays. The same section named ".debug_tool" stays, and so
#        does one without relocations (".tool.plain"). With SHF_LINK_ORDER ("o"), it stays as long as its code does, which is
#        what such a tool wants. gold, of the same package, keeps all four. Nothing is printed.
#
# Installs Debian 12's binutils in a temporary folder. Exits 0 as long as this is so.
set -euo pipefail

version=2.40-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "binutils=$version" "binutils-x86-64-linux-gnu=$version" "libbinutils=$version" "libctf0=$version" \
	"libctf-nobfd0=$version" "libgprofng0=$version" libjansson4
for package in *.deb; do
	dpkg-deb -x "$package" root
done
run() { LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu "$folder/root/usr/bin/$@"; }

cat >code.s <<'S'
	.globl _start
	.section .text._start,"ax",@progbits
_start:	ret
	.section .tool.moved,"",@progbits
	.quad _start
	.section .debug_tool,"",@progbits
	.quad _start
	.section .tool.plain,"",@progbits
	.quad 42
	.section .tool.ordered,"o",@progbits,.text._start
	.quad _start
S
run x86_64-linux-gnu-as code.s -o code.o
run x86_64-linux-gnu-ld.bfd --version | head -1
kept() { run x86_64-linux-gnu-readelf -SW "$1" | grep -oE '\.(tool|debug)[a-z_.]*' | sort | tr '\n' ' '; }
run x86_64-linux-gnu-ld.bfd code.o -o all
run x86_64-linux-gnu-ld.bfd --gc-sections code.o -o collected
run x86_64-linux-gnu-ld.gold --gc-sections code.o -o gold
echo "ld:                $(kept all)"
echo "ld --gc-sections:  $(kept collected)"
echo "gold --gc-sections: $(kept gold)"
everything=".debug_tool .tool.moved .tool.ordered .tool.plain "
[ "$(kept all)" = "$everything" ] && [ "$(kept gold)" = "$everything" ] &&
	[ "$(kept collected)" = ".debug_tool .tool.ordered .tool.plain " ] || {
	echo "this finding is out of date"
	exit 1
}
