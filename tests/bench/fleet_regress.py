#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How often `dtprof store regress` finds a field whose share rose by a factor, and how often it finds one where nothing changed.

    fleet_regress.py DTPROF FOLDER [FACTOR [HOSTS [SAMPLES]]]    (2.5; 24 of each build; 30,000 of each host)

Fleets are drawn: each host has habits (a field's share differs by a factor of exp(0.3 N)), runs one of the builds, and has 200
fields whose shares fall as 1 / n. Prints both numbers."""
import math, os, random, shutil, sqlite3, subprocess, sys

dtprof, folder = sys.argv[1:3]
factor, hosts, samples = (float(word) if word else usual for word, usual in zip(sys.argv[3:] + [""] * 3, (2.5, 24, 30000)))
FIELDS, BUILDS, empty, store = 200, ("aa11", "bb22"), os.path.join(folder, "empty.db"), os.path.join(folder, "regress.db")


def drawn(mean):
    return max(0, int(random.gauss(mean, math.sqrt(mean)) + 0.5))


def fill(moved):
    shutil.copy(empty, store)
    os.chmod(store, 0o600)
    base = sqlite3.connect(store)
    base.execute("PRAGMA synchronous = OFF")
    add = lambda table, *values: base.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(values))})", values)
    names = ["", "cycles", "/bin/server", "6.1", *BUILDS] + [f"struct t{f}" for f in range(FIELDS)] + [f"host{h}" for h in range(2 * int(hosts))]
    number = {name: place + 1 for place, name in enumerate(names)}
    for name in names:
        add("text", number[name], name)
    for side, build in enumerate(BUILDS):
        add("object", side + 1, number["/bin/server"], number[build], 1, 1)
    for f in range(FIELDS):
        add("field", f + 1, number[f"struct t{f}"], 8, 1)
    for h in range(2 * int(hosts)):
        side, busy = h % 2, samples * math.exp(random.gauss(0, 0.5))
        counts = [drawn(busy * math.exp(random.gauss(0, 0.3)) / (f + 1) / 5.88 * (factor if side and f == moved else 1)) for f in range(FIELDS)]
        add("host", h + 1, number[f"host{h}"], number["6.1"], 1)
        add("batch", h + 1, f"{h:032x}", h + 1, 20400 * 86400, 20400, sum(counts))
        for f, count in enumerate(counts):
            if count:
                add("fact", h + 1, number["cycles"], side + 1, f + 1, 1, count, count, 0, 0, 0)
                add("daily", 20400, h + 1, number["cycles"], side + 1, f + 1, 1, count, count, 0, 0, 0)
    base.commit()
    base.close()


def rose():
    run = subprocess.run([dtprof, "store", "regress", "-q", "--store", store, *BUILDS], capture_output=True, text=True)
    if run.returncode > 1:
        sys.exit(run.stderr)
    return run.stdout


random.seed(1)
if os.path.exists(empty):
    os.remove(empty)
subprocess.run([dtprof, "store", "init", "-q", "--store", empty], check=True)
found = false = 0
for trial in range(50):
    moved = 3 + trial
    fill(moved)
    found += f"struct t{moved} " in rose()
for trial in range(100):
    fill(None)
    false += bool(rose())
print(f"{found} of 50 moves of {factor:g} times found, {false} of 100 fleets without one have one ({hosts:g} hosts of each build, {samples:g} samples each)")
