#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares `report -s copy` with programs whose copies are known (copies/README.md).

  copies.py [--keep DIR] [--only TEXT] build/dtprof

A line for each compiler and function: the copied type of most of its samples, their share by the samples of `perf script`
and by `report -s copy`. The last line has how many types are right, and how many shares are within 20 % and 10 %. A function that
is marked with "none" copies nothing: no sample may be of a copy."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "copies")
V4 = ["-march=x86-64-v4", "-mprefer-vector-width=512"]
LLD = ["-O2", "-g", "-fuse-ld=lld"]
COMPILERS = {
    ".c": [("gcc", ["gcc", "-O2", "-g"]), ("clang", ["clang", "-O2", "-g"]), ("gcc-Os", ["gcc", "-Os", "-g"]),
           ("clang-v3", ["clang", "-O2", "-g", "-march=x86-64-v3"]), ("gcc-v4", ["gcc", "-O2", "-g", *V4, "-mmove-max=512"]),
           ("clang-v4", ["clang", "-O2", "-g", *V4]), ("gcc-lto", ["gcc", "-O2", "-g", "-flto"]),
           ("gcc-parts", ["gcc", "-O2", "-g", "-flto", "-flto-partition=max"]),
           ("clang-thin", ["clang", *LLD, "-flto=thin"]), ("clang-lto", ["clang", *LLD, "-flto"])],
    ".cc": [("g++", ["g++", "-O2", "-g"]), ("clang++", ["clang++", "-O2", "-g", "-std=c++17"]), ("g++-Os", ["g++", "-Os", "-g"])],
    ".f90": [("gfortran", ["gfortran", "-O2", "-g", "-fno-inline"])],
    ".rs": [("rustc", ["rustc", "-O", "-g", "--edition", "2021"])],
    ".go": [("go", ["go", "build"])],
}
SEVERAL = "gcc-parts", "clang-thin", "clang-lto"  # differ for programs of several files alone
GO = "/usr/lib/go-1.19/bin"  # of Debian 12
DUFF = r"duffcopy"
# Moves of a frame's registers, which copy nothing.
FRAME = r"%rbp|,%rsp$"
LEAST = 1.5  # percent of the samples: smaller shares are noise


def truths(source):
    """Yields (function, type, called function's pattern) of each function with a COPY comment."""
    text = open(source).read()
    for match in re.finditer(r"(?://|!) COPY: (.+?)(?: (CALL|DUFF))?\n((?:(?:#|//)[^\n]*\n)*[^\n]*?)(\w+)\(", text, re.S):
        called = {"CALL": r"mem(move|cpy)", "DUFF": DUFF, None: None}[match[2]]
        yield match[4], match[1], called


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def previous(program):
    """The instruction before each one of the program, by (function, offset); jumps and what does nothing are left out."""
    result, function, start, last = {}, None, 0, ""
    for line in run(["objdump", "-d", "-C", "-w", "--no-show-raw-insn", program]).splitlines():
        match = re.match(r"([0-9a-f]+) <(.+)>:$", line)
        if match:
            function, start, last = match[2].split("(")[0], int(match[1], 16), ""
            continue
        match = re.match(r" *([0-9a-f]+):\t(.+)", line)
        if match and function:
            result[function, int(match[1], 16) - start] = last
            if not re.match(r"j|nop|xchg +%ax,%ax", match[2]):
                last = match[2]
    return result


def samples(program, data):
    """Yields (function, instruction, called function) of each sample: the instruction before it, and the function that has just
    returned there."""
    before = previous(program)
    for line in run(["perf", "script", "-i", data, "-F", "ip,sym,symoff", "-G"]).splitlines():
        match = re.match(r"\s*[0-9a-f]+ (.+)\+0x([0-9a-f]+)\s*$", line)
        function, at = (match[1].split("(")[0], int(match[2], 16)) if match else ("", 0)
        last = before.get((function, at), "")
        call = re.match(r"call.*<([^>(+@]+)[^>]*>", last)
        yield function, last, call[1] if call else None


def copies(dtprof, data):
    """(percent, function that was sampled, copy) of each row."""
    report = json.loads(run([dtprof, "report", "-i", data, "-s", "copy,sym", "--json", "-q"]))
    for row in report["tables"][0]["rows"]:
        yield row["figures"][0]["percent"], row["keys"]["symbol"]["symbol"] or "", row["keys"]["copy"]


def is_of(symbol, function):
    return re.search(r"(^|[.:]|_MOD_)" + re.escape(function) + r"(\(|$|[.:])", symbol)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", default="40000000")
    parser.add_argument("dtprof")
    options = parser.parse_args()
    os.environ["PATH"] += ":" + GO
    folder = options.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    count = right = near = nearer = 0
    for name in sorted(os.listdir(FOLDER)):
        stem, suffix = os.path.splitext(name)
        sources = [os.path.join(FOLDER, name), *sorted(glob.glob(os.path.join(FOLDER, f"{stem}-*{suffix}")))]
        for label, command in [] if "-" in stem else COMPILERS.get(suffix, []):
            if label in SEVERAL and len(sources) == 1:
                continue
            if label.endswith("v4") and "avx512vl" not in open("/proc/cpuinfo").read():
                continue
            if options.only not in name + " " + label or not shutil.which(command[0]):
                continue
            program = os.path.join(folder, f"{stem}-{label}")
            if not os.path.exists(program + ".data"):
                run([*command, "-o", program, *sources], cwd=folder, env=dict(os.environ, GOFLAGS="-mod=mod", GO111MODULE="off"))
                run([options.dtprof, "record", "-F", "2000", "-o", program + ".data", program, options.rounds])
            perf = list(samples(program, program + ".data"))
            rows = list(copies(options.dtprof, program + ".data"))
            # Go 1.26 and newer have no duffcopy, and copy in the function
            apart = suffix == ".go" and any(re.search(DUFF, symbol) for symbol, _, _ in perf)
            for function, kind, called in (truth for source in sources for truth in truths(source)):

                def counts(symbol, last=None):
                    copies = last is None or kind == "none" or \
                        re.match(r"(rep )?v?mov.*\(", last) and not re.search(FRAME, last)
                    own = is_of(symbol, function) and copies and not (apart and called)
                    return own or (called and re.search(called, symbol))

                inside = [bool(counts(symbol, last)) for symbol, last, _ in perf]
                behind = [bool(counts(symbol) or (callee and counts(callee))) for symbol, _, callee in perf]
                truth, most = (100 * sum(which) / len(perf) for which in (inside, map(max, inside, behind)))
                mine = [(share, copy) for share, symbol, copy in rows if counts(symbol)]
                found = sum(share for share, copy in mine if copy.get("type"))
                best = max(mine, default=(0, {}), key=lambda item: item[0] if item[1].get("type") else 0)[1]
                good = sum(share for share, copy in mine if (copy.get("type") or "").replace("UL>", ">").replace("long int", "long") == kind)
                if truth < LEAST:
                    print(f"{stem:10} {label:8} {function:14} {truth:6.2f} % is too little")
                    continue
                error = found / truth if kind == "none" else max(0, truth - found, found - most) / truth
                count += 1
                good = found == 0 if kind == "none" else good > 0.95 * found > 0
                right += good
                near += error <= 0.2
                nearer += error <= 0.1
                print(f"{stem:10} {label:8} {function:14} {truth:6.2f} to {most:6.2f} % {found:6.2f} % {'ok' if error <= 0.2 else 'OFF':3} "
                      f"{'right' if good else 'WRONG: ' + kind} {best.get('text', '(none)')}")
    print(f"types right {right}/{count}; shares within 20 % {near}/{count}, within 10 % {nearer}/{count}")
    if not options.keep:
        shutil.rmtree(folder)


main()
