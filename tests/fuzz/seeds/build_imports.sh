#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds with imports were made (gcc 12.2, binutils 2.40, Debian 12): libraries with each form of PLT stubs and of
# relocations, and an object of the 32-bit class. Run in this folder to make them again.
set -eu

program='
__thread int own = 5;
static __thread long hidden;
extern __thread int elsewhere;
extern int far, imported(int);
static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }
static void *choose(void) { return first; }
int chosen(int) __attribute__((ifunc("choose")));
int (*const table[2])(int) = { first, second };
int use(int x) { own += x; hidden += x; return table[x & 1](x) + imported(x) + chosen(x) + far + elsewhere; }'

build() {
	name=$1
	shift
	echo "$program" | gcc -O1 -s -nostdlib -shared -fPIC -Wl,-z,noseparate-code,-z,max-page-size=16,--build-id "$@" \
		-xc - -o "elf_image/$name"
}

build now -Wl,-z,now
build ibt -fcf-protection=full -Wl,-z,ibtplt,-z,lazy
build relr -Wl,-z,pack-relative-relocs
build tls_descriptors -mtls-dialect=gnu2
echo "$program" | gcc -m32 -O1 -c -xc - -o elf_image/narrow
