#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what dtprof and perf opened and recorded in the guests, and prints each difference that no row of EXPLAINED covers.

    compare.py FOLDER [MACHINE...]

FOLDER/MACHINE has TOOL.CASE.data and TOOL.CASE.log of each case (the file `cases`). The exit status is 1 if a difference is left,
or if dtprof does not record where perf does.
"""

import collections
import itertools
import os
import re
import struct
import sys

FLAGS = ("disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat "
         "enable_on_exec task watermark precise precise_high mmap_data sample_id_all exclude_host exclude_guest "
         "exclude_callchain_kernel exclude_callchain_user mmap2 comm_exec use_clockid context_switch write_backward namespaces "
         "ksymbol bpf_event aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap").split()
WORDS = [("type", "I", 0), ("config", "Q", 8), ("rate", "Q", 16), ("sample_type", "Q", 24), ("read_format", "Q", 32),
         ("wakeup", "I", 48), ("bp_type", "I", 52), ("config1", "Q", 56), ("config2", "Q", 64), ("branches", "Q", 72),
         ("regs_user", "Q", 80), ("stack_user", "I", 88), ("clockid", "i", 92), ("regs_intr", "Q", 96),
         ("aux_watermark", "I", 104), ("max_stack", "H", 108), ("aux_sample_size", "I", 112), ("sig_data", "Q", 120),
         ("config3", "Q", 128)]
SAMPLE_TYPES = ("IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT DATA_SRC "
                "IDENTIFIER TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE WEIGHT_STRUCT").split()
DUMMY = (1, 9)


def bit(name):
    return 1 << SAMPLE_TYPES.index(name)


def read_attrs(path):
    """Returns the attributes that the header of a perf.data lists, each a dictionary."""
    with open(path, "rb") as file:
        data = file.read()
    magic, _, entry_size, offset, size = struct.unpack_from("<8sQQQQ", data)
    if magic != b"PERFILE2":
        raise ValueError(f"{path} is no perf.data")
    attrs = []
    for at in range(offset, offset + size, entry_size):
        attr_size = struct.unpack_from("<I", data, at + 4)[0]
        attr = {name: struct.unpack_from("<" + form, data, at + place)[0] if place + struct.calcsize(form) <= attr_size else 0
                for name, form, place in WORDS}
        flags = struct.unpack_from("<Q", data, at + 40)[0]
        attr.update({name: flags >> bit & 1 for bit, name in enumerate(FLAGS)})
        attr["precise"] |= attr.pop("precise_high") << 1
        attrs.append(attr)
    return attrs


def no_caller(ours, _):
    """Samples of dtprof have the word on the top of the stack: the caller of a leaf function."""
    if ours["stack_user"] == 8:
        ours["stack_user"] = 0
        ours["sample_type"] &= ~bit("STACK_USER")


def buffered(ours, _):
    """dtprof is woken when a part of the ring is full; perf for each sample or when it polls."""
    ours["watermark"] = ours["wakeup"] = 0


def no_guests(ours, theirs):
    """dtprof leaves out what virtual machines do, where the PMU can; perf does not since 6.13."""
    if not theirs["exclude_guest"]:
        ours["exclude_guest"] = 0


def latency_bits(ours, theirs):
    """perf adds the bits of ldlat=N to those of the 3 that the kernel's event has (pmu_format_value() clears none)."""
    if ours["type"] == theirs["type"] and ours["config1"] | 3 == theirs["config1"]:
        ours["config1"] = theirs["config1"]


def store_weights(ours, theirs):
    """dtprof asks for the latency of stores, too, which processors since Sapphire Rapids tell."""
    if ours["precise"] and not theirs["sample_type"] & bit("WEIGHT_STRUCT"):
        ours["sample_type"] &= ~bit("WEIGHT_STRUCT")


def generic_event(ours, theirs):
    """perf takes the events of sysfs for generic ones, and dtprof leaves it to the kernel to choose the same."""
    if ours["type"] == 0 and ours["config"] & 0xffffffff == 1 and theirs["config"] == 0xc0 and \
            (ours["config"] >> 32 or 4) == theirs["type"]:
        ours["type"], ours["config"] = theirs["type"], theirs["config"]


def follows_by_dummy(ours, theirs):
    """With -a and on hybrid machines perf follows processes by a dummy event; dtprof by the first event of each kind of core."""
    if theirs["has_dummy"]:
        for name in FOLLOWING:
            ours[name] = theirs[name]


def inherits(ours, theirs):
    """With -a dtprof lets events be inherited, which means nothing there."""
    if theirs["has_dummy"] and ours["sample_type"] & bit("CPU") and not theirs["inherit"]:
        ours["inherit"] = 0


def identified(ours, theirs):
    """The field that tells the event of a sample is either of ID and IDENTIFIER; IDENTIFIER where the fields of events differ."""
    ids = bit("ID") | bit("IDENTIFIER")
    if theirs["sample_type"] & ids and (ours["sample_type"] & ids or theirs["has_dummy"]):
        ours["sample_type"] = ours["sample_type"] & ~ids | theirs["sample_type"] & ids


def silent_aux(ours, theirs):
    """perf samples mem-loads-aux, too, which loads need to be active; dtprof counts it."""
    if ours["config"] == theirs["config"] == 0x8203 and not ours["rate"]:
        fields = bit("ADDR") | bit("DATA_SRC") | bit("WEIGHT_STRUCT") | bit("PERIOD")
        ours["sample_type"] |= theirs["sample_type"] & fields
        for name in "rate freq precise".split():
            ours[name] = theirs[name]


def vector_registers(ours, theirs):
    """-I of perf takes the vector registers, too; dtprof takes those that hold addresses."""
    if theirs["regs_intr"] >> 32 and theirs["regs_intr"] & ours["regs_intr"] == ours["regs_intr"]:
        ours["regs_intr"] = theirs["regs_intr"]


def switches(ours, theirs):
    """c2c record of dtprof takes context switches, which tell whether threads ran at one time."""
    ours["context_switch"] &= theirs["context_switch"]


def software_filter(ours, theirs):
    """dtprof sets swfilt wherever IBS has it; Zen 6 filters by itself, and perf uses no other filter."""
    if ours["config2"] == 1 and (theirs["exclude_kernel"] or theirs["exclude_user"]):
        ours["config2"] = theirs["config2"]


def traced(ours, theirs):
    """perf for x86 takes SPE for an event like others; dtprof records its AUX data, with a dummy event that follows processes."""
    if ours["config"] & 1 and ours["type"] == theirs["type"] and not ours["mmap"]:
        ours["sample_type"] = theirs["sample_type"]
        for name in FOLLOWING:
            ours[name] = theirs[name]


FOLLOWING = "mmap comm task mmap_data mmap2 comm_exec ksymbol bpf_event build_id".split()

# Each changes dtprof's attributes to perf's where its text explains the difference.
EXPLAINED = [no_caller, buffered, no_guests, latency_bits, store_weights, generic_event, silent_aux, vector_registers, switches,
             inherits, follows_by_dummy, identified, software_filter, traced]


def show(name, value):
    if name == "sample_type":
        return "|".join(text for bit, text in enumerate(SAMPLE_TYPES) if value >> bit & 1)
    return hex(value) if name.startswith("config") else str(value)


def compare_attrs(ours, theirs, used):
    """Returns the differences between two lists of attributes, and counts the explanations that were needed."""
    has_dummy = any((attr["type"], attr["config"]) == DUMMY for attr in theirs)
    ours = [attr for attr in ours if (attr["type"], attr["config"]) != DUMMY]
    theirs = [dict(attr, has_dummy=has_dummy) for attr in theirs if (attr["type"], attr["config"]) != DUMMY]
    if len(ours) != len(theirs):
        events = [", ".join(f"{attr['type']}:{attr['config']:#x}" for attr in attrs) for attrs in (ours, theirs)]
        if [attr for attr in theirs if attr["config"] != 0x01cd] == theirs and 0x01cd in [attr["config"] for attr in ours]:
            used["perf leaves out mem-loads after mem-loads-aux where it may not record the kernel; dtprof records it"] += 1
            return []
        return [f"events: {events[0]} and {events[1]}"]
    left = []
    for number, (our, their) in enumerate(zip(ours, theirs)):
        for explain in EXPLAINED:
            before = dict(our)
            explain(our, their)
            used[explain.__doc__] += before != our
        left += [f"event {number}: {name} {show(name, our[name])} and {show(name, their[name])}"
                 for name in our if our[name] != their[name]]
    return left


def status_of(log):
    match = re.search(r"exit status (\d+)", log)
    return int(match.group(1)) if match else -1


def samples_of(log):
    match = re.search(r"\((?:~)?(\d+) samples\)", log)
    return int(match.group(1)) if match else 0


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def compare_case(folder, case, used, refused):
    """Returns the differences of a case."""
    logs = {tool: read(f"{folder}/{tool}.{case}.log") for tool in ("dtprof", "perf")}
    files = {tool: f"{folder}/{tool}.{case}.data" for tool in logs}
    present = {tool: os.path.exists(files[tool]) and status_of(logs[tool]) == 0 for tool in logs}
    if case.endswith("default"):
        used["dtprof's default is the machine's memory event, and perf's is cycles"] += 1
        return [] if present["dtprof"] else ["dtprof does not record"]
    if all(present.values()):
        return compare_attrs(read_attrs(files["dtprof"]), read_attrs(files["perf"]), used)
    if not any(present.values()):
        return []
    tool = "perf" if present["dtprof"] else "dtprof"
    message = " / ".join(line for line in logs[tool].split("\n") if line and "exit status" not in line)
    if tool == "dtprof":
        return [f"dtprof does not record, perf does: {message[:300]}"]
    used["perf does not record, dtprof does (below)"] += 1
    refused[message[:200]].append(f"{os.path.basename(folder)} {case}")
    return []


def table(text):
    """Returns the lines of a report in one order, without its comments and blanks. perf takes addresses after the kernel's recorded map for the
    kernel's as well (tests/bench/compare_c2c.sh: stretched)."""
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return sorted(line for line in lines if line and not line.startswith(("#", "dtprof", "No Page Map")))


def compare_reports(folder):
    """Returns the differences between the reports of both on each recording, and prints the counts of samples."""
    left = []
    for recorder in ("dtprof", "perf"):
        for kind in ("modes", "stats"):
            paths = [f"{folder}/{tool}.on.{recorder}.{kind}" for tool in ("dtprof", "perf")]
            if not all(os.path.exists(path) for path in paths):
                continue
            ours, theirs = (table(read(path)) for path in paths)
            # perf's of a file without samples, and perf 7.2's of any recording of SPE
            if ours != theirs and "Error:" not in theirs and theirs != ["Segmentation fault"]:
                pair = next((pair for pair in itertools.zip_longest(ours, theirs) if pair[0] != pair[1]), ())
                left.append(f"{kind} of {recorder}'s recording: {pair[0]!r} and {pair[1]!r}")
    return left


def refusals(folder):
    """Returns what is wrong with how dtprof tells that a PMU refuses an event: not in one line, or with status 0."""
    wrong = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("refused.") and name.endswith(".log"):
            lines = [line for line in read(f"{folder}/{name}").split("\n") if line and "copied into the cache" not in line]
            if lines[-1] != "exit status 0" and (len(lines) != 2 or "refuses it with these options" in lines[0]):
                wrong.append(f"{name[8:-4]}: {' / '.join(lines)}")
    return wrong


def main():
    folder = sys.argv[1]
    machines = sys.argv[2:] or sorted(name for name in os.listdir(folder) if os.path.exists(f"{folder}/{name}/files"))
    used, refused, failed = collections.Counter(), collections.defaultdict(list), False
    for machine in machines:
        place = f"{folder}/{machine}"
        cases = sorted(name[5:-4] for name in os.listdir(place) if re.fullmatch(r"perf\.[^.]*\.log", name))
        equal = 0
        for case in cases:
            left = compare_case(place, case, used, refused)
            equal += not left
            for line in left:
                print(f"{machine} {case}: {line}")
        reports = compare_reports(place) + refusals(place)
        for line in reports:
            print(f"{machine} {line}")
        counts = [f"{case} {samples_of(read(f'{place}/dtprof.{case}.log'))}" for case in ("sharing", "fields", "time")
                  if case in cases]
        print(f"{machine}: {equal} of {len(cases)} command lines open the same, {len(reports)} reports and messages are wrong; dtprof's samples: "
              f"{', '.join(counts)}\n")
        if os.path.exists(f"{place}/verdicts"):
            print("\n".join(f"    {line}" for line in read(f"{place}/verdicts").split("\n")
                            if "false sharing" in line or "regression" in line), "\n")
        failed |= equal != len(cases) or bool(reports)
    print("differences that are explained, and how many events have each:")
    for text, count in used.most_common():
        print(f"{count:6} {text}")
    for message, places in refused.items():
        print(f"\nperf, {', '.join(places)}:\n    {message}")
    return failed


sys.exit(main())
