#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Scores the names of a kernel's locks by the classes that lockdep has for them: lock_truth.py DTPROF RECORDING NAME OPTIONS...

The recording has contention_begin, contention_end and lock_contended, whose records have the address of the class within the lock
("dep_map") and its name, as it was written where the lock was initialized: "&mm->mmap_lock". Where that is in a lock follows from
all locks of its kind. A name is right if its member, or its variable, is the last one of the class.
"""
import bisect, collections, json, re, subprocess, sys

# Classes that are not named by a member: of keys (lockdep_set_class(), sb_writers) and of strings.
KEYS = {"i_mutex_key": "i_rwsem", "i_mutex_dir_key": "i_rwsem", "s_umount_key": "s_umount", "i_lock_key": "i_lock",
        "invalidate_lock_key": "invalidate_lock", "slock-AF": "slock", "sk_lock-AF": "sk_lock", "clock-AF": "sk_callback_lock",
        "rlock-AF": "lock", "wlock-AF": "lock", "elock-AF": "lock", "rcu_node": "lock", "sb_writers": "rw_sem",
        "sb_pagefaults": "rw_sem", "sb_internal": "rw_sem", "wait": "lock", "key": "*", "wq_mayday_lock": "wq_mayday_lock",
        "proc_subdir_lock": "proc_subdir_lock", "vma_lock": "vma_lock"}


def last_of(name_of_class):
    """Returns the member or variable that a class is of: "mmap_lock" of "&mm->mmap_lock#2/1"; "*" if that is not known."""
    name = re.sub(r"(#\d+)?(/\d+)?$", "", name_of_class)
    name = re.sub(r"\)->rlock$", "", name).strip("&()")
    name = re.split(r"->|\.", re.sub(r"\[[^]]*\]", "", name))[-1].strip("&() ")
    name = re.sub(r"(_\d+|\+\d+)$", "", name)
    for key, member in KEYS.items():
        if name == key or (key.endswith("-AF") and name.startswith(key)):
            return member
    return name


def is_right(name, member):
    parts = [re.sub(r"\[\d*\]", "", part) for part in re.split(r"[.(), ]+", name) if part]
    return member == "*" or member in parts


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def read_classes(dtprof, recording):
    """Returns the names of the classes by their address in a lock."""
    classes = {}
    for line in run(dtprof, "script", "-q", "-i", recording, "-F", "event,trace").splitlines():
        found = re.search(r"lock_contended: .*?(?:lockdep_addr=|^|\s)(?:0x)?([0-9a-f]{12,16})\b", line)
        name = re.search(r'name="?([^"]*?)"?(?: lockdep_addr=.*)?$', line)
        if found and name:
            classes[int(found[1], 16)] = name[1].strip()
    return classes


def main():
    dtprof, recording, title, options = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    classes = read_classes(dtprof, recording)
    addresses = sorted(classes)
    rows = json.loads(run(dtprof, "lock", "report", "-q", "-l", "--json", "-i", recording, *options))["rows"]
    distances = collections.defaultdict(collections.Counter)
    for row in rows:
        low = bisect.bisect_left(addresses, row["address"])
        for address in addresses[low:bisect.bisect_left(addresses, row["address"] + 256)]:
            distances[row["type"].split(":")[0]][address - row["address"]] += 1
    within = {kind: found.most_common(1)[0][0] for kind, found in distances.items()}
    times, seen, kinds = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    for row in rows:
        kind = row["type"].split(":")[0]
        name = classes.get(row["address"] + within.get(kind, -1))
        if name is None:
            result = "untold"
        else:
            result = "none" if row["lock"] is None else "right" if is_right(row["lock"], last_of(name)) else "wrong"
        times[result] += row["wait_total"]
        if name is not None:
            kinds[name][result] += row["wait_total"]
        if result in ("wrong", "none"):
            seen[f"{result}: {row['lock']} ({row.get('unknown')}), {name}"] += row["wait_total"]
    told = sum(time for result, time in times.items() if result != "untold") or 1
    print(f"truth by {title}:".ljust(28), ", ".join(f"{result} {100 * times[result] / told:.3f} %" for result in ("right", "wrong", "none")),
          f"of {told / 1e9:.1f} s in {sum(row['contended'] for row in rows)} waits; {times['untold'] / 1e9:.1f} s are of no class")
    whole = sum(1 for found in kinds.values() if found.most_common(1)[0][0] == "right")
    print(f"classes by {title}:".ljust(28), f"{whole} of {len(kinds)} have the right name for most of their time")
    for text, time in seen.most_common(12):
        print(f"  {100 * time / told:6.3f} % {text}")


main()
