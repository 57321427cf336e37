# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile recordings, and programs with hostile debug information and code."""
import random
import struct

from hostile_formats import *  # noqa: F403


@more
def maps_many():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(8000):
        d.mmap(10, 0x1000 * (8000 - i), 0x1000 * 9000, b'/x/%d' % i)
    for i in range(3000):
        d.sample(10, 0x1000 * (i + 1))
    return RECORDED, write('maps.data', d.bytes())


@case
def forks_chain():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(2000):
        d.mmap(10, 0x100000 + 0x1000 * i, 0x1000, b'/x/%d' % (i % 7))
    for i in range(9000):
        d.fork(11 + i, 10 + i)
    for i in range(3000):
        d.sample(11 + 3 * i, 0x100000 + 0x1000 * (i % 2000))
    return RECORDED, write('forks.data', d.bytes())


@case
def forks_maps():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(1500):
        d.mmap(10, 0x100000 + 0x1000 * i, 0x1000, b'/x/%d' % (i % 7))
    for i in range(4000):
        d.fork(11 + i, 10 + i)
        d.mmap(11 + i, 0x900000 + 0x1000 * i, 0x1000, b'/y')
    for i in range(3000):
        d.sample(11 + i, 0x100000 + 0x1000 * (i % 1500))
    return RECORDED, write('forksm.data', d.bytes())


@case
def events_many():
    d = Perf(Perf.TYPE | 0x10000, 3500)
    for i in range(3500):
        d.sample(10, 0x1000 + 64 * i, id=i + 1)
    return RECORDED, write('events.data', d.bytes())


@more
def events_names():
    d = Perf(Perf.TYPE | 0x10000, 2000)
    for i in range(2000):
        d.sample(10, 0x1000 + 64 * i, id=i + 1)
    s = p32(2000) + p32(128)
    for i, (a, ids) in enumerate(d.attrs):
        n = b'e%d\0' % i
        n = pad(n, 4)
        s += a + p32(1) + p32(len(n)) + n + p64(i + 1)
    d.features[12] = s
    return RECORDED, write('evnames.data', d.bytes())


@case
def chains_long():
    d = Perf(Perf.TYPE | 0x20)
    d.comm(10, 10, b'p')
    for k in range(15):
        d.sample(
            10,
            0x1000,
            chain=[0xFFFFFFFFFFFFFE00]
            + [0x1000 + 16 * ((i * (k + 1)) % 8000) for i in range(8100)],
        )
    return RECORDED, write('chains.data', d.bytes())


@more
def chains_nested():
    d = Perf(Perf.TYPE | 0x20)
    d.comm(10, 10, b'p')
    for k in range(450):
        d.sample(
            10,
            0x1000 + 16 * k,
            chain=[0xFFFFFFFFFFFFFE00] + [0x1000 + 16 * (k + i) for i in range(250)],
        )
    return RECORDED, write('chainsn.data', d.bytes())


@more
def threads_many():
    d = Perf(Perf.TYPE | 0x8)
    d.comm(10, 10, b'p')
    for i in range(12000):
        d.sample(10, 0x1000 + 4 * (i % 6000), tid=10 + i, addr=0x7000000 + i % 64)
    return RECORDED, write('threads.data', d.bytes())


@case
def c2c_lines():
    """Mem-loads with data_src."""
    d = Perf(Perf.TYPE | 0x8 | 0x8000 | 0x4000)
    d.comm(10, 10, b'p')
    src = 2 | (1 << 9 << 5)
    for i in range(10000):
        d.sample(
            10,
            0x1000 + 4 * (i % 3000),
            tid=10 + i % 5000,
            addr=0x7000000 + 64 * (i % 3) + i % 64,
            rest=p64(30) + p64((0x2 if i % 2 else 4) | (0x2 << 5) | (0x10 << 19) | (1 << 5)),
        )
    return RECORDED, write('c2c.data', d.bytes())


@more
def comms_many():
    d = Perf()
    for i in range(12000):
        d.comm(10, 10, b'c%d' % i)
    for i in range(6000):
        d.sample(10, 0x1000 + 4 * i)
    return RECORDED, write('comms.data', d.bytes())


@more
def comms_threads():
    d = Perf()
    for i in range(9000):
        d.comm(10 + i, 10 + i, b'c%d' % i)
    for i in range(9000):
        d.sample(10 + i, 0x1000 + 4 * i)
    return RECORDED, write('commst.data', d.bytes())


@more
def unordered():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(5000):
        d.time = 100000 - 8 * i
        d.mmap(10, 0x1000 * (i + 1), 0x100000, b'/x/%d' % i)
    for i in range(5000):
        d.time = 100000 - 8 * i
        d.sample(10, 0x1000 * (i + 1))
    return RECORDED, write('unordered.data', d.bytes())


@more
def kernel_maps():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(7000):
        d.mmap(0xFFFFFFFF, 0xFFFFFFFF80000000 + 0x1000 * i, 0x10000, b'[m%d]' % i, misc=1)
    for i in range(4000):
        d.sample(10, 0xFFFFFFFF80000000 + 0x1000 * i, misc=1)
    return RECORDED, write('kmaps.data', d.bytes())


@more
def ksymbols():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(9000):
        d.rec(
            17,
            p64(0xFFFFFFFFC0000000 + 0x100 * i)
            + p32(0x10000)
            + p16(1)
            + p16(0)
            + pad(b'bpf_%d\0' % i, 8)
            + d.trailer(0, 0),
            1,
        )
    for i in range(4000):
        d.sample(10, 0xFFFFFFFFC0000000 + 0x100 * i, misc=1)
    return RECORDED, write('ksym.data', d.bytes())


@more
def namespaces():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(4000):
        d.rec(
            16,
            p32(10 + i)
            + p32(10 + i)
            + p64(7)
            + b''.join(p64(3) + p64(i + 5000) for _ in range(7))
            + d.trailer(10 + i, 10 + i),
        )
    for i in range(4000):
        d.sample(10 + i, 0x1000)
    return RECORDED, write('ns.data', d.bytes())


@more
def buildids():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(6000):
        d.mmap(10, 0x100000 + 0x1000 * i, 0x1000, b'/x/%d' % i)
    for i in range(6000):
        d.sample(10, 0x100000 + 0x1000 * i)
    t = b''
    for i in range(6000):
        n = pad(b'/x/%d\0' % (i % 3000), 8)
        t += struct.pack('<IHHi', 0, 0, 8 + 4 + 24 + len(n), 10) + p64(i) * 3 + n
    d.features[2] = t
    return RECORDED, write('bids.data', d.bytes())


@more
def features_claims():
    d = Perf()
    d.comm(10, 10, b'p')
    d.sample(10, 0x1000)
    for f in range(3, 34):
        d.features[f] = p32(0xFFFFFFFF) * 6 + b'\xff' * 3000
    return RECORDED, write('featclaim.data', d.bytes())


@case
def features_counts():
    d = Perf()
    d.comm(10, 10, b'p')
    d.sample(10, 0x1000)
    for f in range(3, 34):
        d.features[f] = p32(6000) + p32(4) + (p32(4) + b'abc\0') * 3000
    return RECORDED, write('featcount.data', d.bytes())


@more
def features_cpus():
    d = Perf()
    d.comm(10, 10, b'p')
    d.sample(10, 0x1000)
    d.features[8] = p32(0x7FFFFFFF) + p32(0x7FFFFFFF)  # nrcpus
    d.features[13] = (
        p32(20000)
        + (p32(4) + b'0-3\0') * 20000
        + p32(10000)
        + (p32(4) + b'0-3\0') * 10000
        + p32(0) * 40000
    )
    return RECORDED, write('featcpu.data', d.bytes())


@more
def auxtrace():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(5000):
        d.rec(11, p64(0x1000 * i) + p64(1 << 60) + p64(0) + d.trailer(10, 10))
        d.rec(71, p64(1 << 62) + p64(0) + p64(0) + p32(0) * 4)
    d.sample(10, 0x1000)
    return RECORDED, write('aux.data', d.bytes())


@more
def textpoke():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(5000):
        d.rec(
            20,
            p64(0xFFFFFFFF80000000 + i) + p16(40) + p16(40) + b'\x90' * 80 + d.trailer(10, 10),
            1,
        )
    d.sample(10, 0x1000)
    return RECORDED, write('poke.data', d.bytes())


@more
def cgroups():
    d = Perf(Perf.TYPE | (1 << 21))
    d.comm(10, 10, b'p')
    for i in range(9000):
        d.rec(19, p64(i) + pad(b'/g/%d\0' % i, 8) + d.trailer(10, 10))
    for i in range(5000):
        d.sample(10, 0x1000, rest=p64(i))
    return RECORDED, write('cgroup.data', d.bytes())


@more
def branches():
    d = Perf(Perf.TYPE | 0x800)
    d.comm(10, 10, b'p')
    for k in range(14):
        d.sample(
            10,
            0x1000,
            rest=p64(2700)
            + b''.join(
                p64(0x1000 + 16 * ((i * 7 + k * 13) % 40000))
                + p64(0x1000 + 8 * i * (k + 1))
                + p64(i)
                for i in range(2700)
            ),
        )
    return RECORDED, write('br.data', d.bytes())


@more
def zeros_records():
    d = Perf()
    d.recs += struct.pack('<IHH', 0, 0, 8) * 120000
    return RECORDED, write('zr.data', d.bytes())


@more
def small_samples():
    d = Perf(0x1 | 0x2 | 0x4)
    for i in range(24000):
        d.recs += (
            struct.pack('<IHH', 9, 2, 32)
            + p64(0x1000 + 16 * i)
            + p32(10 + i)
            + p32(10 + i)
            + p64(i)
        )
    return RECORDED, write('small.data', d.bytes())


@case
def typedef_chain():
    c = Cu()
    t = c.base()
    for i in range(60000):
        t = c.die(0x16, 0, [(N, STR), (T, R4)], b't%d\0' % i + p32(t))
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('tdchain'))


@more
def const_chain():
    c = Cu()
    t = c.base()
    for i in range(150000):
        t = c.die(0x26 + 15 * (i & 1), 0, [(T, R4)], p32(t))
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('constchain'))


@more
def pointer_chain():
    c = Cu()
    t = c.base()
    m = []
    for i in range(60000):
        t = c.ptr(t)
        if i % 100 == 0:
            m.append((b'm%d' % i, t, 8))
    s = c.struct(b's', 64, [(b'a', t, 8)] + m)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('ptrchain'))


@case
def pointer_members():
    c = Cu()
    t = c.base()
    m = []
    for i in range(20000):
        t = c.ptr(t)
        m.append((b'm%d' % i, t, 8 * i))
    s = c.struct(b's', 160000, m)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('ptrmem'))


@more
def function_chain():
    c = Cu()
    t = c.base()
    for i in range(20000):
        off = c.die(0x15, 1, [(T, R4)], p32(t))
        c.die(0x05, 0, [(T, R4)], p32(t))
        c.b += b'\0'
        t = c.ptr(off)
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('fnchain'))


@more
def nested_scopes():
    c = Cu()
    n = 40000
    t = c.base()
    s = None
    for i in range(n):
        c.die(0x39, 1, [(N, STR)], b'ns%d\0' % (i % 10))
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.b += b'\0' * n
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('nest'))


@case
def nested_names():
    c = Cu()
    n = 12000
    t = c.base()
    ss = []
    for i in range(n):
        c.die(0x39, 1, [(N, STR)], b'namespace%d\0' % i)
        ss.append(c.struct(b's%d' % i, 16, [(b'a', t, 8)]))
    c.b += b'\0' * n
    m = [(b'm%d' % i, s, 16 * i) for i, s in enumerate(ss)]
    big = c.struct(b'big', 16 * n, m)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(big))])
    return both(*c.make('nestn'))


@more
def nested_structs():
    c = Cu()
    n = 20000
    t = c.base()
    s = c.struct(b's', 8, [(b'a', t, 0), (b'b', t, 4)])
    for i in range(n):
        s = c.struct(b's%d' % i, 16, [(b'm', s, 8), (b'x', t, 0)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('nests'))


@case
def dag_structs():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 4, [(b'a', t, 0)])
    size = 4
    for i in range(25):
        s = c.struct(b's%d' % i, (size * 2) & 0xFFFFFFFF, [(b'm', s, 0), (b'n', s, size)])
        size *= 2
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('dag'))


@case
def dag_unions():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 16, [(b'a', t, 8)])
    for i in range(40):
        s = c.struct(b'u%d' % i, 16, [(b'm', s, 0), (b'n', s, 0), (b'o', s, 0)], 0x17)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('dagu'))


@case
def dag_anonymous():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 16, [(b'a', t, 8)])
    for i in range(30):
        off = c.die(0x17, 1, [(SZ, D4)], p32(16))
        for k in range(2):
            c.die(0x0D, 0, [(T, R4), (ML, D4)], p32(s) + p32(0))
        c.b += b'\0'
        s = off
    w = c.struct(b'w', 16, [(b'x', s, 0)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(w))])
    return both(*c.make('daga'))


@case
def wide_struct():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 240000, [(b'm%d' % i, t, 4 * i) for i in range(45000)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('wide'))


@more
def wide_union():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 16, [(b'm%d' % i, t, 8) for i in range(45000)], 0x17)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('wideu'))


@case
def bitfields():
    c = Cu()
    t = c.base()
    off = c.die(0x13, 1, [(N, STR), (SZ, D4)], b's\0' + p32(8000))
    for i in range(45000):
        c.die(
            0x0D,
            0,
            [(N, STR), (T, R4), (0x6B, D4), (0x0D, D1)],
            b'b%d\0' % i + p32(t) + p32(i) + b'\1',
        )
    c.b += b'\0'
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(off))])
    return both(*c.make('bits'))


@more
def huge_arrays():
    c = Cu()
    t = c.base()
    m = []
    for i in range(200):
        a = c.die(0x01, 1, [(T, R4)], p32(t))
        for k in range(10):
            c.die(0x21, 0, [(0x37, D8)], p64(0x7FFFFFFFFFFFFFFF >> k))
        c.b += b'\0'
        t = a
        m.append((b'm%d' % i, a, 8))
    s = c.struct(b's', 64, m)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('arrays'))


@more
def array_chain():
    c = Cu()
    t = c.base()
    for i in range(40000):
        a = c.die(0x01, 1, [(T, R4)], p32(t))
        c.die(0x21, 0, [(0x37, D1)], b'\1')
        c.b += b'\0'
        t = a
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('arrc'))


@more
def array_structs():
    c = Cu()
    t = c.base()
    s = c.struct(b's', 8, [(b'a', t, 0), (b'b', t, 4)])
    size = 8
    for i in range(12):
        a = c.die(0x01, 1, [(T, R4)], p32(s))
        c.die(0x21, 0, [(0x37, D4)], p32(4))
        c.b += b'\0'
        b = c.die(0x01, 1, [(T, R4)], p32(s))
        c.die(0x21, 0, [(0x37, D4)], p32(4))
        c.b += b'\0'
        s = c.struct(
            b's%d' % i, (size * 8) & 0xFFFFFFFF, [(b'm', a, 0), (b'n', b, size * 4 & 0xFFFFFFFF)]
        )
        size *= 8
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('arrs'))


@more
def enums():
    c = Cu()
    e = c.die(0x04, 1, [(N, STR), (SZ, D1)], b'e\0\4')
    for i in range(60000):
        c.die(0x28, 0, [(N, STR), (0x1C, D4)], b'E%d\0' % i + p32(i))
    c.b += b'\0'
    s = c.struct(b's', 64, [(b'a', e, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('enums'))


@more
def many_types():
    c = Cu()
    t = c.base()
    ss = [c.struct(b's', 64, [(b'a', t, 8)]) for i in range(25000)]
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(ss[0]))])
    return both(*c.make('manyt'))


@case
def many_types_rules():
    c = Cu()
    t = c.base()
    ss = [c.struct(b's%d' % i, 64, [(b'a', t, 8)]) for i in range(22000)]
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(ss[0]))])
    return both(*c.make('manytr'), rules=b''.join(b'sizeof(s%d) <= 6\n' % i for i in range(40000)))


@case
def suffix_names():
    """Every name is a suffix of one long string."""
    c = Cu()
    t = c.base()
    L = 400000
    ss = []
    for i in range(15000):
        off = c.die(0x13, 1, [(N, STRP), (SZ, D4)], p32(i) + p32(64))
        c.die(0x0D, 0, [(N, STRP), (T, R4), (ML, D4)], p32(i + 20000) + p32(t) + p32(8))
        c.b += b'\0'
        ss.append(off)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(ss[0]))])
    return both(*c.make('suffix', extra={'debug_str': b'a' * L + b'\0'}))


@case
def suffix_members():
    c = Cu()
    t = c.base()
    L = 400000
    off = c.die(0x13, 1, [(N, STRP), (SZ, D4)], p32(0) + p32(400000))
    for i in range(35000):
        c.die(0x0D, 0, [(N, STRP), (T, R4), (ML, D4)], p32(i + 1) + p32(t) + p32(8 * i))
    c.b += b'\0'
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(off))])
    return both(*c.make('suffixm', extra={'debug_str': b'a' * L + b'\0'}))


@case
def long_members():
    """Each member has the same name, which is as long as a name may be."""
    c = Cu()
    t = c.base()
    text = b'a' * 335000 + b'\0' + b'b' * 65000 + b'\0'
    off = c.die(0x13, 1, [(N, STRP), (SZ, D4)], p32(335001) + p32(400000))
    for i in range(30000):
        c.die(0x0D, 0, [(N, STRP), (T, R4), (ML, D4)], p32(335001) + p32(t) + p32(8 * i))
    c.b += b'\0'
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(off))])
    return both(*c.make('longm', extra={'debug_str': text}))


@case
def suffix_symbols():
    e = elf_with(CODE * 4000)
    for i in range(12000):
        e.symbol(b'', 0x401000 + 2 * i, 2, offset=1 + i)
    d = program(e.bytes(b'\0' + b'a' * 500000 + b'\0'), 'suffixs', 4000, 8)
    return both(*d)


@more
def same_symbols():
    e = elf_with(CODE * 64)
    for i in range(28000):
        e.symbol(b's%d' % i, 0x401000, 0x200)
    return both(*program(e.bytes(), 'sames', 64, 8))


@case
def nested_symbols():
    e = elf_with(CODE * 8000)
    for i in range(22000):
        e.symbol(b's%d' % i, 0x401000 + i, 64000 - 2 * i)
    return both(*program(e.bytes(), 'nesteds', 4000, 16))


@case
def nested_functions():
    c = Cu(nbytes=64000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    for i in range(20000):
        c.func(b'f%d' % i, 0x401000 + i, 64000 - 2 * i, [(b'p', p)])
    return both(*c.make('nestedf', samples=4000, step=16, code=CODE * 8000, symbols=False))


@more
def mangled():
    """Substitutions that double."""
    e = elf_with(CODE * 4000)
    for i in range(4000):
        e.symbol(
            b'_Z1fN1aI' + b'1bI' * 20 + b'S_S0_S1_S2_' * 8 + b'E' * 21 + b'E%dx' % i,
            0x401000 + 8 * i,
            8,
        )
    return both(*program(e.bytes(), 'mangled', 4000, 8))


@more
def sections_many():
    e = elf_with(CODE * 64)
    for i in range(10000):
        e.section('.n', b'')
    e.symbol(b'f', 0x401000, 0x200)
    return both(*program(e.bytes(), 'secs', 64, 8))


@more
def relocations():
    e = Elf(1)
    e.section('.text', CODE * 64, 1, 6, 0)
    rel = b''.join(p64(8 * i % 4000) + p64((1 << 32) | 1) + p64(0) for i in range(12000))
    info = e.section('.debug_info', b'\0' * 4096)
    e.symbol(b'f', 0, 0x200)
    for i in range(4000):
        e.section('.rela', rel, 4, 0, 0, 0, info, 24, 8)
    n = len(e.sections) + 1
    for s in e.sections:
        if s[2] == 4:
            s[5] = n
    commands, data = both(*program(e.bytes(), 'relocs', 64, 8))
    return commands + [('report --stdio -s type -v -i %s', 'relocation tables overlap')], data


@more
def notes():
    e = elf_with(CODE * 64)
    e.section('.note', (p32(4) + p32(0) + p32(1) + b'abc\0') * 50000, 7, 2, 0x700000)
    return both(*program(e.bytes(), 'notes', 64, 8))


@case
def deep_inlines():
    c = Cu()
    n = 12000
    ab = c.die(0x2E, 0, [(N, STR), (0x20, D1)], b'g\0\1')
    c.die(0x2E, 1, [(N, STR), (LO, ADDR), (HI, D4)], b'f\0' + p64(0x401000) + p32(0x200))
    for i in range(n):
        c.die(
            0x1D,
            1,
            [(0x31, R4), (LO, ADDR), (HI, D4), (0x59, D1)],
            p32(ab) + p64(0x401000) + p32(0x200) + b'\1',
        )
    c.b += b'\0' * (n + 1)
    return both(*c.make('inl', samples=512, step=1))


@more
def wide_inlines():
    c = Cu(nbytes=0x4000)
    n = 40000
    ab = c.die(0x2E, 0, [(N, STR), (0x20, D1)], b'g\0\1')
    c.die(0x2E, 1, [(N, STR), (LO, ADDR), (HI, D4)], b'f\0' + p64(0x401000) + p32(0x4000))
    for i in range(n):
        c.die(
            0x1D,
            0,
            [(0x31, R4), (LO, ADDR), (HI, D4), (0x59, D1)],
            p32(ab) + p64(0x401000) + p32(0x4000) + b'\1',
        )
    c.b += b'\0'
    return both(*c.make('inlw', samples=3000, step=4, code=CODE * 2048))


@case
def many_functions():
    c = Cu(nbytes=0x20000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    for i in range(16000):
        c.func(b'f%d' % i, 0x401000, 0x20000, [(b'p', p)])
    return both(*c.make('manyf', samples=4000, step=8, code=CODE * 8000))


@more
def small_functions():
    c = Cu(nbytes=0x20000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    for i in range(16000):
        c.func(b'f%d' % i, 0x401000 + 8 * i, 8, [(b'p', p)])
    return both(*c.make('smallf', samples=4000, step=32, code=CODE * 16000))


@more
def many_variables():
    c = Cu(nbytes=0x8000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    c.func(b'f', 0x401000, 0x8000, [(b'p%d' % i, p) for i in range(40000)])
    return both(*c.make('manyv', samples=3000, step=8, code=CODE * 4096))


@more
def many_units():
    d = Dw()
    body = d.code(0x11, 0, (N, STR)) + b'u\0'
    info = b''.join(unit(body) for i in range(50000))
    e = elf_with(CODE * 64, debug_info=info, debug_abbrev=d.table())
    e.symbol(b'f', 0x401000, 0x200)
    return both(*program(e.bytes(), 'units', 64, 8))


@more
def units_ranges():
    d = Dw()
    code = d.code(0x11, 1, (N, STR), (LO, ADDR), (HI, D4))
    sub = d.code(0x2E, 0, (N, STR), (LO, ADDR), (HI, D4))
    info = b''.join(
        unit(
            code
            + b'u\0'
            + p64(0x401000)
            + p32(0x8000)
            + sub
            + b'f\0'
            + p64(0x401000)
            + p32(0x8000)
            + b'\0'
        )
        for i in range(22000)
    )
    e = elf_with(CODE * 4096, debug_info=info, debug_abbrev=d.table())
    e.symbol(b'f', 0x401000, 0x8000)
    return both(*program(e.bytes(), 'unitsr', 3000, 8))


@more
def abbrev_suffixes():
    """Each unit begins in the middle of one long table."""
    info = bytearray()
    t2 = bytearray()
    offs = []
    for i in range(80000):
        offs.append(len(t2))
        t2 += uleb(1 + i % 120) + uleb(0x11) + b'\0\0\0'
    for i in range(20000):
        info += unit(b'\x01', 4, offs[(i * 120) % 72000])
    e = elf_with(CODE * 64, debug_info=bytes(info), debug_abbrev=bytes(t2) + b'\0')
    e.symbol(b'f', 0x401000, 0x200)
    return both(*program(e.bytes(), 'abbrevs', 64, 8))


@more
def ranges_shared():
    """Each scope has all of one long list of ranges."""
    c = Cu(nbytes=0x8000)
    rl = (
        b''.join(
            p64(0x401000 + (2 * i) % 0x7000) + p64(0x401001 + (2 * i) % 0x7000)
            for i in range(20000)
        )
        + b'\0' * 16
    )
    c.die(0x2E, 1, [(N, STR), (LO, ADDR), (HI, D4)], b'f\0' + p64(0x401000) + p32(0x8000))
    for i in range(40000):
        c.die(0x0B, 0, [(0x55, SECOFF)], p32(16 * (i % 1000)))
    c.b += b'\0'
    return both(
        *c.make('rangess', samples=3000, step=8, code=CODE * 4096, extra={'debug_ranges': rl})
    )


@case
def locations_shared():
    c = Cu(nbytes=0x8000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    ll = (
        b''.join(p64(i % 0x8000) + p64(i % 0x8000 + 1) + p16(1) + b'\x55' for i in range(20000))
        + b'\0' * 16
    )
    c.die(0x2E, 1, [(N, STR), (LO, ADDR), (HI, D4)], b'f\0' + p64(0x401000) + p32(0x8000))
    for i in range(40000):
        c.die(0x34, 0, [(N, STR), (T, R4), (LOC, SECOFF)], b'v\0' + p32(p) + p32(0))
    c.b += b'\0'
    return both(*c.make('locs', samples=3000, step=8, code=CODE * 4096, extra={'debug_loc': ll}))


@case
def lines_shared():
    lp = line_program(b'a.c\0\0\0\0', b'\x21' * 400000)
    d = Dw()
    code = d.code(0x11, 1, (N, STR), (LO, ADDR), (HI, D4), (ST, SECOFF))
    sub = d.code(0x2E, 0, (N, STR), (LO, ADDR), (HI, D4))
    info = b''.join(
        unit(
            code
            + b'u\0'
            + p64(0x401000 + 8 * i)
            + p32(8)
            + p32(0)
            + sub
            + b'f\0'
            + p64(0x401000 + 8 * i)
            + p32(8)
            + b'\0'
        )
        for i in range(4000)
    )
    e = elf_with(CODE * 4096, debug_info=info, debug_abbrev=d.table(), debug_line=lp)
    e.symbol(b'f', 0x401000, 0x8000)
    return both(*program(e.bytes(), 'lines', 4000, 8))


@more
def line_files():
    lp = line_program(b'ab\0\0\0\0' * 150000, b'\x21' * 1000)
    c = Cu(stmt=0)
    c.func(b'f', 0x401000, 0x200, [])
    return both(*c.make('lfiles', extra={'debug_line': lp}))


@case
def line_dirs():
    """Each file is in one folder with a long name: the path of each is made."""
    long = b'd' * 300000
    body = (
        b'\1\1\1\xfb\x0e\x0d'
        + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        + long
        + b'\0\0'
        + b'a\0\1\0\0' * 100000
        + b'\0'
    )
    h = (
        p16(4)
        + p32(len(body))
        + body
        + b'\0\x09\x02'
        + p64(0x401000)
        + b'\x21' * 100
        + b'\x02\x80\x02\0\1\1'
    )
    c = Cu(stmt=0)
    c.func(b'f', 0x401000, 0x200, [])
    return both(*c.make('ldirs', extra={'debug_line': p32(len(h)) + h}))


@case
def line_names5():
    """Version 5: names by line_strp."""
    body = (
        b'\1\1\1\xfb\x0e\x0d'
        + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        + b'\1\1\x1f'
        + uleb(1)
        + p32(0)
        + b'\2\1\x1f\2\x0b'
        + uleb(60000)
        + (p32(0) + b'\0') * 60000
    )
    h0 = p16(5) + b'\x08\0'
    prog = b'\0\x09\x02' + p64(0x401000) + b'\x21' * 100 + b'\x02\x80\x02\0\1\1'
    h = h0 + p32(len(body)) + body + prog
    c = Cu(stmt=0)
    c.func(b'f', 0x401000, 0x200, [])
    return both(
        *c.make(
            'lnames', extra={'debug_line': p32(len(h)) + h, 'debug_line_str': b'n' * 400000 + b'\0'}
        )
    )


@case
def comp_dir():
    """The folder of the compiler is long, and each of many relative files is put below it."""
    d = Dw()
    body = bytearray(
        d.code(0x11, 1, (N, STR), (0x1B, STR), (LO, ADDR), (HI, D4), (ST, SECOFF))
        + b'u.c\0'
        + b'/'
        + b'd' * 300000
        + b'\0'
        + p64(0x401000)
        + p32(0x200)
        + p32(0)
    )
    body += (
        d.code(0x2E, 0, (N, STR), (LO, ADDR), (HI, D4))
        + b'f\0'
        + p64(0x401000)
        + p32(0x200)
        + b'\0'
    )
    lp = line_program(b'ab\0\0\0\0' * 100000, b'\x21' * 1000)
    e = elf_with(CODE * 64, debug_info=unit(bytes(body)), debug_abbrev=d.table(), debug_line=lp)
    e.symbol(b'f', 0x401000, 0x200)
    return both(*program(e.bytes(), 'compdir', 64, 8))


@more
def origin_chain():
    c = Cu()
    o = c.die(0x2E, 0, [(N, STR)], b'g\0')
    for i in range(60000):
        o = c.die(0x2E, 0, [(0x31 if i & 1 else 0x47, R4)], p32(o))
    c.die(0x2E, 0, [(0x31, R4), (LO, ADDR), (HI, D4)], p32(o) + p64(0x401000) + p32(0x200))
    return both(*c.make('origin'))


@more
def imports_dag():
    d = Dw()
    imp = d.code(0x3D, 0, (0x18, 0x10))
    pu = d.code(0x3C, 1)
    cu = d.code(0x11, 1, (N, STR), (LO, ADDR), (HI, D4))
    sub = d.code(0x2E, 0, (N, STR), (LO, ADDR), (HI, D4))
    n = 60
    one = len(unit(pu + (imp + p32(0)) * 2 + b'\0'))
    info = b''
    for i in range(n):
        info += unit(pu + (imp + p32((i + 1) * one + HEAD)) * 2 + b'\0')
    info += unit(
        cu
        + b'u\0'
        + p64(0x401000)
        + p32(0x200)
        + (imp + p32(HEAD)) * 2
        + sub
        + b'f\0'
        + p64(0x401000)
        + p32(0x200)
        + b'\0'
    )
    e = elf_with(CODE * 64, debug_info=info, debug_abbrev=d.table())
    e.symbol(b'f', 0x401000, 0x200)
    return both(*program(e.bytes(), 'imports', 64, 8))


@more
def templates():
    c = Cu()
    t = c.base()
    for i in range(40):
        off = c.die(0x13, 1, [(N, STR), (SZ, D4)], b'A<>\0' + p32(16))
        for k in range(2):
            c.die(0x2F, 0, [(N, STR), (T, R4)], b'T\0' + p32(t))
        c.die(0x0D, 0, [(N, STR), (T, R4), (ML, D4)], b'm\0' + p32(t) + p32(8))
        c.b += b'\0'
        t = off
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(t))])
    return both(*c.make('templ'))


@more
def long_template_names():
    c = Cu()
    t = c.base()
    name = b'A<' * 100000 + b'int' + b'>' * 100000
    off = c.struct(name, 64, [(b'a', t, 8)])
    c.func(b'f<' + b'x<' * 50000 + b'>' * 50001, 0x401000, 0x200, [(b'p', c.ptr(off))])
    return both(*c.make('longt'))


@more
def expressions():
    c = Cu(nbytes=0x8000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    p = c.ptr(s)
    ex = b'\x2f\xfd\xff'  # skip -3
    c.die(0x2E, 1, [(N, STR), (LO, ADDR), (HI, D4)], b'f\0' + p64(0x401000) + p32(0x8000))
    for i in range(20000):
        c.die(0x34, 0, [(N, STR), (T, R4), (LOC, EXPR)], b'v\0' + p32(p) + uleb(len(ex)) + ex)
    c.b += b'\0'
    return both(*c.make('expr', samples=3000, step=8, code=CODE * 4096))


@case
def jumps():
    """A function of branches into all of itself."""
    r = random.Random(1)
    n = 60000
    code = bytearray()
    for i in range(n // 8):
        code += bytes.fromhex('8b4708')
        to = r.randrange(n // 9) * 9
        code += b'\x0f\x84' + struct.pack('<i', to - len(code) - 6)
    code += b'\xc3'
    c = Cu(nbytes=len(code))
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    return both(*c.make('jumps', samples=3000, step=9, code=bytes(code)))


def branching(code, size, random_numbers):
    """Appends loops in loops: loads through what was loaded, spills, and jumps back."""
    start = len(code)
    while len(code) - start < size:
        code += bytes.fromhex('488b7f08') + bytes.fromhex('48897c24')
        code += bytes([random_numbers.randrange(16) * 8])
        back = len(code) - start - random_numbers.randrange(4000)
        to = start + max(0, back) // 15 * 15
        code += b'\x0f\x84' + struct.pack('<i', to - len(code) - 6)
    code += b'\xc3'


@case
def big_code():
    code = bytearray()
    branching(code, 900000, random.Random(1))
    c = Cu(nbytes=len(code))
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8), (b'next', 0, 16)])
    c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    commands, data = both(*c.make('bigcode', samples=3000, step=150, code=bytes(code)))
    counted = '--debug type-profile report -s type -i %s', 'the function is too large'
    return commands + [counted], data


def loops(name, functions, size):
    """Functions of nested loops. Each value has several definitions, each of which is made of values
    that have several."""
    r = random.Random(1)
    code = bytearray()
    starts = [0]
    for _ in range(functions):
        branching(code, size, r)
        starts.append(len(code))
    c = Cu(nbytes=len(code))
    t = c.base()
    p = c.ptr(c.struct(b's', 64, [(b'a', t, 8), (b'next', 0, 16)]))
    for i, start in enumerate(starts[:-1]):
        c.func(b'f%d' % i, 0x401000 + start, starts[i + 1] - start, [(b'p', p)])
    commands, data = both(*c.make(name, samples=6000, step=150, code=bytes(code)))
    # the memory must not be needed for each thread
    return commands + ['layout --emit=c --threads 9 -i %s'], data


@case
def big_loops():
    return loops('bigloops', 9, 100000)


@case
def bigger_loops():
    """Functions that are just small enough to be solved."""
    return loops('biggerloops', 3, 300000)


@case
def stack_slots():
    code = bytearray()
    for i in range(40000):
        code += (
            bytes.fromhex('4889bc24')
            + p32(8 * (i % 30000))
            + (b'\x74\x01\x90' if i % 3 == 0 else b'')
        )
    code += b'\xc3'
    c = Cu(nbytes=len(code))
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    return both(*c.make('slots', samples=3000, step=88, code=bytes(code)))


@case
def copies_in_frame():
    """Each of many copies into one frame asks which of its bytes the function reads."""
    copy = bytes.fromhex('488b07488b4f0848894424f048894c24f8488b5424f04883c708')
    code = copy * 24000 + b'\xc3'
    c = Cu(nbytes=len(code))
    t = c.base()
    s = c.struct(b's', 16, [(b'a', t, 0), (b'b', t, 8)])
    c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    data, path = c.make('copies', samples=24000, step=len(copy), code=code)
    return ['report -s copy -i ' + data], path
