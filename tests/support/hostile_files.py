# SPDX-License-Identifier: GPL-2.0-or-later
"""The other files that dtprof reads: frame information, BTF, packed recordings, archives, lists of
symbols, tracepoints, split debug information, configuration, rules, sources."""
import gzip
import io
import os
import struct
import tarfile

import hostile_formats as formats
from hostile_formats import *  # noqa: F403

# ---- frame information ----


def frame_entry(body):
    body = pad(body, 8)
    return p32(len(body)) + body


def cie(instructions=b'\x0c\x07\x08\x90\x01'):
    return frame_entry(p32(0) + b'\1zR\0\1\x78\x10\1\x0b' + instructions)


def eh_frame(fdes, section=0x500000, instructions=b'\x0c\x07\x08\x90\x01'):
    """Entries of (address, size, instructions) after one CIE."""
    out = bytearray(cie(instructions))
    for address, size, rows in fdes:
        here = section + len(out) + 8
        out += frame_entry(p32(len(out) + 4) + p32(address - here) + p32(size) + b'\0' + rows)
    return bytes(out) + p32(0)


def framed(name, fdes, code, instructions=b'\x0c\x07\x08\x90\x01', declared=True, samples=3000):
    """A program with .eh_frame; `declared`: and with a function in its debug information."""
    c = Cu(nbytes=len(code))
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    if declared:
        c.func(b'f', 0x401000, len(code), [(b'p', c.ptr(s))])
    e = elf_with(code, **c.sections())
    e.section('.eh_frame', eh_frame(fdes, instructions=instructions), 1, 2, 0x500000)
    e.symbol(b'f', 0x401000, len(code))
    return both(*program(e.bytes(), name, samples, 8))


@case
def frame_rows():
    """One function with a row for each byte, and states that are remembered in each other."""
    rows = b'\x0a' * 30000 + b'\x41\x0e\x10\x41\x0e\x08' * 100000 + b'\x0b' * 30000
    return framed('rows', [(0x401000, 0x8000, rows)], CODE * 4096)


@more
def frame_expressions():
    """Each row computes the CFA by an expression with a jump back."""
    rows = (b'\x0f\x05\x77\x08\x2f\xfb\xff' + b'\x41') * 60000
    return framed('frameexpr', [(0x401000, 0x8000, rows)], CODE * 4096)


@case
def frame_nested():
    """Thousands of entries, each for all of the code."""
    fdes = [(0x401000 + i, 0x8000 - i, b'\x44\x0e\x10') for i in range(20000)]
    return framed('nestedfde', fdes, CODE * 4096, declared=False)


@more
def frame_cies():
    """Each entry has a long CIE program before its own."""
    fdes = [(0x401000 + 8 * i, 8, b'\x44\x0e\x10') for i in range(12000)]
    return framed('cies', fdes, CODE * 12000, instructions=b'\x0e\x08' * 100000, declared=False)


@more
def exception_tables():
    """One table of call sites that the functions share."""
    sites = b'\x04' + b''.join(b'\x00\x7f\x00\x00' for i in range(1))
    lsda = b'\xff\xff\x01' + uleb(4 * 100000) + b'\x01\x01\x01\x00' * 100000
    out = bytearray(
        frame_entry(p32(0) + b'\1zLR\0\1\x78\x10\x02\x00\x0b' + b'\x0c\x07\x08\x90\x01')
    )
    for i in range(8000):
        here = 0x600000 + len(out) + 8
        out += frame_entry(
            p32(len(out) + 4) + p32(0x401000 + 8 * i - here) + p32(8) + b'\x08' + p64(0x500000)
        )
    c = Cu(nbytes=64000)
    t = c.base()
    p = c.ptr(c.struct(b's', 64, [(b'a', t, 8)]))
    for i in range(8000):
        c.func(b'f', 0x401000 + 8 * i, 8, [(b'p', p)])
    e = elf_with((b'\xe8\0\0\0\0' + b'\x90' * 3) * 8000, **c.sections())
    e.section('.gcc_except_table', lsda, 1, 2, 0x500000)
    e.section('.eh_frame', bytes(out) + p32(0), 1, 2, 0x600000)
    return both(*program(e.bytes(), 'lsda', 8000, 8))


# ---- BTF ----


def btf(types, strings):
    return (
        struct.pack('<HBBIIIII', 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings))
        + types
        + strings
    )


def btf_type(name, kind, vlen, size, rest=b'', flag=0):
    return p32(name) + p32(flag << 31 | kind << 24 | vlen) + p32(size) + rest


def btf_program(name, types, strings):
    """A program whose functions are described by BTF alone."""
    e = elf_with(CODE * 512)
    e.section('.BTF', btf(types, strings))
    e.symbol(b'f', 0x401000, 4096)
    return both(*program(e.bytes(), name, 512, 8))


BTF_INT = btf_type(1, 1, 0, 4, p32(32))


def btf_function(struct_type, next_type):
    """f(struct *p), as three types that begin at `next_type`."""
    return (
        btf_type(0, 2, 0, struct_type)
        + btf_type(0, 13, 1, 1, p32(1) + p32(next_type))
        + btf_type(5, 12, 1, next_type + 1)
    )


@more
def btf_typedefs():
    n = 60000
    types = BTF_INT + b''.join(btf_type(1, 8, 0, i + 1) for i in range(n))
    types += btf_type(1, 4, 1, 64, p32(1) + p32(n + 1) + p32(64))
    types += btf_function(n + 2, n + 3)
    return btf_program('btftd', types, b'\0int\0f\0')


@case
def btf_dag():
    n = 40
    types = BTF_INT + btf_type(1, 4, 1, 16, p32(1) + p32(1) + p32(64))
    for i in range(n):
        types += btf_type(1, 5, 3, 16, b''.join(p32(1) + p32(i + 2) + p32(0) for k in range(3)))
    types += btf_function(n + 2, n + 3)
    return btf_program('btfdag', types, b'\0int\0f\0')


@case
def btf_names():
    """Each name is a suffix of one long string."""
    n = 18000
    types = BTF_INT + b''.join(
        btf_type(10 + i, 4, 1, 64, p32(20 + i) + p32(1) + p32(64)) for i in range(n)
    )
    types += btf_function(2, n + 2)
    return btf_program('btfnames', types, b'\0int\0f\0' + b'a' * 400000 + b'\0')


@more
def btf_members():
    n = 65535
    types = BTF_INT + btf_type(
        1, 4, n, 8 * n, b''.join(p32(1) + p32(1) + p32(64 * i) for i in range(n))
    )
    types += btf_function(2, 3)
    return btf_program('btfmem', types, b'\0int\0f\0')


@more
def btf_pointers():
    n = 60000
    types = BTF_INT + b''.join(btf_type(0, 2, 0, i + 1) for i in range(n))
    types += btf_type(1, 4, 1, 64, p32(1) + p32(n + 1) + p32(64)) + btf_function(n + 2, n + 3)
    return btf_program('btfptr', types, b'\0int\0f\0')


@more
def btf_functions():
    n = 20000
    types = BTF_INT + btf_type(1, 4, 1, 64, p32(1) + p32(1) + p32(64)) + btf_type(0, 2, 0, 2)
    types += btf_type(0, 13, 1, 1, p32(1) + p32(3))
    types += btf_type(5, 12, 1, 4) * n
    return btf_program('btffn', types, b'\0int\0f\0')


@more
def btf_arrays():
    n = 30000
    types = BTF_INT + b''.join(
        btf_type(0, 3, 0, 0, p32(i + 1) + p32(1) + p32(0x7FFFFFFF)) for i in range(n)
    )
    types += btf_type(1, 4, 1, 64, p32(1) + p32(n + 1) + p32(64)) + btf_function(n + 2, n + 3)
    return btf_program('btfarr', types, b'\0int\0f\0')


# ---- packed recordings ----


ZSTD = b'\x28\xb5\x2f\xfd\x00\x38'  # a frame of unknown size, with a window of 128 KB


def zstd_run(byte, size):
    """A zstd frame of `size` bytes that are all the same."""
    out = bytearray(ZSTD)
    while size:
        part = min(size, 1 << 17)
        size -= part
        out += (part << 3 | 1 << 1 | (not size)).to_bytes(3, 'little') + bytes([byte])
    return bytes(out)


def zstd_raw(data):
    out = bytearray(ZSTD)
    for at in range(0, len(data), 1 << 17):
        part = data[at : at + (1 << 17)]
        last = at + len(part) == len(data)
        out += (len(part) << 3 | last).to_bytes(3, 'little') + part
    return bytes(out)


def with_compressed(name, frames):
    """A recording of PERF_RECORD_COMPRESSED records."""
    d = Perf()
    d.comm(10, 10, b'p')
    for frame in frames:
        d.rec(83, p64(len(frame)) + frame)
    d.features[27] = p32(1) + p32(1) + p32(1) + p32(3) + p32(1 << 20)
    return RECORDED, write(name + '.data', d.bytes())


@case
def compressed_zeros():
    commands, data = with_compressed('cz', [zstd_run(0, 1 << 30)] * 5)
    return commands + [('report -i %s', 'a record of 0 bytes')], data


@case
def compressed_records():
    """Records of an unknown type that are 8 bytes, or 2 KB."""
    commands, data = with_compressed('cr', [zstd_run(8, 1 << 26)] * 15)
    return commands + [('report -i %s', 'more than 256 times')], data


@more
def compressed_many():
    d = Perf()
    for i in range(300):
        d.sample(10, 0x1000 + 4 * i)
    return with_compressed('cm', [zstd_raw(bytes(d.recs))] * 45)


@more
def compressed_nested():
    """Compressed records in compressed records."""
    data = b'\x09\0\0\0\2\0\x08\0'
    for i in range(2000):
        frame = pad(zstd_raw(data), 8)
        if len(frame) > 60000:
            break
        data = struct.pack('<IHHQ', 83, 2, 16 + len(frame), len(frame)) + frame
    return with_compressed('cn', [zstd_raw(data)] * 10)


def recording():
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(1000):
        d.sample(10, 0x1000 + 4 * i)
    return d.bytes()


@case
def zstd_zeros():
    return RECORDED, write('z.data.zst', zstd_raw(recording()) + zstd_run(0, 0xFFFFFFF0))


@more
def zstd_frames():
    return RECORDED, write('f.data.zst', zstd_raw(recording()) + zstd_run(0, 1) * 70000)


def packed_tar(name, members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as tar:
        for path, data, size in members:
            info = tarfile.TarInfo(path)
            info.size = size
            tar.addfile(info, io.BytesIO(data))
    return RECORDED, write(name + '.tar.zst', zstd_raw(out.getvalue()))


@more
def archive_members():
    members = [('perf.data', recording(), len(recording()))]
    members += [('.debug/.build-id/%02x/%038x/elf' % (i & 255, i), b'', 0) for i in range(600)]
    members += [('symfs/%d' % i, b'', 0) for i in range(600)]
    return packed_tar('many', members)


@case
def archive_names():
    members = [('perf.data', recording(), len(recording()))]
    members += [('symfs' + '/a' * 20000 + '%d' % i, b'x', 1) for i in range(20)]
    return packed_tar('names', members)


@case
def archive_zeros():
    """A member that holes make as large as it may be."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        info = tarfile.TarInfo('perf.data')
        info.size = len(recording())
        tar.addfile(info, io.BytesIO(recording()))
        info = tarfile.TarInfo('symfs/big')
        info.size = 3 << 30
        head = info.tobuf()
    packed = zstd_raw(out.getvalue()[: 512 + (len(recording()) + 511) // 512 * 512] + head)
    return RECORDED, write('zeros.tar.zst', packed + zstd_run(0, 3 << 30))


# ---- lists of symbols, and texts ----


def with_kernel():
    d = Perf()
    d.comm(10, 10, b'p')
    d.mmap(0xFFFFFFFF, 0xFFFFFFFF81000000, 0x1000000, b'[kernel.kallsyms]_text', misc=1)
    for i in range(4000):
        d.sample(10, 0xFFFFFFFF81000000 + 0x1000 * i, misc=1)
    return write('kernel.data', d.bytes())


def listed(option, text):
    path = write('list', text)
    commands = ['report --stdio -s sym', 'report --html=/dev/null', 'annotate --stdio', 'script']
    return [c + ' --%s=%s -i %%s' % (option, path) for c in commands], with_kernel()


@case
def kallsyms_same():
    return listed('kallsyms', b''.join(b'ffffffff81000000 T s%d\n' % i for i in range(40000)))


@more
def kallsyms_long():
    return listed('kallsyms', b'ffffffff81000000 T ' + b'a' * 900000 + b'\n')


@more
def kallsyms_modules():
    return listed(
        'kallsyms', b''.join(b'%x t s\t[m%d]\n' % (0xFFFFFFFFC0000000 + i, i) for i in range(30000))
    )


@case
def modules_many():
    return listed(
        'modules',
        b''.join(
            b'm%d 4096 0 - Live 0x%x\n' % (i, 0xFFFFFFFFC0000000 + 16 * i) for i in range(20000)
        ),
    )


@case
def jit_map():
    """The code of a just-in-time compiler: functions in functions, with long names."""
    pid = 0x7FFFFF00
    path = '/tmp/perf-%d.map' % pid
    with open(path, 'wb') as f:
        for i in range(20000):
            f.write(b'%x %x n%s\n' % (0x10000000 + i, 0x100000, b'a' * (i % 40)))
    REMOVED.append(path)
    d = Perf()
    d.comm(pid, pid, b'p')
    d.mmap(pid, 0x10000000, 0x1000000, b'//anon')
    for i in range(8000):
        d.sample(pid, 0x10000000 + 3 * i)
    return RECORDED, write('jit.data', d.bytes())


# ---- tracepoints ----


def tracing_data(system, formats):
    t = b'\x17\x08\x44tracing0.6\0' + b'\0' + b'\x08' + p32(4096)
    t += b'header_page\0' + p64(0) + b'header_event\0' + p64(0)
    t += p32(0)
    t += p32(1) + system + b'\0' + p32(len(formats))
    for text in formats:
        t += p64(len(text)) + text
    return t + p32(0) + p32(0)


def tracepoints(name, formats, samples=3000):
    """A recording whose TRACING_DATA has these descriptions of events."""
    d = Perf(Perf.TYPE | 0x400, config=1, type_=2)
    d.comm(10, 10, b'p')
    for i in range(samples):
        d.sample(10, 0x1000 + i, rest=p32(60) + p16(1) + p16(0) + p32(10) + b'\1\0\0\0' * 13)
    d.features[1] = tracing_data(b'sys', formats)
    commands = RECORDED + [
        'script -F trace -i %s',
        'report --stdio -s trace -i %s',
    ]
    return commands, write(name + '.data', d.bytes())


def trace_format(fields, text, number=1, name=b'ev'):
    out = b'name: ' + name + b'\nID: %d\nformat:\n' % number
    for i, field in enumerate(
        [b'unsigned short common_type', b'unsigned char common_flags', b'int common_pid']
    ):
        out += b'\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:0;\n' % (
            field,
            [0, 2, 4][i],
            [2, 1, 4][i],
        )
    out += b'\n' + fields + b'\nprint fmt: ' + text + b'\n'
    return out


TRACE_FIELD = b'\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n'


def lock_recording(name, waits):
    """Threads that begin (1) or end (2) to wait for a lock: pairs of an event's id, a thread and a lock."""
    fields = b'\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n'
    second = b'\tfield:int %s;\toffset:16;\tsize:4;\tsigned:1;\n'
    formats = [
        trace_format(fields + second % b'flags', b'"x"', 1, b'contention_begin'),
        trace_format(fields + second % b'ret', b'"x"', 2, b'contention_end'),
    ]
    d = Perf(Perf.TYPE | 0x10000 | 0x400, count=2, type_=2)
    d.comm(10, 10, b'p')
    for event, thread, lock in waits:
        raw = p16(event) + p16(0) + p32(thread) + p64(lock) + p32(0) * 2
        d.sample(10, 0xFFFFFFFF81000000 + lock % 4096, thread, rest=p32(28) + raw + p32(0), id=event)
    d.features[1] = tracing_data(b'lock', formats)
    commands = ['lock report -i %s', 'lock report --json -i %s', 'lock contention -i %s']
    return commands + ['lock contention -l -i %s'], write(name + '.data', d.bytes())


@case
def lock_right():
    """Shows that the recordings below are read."""
    commands, data = lock_recording('lright', [(1 + i % 2, 10, 0x5000) for i in range(20)])
    return [(commands[0], 'semaphore')] + commands[1:], data


@case
def lock_waits():
    """Each thread waits for a lock of its own, and none gets it."""
    return lock_recording('lwaits', [(1, 100 + i, 0x10000 + 64 * i) for i in range(10000)])


@more
def lock_nested():
    """One thread waits for all locks, and gets the first one last."""
    begins = [(1, 10, 0x10000 + 64 * i) for i in range(5000)]
    return lock_recording('lnested', begins + [(2, t, lock) for _, t, lock in reversed(begins)])


@more
def lock_turns():
    """All threads wait for one lock, again and again."""
    return lock_recording('lturns', [(1 + i // 100 % 2, 10 + i % 100, 0x5000) for i in range(10000)])


@case
def trace_parentheses():
    n = 200000
    return tracepoints(
        'tp', [trace_format(TRACE_FIELD, b'"%d", ' + b'(' * n + b'REC->a' + b')' * n)]
    )


@more
def trace_operators():
    return tracepoints(
        'to', [trace_format(TRACE_FIELD, b'"%d", ' + b'REC->a + ' * 80000 + b'REC->a')]
    )


@more
def trace_conditions():
    return tracepoints(
        'tc', [trace_format(TRACE_FIELD, b'"%d", ' + b'REC->a ? 1 : ' * 50000 + b'0')]
    )


@more
def trace_unary():
    return tracepoints('tu', [trace_format(TRACE_FIELD, b'"%d", ' + b'-' * 300000 + b'REC->a')])


@more
def trace_fields():
    fields = b''.join(
        b'\tfield:int a%d;\toffset:%d;\tsize:4;\tsigned:1;\n' % (i, 8 + i % 40)
        for i in range(14000)
    )
    return tracepoints('tf', [trace_format(fields, b'"x"')])


@more
def trace_events():
    return tracepoints(
        'te', [trace_format(TRACE_FIELD, b'"%d", REC->a', i + 1, b'e%d' % i) for i in range(2500)]
    )


@more
def trace_text():
    return tracepoints(
        'tt', [trace_format(TRACE_FIELD, b'"' + b'%d ' * 120000 + b'"' + b', REC->a' * 25000)]
    )


@case
def trace_symbols():
    symbols = b''.join(b'{ %d, "n%d" }, ' % (i, i) for i in range(30000))
    return tracepoints(
        'ts',
        [trace_format(TRACE_FIELD, b'"%s", __print_symbolic(REC->a, ' + symbols + b'{ 1, "x" })')],
    )


# ---- split debug information ----


def skeleton(names, idents):
    """A program whose units are in other files."""
    d = Dw()
    info = b''
    for i, (name, ident) in enumerate(zip(names, idents)):
        body = (
            d.code(0x11, 0, (0x2130, STR), (0x2131, D8), (LO, ADDR), (HI, D4))
            + name
            + b'\0'
            + p64(ident)
            + p64(0x401000 + 8 * i)
            + p32(8)
        )
        info += unit(body)
    e = elf_with(CODE * max(64, len(names)), debug_info=info, debug_abbrev=d.table())
    e.symbol(b'f', 0x401000, 0x200)
    return e.bytes()


@more
def dwo_names():
    names = [os.path.join(formats.OUT, 'x%d.dwo' % i).encode() for i in range(8000)]
    return both(*program(skeleton(names, range(8000)), 'dwon', 8000, 8))


def split_unit(ident, count):
    """The sections of a .dwo file with one unit, which has many types."""
    d = Dw()
    body = bytearray(d.code(0x11, 1, (N, STR), (0x2131, D8)) + b'u.c\0' + p64(ident))
    base = HEAD + len(body)
    body += d.code(0x24, 0, (N, STR), (SZ, D1), (0x3E, D1)) + b'int\0\4\5'
    for i in range(count):
        body += d.code(0x13, 1, (N, STR), (SZ, D4)) + b's%d\0' % i + p32(64)
        body += d.code(0x0D, 0, (N, STR), (T, R4), (ML, D4)) + b'a\0' + p32(base) + p32(8) + b'\0'
    return {'.debug_info.dwo': unit(bytes(body) + b'\0'), '.debug_abbrev.dwo': d.table()}


def split_file(sections):
    e = Elf()
    for name, data in sections.items():
        e.section(name, data)
    return e.bytes()


@more
def alt_chains():
    """Members in the program are typedefs in its alternate file, whose alternate file is the program."""
    other = Cu()
    t = other.base()
    types = []
    for _ in range(20000):
        t = other.die(0x16, 0, [(N, STR), (T, R4)], b't\0' + p32(t))
        types.append(t)
    alternate = elf_with(ident=b'B' * 20, **other.sections())
    alternate.section('.gnu_debugaltlink', b'altc.elf\0' + b'A' * 20)
    path = write('altc.alt', alternate.bytes())
    c = Cu()
    s = c.die(0x13, 1, [(N, STR), (SZ, D4)], b's\0' + p32(8 * 20000))
    for i, t in enumerate(types):
        c.die(0x0D, 0, [(N, STR), (T, 0x1F20), (ML, D4)], b'm\0' + p32(t) + p32(8 * i))
    c.b += b'\0'
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    return both(*c.make('altc', extra={'gnu_debugaltlink': path.encode() + b'\0' + b'B' * 20}))


@more
def dwo_same():
    """Each unit is in the same file, whose types are many."""
    dwo = write('same.dwo', split_file(split_unit(1, 10000)))
    return both(*program(skeleton([dwo.encode()] * 4000, [1] * 4000), 'dwos', 4000, 8))


@case
def dwo_each():
    """Each unit is in the same file, but has another id."""
    dwo = write('each.dwo', split_file(split_unit(1, 10000)))
    return both(*program(skeleton([dwo.encode()] * 4000, range(4000)), 'dwoe', 4000, 8))


def package(name, index):
    sections = split_unit(1, 1)
    sections['.debug_cu_index'] = index
    names = [b'x%d.dwo' % i for i in range(4000)]
    data, path = program(skeleton(names, range(4000)), name, 4000, 8)
    os.rename(write('package', split_file(sections)), path + '.dwp')
    return both(data, path)


@more
def dwp_slots():
    """An index whose slots are all taken, and none has the wanted id."""
    slots = 65536
    index = p32(2) + p32(2) + p32(1) + p32(slots) + b'\xff' * (8 * slots) + p32(1) * slots
    index += p32(1) + p32(3) + p32(0) + p32(0) + p32(16) + p32(16)
    return package('dwps', index)


@case
def dwp_shares():
    """Each unit has all of the sections as its share."""
    slots = 8192
    ids = b''.join(p64(i if i < 4000 else 0) for i in range(slots))
    rows = b''.join(p32(i + 1 if i < 4000 else 0) for i in range(slots))
    index = p32(2) + p32(2) + p32(4000) + p32(slots) + ids + rows + p32(1) + p32(3)
    sections = split_unit(1, 1)
    index += p32(0) * 8000
    index += (
        p32(len(sections['.debug_info.dwo'])) + p32(len(sections['.debug_abbrev.dwo']))
    ) * 4000
    return package('dwpsh', index)


@more
def dwp_claims():
    index = p32(2) + p32(0x7FFFFFFF) + p32(0x7FFFFFFF) + p32(0x80000000) + b'\xff' * 4096
    return package('dwpc', index)


# ---- configuration and rules ----


def configured(text):
    write('config', text)
    data, path = program(elf_with(CODE * 64).bytes(), 'config', 64, 8)
    return ['DTPROF_CONFIG={out}/config ' + c for c in TYPED], data


@case
def config_lines():
    return configured(b'[report]\n' + b'percent-limit = 1\n' * 50000)


@more
def config_sections():
    return configured(b'[report]\nsort = type\n' * 40000)


@more
def config_long():
    return configured(b'[report]\nsort = ' + b'type,' * 180000 + b'type\n')


@more
def config_spaces():
    return configured(b'[report]\n' + b' ' * 900000 + b'sort = type\n')


def ruled(name, rules, count=2000):
    c = Cu()
    t = c.base()
    ss = [c.struct(b's%d' % i, 64, [(b'a', t, 8)]) for i in range(count)]
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(ss[0]))])
    data, path = c.make(name)
    write('rules', rules)
    return [
        'check {out}/rules ' + path,
        'check --json {out}/rules ' + path,
        'check -i %s {out}/rules',
    ], data


@case
def rules_many():
    return ruled('rmany', b's1.a in line 0\n' * 60000)


@more
def rules_fields():
    return ruled('rfields', (b's1 {' + b'a ' * 300 + b'} within 2 lines\n') * 1500)


@more
def rules_deep():
    """Names of members of members, of which there are none."""
    return ruled('rdeep', (b'offsetof(s1, ' + b'a.' * 400 + b'a) == 8\n') * 1200)


@more
def rules_long():
    return ruled('rlong', b'sizeof(' + b's' * 900000 + b') <= 32\n')


@more
def rules_templates():
    return ruled('rtempl', (b'sizeof(' + b'A<' * 200 + b'int' + b'>' * 200 + b') <= 4\n') * 1500)


@more
def rules_groups():
    return ruled('rgroups', (b'hot group {' + b's1.a s2.a ' * 100 + b'} within 1 lines\n') * 900)


@more
def rules_sharing():
    return ruled(
        'rshare', b'no field of s1 written by two threads shares a line with a hot read\n' * 12000
    )


# ---- sources ----


@more
def source_lines():
    """A source that is one line, and one of empty lines."""
    one = write('one.c', b'x' * 1000000)
    many = write('many.c', b'\n' * 1000000)
    files = one.encode() + b'\0\0\0\0' + many.encode() + b'\0\0\0\0'
    lp = line_program(files, b'\x21\x04\x02\x21\x04\x01' * 60000)
    c = Cu(stmt=0, nbytes=0x8000)
    t = c.base()
    s = c.struct(b's', 64, [(b'a', t, 8)])
    c.func(b'f', 0x401000, 0x8000, [(b'p', c.ptr(s))])
    commands, data = both(
        *c.make('source', samples=3000, code=CODE * 4096, extra={'debug_line': lp})
    )
    return commands + ['annotate --code-with-type --source --stdio -i %s'], data


@more
def line_backwards():
    """Rows whose addresses and lines go back and forth."""
    rows = (b'\x02\x08\x03' + b'\xff\xff\x03' + b'\x01' + b'\x03\x81\x80\x7c\x01') * 60000
    lp = line_program(b'a.c\0\0\0\0', rows)
    c = Cu(stmt=0, nbytes=0x8000)
    c.func(b'f', 0x401000, 0x8000, [])
    return both(*c.make('lback', samples=3000, code=CODE * 4096, extra={'debug_line': lp}))


@case
def line_sequences():
    one = b'\0\x09\x02' + p64(0x401000) + b'\x21' + b'\x02\x80\x40\0\1\1'
    lp = line_program(b'a.c\0\0\0\0', one * 40000)
    c = Cu(stmt=0, nbytes=0x8000)
    c.func(b'f', 0x401000, 0x8000, [])
    return both(*c.make('lseq', samples=3000, code=CODE * 4096, extra={'debug_line': lp}))


# ---- trees of --symfs, BPF programs, archives in archives ----


def symfs(name, files, places):
    """A tree with these files; the recording maps each of the places, which may be no file."""
    root = os.path.join(formats.OUT, name + '.symfs')
    for path, data in files:
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(root + path, 'wb') as f:
            f.write(data)
    d = Perf()
    d.comm(10, 10, b'p')
    for i, place in enumerate(places):
        d.mmap(10, 0x100000 + 0x1000 * i, 0x1000, place.encode())
        d.sample(10, 0x100008 + 0x1000 * i)
    commands = [c.replace(' -i', ' --symfs=' + root + ' -i', 1) for c in RECORDED[:5]]
    return commands, write(name + '.data', d.bytes())


@case
def symfs_links():
    """Links to themselves, to each other, up and out, and folders below themselves."""
    commands, path = symfs(
        'links',
        [('/lib/x', b'x')],
        ['/loop/%d' % i for i in range(500)]
        + ['/d' * (i % 900) + '/lib/x' for i in range(200)]
        + ['/../' * 40 + 'etc/passwd%d' % i for i in range(500)],
    )
    root = path[: -len('.data')] + '.symfs'
    os.symlink('.', root + '/d')
    os.symlink('/', root + '/out')
    os.makedirs(root + '/loop')
    for i in range(500):
        os.symlink('%d' % ((i + 1) % 500), root + '/loop/%d' % i)
    return commands, path


@more
def symfs_many():
    """Many objects, all of which are the same file with much debug information."""
    c = Cu()
    t = c.base()
    for i in range(9000):
        s = c.struct(b's%d' % i, 64, [(b'm%d' % i, t, 8)])
    c.func(b'f', 0x401000, 0x200, [(b'p', c.ptr(s))])
    with open(c.make('one')[1], 'rb') as f:
        return symfs('many', [('/o', f.read())], ['/' + './' * i + 'o' for i in range(60)])


def bpf_recording(name, programs, info, btfs):
    d = Perf()
    d.comm(10, 10, b'p')
    for i in range(programs):
        address = 0xFFFFFFFFC0000000 + 0x1000 * i
        d.rec(17, p64(address) + p32(0x1000) + p16(1) + p16(0) + pad(b'bpf_%d\0' % i, 8), 1)
        d.rec(18, p16(1) + p16(0) + p32(i + 1) + p64(i), 1)
        d.sample(10, address + 8, misc=1)
    d.features[25] = info
    d.features[26] = btfs
    commands = RECORDED + ['annotate --stdio -i %s', 'layout --emit=c -i %s']
    return commands, write(name + '.data', d.bytes())


def bpf_info(number, jited, ksyms, length=232):
    """struct perf_bpil with a bpf_prog_info that has these counts."""
    info = bytearray(length)
    info[0:8] = p32(1) + p32(number)
    info[16:24] = p32(0x7FFFFFFF if jited else 64) + p32(64)
    info[100:104] = p32(ksyms)
    return p32(length) + p32(64) + p64(0xFFFF) + bytes(info) + b'\x90' * 64


@case
def bpf_programs():
    """Many programs of few numbers, with counts that are larger than the file."""
    infos = (bpf_info(i % 7, i & 1, 0xFFFFFFFF if i & 2 else 9) for i in range(1500))
    return bpf_recording('bpf', 3000, p32(1500) + b''.join(infos), p32(0))


@more
def bpf_types():
    """BTF of each program: chains, and sizes that the file does not have."""
    n = 2000
    types = BTF_INT + b''.join(btf_type(1, 8, 0, i + 1) for i in range(n))
    one = btf(types, b'\0int\0f\0')
    btfs = b''.join(p32(i + 1) + p32(len(one)) + one for i in range(15)) + p32(0xFFFFFFF0) * 90
    return bpf_recording('bpfbtf', 1000, p32(0), p32(0xFFFFFFFF) + btfs)


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for path, data in members:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


@case
def archives_nested():
    """Archives in archives, packed again and again."""
    data = recording()
    for i in range(60):
        data = tar_of([('perf.data', data), ('perf.data.tar.gz', gzip.compress(data))])
        data = gzip.compress(data) if i % 2 else zstd_raw(gzip.compress(data))
        if len(data) > 200000:
            break
    return RECORDED, write('nested.tar.zst', data)


@more
def archive_same_names():
    """One name for many members: the recording itself, its objects, links among them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w') as tar:
        for i in range(600):
            info = tarfile.TarInfo('perf.data')
            info.size = 104 if i % 3 else 0
            tar.addfile(info, io.BytesIO(recording()[:104]))
            info = tarfile.TarInfo('symfs/a' if i % 2 else 'symfs/a/b')
            info.type = tarfile.SYMTYPE if i % 3 else tarfile.LNKTYPE
            info.linkname = '/etc/shadow' if i % 5 else '../' * i
            tar.addfile(info)
    return RECORDED, write('same.tar.gz', gzip.compress(out.getvalue()))


# ---- two recordings ----


@case
def diff_types():
    """Two programs, each with thousands of types of its own."""
    paths = []
    for side in b'ab':
        c = Cu(nbytes=0x20000)
        t = c.base()
        for i in range(6000):
            s = c.struct(bytes([side]) + b'%d' % i, 64, [(b'm%d' % i, t, 8)])
            c.func(b'f%d' % i, 0x401000 + 8 * i, 8, [(b'p', c.ptr(s))])
        paths.append(c.make('diff' + chr(side), samples=6000, code=CODE * 6000)[0])
    return [
        'diff %s %s' % tuple(paths),
        'diff --json %s %s' % tuple(paths),
        'diff --html=/dev/null %s %s' % tuple(paths),
        'diff -s sym,type,typeoff %s %s' % tuple(paths),
    ], paths[0]


@case
def c2c_all():
    """Each thread stores to each line."""
    d = Perf(Perf.TYPE | 0x8 | 0x8000 | 0x4000)
    d.comm(10, 10, b'p')
    for i in range(9000):
        d.sample(
            10,
            0x1000 + 4 * (i % 97),
            tid=10 + i % 95,
            addr=0x7000000 + 64 * (i % 94) + i % 64,
            rest=p64(30) + p64((2 if i % 2 else 4) | 2 << 5 | 0x10 << 19 | 1 << 5),
        )
    return RECORDED + ['c2c report --json -i %s', 'c2c report --html=/dev/null -i %s'], write(
        'c2call.data', d.bytes()
    )
