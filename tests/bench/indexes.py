#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts how many accesses to arrays in arrays of records are named after the right member.

usage: indexes.py DTPROF [--seed N] [--structs N] [--show N] [COMPILER FLAGS...]...

Like bitfields.py, with records of one to three levels of arrays, whose sizes mostly do not divide each
other, and functions that index them in one way each: by variables, by one less or one more, forwards and
backwards in loops, by a remainder, from a static array.
"""
import sys

sys.dont_write_bytecode = True
import bitfields  # noqa: E402

TYPES = ["char", "short", "int", "long", "int", "long"]


def make_record(name, depth, rand):
    """Returns the declarations, innermost first, and [(path, dimensions)] of all scalar members."""
    text, lines, leaves = "", [], []
    inner = rand.randint(0, rand.randint(1, 3))
    for i in range(rand.randint(2, 4)):
        kind, array = rand.choice(TYPES), rand.random() < 0.3
        size = rand.randint(2, 6)
        member = f"m{i}"
        if i == inner and depth:
            text, inner_leaves = make_record(name + "x", depth - 1, rand)
            lines.append(f"\tstruct {name}x {member}[{size}];")
            leaves += [(f"{member}_{path}", [(member, size)] + [(f"{member}.{at}", n) for at, n in dims])
                       for path, dims in inner_leaves]
        elif array:
            lines.append(f"\t{kind} {member}[{size}];")
            leaves.append((member, [(member, size)]))
        else:
            lines.append(f"\t{kind} {member};")
            leaves.append((member, []))
    return text + f"struct {name} {{\n" + "\n".join(lines) + "\n};\n", leaves


def access(root, path, dims, indexes):
    """Returns C for the member: root[i].m1[j].m0."""
    text, at = root, ""
    sized = {member: index for (member, _), index in zip(dims, indexes)}
    for member in path.split("_"):
        at = f"{at}.{member}" if at else member
        text += f".{member}" + (f"[{sized[at]}]" if at in sized else "")
    return text


def make_functions(name, leaves, rand):
    out, names = [], "jkl"
    for path, dims in leaves:
        def at(first, change="", root="p", last=None):
            indexes = [f"{names[i]}{change}" for i in range(len(dims))]
            if last and indexes:
                indexes[-1] = last
            return access(f"{root}[{first}]", path, dims, indexes)

        def loops(body, down=False):
            text = body
            for i in reversed(range(len(dims))):
                index, size = names[i], dims[i][1]
                head = (f"for (long {index} = {size} - 1; {index} >= 0; {index}--)" if down and i == len(dims) - 1
                        else f"for (long {index} = 0; {index} < n{i}; {index}++)")
                # without this, iterations are peeled that would be outside the array
                text = f"{{ if (n{i} > {size}) __builtin_unreachable(); {head} {text} }}"
            return text
        arguments = f"struct {name} *p, long i, long j, long k, long l"
        bounds = f"struct {name} *p, long n, long n0, long n1, long n2"
        keep = 'asm volatile("" : "+r"(s));'
        bodies = {
            "one": f"long F({arguments}) {{ return {at('i')}; }}",
            "int": f"long F({arguments.replace('long', 'int')}) {{ return {at('i')}; }}",
            "less": f"long F({arguments}) {{ return {at('i', ' - 1')}; }}",
            "more": f"long F({arguments}) {{ return {at('i', ' + 1')}; }}",
            "first": f"long F({arguments}) {{ return {at('0')}; }}",
            "put": f"void F({bounds}) {{ for (long i = 0; i < n; i++) {loops(at('i') + ' = i;')} }}",
            "up": f"long F({bounds}) {{ long s = 0; for (long i = 0; i < n; i++) {loops('{ s += ' + at('i') + ';' + keep + ' }')} return s; }}",
            "down": f"long F({bounds}) {{ long s = 0; for (long i = n - 1; i >= 0; i--) {loops('{ s += ' + at('i') + ';' + keep + ' }', True)} return s; }}",
            "global": f"long F({arguments}) {{ return {at('i', root='g_' + name)}; }}",
            "all": f"long F({bounds}) {{ long s = 0; for (long i = 0; i < 9; i++) {loops('{ s += ' + at('i', root='g_' + name) + ';' + keep + ' }')} return s; }}",
        }
        if dims:
            size = dims[-1][1]
            bodies["rest"] = (f"long F({arguments}, long n) {{ long s = 0; for (long i = 0; i < n; i++) "
                              f"{{ s += {at('i', last=f'(unsigned long)(i + k) % {size}')}; {keep} }} return s; }}")
        out += [(f"{name}__{path}__{operation}", body) for operation, body in bodies.items()]
    return out


def generate(rand, count):
    structs, functions = {}, []
    for i in range(count):
        name = f"s{i}"
        text, leaves = make_record(name, i % 4 if i % 4 < 3 else 2, rand)
        structs[name] = (text + f"struct {name} g_{name}[10];\n", leaves, [])
        functions += make_functions(name, leaves, rand)
    return structs, functions


def is_right(found, field):
    """A variable of the compiler's own may point into an inner record."""
    return found == field or field.endswith("." + found)


bitfields.main(__doc__, generate, is_right)
