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

# name: arguments, in which {data}, {program}, {out} and others of Run.words are put. The browser's keys follow.
SCENARIOS = {
    "report": "report -i {data} --stdio -s type,typeoff,sym",
    "report-copy": "report -i {data} --stdio -s copy",
    "report-json": "report -i {data} --json -s type,typeoff",
    "report-csv": "report -i {data} --csv -s type",
    "report-html": "report -i {data} --html {out}",
    "report-output": "report -i {data} -s type -o {out}",
    "report-chains": "report -i {data} --stdio -g caller -s sym --children",
    "report-debuginfod": "report -i {server_data} --stdio -s type",
    "annotate-html": "annotate -i {data} --html {out}",
    "c2c-html": "c2c report -i {data} --html {out}",
    "layout-html": "layout -i {data} --type node --html {out}",
    "annotate": "annotate -i {data} --stdio --data-type=node",
    "annotate-code": "annotate -i {data} --stdio --code-with-type main",
    "mem": "mem report -i {data} --stdio",
    "c2c": "c2c report -i {data} --stdio",
    "layout": "layout -i {data} --type node",
    "layout-rules": "layout -i {data} --type node --emit=rules",
    "script": "script -i {data}",
    "list": "list rules",
    "list-events": "list",
    "diff": "diff {data} {data} -s type",
    "check": "check {rules} {program}",
    "check-data": "check -i {data} {rules}",
    "try": "try -i {data} --patch {folder}/patch --source {folder}/source --pairs 1 -- ./build -- ./main",
    "debug": "debug types {program} main",
    "debug-die": "debug die {program} main",
    "export-pprof": "export -i {data} --format=pprof -o {out}",
    "export-otlp": "export -i {data} --format=otlp -o {out}",
    "export-firefox": "export -i {data} --format=firefox -o {out}",
    "export-types": "export -i {data} --format=data-type-json -o {out}",
    "archive": "archive -i {data} -o {out}",
    "index": "index {program} -o {out}",
    "print": "print --object {program} -C node --count 1 {program}",
    "store-init": "store init --store {out}",
    "store-add": "store add --store {out} {data}",
    "store-list": "store list --store {store}",
    "store-top": "store top --store {store}",
    "store-report": "store report --store {store}",
    "store-history": "store history --store {store} node",
    "store-diff": "store diff --store {store} {builds}",
    "store-check": "store check --store {store} {rules} {program}",
    "store-gc": "store gc --store {copy} --keep 90d",
    "server-init": "store init --store {server}",
    "server-add": "store add --store {server} {data}",
    "server-top": "store top --store {server}",
    "record": "record -q -N -e cpu-clock -o {out} {program}",
    "record-chains": "record -q -N -e cpu-clock -g --off-cpu -o {out} {program}",
    "record-cache": "record -q -e cpu-clock -o {out} {program}",
    "record-mem": "mem record -q -N -e cpu-clock -o {out} {program}",
    "record-c2c": "c2c record -q -N -e cpu-clock -o {out} {program}",
    "record-lock": "lock record -q -N --user -o {out} {program}",
    "agent": "agent -q --for 0.1s --every 0.1s --times 1 --budget 100 --memory 10000G --spool {folder}/spool --store {out} -- -e cpu-clock",
    "agent-server": "agent -q --for 0.1s --every 0.1s --times 1 --budget 100 --memory 10000G --spool {out} --store {server} -- -e cpu-clock",
    "lock": "lock report -i {data}",
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


# Libraries that use memory without a check whether they got it: elfutils 0.188's debuginfod_begin(), ncurses 6.4's setupterm().
UNCHECKED = ("libdebuginfod", "libtinfo", "libncurses")


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
        terminal, slave = os.openpty() if self.keys else (None, None)
        if self.keys:
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        with subprocess.Popen(command, stdin=slave or subprocess.DEVNULL, stdout=slave or subprocess.PIPE, stderr=subprocess.PIPE, env=settings,
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
        """Returns how many allocations there are, and a pair for each whose stack has calls that no earlier one had: its number, and these."""
        path = os.path.join(self.folder, "stacks")
        result = self.run(environment={"FAULTS_STACKS": path})
        with open(path, encoding="ascii") as file:
            return int(result.log["allocations"][0]), [(int(words[0]), words[1:]) for words in map(str.split, file)]

    def list_calls(self, *more):
        """Returns the same of each system call, for the thread that makes most of them; the numbers are those of this thread."""
        path = os.path.join(self.folder, "calls")
        names = sorted({call for call, _ in FAULTS})
        self.run(["strace", *self.follow, "-qq", "-k", "-o", path, "-e", "trace=" + ",".join(names), *more])
        found, frames = {}, []
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                match = re.match(r"(\d+ +)?(\w+)\(", line)
                if match:
                    frames = [match[2]]
                    found.setdefault(match[2], {}).setdefault(match[1], []).append(frames)
                elif line.startswith(" > "):
                    frames.append(line.split(" [")[0])
        result = {}
        for call, threads in found.items():
            stacks = max(threads.values(), key=len)
            result[call] = len(stacks), [(number, list(zip(stack, stack[1:]))) for number, stack in enumerate(stacks, 1)]
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
    if run.keys or run.name.startswith(("agent", "server", "try")):
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
        place = " ".join(result.log["crash"])
        return None if b"libdw" in result.errors or any(name in place for name in UNCHECKED) else "crashes in " + place
    if b"error while loading shared libraries" in result.errors:
        return None
    # these end the program by themselves when they lack memory
    ended = any(text in result.errors for text in (b"libdw", b"in libarchive", b"line 0, col 0: Out of memory"))
    left = [] if ended else [path for path in result.log["open"] if path not in expected.log["open"]]
    left = [path for path in left if "/debuginfod_client/" not in path]
    # one stays open by design, that of the folder that was believed last
    if left and len(result.log["open"]) > len(expected.log["open"]):
        return "leaves open " + ", ".join(left)
    extra = [name for name in result.files if name not in expected.files and not is_log(name)]
    # of a folder whose name the message tells
    extra = [name for name in extra if name.split("/")[0].encode() not in result.errors]
    # whole recordings wait in the spool of an agent for the next one
    extra = [name for name in extra if not (run.name == "agent-server" and is_recording(run, result.files[name]))]
    if extra:
        return "leaves " + ", ".join(sorted(extra))
    if result.status == 0:
        if same(run, expected, result) or result.errors != expected.errors:
            return None
        error = None if fault is None else os.strerror(getattr(errno, fault)).encode()
        if error and error in result.output and error not in expected.output:
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
        for number, calls in stacks:
            if not tried.issuperset(calls):
                tried.update(calls)
                chosen.append(number)
        return chosen
    if not options.points or count <= options.points:
        return list(range(1, count + 1))
    return sorted({1 + (count - 1) * i // max(options.points - 1, 1) for i in range(options.points)})


def inject(options, folder, name, places, tried, totals):
    run = Run(options, folder, name, SCENARIOS[name], places)
    expected = run.run()
    if expected.status:
        print(f"{name}: fails without a fault: {expected.errors.decode(errors='replace').strip()}")
        return
    wrong = points = reached = 0
    begin = time.monotonic()

    def take(fault, result, error=None):
        nonlocal wrong, points
        points += 1
        problem = judge(run, expected, result, error)
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
            take(f"allocation {point} of {count}", run.run(environment={"FAULTS_ALLOCATION": str(point)}))
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
            stacks = [(number - skipped, frames) for number, frames in stacks[skipped:]]
            reached += count - skipped
            # each error of a call is tried
            new = set(before)
            for point in choose(options, count - skipped, stacks, new):
                command = ["strace", *run.follow, "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
                take(f"{call} {skipped + point}: {error}", run.run(before=[*command, "-e", f"inject={call}:error={error}:when={skipped + point}"]), error)
            tried |= new
    print(f"{name}: {reached} points, {points} tried in {time.monotonic() - begin:.0f} s, {wrong} wrong")
    sys.stdout.flush()
    for i, count in enumerate((reached, points, wrong)):
        totals[i] += count


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
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>"""
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password/><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users></yandex>"""


def start_clickhouse(folder):
    """Returns the process and the address of a server of ClickHouse, or None."""
    if not shutil.which("clickhouse-server"):
        return None, None
    os.makedirs(os.path.join(folder, "data"))
    ports = []
    for _ in range(2):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            ports.append(probe.getsockname()[1])
    for name, text in (("config.xml", CLICKHOUSE.format(folder, *ports)), ("users.xml", USERS)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    process = subprocess.Popen(["clickhouse-server", "--config-file=" + os.path.join(folder, "config.xml")], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", ports[0])).close()
            return process, f"clickhouse://127.0.0.1:{ports[0]}/dtprof"
        except OSError:
            time.sleep(0.1)
    process.kill()
    return None, None


PATCH = """--- a/main.c
+++ b/main.c
@@ -1 +1 @@
-int main(void) { return 0; }
+int main(void) { return  0; }
"""


def prepare(options, folder):
    """Makes programs, their recordings and what else the scenarios need. Returns the places, or why that is not possible."""
    places = {name: os.path.join(folder, name) for name in ("program", "data", "server_data", "store", "rules")}
    other, source = (os.path.join(folder, name) for name in ("other", "source"))
    os.mkdir(source)
    for path, text in ((places["program"] + ".c", SOURCE), (other + ".c", SOURCE.replace("long key; char name[48];", "char name[48]; long key;")),
                       (places["rules"], "sizeof(node) <= 128\n"), (os.path.join(source, "main.c"), "int main(void) { return 0; }\n"),
                       (os.path.join(folder, "patch"), PATCH)):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    # the copies of `try` are built by a script that takes no time and gives another program each
    with open(os.path.join(source, "build"), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ncp /bin/true main && cat main.c >>main\n")
    os.chmod(os.path.join(source, "build"), 0o755)
    record = [options.dtprof, "record", "-q", "-N", "-e", "cpu-clock", "-F", "500", "-g", "-I", "--off-cpu", "-o"]
    store = [options.dtprof, "store", "add", "--store", places["store"]]
    for command, missing in (
        (["gcc", "-g", "-O1", "-o", places["program"], places["program"] + ".c"], "no gcc"),
        (["gcc", "-g", "-O1", "-o", other, other + ".c"], "no gcc"),
        ([*record, places["data"], places["program"]], "programs cannot be recorded here"),
        ([*record, places["server_data"], other], "programs cannot be recorded here"),
        ([*store, places["data"]], "recordings cannot be stored here"),
        ([*store, places["server_data"]], "recordings cannot be stored here"),
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
    places["builds"] = build_id(places["program"]) + " " + build_id(other)
    places["debuginfod"] = serve_debug_information(folder, other)
    return places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtprof", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--points", type=int, help="of each kind in each scenario; 0: all")
    parser.add_argument("--only", help="parts of the names of scenarios, separated by commas")
    parser.add_argument("--kinds", default="alloc,short,call")
    parser.add_argument("--show", action="store_true", help="print what wrong runs said")
    options = parser.parse_args()
    # one processor, so one thread: its allocations and calls come in the same order in each run
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    options.dtprof, options.preload = os.path.abspath(options.dtprof), os.path.abspath(options.preload)
    chosen = [name for name in SCENARIOS if any(word in name for word in (options.only or "").split(","))]
    # the same addresses in each run
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)
    tried, totals = set(), [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        places = prepare(options, folder)
        if isinstance(places, str):
            print(f"skipped: {places}")
            return 0
        server = None
        if any("{server}" in SCENARIOS[name] for name in chosen):
            server, places["server"] = start_clickhouse(os.path.join(folder, "clickhouse"))
        try:
            for name in chosen:
                if "{server}" in SCENARIOS[name] and not server:
                    print(f"{name}: skipped: there is no clickhouse-server")
                else:
                    inject(options, folder, name, places, tried, totals)
        finally:
            if server:
                server.kill()
                server.wait()
    print(f"all: {totals[0]} points, {totals[1]} tried, {totals[2]} wrong")
    return 1 if totals[2] else 0


if __name__ == "__main__":
    sys.exit(main())
