# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes programs, debug information and recordings byte by byte, also such as nobody would write."""
import os
import struct
import zlib

OUT = None  # the folder of the files that are written
REMOVED = []  # files elsewhere, to be removed after each case
INPUT_MAX = 1 << 20


def p16(v):
    return struct.pack('<H', v & 0xFFFF)


def p32(v):
    return struct.pack('<I', v & 0xFFFFFFFF)


def p64(v):
    return struct.pack('<Q', v & 0xFFFFFFFFFFFFFFFF)


def uleb(v):
    out = bytearray()
    while True:
        b = v & 0x7F
        v >>= 7
        if v:
            out.append(b | 0x80)
        else:
            out.append(b)
            return bytes(out)


def pad(b, n):
    return b + b'\0' * (-len(b) % n)


# ---- ELF ----
class Elf:
    def __init__(self, etype=2):
        self.etype = etype
        self.sections = []
        self.symbols = []
        self.base = 0x400000
        self.machine = 62

    def section(self, name, data, type=1, flags=0, addr=0, link=0, info=0, entsize=0, align=1):
        self.sections.append([name, data, type, flags, addr, link, info, entsize, align])
        return len(self.sections)

    def symbol(self, name, value, size, info=0x12, shndx=1, offset=None):
        self.symbols.append((name, value, size, info, shndx, offset))

    def bytes(self, strtab=None):
        secs = [list(s) for s in self.sections]
        if self.symbols:
            st = bytearray(b'\0') if strtab is None else bytearray(strtab)
            sy = bytearray(24)
            for name, value, size, info, shndx, off in self.symbols:
                if off is None:
                    off = len(st)
                    st += name + b'\0'
                sy += p32(off) + bytes([info, 0]) + p16(shndx) + p64(value) + p64(size)
            secs.append(['.symtab', bytes(sy), 2, 0, 0, len(secs) + 2, 1, 24, 8])
            secs.append(['.strtab', bytes(st), 3, 0, 0, 0, 0, 0, 1])
        names = bytearray(b'\0')
        offs = []
        secs.append(['.shstrtab', b'', 3, 0, 0, 0, 0, 0, 1])
        for s in secs:
            offs.append(len(names))
            names += s[0].encode() + b'\0'
        secs[-1][1] = bytes(names)
        loads = [i for i, s in enumerate(secs) if s[3] & 2]
        phn = len(loads)
        out = bytearray(64 + 56 * phn)
        heads = bytearray(64)
        ph = bytearray()
        where = {}
        for i, s in enumerate(secs):
            while len(out) % 16:
                out += b'\0'
            if s[3] & 2:
                while len(out) % 4096 != s[4] % 4096:
                    out += b'\0' * ((s[4] - len(out)) % 4096)
            off = where.setdefault(id(s[1]), len(out)) if len(s[1]) > 4096 else len(out)
            if off == len(out) and s[2] != 8:
                out += s[1]
            heads += (
                p32(offs[i])
                + p32(s[2])
                + p64(s[3])
                + p64(s[4])
                + p64(off)
                + p64(len(s[1]))
                + p32(s[5])
                + p32(s[6])
                + p64(s[8])
                + p64(s[7])
            )
            if s[3] & 2:
                ph += (
                    p32(1)
                    + p32(5)
                    + p64(off)
                    + p64(s[4])
                    + p64(s[4])
                    + p64(len(s[1]))
                    + p64(len(s[1]))
                    + p64(4096)
                )
        while len(out) % 8:
            out += b'\0'
        shoff = len(out)
        out += heads
        out[64 : 64 + len(ph)] = ph
        n = len(secs) + 1
        out[0:64] = (
            b'\x7fELF\2\1\1'
            + b'\0' * 9
            + p16(self.etype)
            + p16(self.machine)
            + p32(1)
            + p64(0x401000)
            + p64(64)
            + p64(shoff)
            + p32(0)
            + p16(64)
            + p16(56)
            + p16(phn)
            + p16(64)
            + p16(n)
            + p16(n - 1)
        )
        return bytes(out)


def compressed(data):
    return p32(1) + p32(0) + p64(len(data)) + p64(1) + zlib.compress(data, 9)


# ---- perf.data ----
class Perf:
    TYPE = 0x1 | 0x2 | 0x4 | 0x100  # IP TID TIME PERIOD

    def __init__(self, types=None, count=1, config=1, type_=1):
        self.types = self.TYPE if types is None else types
        self.attrs = [
            (self.attr(config + i if count > 1 else config, type_), [i + 1]) for i in range(count)
        ]
        self.recs = bytearray()
        self.features = {}
        self.time = 1

    def attr(self, config, type_, sample_type=None):
        return struct.pack(
            '<IIQQQQQ',
            type_,
            128,
            config,
            1000,
            sample_type or self.types,
            0,
            (1 << 18) | (1 << 8) | (1 << 9),
        ) + b'\0' * (128 - 48)

    def rec(self, type, body, misc=2):
        body = pad(body, 8)
        self.recs += struct.pack('<IHH', type, misc, 8 + len(body)) + body

    def trailer(self, pid, tid):
        self.time += 1
        t = b''
        if self.types & 2:
            t += p32(pid) + p32(tid)
        if self.types & 4:
            t += p64(self.time)
        if self.types & 0x10000:
            t += p64(1)
        return t

    def comm(self, pid, tid, name):
        self.rec(3, p32(pid) + p32(tid) + pad(name + b'\0', 8) + self.trailer(pid, tid))

    def fork(self, pid, ppid, tid=None):
        self.rec(
            7,
            p32(pid)
            + p32(ppid)
            + p32(tid or pid)
            + p32(ppid)
            + p64(self.time)
            + self.trailer(pid, pid),
        )

    def mmap(self, pid, addr, length, name, off=0, misc=2):
        self.rec(
            1,
            p32(pid)
            + p32(pid)
            + p64(addr)
            + p64(length)
            + p64(off)
            + pad(name + b'\0', 8)
            + self.trailer(pid, pid),
            misc,
        )

    def sample(self, pid, ip, tid=None, addr=0, misc=2, chain=None, rest=b'', id=1):
        self.time += 1
        b = b''
        if self.types & 0x10000:
            b += p64(id)
        b += p64(ip) + p32(pid) + p32(tid or pid) + p64(self.time)
        if self.types & 8:
            b += p64(addr)
        b += p64(1)
        if self.types & 0x20:
            b += p64(len(chain)) + b''.join(map(p64, chain))
        self.rec(9, b + rest, misc)

    def bytes(self):
        ids = bytearray()
        attrs = bytearray()
        base = 104
        for a, i in self.attrs:
            attrs += a + p64(base + len(ids)) + p64(8 * len(i))
            ids += b''.join(map(p64, i))
        aoff = base + len(ids)
        doff = aoff + len(attrs)
        bits = bytearray(32)
        table = bytearray()
        fdata = bytearray()
        end = doff + len(self.recs)
        start = end + 16 * len(self.features)
        for f in sorted(self.features):
            bits[f // 8] |= 1 << f % 8
            table += p64(start + len(fdata)) + p64(len(self.features[f]))
            fdata += self.features[f]
        head = (
            b'PERFILE2'
            + p64(104)
            + p64(144)
            + p64(aoff)
            + p64(len(attrs))
            + p64(doff)
            + p64(len(self.recs))
            + p64(0)
            + p64(0)
            + bytes(bits)
        )
        return bytes(head + ids + attrs + self.recs + table + fdata)


def write(name, data):
    path = os.path.join(OUT, name)
    with open(path, 'wb') as f:
        f.write(data)
    assert len(data) <= INPUT_MAX, (name, len(data))
    return path


CODE = bytes.fromhex('8b4708') + b'\x90' * 5  # mov 8(%rdi),%eax
CASES = []  # that took too much once, or are near to the limits
MORE = []  # run by --all


def case(f):
    CASES.append(f)
    return f


def more(f):
    MORE.append(f)
    return f


RECORDED = [
    'report --stdio -i %s',
    'report --json -s type,sym,pid,tid,comm,dso -i %s',
    'report --html=/dev/null -i %s',
    'c2c report --stdio -i %s',
    'script -i %s',
    'report --stats --header -i %s',
    'export --format=otlp -i %s',
    'diff %s %s',
]
TYPED = [
    'report --stdio -s type,typeoff,sym,srcline -i %s',
    'report --html=/dev/null -i %s',
    'annotate --code-with-type -i %s',
    'script --json -F +srcline,+type -i %s',
    'layout --emit=c -i %s',
    'index -o {out}/i.dtc {elf}',
]


def program(elf_bytes, name, samples=20, step=4, start=0x401000, types=None, chain=None):
    path = write(name + '.elf', elf_bytes)
    d = Perf(types)
    d.comm(10, 10, b'prog')
    d.mmap(10, 0x401000, 0x200000, path.encode(), 0x1000)
    for i in range(samples):
        d.sample(10, start + i * step)
    data = write(name + '.data', d.bytes())
    return data, path


class Dw:
    """DIEs with abbreviations made as they are used (DWARF 5, or another version)."""

    def __init__(self):
        self.abbrevs = {}
        self.ab = bytearray()

    def code(self, tag, children, *attrs):
        key = (tag, children, attrs)
        if key not in self.abbrevs:
            self.abbrevs[key] = len(self.abbrevs) + 1
            self.ab += (
                uleb(self.abbrevs[key])
                + uleb(tag)
                + bytes([children])
                + b''.join(uleb(a) + uleb(f) for a, f in attrs)
                + b'\0\0'
            )
        return uleb(self.abbrevs[key])

    def table(self):
        return bytes(self.ab) + b'\0'


def unit(body, version=4, abbrev=0):
    if version >= 5:
        h = p16(version) + bytes([1, 8]) + p32(abbrev)
    else:
        h = p16(version) + p32(abbrev) + b'\x08'
    return p32(len(h) + len(body)) + h + body


HEAD = 11  # length of the header of version 4


def build_id_note(ident):
    return p32(4) + p32(len(ident)) + p32(3) + b'GNU\0' + ident


def elf_with(code=CODE * 64, ident=b'A' * 20, **sections):
    e = Elf()
    e.section('.text', code, 1, 6, 0x401000)
    for n, d in sections.items():
        e.section('.' + n, d)
    e.section('.note.gnu.build-id', build_id_note(ident), 7)
    return e


STR, STRP, D4, R4, ADDR, D1, UDATA, EXPR, SECOFF, D8, SDATA, FLAGP = (
    0x08,
    0x0E,
    0x06,
    0x13,
    0x01,
    0x0B,
    0x0F,
    0x18,
    0x17,
    0x07,
    0x0D,
    0x19,
)
N, T, SZ, LOC, ML, LO, HI, ST = 0x03, 0x49, 0x0B, 0x02, 0x38, 0x11, 0x12, 0x10


class Cu:
    """One unit: a function f(struct *p) at 0x401000 whose parameter has type `p`."""

    def __init__(self, version=4, ranges=False, stmt=None, nbytes=0x200):
        self.d = Dw()
        self.b = bytearray()
        self.version = version
        at = [(N, STR), (0x13, D1), (LO, ADDR), (HI, D4)]
        if stmt is not None:
            at.append((ST, SECOFF))
        self.b += self.d.code(0x11, 1, *at) + b'u.c\0' + b'\x0c' + p64(0x401000) + p32(nbytes)
        if stmt is not None:
            self.b += p32(stmt)

    def here(self):
        return HEAD + len(self.b) + (1 if self.version >= 5 else 0)

    def die(self, tag, children, attrs, data):
        off = self.here()
        self.b += self.d.code(tag, children, *attrs) + data
        return off

    def base(self, name=b'int', size=4):
        return self.die(0x24, 0, [(N, STR), (SZ, D1), (0x3E, D1)], name + b'\0' + bytes([size, 5]))

    def ptr(self, t):
        return self.die(0x0F, 0, [(SZ, D1), (T, R4)], b'\x08' + p32(t))

    def array(self, t, count):
        at = self.die(0x01, 1, [(T, R4)], p32(t))
        self.die(0x21, 0, [(0x37, D4)], p32(count))
        self.b += b'\0'
        return at

    def struct(self, name, size, members, tag=0x13):
        off = self.die(tag, 1, [(N, STR), (SZ, D4)], name + b'\0' + p32(size))
        for n, t, o in members:
            self.die(0x0D, 0, [(N, STR), (T, R4), (ML, D4)], n + b'\0' + p32(t) + p32(o))
        self.b += b'\0'
        return off

    def func(self, name, lo, size, params):
        off = self.die(
            0x2E,
            1,
            [(N, STR), (LO, ADDR), (HI, D4), (0x40, EXPR)],
            name + b'\0' + p64(lo) + p32(size) + b'\x01\x9c',
        )
        for n, t in params:
            self.die(0x05, 0, [(N, STR), (T, R4), (LOC, EXPR)], n + b'\0' + p32(t) + b'\x01\x55')
        self.b += b'\0'
        return off

    def sections(self):
        return {
            'debug_info': unit(bytes(self.b) + b'\0', self.version),
            'debug_abbrev': self.d.table(),
        }

    def make(self, name, samples=64, step=8, extra={}, code=CODE * 64, symbols=True):
        e = elf_with(code, **dict(self.sections(), **extra))
        if symbols:
            e.symbol(b'f', 0x401000, len(code))
        return program(e.bytes(), name, samples, step)


def both(data, path, rules=b'sizeof(s) <= 64\nholes of s <= 64\ns.a in line 0\n'):
    write('rules', rules)
    return TYPED + ['check {out}/rules ' + path], data


def line_program(files, rows, extra=b''):
    body = (
        b'\1\1\1\xfb\x0e\x0d' + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]) + b'\0' + files + b'\0'
    )
    prog = b'\0\x09\x02' + p64(0x401000) + rows + b'\x02\x80\x02\0\1\1'
    h = p16(4) + p32(len(body)) + body + prog
    return p32(len(h)) + h
