#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts how many accesses to bitfields are named after the right one.

usage: bitfields.py DTPROF [--seed N] [--structs N] [--show N] [COMPILER FLAGS...]...

Makes structs of random bitfields, in C and C++, with functions that each read or write one of them in
one way, and asks `dtprof debug types` about each function. The function's name tells the field that is
right. "unit" is a row that names the first and the last of several bitfields ("a..d") with the right one
among them, "vector" an instruction that moves several members, whose row names the first. "beside" is an
instruction that accesses only bytes in which the function's field has no bit: compilers load and store the
rest of the field's storage unit, too. Each set of compiler and flags is one argument; without any, gcc and
clang with all levels.
The exit status is 1 if a field is named that is neither.
"""
import concurrent.futures, os, random, re, shutil, subprocess, sys, tempfile

SETS = [f"{c} {f}" for c in ("gcc", "clang", "g++", "clang++")
        for f in ("-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -march=x86-64-v3")]
TYPES = [("unsigned", 32, False), ("int", 32, True), ("unsigned short", 16, False), ("unsigned char", 8, False),
         ("unsigned long long", 64, False), ("long long", 64, True)]


def make_struct(name, rand):
    """Returns the declaration of a struct, and its bitfields: (path, bits, signed)."""
    lines, fields = [], []
    for i in range(rand.randint(4, 8)):
        if rand.random() < 0.15:
            lines.append(f"\t{rand.choice(['char', 'short', 'int', 'void *'])} plain{i};")
            continue
        kind, width, signed = rand.choice(TYPES)
        bits = min(width - 1, rand.choice([1, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 16, 20, 24, 33]))
        signed = signed and bits > 1
        lines.append(f"\t{kind if signed or 'unsigned' in kind else 'unsigned ' + kind} b{i} : {bits};")
        fields.append((f"b{i}", bits, signed))
    packed = rand.random() < 0.3
    text = f"struct {name} {{\n" + "\n".join(lines) + "\n}" + (" __attribute__((packed))" if packed else "") + ";\n"
    return text, fields


def make_functions(name, fields, rand):
    out = []
    for field, bits, signed in fields:
        top = (1 << (bits - (1 if signed else 0))) - 1
        middle = rand.randint(0, top)
        bodies = {
            "get": f"long F(struct {name} *p) {{ return p->{field}; }}",
            "put": f"void F(struct {name} *p, int v) {{ p->{field} = v; }}",
            "constant": f"void F(struct {name} *p) {{ p->{field} = {middle}; }}",
            "step": f"void F(struct {name} *p) {{ p->{field}++; }}",
            "or": f"void F(struct {name} *p, int v) {{ p->{field} |= v; }}",
            "nonzero": f"void F(struct {name} *p) {{ if (p->{field}) seen(); }}",
            "above": f"void F(struct {name} *p) {{ if (p->{field} > {middle}) seen(); }}",
            "equal": f"int F(struct {name} *p) {{ return p->{field} == {middle}; }}",
            "copy": f"void F(struct {name} *p, struct {name} *q) {{ p->{field} = q->{field}; }}",
            "same": f"int F(struct {name} *p, struct {name} *q) {{ return p->{field} == q->{field}; }}",
            "putall": f"void F(struct {name} *p, int n) {{ for (int i = 0; i < n; i++) p[i].{field} = i + n; }}",
            "sum": f"long F(struct {name} *p, int n) {{ long s = 0; for (int i = 0; i < n; i++) s += p[i].{field}; return s; }}",
            "count": f"long F(struct {name} *p, int n) {{ long s = 0; for (int i = 0; i < n; i++) if (p[i].{field}) s++; return s; }}",
        }
        if signed:
            bodies["negative"] = f"void F(struct {name} *p) {{ if (p->{field} < 0) seen(); }}"
        if bits == 1:
            bodies["flip"] = f"void F(struct {name} *p) {{ p->{field} = !p->{field}; }}"
            bodies["bool"] = f"void F(struct {name} *p, bool v) {{ p->{field} = v; }}"
        for operation, body in bodies.items():
            out.append((f"{name}__{field}__{operation}", body))
    return out


def is_right(found, field):
    return found == field


def find_bytes(flags, folder, structs):
    """Returns {(struct, field): the bytes that have bits of the field}."""
    source, program = os.path.join(folder, "bytes.c"), os.path.join(folder, "bytes")
    with open(source, "w") as file:
        file.write("#include <stdbool.h>\n#include <stdio.h>\n#include <string.h>\n" + "".join(text for text, _, _ in structs.values()))
        file.write("#define FIELD(s, f) { struct s x; memset(&x, 0, sizeof(x)); x.f = -1; printf(#s \" \" #f); "
                   "for (unsigned i = 0; i < sizeof(x); i++) if (((char *)&x)[i]) printf(\" %u\", i); puts(\"\"); }\n")
        file.write("int main(void) {\n" + "".join(f"FIELD({name}, {field})\n" for name, (_, fields, _) in structs.items()
                                                  for field, _, _ in fields) + "return 0; }\n")
    compiler = flags.split()[0].replace("clang++", "clang").replace("g++", "gcc")
    subprocess.run([compiler, "-w", "-o", program, source], check=True)
    lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {tuple(line.split()[:2]): {int(byte) for byte in line.split()[2:]} for line in lines}


SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}


def accessed_bytes(line, offset):
    """Returns the bytes that an instruction accesses, if its name tells how many."""
    name = line.split()[1]
    letter = name[-2] if re.match(r"mov[sz][bwl][wlq]$", name) else name[-1]
    return set(range(offset, offset + SIZES[letter])) if letter in SIZES else None


def ask(dtprof, program, function, name, field, order, is_right, held=None):
    """Returns [(verdict, line)] for the accesses of a function to the struct. `held`: the bytes of the field."""
    text = subprocess.run([dtprof, "debug", "types", program, function], capture_output=True, text=True).stdout
    found = []
    for line in text.splitlines():
        match = re.search(rf"(?:struct )?\b{name}\w* \+(\d+)(?: \((.*?)\))?;", line)
        if not match:
            if "(unknown)" in line:
                found.append(("unknown", line))
            continue
        path = (match.group(2) or "").split("..")
        touched = accessed_bytes(line, int(match.group(1))) if held else None
        if len(path) == 1 and is_right(path[0], field):
            found.append(("right", line))
        elif len(path) == 2 and set(path) <= set(order) and order.index(path[0]) <= order.index(field) <= order.index(path[1]):
            found.append(("unit", line))
        elif re.search(r"%[xyz]mm", line):
            found.append(("vector", line))
        elif touched and not touched & held:
            found.append(("beside", line))
        else:
            found.append(("wrong", line))
    return found


def measure(dtprof, flags, folder, structs, functions, show, is_right):
    compiler = flags.split()[0]
    source = os.path.join(folder, "bits.cc" if "++" in compiler else "bits.c")
    with open(source, "w") as file:
        file.write("#include <stdbool.h>\n" if source.endswith(".c") else 'extern "C" {\n')
        file.write("void seen(void);\n" + "".join(text for text, _, _ in structs.values()))
        file.write("".join(body.replace("F(", function + "(", 1) + "\n" for function, body in functions))
        file.write("}\n" if source.endswith(".cc") else "")
    program = os.path.join(folder, "bits.so")
    subprocess.run(flags.split() + ["-g", "-w", "-fPIC", "-shared", "-o", program, source], check=True)
    counts = dict.fromkeys(("right", "unit", "vector", "beside", "unknown", "wrong"), 0)
    # only bitfields share their bytes
    held = find_bytes(flags, folder, structs) if all(len(field) == 3 for _, fields, _ in structs.values() for field in fields) else {}

    def one(function):
        name, field, _ = function[0].split("__")
        return function[0], ask(dtprof, program, function[0], name, field.replace("_", "."), structs[name][2], is_right, held.get((name, field)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for function, found in pool.map(one, functions):
            for verdict, line in found:
                counts[verdict] += 1
                if verdict in show[0] and show[1] > 0:
                    show[1] -= 1
                    print(f"    {verdict}: {flags}: {function}: {line.strip()}")
    return counts


def generate(rand, count):
    """Returns {name: (declaration, fields, names of the bitfields in order)}, and [(function, code)]."""
    structs, functions = {}, []
    for i in range(count):
        text, fields = make_struct(f"s{i}", rand)
        structs[f"s{i}"] = (text, fields, [field for field, _, _ in fields])
        functions += make_functions(f"s{i}", fields, rand)
    return structs, functions


def main(usage, generate, is_right):
    arguments, options = [], {"--seed": 1, "--structs": 3, "--show": 0}
    rest = iter(sys.argv[1:])
    for argument in rest:
        if argument in options:
            options[argument] = int(next(rest))
        else:
            arguments.append(argument)
    if not arguments:
        sys.exit(usage)
    structs, functions = generate(random.Random(options["--seed"]), options["--structs"])
    show, total = [("wrong", "unknown") if options["--show"] < 1000 else ("wrong", "unknown", "unit"), options["--show"] % 1000], {}
    for flags in arguments[1:] or SETS:
        if not shutil.which(flags.split()[0]):
            print(f"{flags:34} left out: no {flags.split()[0]}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            counts = measure(arguments[0], flags, folder, structs, functions, show, is_right)
        for verdict, count in counts.items():
            total[verdict] = total.get(verdict, 0) + count
        print(f"{flags:34} " + ", ".join(f"{verdict} {count}" for verdict, count in counts.items()))
    print("all: " + ", ".join(f"{verdict} {count}" for verdict, count in total.items()))
    sys.exit(total.get("wrong", 0) > 0)


if __name__ == "__main__":
    main(__doc__, generate, is_right)
