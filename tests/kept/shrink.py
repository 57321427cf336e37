#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Overwrites with zeros what a kept program's tests do not need, so that it compresses well. All addresses stay.

shrink.py FILE FUNCTIONS SECTION...     FUNCTIONS: a regular expression of the names whose code stays
"""
import re
import struct
import sys


def main():
    path, functions, emptied = sys.argv[1], re.compile(sys.argv[2]), sys.argv[3:]
    data = bytearray(open(path, 'rb').read())
    table, = struct.unpack_from('<Q', data, 0x28)
    size, count, names = struct.unpack_from('<HHH', data, 0x3a)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, table + i * size) for i in range(count)]

    def text(strings, at):
        start = sections[strings][4] + at
        return data[start:data.index(0, start)].decode()

    symbols = []
    for section in sections:
        if section[1] == 2: # SHT_SYMTAB
            for at in range(section[4], section[4] + section[5], 24):
                name, info, _, index, value, length = struct.unpack_from('<IBBHQQ', data, at)
                if info & 15 == 2 and index < count and length:
                    symbols.append((text(section[6], name), index, value, length))
    for index, section in enumerate(sections):
        start, length, name = section[4], section[5], text(names, section[0])
        if section[1] == 8: # SHT_NOBITS
            continue
        if name in emptied:
            data[start:start + length] = bytes(length)
        elif section[2] & 4: # SHF_EXECINSTR
            code = bytearray(length)
            for symbol, where, value, extent in symbols:
                if where == index and functions.search(symbol):
                    at = value - section[3]
                    code[at:at + extent] = data[start + at:start + at + extent]
            data[start:start + length] = code
    open(path, 'wb').write(data)


main()
