#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds in elf_unpack/ were made (xz-utils, zstd, lz4 and gzip of Debian 12); run in this folder to make them again.
set -eu

mkdir -p elf_unpack
content=elf_image/narrow
gzip -9nc $content >elf_unpack/gzip
xz -9c $content >elf_unpack/xz
xz --format=lzma -9c $content >elf_unpack/lzma
zstd -19 -qc $content >elf_unpack/zstd
lz4 -lqc $content >elf_unpack/lz4
# a boot image: one sector of set-up code, the header's fields at their places, the kernel at 0x440
payload=$(wc -c <elf_unpack/lz4)
{
	head -c 497 /dev/zero
	printf '\001'
	head -c 12 /dev/zero
	printf '\125\252\353\146HdrS\017\002'
	head -c 64 /dev/zero
	printf '\100\000\000\000'
	printf "\\$(printf %03o $((payload & 255)))\\$(printf %03o $((payload >> 8)))\\000\\000"
	head -c $((0x440 - 0x250)) /dev/zero
	cat elf_unpack/lz4
} >elf_unpack/boot_image
