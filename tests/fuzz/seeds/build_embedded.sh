#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the seeds with .gnu_debugdata were made (gcc 12.2, binutils 2.40, xz-utils, Python 3 of Debian 12); run in this folder
# to make them again.
set -eu

program='
static __attribute__((noinline)) int hidden(int *at) { return ++*at; }
int shown(int *at) { return hidden(at) + hidden(at + 1); }'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "$program" | gcc -O1 -nostdlib -shared -fPIC -Wl,-z,noseparate-code,-z,max-page-size=16,--build-id -xc - -o "$work/full"
objcopy --only-keep-debug "$work/full" "$work/debug"
objcopy -S --keep-symbol=hidden "$work/debug" "$work/names"
strip --strip-all "$work/full"
xz -k --check=crc32 "$work/names"
objcopy --add-section .gnu_debugdata="$work/names.xz" "$work/full" elf_image/embedded

# the embedded file has such a section itself
objcopy --add-section .gnu_debugdata="$work/names.xz" "$work/names" "$work/twice"
xz -k "$work/twice"
objcopy --add-section .gnu_debugdata="$work/twice.xz" "$work/full" elf_image/embedded_twice

# more than may be
head -c 64M /dev/zero | xz >"$work/zeros"
objcopy --add-section .gnu_debugdata="$work/zeros" "$work/full" elf_image/embedded_zeros

# without checksums, and stored, not compressed: a changed byte is one of the embedded file
python3 - "$work/names" elf_unpack/xz_stored <<'END'
import struct, sys, zlib

def with_sum(data): return data + struct.pack('<I', zlib.crc32(data))
def padded(data): return data + bytes(-len(data) % 4)
def number(value): return bytes([value & 127 | 128]) + number(value >> 7) if value > 127 else bytes([value])

content = open(sys.argv[1], 'rb').read()
assert len(content) <= 65536
flags = b'\0\0'
header = with_sum(b'\2\0\x21\1\x16' + bytes(3))
block = header + b'\1' + struct.pack('>H', len(content) - 1) + content + b'\0'
index = with_sum(padded(b'\0\1' + number(len(block)) + number(len(content))))
footer = struct.pack('<I', len(index) // 4 - 1) + flags
open(sys.argv[2], 'wb').write(b'\xfd7zXZ\0' + with_sum(flags) + padded(block) + index +
                              struct.pack('<I', zlib.crc32(footer)) + footer + b'YZ')
END
objcopy --add-section .gnu_debugdata=elf_unpack/xz_stored "$work/full" elf_image/embedded_stored
