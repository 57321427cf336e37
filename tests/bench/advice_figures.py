#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The figures of tests/bench/advice.sh: one row of its table, or the summary of all rows.

    advice_figures.py row PROGRAM TYPE KIND ROW [ARGUMENT...]
    advice_figures.py summary FILE

ROW.times has the pairs of times, ROW.json the advice on the type and ROW.all.json that on all types
without any option. A row is also written to ROW.row, as JSON; FILE has such lines.
"""
import json
import sys

GAIN, NO_GAIN = 1.2, 1.05  # measured: must be advised; nothing may be
ROUNDING = 0.005  # of the printed ranges
SHOWN = 3  # types that a reader looks at


def types_in(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["types"]
    except (OSError, ValueError, KeyError):
        return []


def gain_in(type_):
    """Returns the proposal that is advised, or None."""
    proposals = type_["proposals"]
    return proposals[0] if proposals and proposals[0]["verdict"] == "gain" else None


def rank_of(row, name):
    """Returns the place of the type among those with advice, from 1 on; 0: it has none."""
    advised = [type_ for type_ in types_in(row + ".all.json") if gain_in(type_)]
    for rank, type_ in enumerate(advised, 1):
        if type_["name"].split("::")[-1].split(" ")[-1] == name:
            return rank
    return 0


def row(program, name, kind, path, arguments):
    with open(path + ".times", encoding="utf-8") as file:
        pairs = [[float(word) for word in line.split()] for line in file]
    ratios = sorted(old / new for old, new in pairs if new)
    median = ratios[len(ratios) // 2]
    found = types_in(path + ".json")
    proposals = found[0]["proposals"] if found else []
    advised = gain_in(found[0]) if found else None
    mine = next((p for p in proposals if p["kind"] == kind), None)
    verdict, predicted, agrees = "not proposed", "", "yes" if median < 1.1 else "NO"
    low = high = None
    if mine:
        low, high = mine["own"]["low"], mine["own"]["high"]
        inside = low - ROUNDING <= median <= high + ROUNDING
        verdict, predicted = mine["verdict"], "%.2f to %.2f" % (low, high)
        agrees = {"gain": "yes" if inside else "SLOWER" if median < 1 else "NO",
                  "no gain": "yes" if median < 1.1 else "NO",
                  "cannot tell": "(yes)" if inside else "(NO)"}[verdict]
    if advised and advised["kind"] != kind:
        agrees += " + " + advised["kind"]
    promised = verdict == "gain"
    kept = promised and median >= low - ROUNDING
    rank = rank_of(path, name)
    print("%-8s %-18s %-8s %-12s %-16s %-22s %-4s %-4s %s" % (
        program, " ".join(arguments), kind, verdict, predicted,
        "%.2f (%.2f, %.2f)" % (median, ratios[0], ratios[-1]),
        ("kept" if kept else "LOST") if promised else "-", rank or "-", agrees))
    with open(path + ".row", "w", encoding="utf-8") as file:
        json.dump({"measured": median, "advised": bool(advised), "promised": promised,
                   "kept": kept, "width": high / low if promised and low > 0 else None,
                   "rank": rank}, file)
        file.write("\n")


def summary(path):
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    gains = [r for r in rows if r["measured"] >= GAIN]
    none = [r for r in rows if r["measured"] <= NO_GAIN]
    promised = [r for r in rows if r["promised"]]
    widths = sorted(r["width"] for r in promised if r["width"])
    print("gain >= %.2f: advised %d of %d, among the first %d types %d" % (
        GAIN, sum(r["advised"] for r in gains), len(gains), SHOWN,
        sum(0 < r["rank"] <= SHOWN for r in gains)))
    print("gain <= %.2f: nothing advised %d of %d" % (
        NO_GAIN, sum(not r["advised"] for r in none), len(none)))
    print("promised low end kept: %d of %d" % (sum(r["kept"] for r in promised), len(promised)))
    if widths:
        print("width of a promised range (high/low), median: %.2f" % widths[len(widths) // 2])


if __name__ == "__main__":
    if sys.argv[1] == "row":
        row(*sys.argv[2:6], sys.argv[6:])
    else:
        summary(sys.argv[2])
