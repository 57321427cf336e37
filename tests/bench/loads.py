#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Time and memory of `dtprof report` for recordings that are large in one way, against a sixteenth of each.

  loads.py [--only NAME] [--keep DIR] build/dtprof [build/tests/bench/make_data]

Recordings that DIR has are used again, so that they can be measured on a machine that does nothing else.

Nothing is recorded: the files are written here (make_data writes those of many samples). A load that is 16 times as large
should take no more than 17 times as long, beyond what an empty recording takes. Memory may grow with what is shown
(threads, objects), but not with samples."""
import argparse
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SAMPLE, MMAP2, COMM, FORK = 9, 10, 3, 7
PAGE = 4096
BASE = 0x10000000


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def record(kind, misc, payload):
    payload += b"\0" * (-len(payload) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def comm(pid, tid, name):
    return record(COMM, 0, struct.pack("<II", pid, tid) + name.encode() + b"\0")


def fork(pid, tid):
    return record(FORK, 0, struct.pack("<IIIIQ", pid, pid, tid, pid, 0))


def mmap(pid, address, size, offset, path):
    file = os.stat(path)
    return record(MMAP2, 2, struct.pack("<IIQQQIIQQII", pid, pid, address, size, offset, os.major(file.st_dev), os.minor(file.st_dev),
                                        file.st_ino, 0, 5, 2) + path.encode() + b"\0")


def sample(ip, pid, tid, when):
    return record(SAMPLE, 2, struct.pack("<QIIQQ", ip, pid, tid, when, 1))


def write(path, records):
    """A perf.data file with one event of a timer: sample_type is IP, TID, TIME and PERIOD."""
    attr = struct.pack("<IIQQQQQ", 1, 136, 0, 1000, 0x107, 4, 0)
    attr += b"\0" * (136 - len(attr))
    with open(path, "wb") as out:
        out.write(b"\0" * 104 + attr + struct.pack("<QQ", 0, 0))
        start = out.tell()
        for item in records:
            out.write(item)
        size = out.tell() - start
        out.seek(0)
        out.write(b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 152, 104, 152, start, size, 0, 0) + b"\0" * 32)


def compile_source(folder, name, text, *flags):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w") as out:
        out.write(text)
    subprocess.run(["gcc", "-g", "-fno-pie", "-no-pie", "-o", program, source, *flags], check=True)
    return program


def code_of(program):
    """The addresses of the instructions, which are those in the file, too."""
    text = run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", program])
    return [int(line.split(":")[0], 16) for line in text.splitlines() if line.startswith(" ") and ":\t" in line]


LIBRARY = "struct node { struct node *next; long key; };\nlong %s(struct node *n) { long s = 0; for (; n; n = n->next) s += n->key; return s; }\n"


def of_library(folder):
    return compile_source(folder, "library.so", LIBRARY % "sum", "-shared", "-O1", "-nostdlib")


def threads(folder, count):
    program = of_library(folder)
    code = code_of(program)
    yield comm(1, 1, "main")
    yield mmap(1, BASE, PAGE, code[0] & -PAGE, program)
    for i in range(count):
        yield fork(1, 2 + i)
        yield comm(1, 2 + i, f"thread{i % 1000}")
        for k in range(4):
            yield sample(BASE + code[(i + k) % len(code)] % PAGE, 1, 2 + i, 4 * i + k)


def maps(folder, count):
    program = of_library(folder)
    code = code_of(program)
    yield comm(1, 1, "main")
    for i in range(count):
        yield mmap(1, BASE + 2 * PAGE * i, PAGE, code[0] & -PAGE, program)
        yield sample(BASE + 2 * PAGE * (i // 2) + code[i % len(code)] % PAGE, 1, 1, i)


def objects(folder, count):
    first = of_library(folder)
    code = code_of(first)
    yield comm(1, 1, "main")
    for i in range(count):
        path = os.path.join(folder, f"object{i}.so")
        if not os.path.exists(path):
            shutil.copy(first, path)
            with open(path, "r+b") as out:  # another build id
                data = out.read()
                at = data.index(b"GNU\0", data.index(b"\x14\0\0\0\3\0\0\0")) + 4
                out.seek(at)
                out.write(struct.pack("<Q", i))
        yield mmap(1, BASE + 16 * PAGE * i, PAGE, code[0] & -PAGE, path)
        for k in range(8):
            yield sample(BASE + 16 * PAGE * i + code[k % len(code)] % PAGE, 1, 1, 8 * i + k)


BODY = ("1: mov 8(%0),%%rax; test %%rax,%%rax; jz 2f; mov (%0),%0; add %%rax,%1; jmp 3f; 2: xor 8(%0),%1; mov (%0),%0; 3: "
        + "add 8(%0),%1; mov (%0),%%rax; xor 8(%%rax),%1; shl %1; " * 10)
BODY_SIZE = 169  # bytes, of which 10 % are jumps and what they lead to


def function(folder, size):
    """A function of about so many bytes, whose pointer is changed on both sides of each of its jumps."""
    text = f"\".rept {size // BODY_SIZE}\\n{BODY}\\n.endr\""
    program = compile_source(folder, f"function{size}.so", "struct node { struct node *next; long key; };\nlong large(struct node *n)\n{\n\tlong s = 0;\n"
                             f"\t__asm__ volatile({text} : \"+r\"(n), \"+r\"(s) : : \"rax\");\n\treturn s;\n}}\n", "-shared", "-O1", "-nostdlib")
    code = code_of(program)
    yield comm(1, 1, "main")
    yield mmap(1, BASE, (code[-1] - code[0] + 2 * PAGE) & -PAGE, code[0] & -PAGE, program)
    for i in range(20000):
        yield sample(BASE + code[i * 997 % len(code)] - (code[0] & -PAGE), 1, 1, i)


def nested(folder, levels):
    text = "struct r0 { long key, value; };\n"
    for i in range(1, levels + 1):
        text += f"struct r{i} {{ long id{i}; struct r{i - 1} a{i}; struct r{i - 1} *b{i}; }};\n"
    path = ".".join(f"a{i}" for i in range(levels, 0, -1))
    text += f"long deep(struct r{levels} *r, struct r{levels} *o)\n{{\n\t*o = *r;\n\treturn r->{path}.value + o->{path}.key;\n}}\n"
    program = compile_source(folder, f"nested{levels}.so", text, "-shared", "-O1", "-nostdlib")
    code = code_of(program)
    yield comm(1, 1, "main")
    yield mmap(1, BASE, (code[-1] - code[0] + 2 * PAGE) & -PAGE, code[0] & -PAGE, program)
    for i in range(20000):
        yield sample(BASE + code[i % len(code)] - (code[0] & -PAGE), 1, 1, i)


LOADS = {  # name: generator, the larger one, the smaller one
    "threads": (threads, 100000, 6250),
    "maps": (maps, 1000000, 62500),
    "objects": (objects, 10000, 625),
    "function": (function, 5000000, 312500),
    "nested": (nested, 50, 3),
}


RUNS = int(os.environ.get("RUNS", "3"))  # the shortest counts


def measure(command):
    return min((measure_once(command) for _ in range(RUNS)), key=lambda run: run[1])


def measure_once(command):
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: {errors}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


KEYS = "type,typeoff"


def compare(dtprof, name, large, small):
    """Prints a line for the two files."""
    rows = [measure([dtprof, "report", "-i", path, "--stdio", "-s", KEYS]) for path in (small, large)]
    (wall, busy, memory), (wall16, busy16, memory16) = rows
    print(f"\n{name:20} {wall:8.2f} s {busy:8.2f} s {memory:6.0f} MB   {wall16:8.2f} s {busy16:8.2f} s {memory16:6.0f} MB   "
          f"{busy16 / busy:6.1f} times the time, {memory16 / memory:5.1f} times the memory", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    parser.add_argument("--object", help="whose instructions have the many samples")
    parser.add_argument("dtprof")
    parser.add_argument("make_data", nargs="?")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    print(f"{'':20} a sixteenth: wall, processor, memory     all: wall, processor, memory", flush=True)
    for name, (generate, large, small) in LOADS.items():
        if options.only not in name:
            continue
        paths = [os.path.join(folder, f"{name}{size}.data") for size in (large, small)]
        for path, size in zip(paths, (large, small)):
            if not os.path.exists(path):
                write(path, generate(folder, size))
        compare(options.dtprof, name, *paths)
    if options.make_data and options.only in "samples":
        paths = [os.path.join(folder, name) for name in ("samples64.data", "samples4.data")]

        def make(path, *repeat):
            return int(run([options.make_data, options.object or options.dtprof, path, *map(str, repeat)]).split()[0])

        if not all(map(os.path.exists, paths)):
            each = make(paths[0], 1)
            # 64 million are made of the same 4 million: a file takes 5 GB, and its random order would take 25 GB of memory
            for path, times in zip(paths, (16, 1)):
                print(f"{make(path, 4000000 // each, times):,} samples")
        compare(options.dtprof, "samples", *paths)
    if not options.keep:
        shutil.rmtree(folder)


main()
