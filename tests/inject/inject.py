#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Injects faults into dtprof's commands, and judges what they do about them.

Each scenario is one command on a small recording. A first run counts its allocations and its system calls. Then the command runs
once for each of these points, or for POINTS of them that are spread evenly, with a fault there: an allocation that fails
(fail_alloc.c), or a system call that returns an error (strace --inject). The command must then

  - end with a message and a status that is not 0, or print and write what it does without the fault; a result that is not the same
    needs a warning,
  - not crash, and not run longer than LIMIT seconds,
  - leave no file under its final name that is not whole, and no temporary file.

    inject.py --dtprof PROGRAM --preload FAIL_ALLOC.so [--points N] [--only NAME] [--show]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 60

SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; long key; char name[48]; long hits; };
static struct node *list;
static volatile long sum;
int main(void)
{
	for (int i = 0; i < 20000; i++) {
		struct node *node = calloc(1, sizeof(*node));
		node->key = i; node->next = list; list = node;
	}
	for (int i = 0; i < 400; i++)
		for (struct node *node = list; node; node = node->next) {
			node->hits += node->key;
			sum += node->hits;
		}
	return 0;
}
"""

# name, arguments ({data}, {program}, {out} are put in), whether {out} is written
SCENARIOS = [
    ("report", "report -i {data} --stdio -s type,typeoff,sym", False),
    ("report-copy", "report -i {data} --stdio -s copy", False),
    ("report-json", "report -i {data} --json -s type,typeoff", False),
    ("report-csv", "report -i {data} --csv -s type", False),
    ("report-html", "report -i {data} --html {out}", True),
    ("report-output", "report -i {data} -s type -o {out}", True),
    ("annotate-html", "annotate -i {data} --html {out}", True),
    ("c2c-html", "c2c report -i {data} --html {out}", True),
    ("layout-html", "layout -i {data} --type node --html {out}", True),
    ("annotate", "annotate -i {data} --stdio --data-type=node", False),
    ("annotate-code", "annotate -i {data} --stdio --code-with-type main", False),
    ("mem", "mem report -i {data} --stdio", False),
    ("c2c", "c2c report -i {data} --stdio", False),
    ("layout", "layout -i {data} --type node", False),
    ("layout-rules", "layout -i {data} --type node --emit=rules", False),
    ("script", "script -i {data}", False),
    ("list", "list rules", False),
    ("diff", "diff {data} {data} -s type", False),
    ("export-pprof", "export -i {data} --format=pprof -o {out}", True),
    ("export-otlp", "export -i {data} --format=otlp -o {out}", True),
    ("export-firefox", "export -i {data} --format=firefox -o {out}", True),
    ("export-types", "export -i {data} --format=data-type-json -o {out}", True),
    ("archive", "archive -i {data} -o {out}", True),
    ("index", "index {program} -o {out}", True),
    ("print", "print --object {program} -C node --count 1 {program}", False),
    ("store-add", "store add --store {out} {data}", True),
    ("store-list", "store list --store {store}", False),
    ("store-top", "store top --store {store}", False),
    ("store-report", "store report --store {store}", False),
    ("store-history", "store history --store {store} node", False),
    ("record", "record -q -N -e cpu-clock -o {out} {program}", True),
    ("record-chains", "record -q -N -e cpu-clock -g --off-cpu -o {out} {program}", True),
    ("lock", "lock report -i {data}", False),
]

# System call, error. strace leaves the call out, so close() would leave the descriptor open.
FAULTS = [
    ("read", "EIO"),
    ("read", "EINTR"),
    ("pread64", "EIO"),
    ("pread64", "EINTR"),
    ("write", "ENOSPC"),
    ("write", "EINTR"),
    ("pwrite64", "ENOSPC"),
    ("openat", "EMFILE"),
    ("openat", "EACCES"),
    ("mmap", "ENOMEM"),
    ("newfstatat", "EIO"),
    ("lseek", "EIO"),
    ("ftruncate", "EIO"),
    ("fsync", "EIO"),
    ("fdatasync", "EIO"),
    ("rename", "EACCES"),
    ("renameat2", "EACCES"),
    ("mkdir", "EACCES"),
    ("fchmod", "EPERM"),
]


class Result:
    def __init__(self, status, output, errors, files):
        self.status, self.output, self.errors, self.files = status, output, errors, files


def fresh(path):
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)


def files_of(folder):
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Run:
    """Runs one scenario in a folder of its own."""

    def __init__(self, options, folder, name, arguments):
        self.options, self.folder, self.name = options, folder, name
        self.out = os.path.join(folder, "out")
        self.words = arguments.format(
            data=os.path.join(folder, "perf.data"), program=os.path.join(folder, "program"), out=os.path.join(self.out, "result"), store=os.path.join(folder, "store")
        ).split()

    def run(self, before=(), environment=None):
        fresh(self.out)
        # it keeps what memory costs here, which layout measures once
        home = os.path.join(self.folder, "home")
        os.makedirs(home, exist_ok=True)
        settings = dict(os.environ, HOME=home, LC_ALL="C", TMPDIR=self.out, **(environment or {}))
        settings.pop("DEBUGINFOD_URLS", None)
        command = [*before, self.options.dtprof, *self.words]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settings, timeout=LIMIT, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return Result(None, b"", b"", {})
        return Result(done.returncode, done.stdout, done.stderr, files_of(self.out))

    def count_allocations(self):
        path = os.path.join(self.folder, "count")
        self.run(environment={"LD_PRELOAD": self.options.preload, "FAIL_ALLOC_COUNT": path})
        with open(path, encoding="ascii") as file:
            return int(file.read())

    def count_calls(self, *more):
        """Returns how often each system call is made, by the thread that makes most of them."""
        path = os.path.join(self.folder, "calls")
        names = sorted({call for call, _ in FAULTS})
        self.run(["strace", "-f", "-qq", "-o", path, "-e", "trace=" + ",".join(names), *more])
        counts = {}
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = re.match(r"(\d+) +(\w+)\(", line)
                if match:
                    counts.setdefault(match[2], {}).setdefault(match[1], 0)
                    counts[match[2]][match[1]] += 1
        return {call: max(threads.values()) for call, threads in counts.items()}

    def count_loader_calls(self):
        """The same of the dynamic loader alone, before main()."""
        return self.count_calls("-E", "LD_TRACE_LOADED_OBJECTS=1")


def is_log(name):
    """Returns whether the file is one that SQLite takes up again when the database is opened."""
    return name.endswith(("-wal", "-shm"))


def is_recording(run, content):
    """Returns whether dtprof reads all of a recording."""
    path = os.path.join(run.folder, "recording")
    with open(path, "wb") as file:
        file.write(content)
    done = subprocess.run([run.options.dtprof, "report", "-i", path, "-s", "sym"], capture_output=True, check=False)
    return done.returncode == 0 and b"truncated" not in done.stderr and b"cut" not in done.stderr


def same(run, expected, result):
    """Returns whether a result is the expected one; databases and recordings have times in them."""
    if run.name.startswith("record"):
        return bool(result.files) and all(is_recording(run, content) for content in result.files.values())
    if run.name.startswith(("store", "archive")) or run.name.endswith("-html"):
        names = {name for name in result.files if not is_log(name)}
        return result.output == expected.output and names == set(expected.files)
    return result.output == expected.output and result.files == expected.files


def difference(expected, result):
    if result.output != expected.output:
        lines, others = result.output.splitlines(), expected.output.splitlines()
        first = next((i for i, (a, b) in enumerate(zip(lines, others)) if a != b), min(len(lines), len(others)))
        shown = [text[first].decode(errors="replace") if first < len(text) else "nothing" for text in (lines, others)]
        return f"line {first + 1} is '{shown[0]}' in place of '{shown[1]}'"
    return ", ".join(
        f"{name} of {len(content)} bytes for {len(expected.files.get(name, b''))}"
        for name, content in sorted(result.files.items())
        if content != expected.files.get(name)
    )


def judge(run, expected, result):
    """Returns what is wrong with the result of a run with a fault, or None."""
    if result.status is None:
        return "hangs"
    if result.status < 0 or result.status >= 128 and result.status != 129:
        return "crashes" if b"libdw" not in result.errors else None
    if b"error while loading shared libraries" in result.errors:
        return None
    extra = [name for name in result.files if name not in expected.files and not is_log(name)]
    if extra:
        return "leaves " + ", ".join(sorted(extra))
    if result.status == 0:
        if same(run, expected, result) or result.errors != expected.errors:
            return None
        return "is silent about another result: " + difference(expected, result)
    if not result.errors.strip():
        return "ends without a message"
    for name, content in result.files.items():
        # a recording that ends early has all up to there, and the message says so
        if run.name.startswith("record") and b"readable up to that point" in result.errors and is_recording(run, content):
            continue
        if content != expected.files.get(name) and not run.name.startswith("store"):
            return "leaves a part of " + name
    return None


def spread(count, limit):
    if not limit or count <= limit:
        return list(range(1, count + 1))
    return sorted({1 + (count - 1) * i // max(limit - 1, 1) for i in range(limit)})


def inject(options, folder, name, arguments, totals):
    run = Run(options, folder, name, arguments)
    expected = run.run()
    if expected.status:
        print(f"{name}: fails without a fault: {expected.errors.decode(errors='replace').strip()}")
        return 1
    wrong = points = 0

    def take(what, result):
        nonlocal wrong, points
        points += 1
        problem = judge(run, expected, result)
        if problem:
            wrong += 1
            print(f"{name}: {what}: {problem} (status {result.status})")
            if options.show:
                print(result.errors.decode(errors="replace"))
            sys.stdout.flush()

    if "alloc" in options.kinds:
        count = run.count_allocations()
        for point in spread(count, options.points):
            take(
                f"allocation {point} of {count}",
                run.run(environment={"LD_PRELOAD": options.preload, "FAIL_ALLOC": str(point)}),
            )
    if "call" in options.kinds:
        counts, loader = run.count_calls(), run.count_loader_calls()
        for call, error in FAULTS:
            count, first = counts.get(call, 0), loader.get(call, 0)
            for point in (first + number for number in spread(max(count - first, 0), options.points)):
                take(
                    f"{call} {point} of {count}: {error}",
                    run.run(before=["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={point}"]),
                )
    print(f"{name}: {points} points, {wrong} wrong")
    sys.stdout.flush()
    totals[0] += points
    totals[1] += wrong
    return wrong


def prepare(options, folder):
    """Makes the program and its recording. Returns why that is not possible, or None."""
    source, program = os.path.join(folder, "program.c"), os.path.join(folder, "program")
    with open(source, "w", encoding="ascii") as file:
        file.write(SOURCE)
    for command, missing in (
        (["gcc", "-g", "-O1", "-o", program, source], "no gcc"),
        (
            [options.dtprof, "record", "-q", "-N", "-e", "cpu-clock", "-g", "-I", "--off-cpu", "-o", os.path.join(folder, "perf.data"), program],
            "programs cannot be recorded here",
        ),
        (
            [options.dtprof, "store", "add", "--store", os.path.join(folder, "store"), os.path.join(folder, "perf.data")],
            "recordings cannot be stored here",
        ),
        (["strace", "-qq", "-o", "/dev/null", "true"], "no strace, or it may not trace"),
    ):
        if command[0] == "strace" and "call" not in options.kinds:
            continue
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        except FileNotFoundError:
            return missing
        if done.returncode:
            return f"{missing}: {done.stdout.decode(errors='replace').strip()}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtprof", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--points", type=int, default=40, help="of each kind in each scenario; 0: all")
    parser.add_argument("--only", help="parts of the names of scenarios, separated by commas")
    parser.add_argument("--kinds", default="alloc,call")
    parser.add_argument("--show", action="store_true", help="print what wrong runs said")
    options = parser.parse_args()
    # one processor, so one thread: its allocations and calls come in the same order in each run
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    options.dtprof, options.preload = os.path.abspath(options.dtprof), os.path.abspath(options.preload)
    totals = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        missing = prepare(options, folder)
        if missing:
            print(f"skipped: {missing}")
            return 0
        for name, arguments, _ in SCENARIOS:
            if any(word in name for word in (options.only or "").split(",")):
                inject(options, folder, name, arguments, totals)
    print(f"all: {totals[0]} points, {totals[1]} wrong")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
