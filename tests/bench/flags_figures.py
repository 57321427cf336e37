#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the shares of right, wrong and placed answers in the lines that score.py dumps.

usage: flags_figures.py ELF DUMP [--show]

score.py is corrected where its record of the compiler says less than the debug information:

element  Link-time optimization counts the elements of an array from its first one, and makes one type of types that
         have the same structure. An answer for the same type whose offset differs by whole elements is right.
inner    score.py knows no members of a struct without a name, which C answers by its typedef. If such an answer goes
         on to a member of a record in it, and that has the name of the member of the truth's record, it is right.
         An offset in one record without a name is compared with that of all others.
sanitized  A variable of the sanitizer is answered as "(sanitizer)".

An answer is placed if a program keeps a record in integers that it declares as an array (a variable, or a member of a
record) and gets at it by a cast. The answer is the array, and the record is the code's view of it: neither right nor
wrong, so it counts as neither, but is in the sum. Nothing shows that a variable that is an array of bytes is meant, so
that is wrong. --show prints the wrong and the placed ones.
"""
import ast
import re
import sys

import drgn

RIGHT = ("exact", "inner", "outer", "storage")


def steps(truth):
    """Returns [(type, offset, size, member)] of a chain "p>union item@16/16>struct cell@8/16.tag>long int@0/8"."""
    return [(m[1], int(m[2]), int(m[3]), m[4] or "") for m in
            (re.match(r"(.*)@(-?\d+)/(\d+)(?:\.(.*))?$", part) for part in truth.split(">")) if m]


def bare(kind):
    while kind.kind == drgn.TypeKind.TYPEDEF:
        kind = kind.type
    return kind


def is_integers(kind, offset):
    """Is an array of integers at the offset of the type?"""
    kind = bare(kind)
    if kind.kind == drgn.TypeKind.ARRAY:
        element = bare(kind.type)
        return element.kind == drgn.TypeKind.INT or is_integers(element, offset % max(drgn.sizeof(element), 1))
    if kind.kind not in (drgn.TypeKind.STRUCT, drgn.TypeKind.UNION):
        return False
    return any(is_integers(member.type, offset - member.bit_offset // 8) for member in kind.members or []
               if 0 <= offset - member.bit_offset // 8 < (drgn.sizeof(member.type) or 1))


def is_placed(program, answer, truth):
    found = steps(truth)
    if not truth.startswith("p>") or not found or not found[0][3]:
        return False
    try:
        if not answer[0].endswith("[]"):
            return is_integers(program.type(answer[0]), answer[1])
        element = bare(program.type(answer[0][:-2]))
        return element.kind == drgn.TypeKind.INT and element.size > 1 and found[0][2] % element.size == 0
    except (LookupError, SyntaxError):
        return False


def is_element(answer, truth):
    found = steps(truth)
    return bool(found) and found[0][2] > 0 and answer[:2] == (found[0][0], sum(step[1] for step in found) % found[0][2])


def is_inner(answer, truth):
    found = steps(truth)
    if not found or not found[0][3] or not answer[2] or re.match(r"(struct|union|enum) |.*(\[\]|\*)$", answer[0]):
        return False
    return re.match(r"(struct|union) ", found[0][0]) and "." in answer[2] and answer[2].split(".")[-1] == found[0][3]


def classify(program, found, answer, truths):
    """Returns "right", "wrong", "placed" or "none"."""
    if answer and answer[0].startswith("(sanitizer") and any("__asan_" in truth for truth in truths):
        return "right"
    if found in RIGHT or found == "none":
        return "right" if found in RIGHT else found
    if any(is_element(answer, truth) if found == "typeonly" else is_inner(answer, truth) for truth in truths):
        return "right"
    return "placed" if any(is_placed(program, answer, truth) for truth in truths) else "wrong"


def main():
    program = drgn.Program()
    program.load_debug_info([sys.argv[1]])
    counts = dict.fromkeys(("right", "wrong", "placed", "none"), 0)
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            address, group, found, text, answer, records = line.rstrip("\n").split("\t")
            if group not in ("mem", "stk") or found == "misnamed":
                continue
            truths = [record.split(";", 2)[2] for record in ast.literal_eval(records)]
            kind = classify(program, found, ast.literal_eval(answer), truths)
            counts[kind] += 1
            if "--show" in sys.argv and kind in ("wrong", "placed"):
                print(kind, address, text, answer, records, sep="\t")
    every = sum(counts.values())
    if every:
        print(f"{100 * counts['right'] / every:.1f} {100 * counts['wrong'] / every:.2f} {100 * counts['placed'] / every:.2f}")


main()
