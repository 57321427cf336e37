# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile companions, core files and data to print, and programs of arm64."""
import os
import random
import re
import zlib

import hostile_formats as formats
from hostile_formats import *  # noqa: F403

ID = b'I' * 20
HEADER = os.path.join(os.path.dirname(__file__), '../../dwarf/companion/companion.h')


# ---- companions (Documentation/companion.md) ----


def frame(*parts):
    """A frame of Zstandard with these bytes; a pair is a byte that is repeated."""
    blocks = []
    for part in parts:
        if isinstance(part, tuple):
            byte, count = part
            for at in range(0, count, 1 << 17):
                blocks.append((1, min(1 << 17, count - at), bytes([byte])))
        else:
            for at in range(0, len(part), 1 << 17):
                blocks.append((0, len(part[at : at + (1 << 17)]), part[at : at + (1 << 17)]))
    blocks = blocks or [(0, 0, b'')]
    out = b'\x28\xb5\x2f\xfd\0\x38'
    for i, (kind, size, data) in enumerate(blocks):
        out += p32(size << 3 | kind << 1 | (i == len(blocks) - 1))[:3] + data
    return out


def size_of(parts):
    return sum(part[1] if isinstance(part, tuple) else len(part) for part in parts)


def section(blocks):
    """A section of items. A block is its first key, and the frames of its heads and its lanes, each
    a list of parts."""
    directory = b''
    frames = b''
    last = 0
    for key, lists in blocks:
        directory += uleb(key - last)
        last = key
        for parts in lists:
            packed = frame(*parts)
            directory += uleb(len(packed)) + uleb(size_of(parts))
            frames += packed
    packed = frame(directory) if directory else frame(b'')
    return p32(len(blocks)) + p32(len(packed)) + p32(len(directory)) + packed + frames


def items(pairs):
    """One block with these pairs of a key and an item, or a list of an item's lanes."""
    heads = uleb(len(pairs))
    last = pairs[0][0] if pairs else 0
    for key, _ in pairs:
        heads += uleb(key - last)
        last = key
    lanes = list(zip(*(item if isinstance(item, list) else [item] for _, item in pairs))) or [()]
    for lane in lanes:
        heads += b''.join(uleb(len(item)) for item in lane)
    return (pairs[0][0] if pairs else 0, [[heads]] + [[b''.join(lane)] for lane in lanes])


STRINGS = [(1, b'int\0'), (2, b's\0'), (3, b'a\0'), (4, b'f\0')]
# a type, 4 bytes, tracked, a load; type and offset follow
SHAPE = b'\1\0\4\2' + bytes(4) + b'\1' + bytes(4) + b'\3'
INT = b'\1\1\3\1\4'  # kind, signed, has: name and size
NONE = section([])


def companion_version():
    with open(HEADER) as f:
        return int(re.search(r'#define COMPANION_VERSION (\d+)', f.read()).group(1))


def companion(name, code=CODE * 64, listed=(), samples=64, **sections):
    """A program with a build id, and its companion, most of whose sections are given."""
    e = elf_with(code, ID)
    e.symbol(b'f', 0x401000, len(code))
    data, path = program(e.bytes(), name, samples, 8)
    run = b'\0\1\0\0' + uleb(4) + b'\x0c\0'
    count = len(code) // 8
    rules = [b'\0\1' + SHAPE, b'', b'']
    answers = uleb(count) + uleb(1) + b'\0\2\x08'
    access = [answers, b'\0' + b'\x08' * (count - 1), b'\0' * count]
    parts = {
        'strings': section([items(STRINGS)]),
        'types': section([items([(1, INT), (2, record(b's', [(8, 3, 1)]))])]),
        'functions': section([items([(0x401000, run)])]),
        'access': section([items([(0, rules), (0x401000, access)])]),
        'line': NONE,
        'variables': NONE,
        'calls': NONE,
        'files': NONE,
        'symbols': NONE,
    }
    parts.update(sections)
    names = b''
    for part, content in parts.items():
        names += b'.dtprof.' + part.encode() + b'\0' + uleb(len(content)) + p32(zlib.crc32(content))
    names = bytes([len(ID)]) + ID + uleb(len(parts) + len(listed)) + names + b''.join(listed)
    out = Elf()
    out.section('.note.gnu.build-id', build_id_note(ID), 7)
    out.section('.dtprof.info', b'dtprof' + p16(companion_version()) + p32(len(names)) + p32(zlib.crc32(names)) + names)
    for part, content in parts.items():
        out.section('.dtprof.' + part, content)
    if listed:
        out.section('.z', compressed(bytes(60 << 20)), 1, 0x800)
    write(name + '.dtp', out.bytes())
    mine = [c.replace(' -i', ' --companion={out}/%s.dtp -i' % name, 1) for c in TYPED]
    mine[2] = mine[2].replace('annotate', 'annotate --data-type', 1)
    return mine + ['c2c report --companion={out}/%s.dtp -i %%s' % name], data


def record(name, members, size=64, kind=6):
    """The item of a record whose name is string 2; members: distance, name and type."""
    out = bytes([kind]) + b'\0' + uleb(1 | 2 | 512) + uleb(2) + uleb(size) + uleb(len(members))
    for distance, string, type in members:
        out += uleb(distance) + uleb(string) + uleb(type) + b'\0'
    return out + b'\0'


@case
def companion_right():
    """Shows that the companions above are read: the others differ from this one in few sections."""
    commands, data = companion('cright')
    return [(commands[0], 'struct s +8 (a)')] + commands[1:], data


@case
def companion_items():
    """A block of items of no bytes: each has a key and a place in memory."""
    count = 30 << 20
    return companion('citems', types=section([(1, [[uleb(count), (0, 2 * count)], []])]))


@case
def companion_blocks():
    """Blocks of zeros in each section, as many as may be unpacked."""
    zeros = section([(1 + i, [[(0, 4 << 20)]] * 2) for i in range(8)])
    return companion('cblocks', variables=zeros, types=zeros)


@case
def companion_list():
    """A list that names a section of zeros again and again."""
    one = b'.z\0' + uleb(60 << 20) + p32(0)
    return companion('clist', listed=[one] * 40000)


@more
def companion_typedefs():
    types = [(1, INT), (2, record(b's', [(8, 3, 3)]))]
    types += [(i, b'\x0a\0\x09' + uleb(2) + uleb(i + 1)) for i in range(3, 90000)]
    return companion('ctypedefs', types=section([items(types)]))


@more
def companion_circles():
    """A typedef of itself, an array of itself, a record in itself."""
    types = [(1, INT), (2, record(b's', [(0, 3, 3), (0, 3, 2), (0, 3, 4), (0, 3, 5)]))]
    types += [(3, b'\x0a\0\x09\2\3'), (4, b'\x09\0\x28\4\7'), (5, b'\x0b\0\x18\5c')]
    return companion('ccircles', types=section([items(types)]))


@case
def companion_dag():
    """Records that have the one before twice."""
    types = [(1, INT), (2, record(b's', [(0, 3, 3), (0, 3, 3)]))]
    types += [(i, record(b's', [(0, 3, i + 1)] * 3)) for i in range(3, 60)]
    types += [(60, record(b's', [(8, 3, 1)]))]
    return companion('cdag', types=section([items(types)]))


@case
def companion_members():
    """A record whose members are more than the file has bytes for."""
    huge = b'\6\0' + uleb(1 | 2 | 512) + uleb(2) + uleb(64) + uleb(1 << 40)
    many = record(b's', [(0, 3, 1)] * 100000)
    types = [(1, INT), (2, many), (3, huge)]
    return companion('cmembers', types=section([items(types)]))


@case
def companion_functions():
    """Runs that are in each other, each with pads and calls that do not end."""
    pads = b'\0\x08\0' * 200
    runs = []
    for i in range(900):
        runs.append((0x401000 + i, uleb(0x7F) + b'\1' + uleb(200) + pads + uleb(200) + b'\1' * 200))
    return companion('cfunctions', code=CODE * 600, samples=600, functions=section([items(runs)]))


@more
def companion_ranges():
    """A function with many ranges, each of the whole program."""
    run = b'\0\1\0\0' + uleb(4) + b'\x0c' + uleb(90000) + b'\0\xff\x7f' * 90000
    return companion('cranges', functions=section([items([(0x401000, run)])]))


@case
def companion_accesses():
    """Many answers, and many instructions at one address."""
    answers = uleb(300000) + uleb(20000) + b'\0\2\x08' * 20000
    run = [answers, b'\0' * 300000, b'\0' * 300000]
    return companion('caccesses', access=section([items([(0, [b'\0\1' + SHAPE, b'', b'']), (0x401000, run)])]))


@case
def companion_shapes():
    """Many shapes, each of which takes more memory than it has bytes."""
    rules = [b'\0' + uleb(60000) + SHAPE * 60000, b'', b'']
    return companion('cshapes', access=section([items([(0, rules), (0x401000, [b'\0\0', b'', b''])])]))


@case
def companion_lines():
    """Rows of one address, and calls that are inlined in each other."""
    calls = b'\0' + uleb(89999) + b'\0' + b'\4\0' * 90000
    run = [bytes(200000), b'\1' + b'\x08' * 199999, calls]
    return companion('clines', line=section([items([(0x401000, run)])]))


@case
def companion_symbols():
    """Symbols of no size without names: each takes more memory than it has bytes."""
    e = Elf()
    e.symbol(b'f', 0x401000, 8)
    count = 110000
    lanes = [e.bytes(), bytes(count), b'\1' * count, bytes(count), b'\2\0\1\0' * count]
    return companion('csymbols', symbols=section([items([(0, lanes)])]))


@more
def companion_variables():
    """Variables in each other, without names."""
    pairs = [(0x401000 + i, uleb(90000 - i) + b'\2\2\0') for i in range(90000)]
    return companion('cvariables', variables=section([items(pairs)]))


@more
def companion_directory():
    """More blocks than the directory can have."""
    bad = p32(0xFFFFFFFF) + p32(20) + p32(0xFFFFFFFF) + b'\0' * 40
    return companion('cdirectory', line=bad)


# ---- print: data, core files and memory ----


def printed(name, types, data, type, more=()):
    path = types[1]
    write(name + '.bin', data)
    base = 'print --object %s -C %s' % (path, type)
    return [
        base + ' {out}/%s.bin' % name,
        base + ' --json {out}/%s.bin' % name,
        base + ' --header %s {out}/%s.bin' % (type, name),
    ] + list(more), path


def nested(levels, kind=0x17, members=3):
    c = Cu()
    t = c.base()
    s = c.struct(b's', 16, [(b'a', t, 8)])
    for i in range(levels):
        s = c.struct(b'u%d' % i, 16, [(b'm%d' % k, s, 0) for k in range(members)], kind)
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return c


@case
def print_dag():
    """Unions of three times the one before: each byte would be printed again and again."""
    return printed('pdag', nested(30).make('pdag'), bytes(4096), 'u29')


@more
def print_small():
    """Records of one byte."""
    c = Cu()
    t = c.base(b'char', 1)
    c.struct(b's', 1, [(b'a', t, 0)])
    return printed('psmall', c.make('psmall'), bytes(range(256)) * 1000, 's')


@more
def print_members():
    """All members at one place of a small record: much to print, which is not kept."""
    c = Cu()
    t = c.base()
    c.struct(b's', 4, [(b'm%d' % i, t, 0) for i in range(20000)])
    return printed('pmembers', c.make('pmembers'), bytes(1200), 's')


@case
def print_array():
    """Arrays of more elements than there are bytes."""
    c = Cu()
    a = c.base(b'e', 0)
    for _ in range(6):
        b = c.die(0x01, 1, [(T, R4)], p32(a))
        c.die(0x21, 0, [(0x37, D4)], p32(0x7FFFFFFF))
        c.b += b'\0'
        a = b
    c.struct(b's', 8, [(b'a', a, 0)])
    return printed('parray', c.make('parray'), bytes(4096), 's')


@case
def print_long_names():
    """The paths of all members begin with one long name."""
    c = Cu()
    t = c.base()
    s = c.struct(b'inner', 8, [(b'm%d' % i, t, 0) for i in range(15000)])
    c.struct(b's', 8, [(b'n' * 400000, s, 0)])
    return printed('plong', c.make('plong'), bytes(64), 's')


@case
def print_enum():
    """Numbers that none of many enumerators has."""
    c = Cu()
    e = c.die(0x04, 1, [(N, STR), (SZ, D1)], b'e\0' + b'\x04')
    for i in range(20000):
        c.die(0x28, 0, [(N, STR), (0x1C, D4)], b'e%d\0' % i + p32(2 * i + 2))
    c.b += b'\0'
    c.struct(b's', 4000, [(b'e', e, 0), (b'a', c.array(e, 900), 8)])
    return printed('penum', c.make('penum'), b'\3\0\0\0' * 100000, 's')


@case
def print_much():
    """Records of four bytes with many members: each of many records is much text."""
    c = Cu()
    t = c.base()
    c.struct(b's', 4, [(b'm%d' % i, t, 0) for i in range(20000)])
    return printed('pmuch', c.make('pmuch'), bytes(400000), 's')


def core(name, segments):
    """A core file; a segment is its type, address, offset and size of the bytes at the end."""

    def of(content):
        head = b'\x7fELF\2\1\1' + bytes(9) + p16(4) + p16(62) + p32(1) + p64(0) + p64(64) + p64(0)
        head += p32(0) + p16(64) + p16(56) + p16(len(segments)) + p16(64) + p16(0) + p16(0)
        at = 64 + 56 * len(segments)
        for type, address, offset, size in segments:
            head += p32(type) + p32(6) + p64(at + offset) + p64(address) + p64(0)
            head += p64(size) + p64(size) + p64(4096)
        return write(name + '.core', head + content)

    return of


def object_of(name):
    c = Cu()
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8), (b'next', 0, 16)])
    p = c.ptr(s)
    c.struct(b'l', 16, [(b'n', p, 0)])
    c.func(b'f', 0x401000, 0x200, [(b'p', p)])
    return c.make(name)[1]


def cored(name, address=0x10000, type='l'):
    path = object_of(name)
    base = 'print --core={out}/%s.core --object %s -C %s --address %#x' % (
        name,
        path,
        type,
        address,
    )
    return [base, base + ' --json', base + ' --depth 100000', base.split(' -C')[0] + ' g'], path


@case
def core_notes():
    """Each of many notes is the same list of files."""
    count = 9000
    files = (
        p64(count) + p64(4096) + (p64(0x10000) + p64(0x20000) + p64(0)) * count + b'/x\0' * count
    )
    note = p32(5) + p32(len(files)) + p32(0x46494C45) + b'CORE\0\0\0\0' + files
    core('cnotes', [(4, 0, 0, len(note))] * 9000)(note)
    return cored('cnotes')


@case
def core_segments():
    """Segments in each other, of the same bytes, with pointers into each."""
    content = b''.join(p64(0x10000 + 16 * ((i * 7919) % 20000)) + p64(0) for i in range(20000))
    core('csegs', [(1, 0x10000 + i, 0, len(content)) for i in range(10000)])(content)
    return cored('csegs')


@case
def core_copies():
    """Each of many segments has the same bytes, of which a pointer leads to large objects."""
    content = b''.join(p64(0x10000000 + (i << 12)) for i in range(40000))
    size = len(content)
    core('ccopies', [(1, 0x10000000 + i * size, 0, size) for i in range(2000)])(content)
    c = Cu()
    t = c.base()
    large = c.struct(b'large', 60 << 20, [(b'a', t, 8)])
    p = c.ptr(large)
    c.struct(b'l', 40000 * 8, [(b'p', c.array(p, 1000), 0)])
    path = c.make('ccopies')[1]
    base = 'print --core={out}/ccopies.core --object %s -C %%s --address 0x10000000' % path
    return [base % 'large', base % 'l' + ' --depth 2', base % 'l' + ' --depth 2 --json'], path


@case
def core_pointers():
    """Many pointers into one of many files that are mapped."""
    path = object_of('cfiles')
    count = 8000
    files = p64(count) + p64(4096)
    files += b''.join(p64(0x10000 + (i << 12)) + p64(0x11000 + (i << 12)) + p64(1) for i in range(count))
    files += b''.join(b'/%d\0' % i for i in range(count))
    note = p32(5) + p32(len(files)) + p32(0x46494C45) + b'CORE\0\0\0\0' + files
    content = note + bytes(-len(note) % 8)
    at = len(content)
    content += b''.join(p64(0x10000 + 4096 * (count - 1) + i % 4096) for i in range(60000))
    core('cfiles', [(4, 0, 0, len(note)), (1, 0x70000000, at, len(content) - at)])(content)
    c = Cu()
    c.struct(b'l', 480000, [(b'p', c.array(c.ptr(c.base()), 60000), 0)])
    path = c.make('cfiles')[1]
    base = 'print --core={out}/cfiles.core --object %s -C l --address 0x70000000' % path
    return [base, base + ' --depth 2', base + ' --json'], path


@case
def core_long_names():
    """The way to each object is a long name."""
    content = b''.join(p64(0x10000 + 8 * i) for i in range(40000))
    core('clong', [(1, 0x10000, 0, len(content))])(content)
    c = Cu()
    t = c.base()
    s = c.struct(b'small', 8, [(b'a', t, 0)])
    inner = c.struct(b'inner', 320000, [(b'm', c.array(c.ptr(s), 40000), 0)])
    c.struct(b'l', 320000, [(b'n' * 300000, inner, 0)])
    path = c.make('clong')[1]
    base = 'print --core={out}/clong.core --object %s -C l --address 0x10000' % path
    return [base, base + ' --depth 3', base + ' --depth 3 --json'], path


@more
def core_claims():
    claims = [(1, 0, 0, (1 << 63) - 1), (4, 0, 0, 1 << 26), (1, (1 << 64) - 8, 0, 64)]
    core('cclaims', claims * 3000)(bytes(64))
    return cored('cclaims', (1 << 64) - 4)


# ---- what the compiler has kept (dtprof-gcc), traces of SPE, and what is proposed ----


def exact(name, records, paths, unit, pieces=None):
    """A program with .dtprof.exact: records of one piece that covers its code, or pieces."""
    if pieces is None:
        pieces = [(0x401003, records)]
    section = b''
    for low, body in pieces:
        body = b'\x01\x08' + p64(low) + body
        section += p32(len(body)) + body
    e = elf_with(CODE * 4096, **unit.sections())
    e.section('.dtprof.exact', section)
    e.section('.dtprof.exact.paths', paths)
    e.symbol(b'f', 0x401000, 8 * 4096)
    return both(*program(e.bytes(), name, 4000, 8))


def exact_unit(records=1):
    c = Cu(nbytes=8 * 4096)
    t = c.base()
    for i in range(records):
        s = c.struct(b's%d' % i, 16, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 8 * 4096, [(b'p', c.ptr(s))])
    return c


def each_load(count, operands):
    """The loads of CODE, each with operands of (path, size)."""
    body = b''
    for i in range(count):
        body += uleb(8 if i else 0) + uleb(len(operands(i)))
        body += b''.join(uleb(path << 2) + uleb(size) for path, size in operands(i))
    return body


@case
def exact_long_paths():
    """Each of many instructions has many operands with one long path."""
    path = b'p\t\tstruct ' + b'n' * 400000 + b'\t16\tu.c:1\t8\t0\t0:0\t->a\0'
    records = uleb(1) + p32(0) + each_load(3500, lambda i: [(0, 4)] * 60)
    return exact('exlong', records, path, exact_unit())


@case
def exact_many_types():
    """Each instruction names another type, and its unit has many."""
    paths, places = b'', []
    for i in range(4000):
        places.append(len(paths))
        paths += b'p\t\tstruct s%d\t16\tu.c:%d\t8\t0\t0:0\t->a\0' % (i * 3, i)
    records = uleb(len(places)) + b''.join(map(p32, places))
    records += each_load(4000, lambda i: [(i, 4)])
    commands, data = exact('extypes', records, paths, exact_unit(14000))
    return commands + [('annotate --type-stat -i %s', ': exact')], data


@case
def exact_nameless():
    """Nameless records with many members, of which each path names another one."""
    c = Cu(nbytes=8 * 4096)
    t = c.base()
    for _ in range(20):
        s = c.struct(b'', 16, [(b'm%d' % k, t, 8) for k in range(1000)])
    c.func(b'f', 0x401000, 8 * 4096, [(b'p', c.ptr(s))])
    paths, places = b'', []
    for i in range(4000):
        places.append(len(paths))
        paths += b'p\t\tstruct \t16\t\t8\t0\t0:0\t->x%d\0' % i
    records = uleb(len(places)) + b''.join(map(p32, places))
    records += each_load(4000, lambda i: [(i, 4)])
    return exact('exnone', records, paths, c)


@case
def exact_pieces():
    """Many pieces, of which each is that of all code."""
    piece = uleb(0) + each_load(100, lambda i: [])
    pieces = [(0x401003 + i, piece) for i in range(2500)]
    return exact('expieces', b'', b'\0', exact_unit(), pieces)


def traced(name, traces):
    """A recording of SPE; a trace is a queue and its bytes."""
    c = Cu()
    s = c.struct(b's', 64, [(b'a', c.base(), 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    path = c.make(name)[1]
    d = Perf(0x10007, type_=10)
    d.comm(10, 10, b'prog')
    d.mmap(10, 0x401000, 0x200000, path.encode(), 0x1000)
    d.rec(70, p32(4) + p32(0) + p64(10) + p64(0))
    for queue, data in traces:
        d.rec(71, p64(len(data)) + p64(0) * 2 + p32(queue) + p32(10) + p32(queue) + p32(0))
        d.recs += data
    return write(name + '.data', d.bytes())


def spe_record(ip, data=0):
    packets = b'\xb0' + p64(ip)[:7] + b'\x80' + b'\x49\x00'
    return packets + (b'\xb2' + p64(data) if data else b'') + b'\x01'


@case
def spe_small():
    """Records that are as small as can be."""
    trace = b''.join(spe_record(0x401000 + 8 * (i % 64)) for i in range(80000))
    data = traced('spesmall', [(0, trace)])
    return TYPED + RECORDED + ['report --stdio --itrace=i1iM -i %s'], data


@more
def spe_queues():
    """Each record is a trace of its own, and those of two queues take turns."""
    traces = [(i % 9000, spe_record(0x401000, 0x1000 + i)) for i in range(12000)]
    return TYPED + RECORDED, traced('spequeues', traces)


@more
def spe_broken():
    """Packets that are none, alignment to the end, and records that are cut off."""
    trace = (b'\xff' + b'\x20\x00' * 3 + b'\x2f\x00' + spe_record(0x401000)[:-3]) * 30000
    return RECORDED, traced('spebroken', [(0, trace)])


@case
def hot_objects():
    """Each sample has the address of another object."""
    c = Cu()
    s = c.struct(b's', 64, [(b'a', c.base(), 8), (b'b', c.base(), 16)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    path = c.make('hot')[1]
    d = Perf(0x10F)
    d.comm(10, 10, b'prog')
    d.mmap(10, 0x401000, 0x200000, path.encode(), 0x1000)
    for i in range(10000):
        d.sample(10, 0x401000, addr=0x10000 + 64 * i + 8)
    data = write('hot.data', d.bytes())
    core('hot', [(1, 0x10000, 0, 200000)])(bytes(200000))
    base = 'print --core={out}/hot.core --object %s --hot %%d s -i %%s' % path
    return [base % (10, data), base % (100000, data), base % (100000, data) + ' --json'], data


@case
def proposals():
    """A record of many members of all sizes, with samples of each."""
    c = Cu()
    types = [c.base(b't%d' % size, size) for size in (1, 2, 4, 8)]
    members = [(b'm%d' % i, types[i % 4], 8 * i) for i in range(16000)]
    s = c.struct(b's', 8 * 16000, members)
    code = b''.join(b'\x8b\x87' + p32(8 * (i * 5 % 16000)) + b'\x90\x90' for i in range(3000))
    c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    data, path = both(*c.make('proposals', samples=3000, step=8, code=code))
    return data + [
        'layout -i %s',
        'layout --json -i %s',
        'layout --emit=patch -i %s',
        'try --type=s --source=/dev -i %s -- true -- true',
    ], path


# ---- arm64 ----


def arm64_branching(size, random_):
    """Instructions that load, store and branch, most of them back."""
    out = bytearray()
    count = size // 4
    for i in range(count):
        kind = random_.randrange(6)
        a, b = random_.randrange(29), random_.randrange(29)
        near = max(-i, -random_.randrange(1, 400)) & 0x7FFFF
        if kind == 0:
            word = 0xF9400000 | random_.randrange(64) << 10 | b << 5 | a  # ldr
        elif kind == 1:
            word = 0xF90003E0 | random_.randrange(512) << 10 | a  # str to the stack
        elif kind == 2:
            word = 0xF94003E0 | random_.randrange(512) << 10 | a  # ldr from the stack
        elif kind == 3:
            word = 0xB4000000 | near << 5 | a  # cbz
        elif kind == 4:
            word = 0x91000000 | random_.randrange(64) << 10 | b << 5 | a  # add
        else:
            word = 0x54000000 | near << 5 | random_.randrange(14)  # b.cond
        out += p32(word)
    return bytes(out)


def arm64_program(name, functions, size):
    r = random.Random(1)
    code = b''.join(arm64_branching(size, r) for _ in range(functions))
    c = Cu(nbytes=len(code))
    t = c.base()
    p = c.ptr(c.struct(b's', 64, [(b'a', t, 8), (b'next', 0, 16)]))
    for i in range(functions):
        off = 0x401000 + i * size
        c.die(
            0x2E,
            1,
            [(N, STR), (LO, ADDR), (HI, D4), (0x40, EXPR)],
            b'f%d\0' % i + p64(off) + p32(size) + b'\x01\x9c',
        )
        c.die(0x05, 0, [(N, STR), (T, R4), (LOC, EXPR)], b'p\0' + p32(p) + b'\x01\x50')
        c.b += b'\0'
    e = elf_with(code, **c.sections())
    e.machine = 183
    e.symbol(b'f', 0x401000, len(code))
    data, path = program(e.bytes(), name, 4000, len(code) // 4000 // 4 * 4)
    commands, data = both(data, path)
    return commands + ['layout --emit=c --threads 9 -i %s'], data


@case
def arm64_loops():
    return arm64_program('armloops', 9, 90000)


@more
def arm64_large():
    return arm64_program('armlarge', 3, 280000)


@more
def arm64_jumps():
    """Tables of jumps: each instruction adds, loads, and jumps."""
    one = p32(0x10000000) + p32(0xB8A05800) + p32(0x8B000000) + p32(0xD61F0000)
    c = Cu(nbytes=0x20000)
    c.func(b'f', 0x401000, 0x20000, [])
    e = elf_with(one * 0x2000, **c.sections())
    e.machine = 183
    e.symbol(b'f', 0x401000, 0x20000)
    return both(*program(e.bytes(), 'armjumps', 3000, 40))
