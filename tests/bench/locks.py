#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Scores dtprof lock on a program that prints the truth about its locks, a line for each: its address, its size, and the names that
are right, with | between them: "struct pool (lock)" or a variable. Builds, records and compares, weighted by waiting time.
A program may also print how long it waited by its own clock: "waited ADDRESS NS". Then nine tenths of that must be seen, and no
more than a tenth besides.

    tests/bench/locks.py DTPROF SOURCE COMPILER [FLAGS...]

A name is right if its struct and the last part of its field are those of the truth. Exits with 0 if none is wrong, at most a
tenth has no name, and no lock that takes a hundredth is without one; 77 if nothing can be recorded here.
"""
import json, os, re, subprocess, sys, tempfile


def base(name):
    return re.sub(r"<.*>", "", re.sub(r"^(struct|class|union) ", "", name)).split("::")[-1]


def is_right(name, truth):
    field = re.match(r"(.*) \(([^)]*)\)$", truth)
    if not field:
        return re.sub(r"\.(_M_elems|__elems_|_M_mutex|__data|once)\b", "", name).split("::")[-1] == truth
    found = re.match(r"(.*?) \+-?\d+ \(([^)]*)\)$", name)
    if not found:
        return False
    path = re.sub(r"\[\d*\]", "", found[2]).split(".")
    wanted = field[2].split(".")
    nodes = base(found[1]).lower().endswith("node")
    return (base(found[1]) == base(field[1]) and wanted == [part for part in path if part in wanted]) or (nodes and wanted[-1] in path)


def read_truth(text):
    for line in text.splitlines():
        match = re.match(r"(0x[0-9a-f]+) (\d+) (.*)", line)
        if match:
            yield int(match[1], 16), int(match[2]), match[3].split("|")


def main():
    dtprof, source, compiler, flags = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        program, data = folder + "/program", folder + "/perf.data"
        command = ["go", "build", "-o", program, *flags, source] if compiler == "go" else [compiler, source, *flags, "-o", program]
        built = subprocess.run(command, capture_output=True, text=True)
        if built.returncode:
            print(built.stderr)
            return 77
        # a program of Go, whose probes are in its file, may be started by another one
        run = ["env", program] if compiler == "go" else [program]
        recorded = subprocess.run([dtprof, "lock", "record", "--user", "-m", "1024", "-o", data, "--", *run],
                                  capture_output=True, text=True)
        report = subprocess.run([dtprof, "lock", "report", "-l", "--json", "-q", "-i", data], capture_output=True, text=True)
    rows = json.loads(report.stdout)["rows"] if not report.returncode else []
    if not rows or "goroutines" in recorded.stderr:
        print(recorded.stderr, report.stderr)
        return 77
    truth = list(read_truth(recorded.stdout))
    times, seen, named, unnamed = {"right": 0, "wrong": 0, "none": 0, "untold": 0}, [], set(), {}
    for row in rows:
        # several objects may share the word that is waited at: then only the name tells
        names = [names for address, size, names in truth if address <= row["address"] < address + size
                 or not row["address"] and row["lock"] and any(is_right(row["lock"], name) for name in names)]
        if not names and not row["address"]:
            names = [["-"]] # it is one of the truth's
        kind = ("untold" if not names else "none" if row["lock"] is None
                else "right" if any(is_right(row["lock"], name) for name in names[0]) else "wrong")
        times[kind] += row["wait_total"]
        if kind == "right":
            named.add(names[0][0])
        elif kind == "none":
            unnamed[names[0][0]] = unnamed.get(names[0][0], 0) + row["wait_total"]
        if kind != "right":
            seen.append(f"  {kind}: {row['lock']} ({row.get('unknown')}), {names[0][0] if names else '-'}")
    whole = sum(times.values()) or 1
    print(os.path.basename(source), compiler, *flags, *(f"{kind} {100 * time / whole:.2f} %" for kind, time in times.items()))
    print("\n".join(sorted(set(seen))))
    own = sum(int(time) for time in re.findall(r"^waited 0x[0-9a-f]+ (\d+)$", recorded.stdout, re.M))
    if own:
        print(f"  {100 * times['right'] / own:.1f} % of the time by the program's clock")
    return times["wrong"] > 0 or times["right"] < 0.9 * whole or (own and not 0.9 * own < times["right"] < 1.1 * own) or \
        any(time > 0.01 * whole for name, time in unnamed.items() if name != "-" and name not in named)


sys.exit(main())
