#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Injects faults into dtprof's commands, and judges what they do about them.

Each scenario is one command on a small recording. A first run lists its allocations and its system calls with their call stacks.
Then the command runs once for each point in whose stack a function is called from a place that no earlier stack had, of any
command (or for N points that are spread evenly; 0: for all of them), with a fault there: an allocation that fails (faults.c), or a system call that returns an error (strace --inject).
Two more runs have short reads and writes everywhere. The command must then

  - end with a message and a status that is not 0, or print and write what it does without the fault; a result that is not the same
    needs a warning,
  - not crash, and not run longer than LIMIT seconds,
  - leave no file under its final name that is not whole, no temporary file, and no more open descriptors than without the fault.

    inject.py --dtprof PROGRAM --preload FAULTS.so [--points N] [--only NAME] [--show]
"""

import argparse
import collections
import ctypes
import errno
import fcntl
import http.server
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

LIMIT = 60
ADDR_NO_RANDOMIZE = 0x40000

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
	for (int i = 0; i < 1500; i++)
		for (struct node *node = list; node; node = node->next) {
			node->hits += node->key;
			sum += node->hits;
		}
	return 0;
}
"""

LOCKS = r"""
#include <pthread.h>
#include <unistd.h>
struct slot { long count; pthread_mutex_t lock; };
static struct slot table[3];
static void *take(void *slots)
{
	for (int i = 0; i < 40; i++) {
		struct slot *slot = (struct slot *)slots + i % 3;
		pthread_mutex_lock(&slot->lock);
		usleep(500);
		slot->count++;
		pthread_mutex_unlock(&slot->lock);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t threads[4];
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, take, table);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (argc > 1)
		pause();
	return table[1].count == 0;
}
"""

# name: arguments, in which {data}, {program}, {out} and others of Run.words are put. The browser's keys follow.
SCENARIOS = {
    "report": "report -i {data} --stdio -s type,typeoff,sym",
    "report-copy": "report -i {data} --stdio -s copy",
    "report-json": "report -i {data} --json -s type,typeoff",
    "report-csv": "report -i {data} --csv -s type",
    "report-html": "report -i {data} --html {out}",
    "report-output": "report -i {data} -s type -o {out}",
    "report-chains": "report -i {data} --stdio -g caller -s sym --children",
    "report-companion": "report -i {data} --companion {companion} --stdio -s type,typeoff",
    "report-import": "report --import {types} --stdio -s type,typeoff",
    "report-pipe": "report -i - --stdio -s type",
    "report-debuginfod": "report -i {server_data} --stdio -s type",
    "annotate-html": "annotate -i {data} --html {out}",
    "c2c-html": "c2c report -i {data} --html {out}",
    "layout-html": "layout -i {data} --type node --html {out}",
    "annotate": "annotate -i {data} --stdio --data-type=node",
    "annotate-code": "annotate -i {data} --stdio --code-with-type main",
    "mem": "mem report -i {data} --stdio",
    "c2c": "c2c report -i {data} --stdio",
    "layout": "layout -i {data} --type node",
    "layout-c": "layout -i {data} --type node --emit=c --proposal reorder",
    "layout-patch": "layout -i {data} --type node --emit=patch --proposal reorder --even-if",
    "layout-replay": "layout -i {data} --type node --replay",
    "layout-rules": "layout -i {data} --type node --emit=rules",
    "script": "script -i {data}",
    "list": "list rules",
    "list-events": "list",
    "diff": "diff {data} {data} -s type",
    "check": "check {rules} {program}",
    "check-data": "check -i {data} {rules}",
    "try": "try -i {data} --patch {folder}/patch --source {folder}/source --pairs 1 -- ./build -- ./main",
    "debug": "debug types {program} main",
    "debug-cfg": "debug cfg {program} main",
    "export-pprof": "export -i {data} --format=pprof -o {out}",
    "export-otlp": "export -i {data} --format=otlp -o {out}",
    "export-firefox": "export -i {data} --format=firefox -o {out}",
    "export-types": "export -i {data} --format=data-type-json -o {out}",
    "export-receiver": "export -i {data} --format=otlp -o {receiver}",
    "archive": "archive -i {data} -o {out}",
    "index": "index {program} -o {out}",
    "print": "print --object {program} -C node --count 1 {program}",
    "print-process": "print -p {pid} table[1]",
    "print-core": "print --core {core} table[1]",
    "store-init": "store init --store {out}",
    "store-add": "store add --store {out} {data}",
    "store-list": "store list --store {store}",
    "store-top": "store top --store {store}",
    "store-report": "store report --store {store}",
    "store-cgroup": "store report --store {store} -s cgroup,image,typeoff",
    "store-html": "store report --store {store} --html {out}",
    "store-history": "store history --store {store} node",
    "store-diff": "store diff --store {store} {builds}",
    "store-check": "store check --store {store} {rules} {program}",
    "store-gc": "store gc --store {copy} --keep 90d",
    "server-init": "store init --store {server}",
    "server-add": "store add --store {server} {data}",
    "server-top": "store top --store {server}",
    "server-cgroup": "store report --store {server} -s cgroup,image,typeoff",
    "server-gc": "store gc --store {server} --keep 90d",
    "cluster-init": "store init --cluster fleet --store {cluster}",
    "cluster-add": "store add --store {cluster} {data}",
    "cluster-cgroup": "store report --store {cluster} -s cgroup,image,typeoff",
    "cluster-gc": "store gc --store {cluster} --keep 90d",
    "record": "record -q -N -e cpu-clock -o {out} {program}",
    "record-chains": "record -q -N -e cpu-clock -g --off-cpu -o {out} {program}",
    "record-cache": "record -q -e cpu-clock -o {out} {program}",
    "record-cgroups": "record -q -N -e cpu-clock --all-cgroups -o {out} {program}",
    "record-mem": "mem record -q -N -e cpu-clock -o {out} {program}",
    "record-c2c": "c2c record -q -N -e cpu-clock -o {out} {program}",
    "record-lock": "lock record -q -N --user -o {out} {program}",
    "agent": "agent -q --for 0.1s --every 0.1s --times 1 --budget 100 --memory 10000G --spool {folder}/spool --store {out} -- -e cpu-clock",
    "agent-server": "agent -q --for 0.1s --every 0.1s --times 1 --budget 100 --memory 10000G --spool {out} --store {server} -- -e cpu-clock",
    "agent-receiver": "agent -q --for 0.1s --every 0.1s --times 1 --budget 100 --memory 10000G --spool {out} --otlp {receiver} -- -e cpu-clock",
    "lock": "lock report -i {lock_data} --blocked",
    "lock-json": "lock report -i {lock_data} --json",
    "lock-contention": "lock contention -i {lock_data} --output {out}",
    "lock-threads": "lock contention -i {lock_data} -t",
    "browse": ("report -i {data}", "\r", "\r", "\r", "\x1b", "/", "n", "\r", "?", "\x1b", "P", "q"),
    "browse-code": ("annotate -i {data} main", "\x1b[B", "h", "q"),
}

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
    ("getdents64", "EIO"),
    ("unlink", "EACCES"),
    ("pipe2", "EMFILE"),
    ("clone", "EAGAIN"),
    ("vfork", "EAGAIN"),
    ("clone3", "EAGAIN"),
    ("flock", "ENOLCK"),
    ("perf_event_open", "EMFILE"),
    ("ioctl", "EIO"),
    ("poll", "EINTR"),
    ("socket", "EMFILE"),
    ("connect", "ECONNREFUSED"),
    ("sendto", "EPIPE"),
    ("recvfrom", "ECONNRESET"),
]


ROOM = r"/((?:profiler/\w+|annotate|base|disasm|dwarf|report))[/.]"

# Libraries that use memory without a check whether they got it: elfutils 0.188's debuginfod_begin(), ncurses 6.4's setupterm().
UNCHECKED = ("libdebuginfod", "libtinfo", "libncurses")
# elfutils 0.188 makes tables of abbreviations in the same way: the function that crashes is its own.
UNCHECKED_INSIDE = "/libdw.so"


class Result:
    def __init__(self, status, output, errors, files, log):
        self.status, self.output, self.errors, self.files = status, output, errors, files
        self.log = log


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


def press(terminal, keys):
    """Presses each key when the screen is steady, and drops what is printed, until the program ends."""
    keys, steady = list(keys), False
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        try:
            if ready and not os.read(terminal, 65536):
                return
            if not ready and steady:
                os.write(terminal, (keys.pop(0) if keys else "q").encode())
        except OSError:
            return
        steady = not ready


class Run:
    """Runs one scenario in a folder of its own."""

    def __init__(self, options, folder, name, arguments, places):
        self.options, self.folder, self.name, self.places = options, folder, name, places
        self.keys = None if isinstance(arguments, str) else arguments[1:]
        arguments = arguments if isinstance(arguments, str) else arguments[0]
        self.out = os.path.join(folder, "out")
        self.copies = "{copy}" in arguments
        # the programs that `try` runs are not meant
        self.follow = [] if name == "try" else ["-f", "--seccomp-bpf"]
        self.words = arguments.format(folder=folder, out=os.path.join(self.out, "result"), copy=os.path.join(self.out, "store"), **places).split()

    def run(self, before=(), environment=None, again=False):
        fresh(self.out)
        shutil.rmtree(os.path.join(self.folder, "spool"), ignore_errors=True)
        if self.copies:
            shutil.copy(self.places["store"], os.path.join(self.out, "store"))
        # it keeps what memory costs here, which layout measures once
        home, log = (os.path.join(self.folder, name) for name in ("home", "log"))
        os.makedirs(home, exist_ok=True)
        shutil.rmtree(os.path.join(home, ".cache", "debuginfod_client"), ignore_errors=True)
        settings = dict(os.environ, HOME=home, LC_ALL="C", TERM="xterm", TMPDIR=self.out, DEBUGINFOD_URLS="")
        if self.name.endswith("debuginfod"):
            settings["DEBUGINFOD_URLS"] = self.places["debuginfod"]
        more = dict(environment or {}, LD_PRELOAD=self.options.preload, FAULTS_LOG=log)
        first = before
        if before:
            before = [before[0], *(word for item in more.items() for word in ("-E", "=".join(item))), *before[1:]]
        else:
            settings.update(more)
        if os.path.exists(log):
            os.unlink(log)
        command = [*before, self.options.dtprof, *self.words]
        given = subprocess.DEVNULL
        if self.name.endswith("pipe"):
            given = subprocess.Popen(["cat", self.places["pipe_data"]], stdout=subprocess.PIPE).stdout
        terminal, slave = os.openpty() if self.keys else (None, None)
        if self.keys:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        with subprocess.Popen(command, stdin=slave or given, stdout=slave or subprocess.PIPE, stderr=subprocess.PIPE, env=settings,
                              cwd=self.folder, start_new_session=True) as process:
            if self.keys:
                os.close(slave)
                presser = threading.Thread(target=press, args=(terminal, self.keys))
                presser.start()
            try:
                output, errors = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                # a machine that stood still is no hang
                return self.run(first, environment, True) if not again else Result(None, b"", b"", {}, {})
            finally:
                if self.keys:
                    presser.join()
                    os.close(terminal)
        lines = collections.defaultdict(list)
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as file:
                for word, _, rest in (line.rstrip("\n").partition(" ") for line in file):
                    lines[word].append(rest)
        return Result(process.returncode, output or b"", errors, files_of(self.out), lines)

    def list_allocations(self):
        """Returns how many allocations there are, and for each whose stack has calls that no earlier one had: its number, these, and no places."""
        path = os.path.join(self.folder, "stacks")
        result = self.run(environment={"FAULTS_STACKS": path})
        with open(path, encoding="ascii") as file:
            return int(result.log["allocations"][0]), [(int(words[0]), words[1:], []) for words in map(str.split, file)]

    def list_calls(self, *more):
        """Returns the same of each system call, for the thread that makes most of them, with the places of dtprof's frames."""
        path = os.path.join(self.folder, "calls")
        names = sorted({call for call, _ in FAULTS})
        self.run(["strace", *self.follow, "-qq", "-k", "-o", path, "-e", "trace=" + ",".join(names), *more])
        found, frames, places = {}, [], []
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = re.match(r"(\d+ +)?(\w+)\(", line)
                if match:
                    frames, places = [match[2]], []
                    found.setdefault(match[2], {}).setdefault(match[1], []).append((frames, places))
                elif line.startswith(" > "):
                    frames.append(line.split(" [")[0])
                    if line.startswith(f" > {self.options.dtprof}("):
                        places.append(line.split("[")[1].split("]")[0])
        result = {}
        for call, threads in found.items():
            stacks = max(threads.values(), key=len)
            result[call] = len(stacks), [(number, list(zip(stack, stack[1:])), places) for number, (stack, places) in enumerate(stacks, 1)]
        return result


def is_log(name):
    """Returns whether the file is one that SQLite takes up again when the database is opened."""
    return name.endswith(("-wal", "-shm", "-journal"))


def is_recording(run, content, whole=True):
    """Returns whether dtprof reads all of a recording; else, whether it says that the recording was not finished."""
    path = os.path.join(run.folder, "recording")
    with open(path, "wb") as file:
        file.write(content)
    done = subprocess.run([run.options.dtprof, "report", "-i", path, "-s", "sym"], capture_output=True, check=False)
    if not whole:
        return b"was never written" in done.stderr or b"was not finished" in done.stderr or done.returncode != 0
    return done.returncode == 0 and b"truncated" not in done.stderr and b"cut" not in done.stderr


def same(run, expected, result):
    """Returns whether a result is the expected one; databases and recordings have times in them."""
    if run.keys or run.name.startswith(("agent", "server", "cluster", "try", "layout-replay", "export-receiver")):
        return True
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


def judge(run, expected, result, fault=None):
    """Returns what is wrong with the result of a run with a fault, or None."""
    if result.status is None:
        return "hangs"
    if result.status < 0 or result.status >= 128 and result.status != 129:
        place, inside = " ".join(result.log["crash"]), "".join(result.log["crash"][1:2])
        checked = b"libdw" not in result.errors and UNCHECKED_INSIDE not in inside and not any(name in place for name in UNCHECKED)
        return "crashes in " + place if checked else None
    if b"error while loading shared libraries" in result.errors:
        return None
    # these end the program by themselves when they lack memory
    ended = any(text in result.errors for text in (b"libdw", b"in libarchive", b"line 0, col 0: Out of memory"))
    left = [] if ended else [path for path in result.log["open"] if path not in expected.log["open"]]
    left = [path for path in left if "/debuginfod_client/" not in path]
    # one that only refers to a folder stays open by design, that of the folder that was believed last
    left += result.log["path"][1:]
    if left:
        return "leaves open " + ", ".join(left)
    extra = [name for name in result.files if name not in expected.files and not is_log(name)]
    # of a folder whose name the message tells
    extra = [name for name in extra if name.split("/")[0].encode() not in result.errors]
    # whole recordings wait in the spool of an agent for the next one
    extra = [name for name in extra if not (run.name in ("agent-server", "agent-receiver") and is_recording(run, result.files[name]))]
    if extra:
        return "leaves " + ", ".join(sorted(extra))
    if result.status == 0:
        if same(run, expected, result) or result.errors != expected.errors:
            return None
        error = None if fault is None else os.strerror(getattr(errno, fault)).lower().encode()
        if error and error in result.output.lower() and error not in expected.output.lower():
            return None
        return "is silent about another result: " + difference(expected, result)
    if not result.errors.strip():
        return "ends without a message"
    for name, content in result.files.items():
        # a recording that ends early has all up to there, and the message says so
        if run.name.startswith("record") and b"readable up to that point" in result.errors and is_recording(run, content):
            continue
        # nothing can be done about one whose program ends for lack of memory, but who reads it learns that it is not whole, unless it is
        if run.name.startswith("record") and b"out of memory" in result.errors and any(
            is_recording(run, content, whole) for whole in (False, True)
        ):
            continue
        if content != expected.files.get(name) and not run.name.startswith(("store", "agent")):
            return "leaves a part of " + name
    return None


def choose(options, count, stacks, tried):
    """Returns the numbers of the points to try, from 1 on, and adds their calls to those that were tried."""
    if options.points is None:
        chosen = []
        for number, calls, _ in stacks:
            if not tried.issuperset(calls):
                tried.update(calls)
                chosen.append(number)
        return chosen
    if not options.points or count <= options.points:
        return list(range(1, count + 1))
    return sorted({1 + (count - 1) * i // max(options.points - 1, 1) for i in range(options.points)})


def inject(options, folder, name, places, tried, totals, by_place):
    run = Run(options, folder, name, SCENARIOS[name], places)
    expected = run.run()
    if expected.status:
        print(f"{name}: fails without a fault: {expected.errors.decode(errors='replace').strip()}")
        return
    wrong = points = reached = 0
    begin = time.monotonic()

    def take(fault, result, error=None, places_of_fault=()):
        nonlocal wrong, points
        points += 1
        problem = judge(run, expected, result, error)
        by_place.append((tuple(places_of_fault), bool(problem)))
        if problem:
            wrong += 1
            print(f"{name}: {fault}: {problem} (status {result.status})")
            if options.show:
                print(result.errors.decode(errors="replace"))
            sys.stdout.flush()

    if "alloc" in options.kinds:
        count, stacks = run.list_allocations()
        reached += count
        for point in choose(options, count, stacks, tried):
            result = run.run(environment={"FAULTS_ALLOCATION": str(point)})
            frames = [line.split(" ") for line in result.log["at"]]
            take(f"allocation {point} of {count}", result, None, [place for path, place in frames if path == "program"])
    if "short" in options.kinds:
        for size in (1, 1000):
            result = run.run(environment={"FAULTS_SHORT": str(size)})
            take(f"reads and writes of at most {size} bytes", result)
            if result.status != expected.status:
                print(f"{name}: reads and writes of at most {size} bytes: {result.errors.decode(errors='replace')}")
                wrong += 1
    if "call" in options.kinds:
        calls, loader = run.list_calls(), run.list_calls("-E", "LD_TRACE_LOADED_OBJECTS=1")
        before = set(tried)
        for call, error in FAULTS:
            # those of the dynamic loader come first
            skipped = loader.get(call, (0, []))[0]
            count, stacks = calls.get(call, (skipped, []))
            stacks = [(number - skipped, *rest) for number, *rest in stacks[skipped:]]
            places_of = {number: places for number, _, places in stacks}
            reached += count - skipped
            # each error of a call is tried
            new = set(before)
            for point in choose(options, count - skipped, stacks, new):
                command = ["strace", *run.follow, "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
                result = run.run(before=[*command, "-e", f"inject={call}:error={error}:when={skipped + point}"])
                take(f"{call} {skipped + point}: {error}", result, error, places_of.get(point, []))
            tried |= new
    print(f"{name}: {reached} points, {points} tried in {time.monotonic() - begin:.0f} s, {wrong} wrong")
    sys.stdout.flush()
    for i, count in enumerate((reached, points, wrong)):
        totals[i] += count


def print_rooms(program, by_place):
    """Prints how many faults were tried in each room, and how many were wrong. A fault's room is that of the innermost function of its
    stack that is not of base/, where all rooms allocate and read."""
    addresses = sorted({place for places, _ in by_place for place in places})
    lines = subprocess.run(["addr2line", "-e", program], input="\n".join(addresses), stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    rooms = {address: match and match[1] for address, line in zip(addresses, lines) for match in [re.search(ROOM, line)]}
    counts = collections.defaultdict(lambda: [0, 0])
    for places, problem in by_place:
        of = [rooms[place] for place in places if rooms[place]]
        count = counts[next((room for room in of if room != "base"), of[0] if of else "(everywhere, or in libraries)")]
        count[0] += 1
        count[1] += problem
    for room, (points, wrong) in sorted(counts.items()):
        print(f"room {room}: {points} tried, {wrong} wrong")


def build_id(program):
    text = subprocess.run(["readelf", "-n", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    return re.search(r"Build ID: (\w+)", text)[1]


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, *_):
        pass


def serve_debug_information(folder, program):
    """Returns the address of a server that has the debug information of a program, which is stripped."""
    served = os.path.join(folder, "served")
    place = os.path.join(served, "buildid", build_id(program))
    os.makedirs(place)
    shutil.copy(program, os.path.join(place, "debuginfo"))
    subprocess.run(["strip", program], check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *words: Files(*words, directory=served))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


CLICKHOUSE = """<yandex><logger><level>error</level><log>{0}/log</log><errorlog>{0}/errors</errorlog></logger><listen_host>127.0.0.1</listen_host>
<http_port>{1}</http_port><tcp_port>{2}</tcp_port><path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path><mark_cache_size>10000000</mark_cache_size>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>{3}</yandex>"""
CLUSTER = """<zookeeper><node><host>127.0.0.1</host><port>{0}</port></node></zookeeper><macros><shard>1</shard><replica>1</replica></macros>
<remote_servers><fleet><shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>{1}</port></replica></shard>
</fleet></remote_servers>"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>"""


def await_port(port):
    """Returns whether a server answers at a port, within a minute."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except OSError:
            time.sleep(0.1)
    return False


def start_zookeeper(folder, port, processes):
    """Returns whether ZooKeeper, which replicated tables need, runs at a port; adds its process."""
    path = os.path.join(folder, "zoo.cfg")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"dataDir={folder}/zookeeper\nclientPort={port}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n")
    if not shutil.which("java") or not os.path.exists("/usr/share/java/zookeeper.jar"):
        return False
    processes.append(subprocess.Popen(["java", "-cp", "/usr/share/java/*", "org.apache.zookeeper.server.quorum.QuorumPeerMain", path],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return await_port(port)


def start_clickhouse(folder, places, cluster, processes):
    """Starts a server of ClickHouse, if there is one, as the only server of a cluster if that is asked for and can be. Adds its address to
    the places, once as that of the cluster's database, and the processes."""
    if not shutil.which("clickhouse-server"):
        return
    os.makedirs(os.path.join(folder, "data"))
    ports = []
    for _ in range(3):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            ports.append(probe.getsockname()[1])
    cluster = cluster and start_zookeeper(folder, ports[2], processes)
    more = CLUSTER.format(ports[2], ports[1]) if cluster else ""
    for name, text in (("config.xml", CLICKHOUSE.format(folder, *ports[:2], more)), ("users.xml", USERS)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    processes.append(subprocess.Popen(["clickhouse-server", "--config-file=" + os.path.join(folder, "config.xml")], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL))
    if await_port(ports[0]):
        places["server"] = f"clickhouse://127.0.0.1:{ports[0]}/dtprof"
        if cluster:
            places["cluster"] = f"clickhouse://127.0.0.1:{ports[0]}/fleet"


PATCH = """--- a/main.c
+++ b/main.c
@@ -1 +1 @@
-int main(void) { return 0; }
+int main(void) { return  0; }
"""


def arguments_of(name):
    return SCENARIOS[name] if isinstance(SCENARIOS[name], str) else SCENARIOS[name][0]


def prepare(options, folder, processes):
    """Makes programs, their recordings and what else the scenarios need. Returns the places, or why that is not possible."""
    places = {name: os.path.join(folder, name) for name in ("program", "data", "server_data", "lock_data", "pipe_data", "store", "rules", "companion", "types")}
    other, source, locks = (os.path.join(folder, name) for name in ("other", "source", "locks"))
    os.mkdir(source)
    for path, text in ((places["program"] + ".c", SOURCE), (other + ".c", SOURCE.replace("long key; char name[48];", "char name[48]; long key;")),
                       (locks + ".c", LOCKS), (places["rules"], "sizeof(node) <= 128\n"), (os.path.join(source, "main.c"), "int main(void) { return 0; }\n"),
                       (os.path.join(folder, "patch"), PATCH)):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    # the copies of `try` are built by a script that takes no time and gives another program each
    with open(os.path.join(source, "build"), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ncp /bin/true main && cat main.c >>main\n")
    os.chmod(os.path.join(source, "build"), 0o755)
    record = [options.dtprof, "record", "-q", "-N", "-e", "cpu-clock", "-F", "500", "-g", "-I", "--off-cpu", "--all-cgroups", "-o"]
    store = [options.dtprof, "store", "add", "--store", places["store"]]
    for command, missing in (
        (["gcc", "-g", "-O1", "-o", places["program"], places["program"] + ".c"], "no gcc"),
        (["gcc", "-g", "-O1", "-o", other, other + ".c"], "no gcc"),
        (["gcc", "-g", "-O1", "-pthread", "-o", locks, locks + ".c"], "no gcc"),
        ([*record, places["data"], places["program"]], "programs cannot be recorded here"),
        ([*record, places["server_data"], other], "programs cannot be recorded here"),
        ([*store, places["data"]], "recordings cannot be stored here"),
        ([*store, places["server_data"]], "recordings cannot be stored here"),
        ([options.dtprof, "index", places["program"], "-o", places["companion"]], "programs cannot be indexed here"),
        ([options.dtprof, "export", "-i", places["data"], "--format=data-type-json", "-o", places["types"]], "types cannot be exported here"),
        (["sh", "-c", f"{' '.join(record)} - {places['program']} >{places['pipe_data']}"], "programs cannot be recorded into a pipe here"),
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
    # context switches need more rights than samples
    lock_record = [options.dtprof, "lock", "record", "-q", "-N", "--user", "-o", places["lock_data"], locks]
    if subprocess.run(lock_record, capture_output=True, check=False).returncode:
        del places["lock_data"]
    places["builds"] = build_id(places["program"]) + " " + build_id(other)
    places["debuginfod"] = serve_debug_information(folder, other)
    receiver = os.path.join(folder, "receiver")
    os.mkdir(receiver)
    processes.append(subprocess.Popen([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/otlp_receiver.py"), receiver]))
    # its threads are gone, and it waits
    processes.append(subprocess.Popen([locks, "wait"]))
    time.sleep(1)
    places["pid"], core = str(processes[-1].pid), os.path.join(folder, "core")
    if shutil.which("gcore") and not subprocess.run(["gcore", "-o", core, places["pid"]], capture_output=True, check=False).returncode:
        places["core"] = f"{core}.{places['pid']}"
    with open(os.path.join(receiver, "port"), encoding="ascii") as file:
        places["receiver"] = "http://127.0.0.1:" + file.read().strip()
    return places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtprof", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--points", type=int, help="of each kind in each scenario; 0: all")
    parser.add_argument("--only", help="names of scenarios, or parts of them, separated by commas")
    parser.add_argument("--kinds", default="alloc,short,call")
    parser.add_argument("--show", action="store_true", help="print what wrong runs said")
    options = parser.parse_args()
    # one processor, so one thread: its allocations and calls come in the same order in each run
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    options.dtprof, options.preload = os.path.abspath(options.dtprof), os.path.abspath(options.preload)
    words = (options.only or "").split(",")
    chosen = [name for name in SCENARIOS if any(word == name if word in SCENARIOS else word in name for word in words)]
    # the same addresses in each run
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    tried, totals, by_place = set(), [0, 0, 0], []
    with tempfile.TemporaryDirectory() as folder:
        processes = []
        places = prepare(options, folder, processes)
        if isinstance(places, str):
            print(f"skipped: {places}")
            return 0
        try:
            if any(word in arguments_of(name) for name in chosen for word in ("{server}", "{cluster}")):
                start_clickhouse(os.path.join(folder, "clickhouse"), places, any("{cluster}" in arguments_of(name) for name in chosen), processes)
            for name in chosen:
                lacks = [word for word in re.findall(r"{(\w+)}", arguments_of(name)) if word not in places and word not in ("folder", "out", "copy")]
                if lacks:
                    print(f"{name}: skipped: this machine has no {lacks[0]}")
                else:
                    inject(options, folder, name, places, tried, totals, by_place)
        finally:
            for process in processes:
                process.kill()
                process.wait()
    print_rooms(options.dtprof, by_place)
    print(f"all: {totals[0]} points, {totals[1]} tried, {totals[2]} wrong")
    return 1 if totals[2] else 0


if __name__ == "__main__":
    sys.exit(main())
