#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/fuzz/seeds/companion/: items of companions in the form that fuzz_companion.c reads (Documentation/companion.md)."""
import os
import sys

STRINGS, TYPES, FUNCTIONS, ACCESS, LINES, VARIABLES, CALLS, FILES, SYMBOLS = range(9)
INTEGER, POINTER, STRUCT, ARRAY, TYPEDEF, ENUM = 1, 4, 6, 9, 10, 3


def uleb(*numbers):
    out = bytearray()
    for number in numbers:
        while True:
            byte = number & 0x7f
            number >>= 7
            out.append(byte | (0x80 if number else 0))
            if not number:
                break
    return bytes(out)


def item(part, step, *lanes):
    out = b""
    for lane, body in enumerate(lanes):
        more = 0 if lane + 1 == len(lanes) else 0x80
        out += bytes([part, lane | more]) + (step if not lane else 0).to_bytes(2, "little") + bytes([len(body)]) + body
    return out


strings = [item(STRINGS, 1, text.encode() + b"\0") for text in ("a", "next", "int", "f.c", "name", "inferred")]
types = [
    item(TYPES, 1, bytes([INTEGER]) + uleb(1, 3, 3, 4)),
    item(TYPES, 1, bytes([STRUCT]) + uleb(0, 1 | 2 | 256 | 512, 1, 16, 4, 7, 0, 2) + b"\0" + uleb(2, 3, 0) + b"\x08" + uleb(5, 1, 0) + uleb(0)),
    item(TYPES, 1, bytes([POINTER]) + uleb(0, 2 | 8, 8, 2)),
    item(TYPES, 1, bytes([ARRAY]) + uleb(0, 2 | 8 | 32 | 64, 48, 1, 12, 2, 3, 4)),
    item(TYPES, 1, bytes([TYPEDEF]) + uleb(0, 1 | 8, 5, 2)),
    item(TYPES, 1, bytes([ENUM]) + uleb(0, 1 | 2 | 512, 1, 4, 1, 2) + b"\x01"),
    item(TYPES, 1, bytes([12]) + uleb(0, 8 | 128, 1, 1, 2, 6)),
]
functions = [item(FUNCTIONS, 16, b"\0" + b"\1" + uleb(1) + b"\0" + uleb(4) + b"\x10" + uleb(1, 8) + uleb(1) + b"\0" + uleb(1) + b"\x30" + uleb(8)), item(FUNCTIONS, 32, b"")]
# kind, reason, size, how, rule, memory, own time, argument, five flags, the further members
shapes = uleb(1, 0, 8, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3) + uleb(0, 9, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)
access = [
    item(ACCESS, 0, uleb(1, 6, 2) + shapes, b"", b""),
    item(ACCESS, 16, uleb(3, 2) + uleb(0, 2, 8) + uleb(1), uleb(0, 4, 4), uleb(0, 5, 1, 2)),
    item(ACCESS, 32, b""),
]
places = [
    item(LINES, 16, uleb(0, 4, 4), uleb(0x2A, 9, 13), uleb(4) + uleb(0, 1, 0, 1, 8, 7, 0) + uleb(4)),
    item(LINES, 32, b""),
    item(VARIABLES, 64, uleb(16, 5, 2, 0)),
    item(CALLS, 20, uleb(1, 0) + uleb(0, 2, 8)),
    item(FILES, 0, uleb(4)),
]

folder = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "companion")
os.makedirs(folder, exist_ok=True)
for name, parts in (("types", strings + types), ("code", strings + types + functions + access), ("all", strings + types + functions + access + places)):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(b"".join(parts))
