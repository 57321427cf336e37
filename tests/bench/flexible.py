#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts how many accesses to elements of flexible arrays are named after the array.

usage: flexible.py DTPROF [--btf FILE] [--records N] [--seed N] [--show N] [--where PLACE] [COMPILER FLAGS...]...

Takes the records that have an array without a size, of no elements, or of one element at the end, at
any depth: those of a kernel's BTF (/sys/kernel/btf/vmlinux; needs bpftool), or N generated ones of all
shapes. Compiles functions that access elements beyond the declared size in one way each, and asks `dtprof
debug types` about each. A record is right if all its accesses are named after the array's element; "cut"
if some names leave out members on the way to it; "honest" if some are unknown, and none is wrong. The places are:
    last    the array is the last member
    nested  in a record that is the last member
    union   in a union at the end, at any depth
    one     of one element, at the end
    middle  at the end of a record, but other members follow that, so that an element may also be one of those; only
            with an index, because a constant place is what is declared there
    marker  the same, but the array itself is beside the members that follow: C programs mark the place of these so
The exit status is 1 if an access is named wrongly that is not to one of the places "one" and "marker".
"""
import collections, concurrent.futures, json, os, random, re, shutil, subprocess, sys, tempfile

SETS = ["gcc -O2", "clang -O2"]
PLACES = ["last", "nested", "union", "one", "middle", "marker"]
LEAVES = 2  # members of an element that are accessed


class Types:
    """The types of a BTF file."""

    def __init__(self, path):
        text = subprocess.run(["bpftool", "-j", "btf", "dump", "file", path], capture_output=True, text=True, check=True).stdout
        self.all = {item["id"]: item for item in json.loads(text)["types"]}
        self.header = subprocess.run(["bpftool", "btf", "dump", "file", path, "format", "c"], capture_output=True, text=True,
                                     check=True).stdout
        self.header = re.sub(r"#pragma clang attribute push.*", "", self.header)
        self.header = re.sub(r"#pragma clang attribute pop", "", self.header)
        self.header = re.sub(r"\bconst ", "", self.header)  # so that all members can be stored

    def bare(self, index):
        item = self.all.get(index)
        while item and item["kind"] in ("TYPEDEF", "CONST", "VOLATILE", "RESTRICT", "TYPE_TAG"):
            item = self.all.get(item["type_id"])
        return item

    def size(self, item):
        if not item:
            return 0
        if item["kind"] == "ARRAY":
            return item["nr_elems"] * self.size(self.bare(item["type_id"]))
        return 8 if item["kind"] == "PTR" else item.get("size", 0)

    def arrays(self, record, at=0, path=(), place="last", depth=0):
        """Yields (path, element, place) of the open arrays in a record."""
        members = record.get("members", [])
        for i, member in enumerate(members):
            item, union = self.bare(member["type_id"]), record["kind"] == "UNION"
            if not item or member.get("bitfield_size"):
                continue
            offset = at + member["bits_offset"] // 8
            here = path + ((member["name"],) if member["name"] != "(anon)" else ())
            last = union or i == len(members) - 1
            where = place if place == "middle" else "middle" if not last else "union" if union or place == "union" else place
            if item["kind"] == "ARRAY":
                if item["nr_elems"] == 0:
                    yield here, self.bare(item["type_id"]), where if last else "marker"
                elif item["nr_elems"] == 1 and where != "middle" and not union and offset:
                    yield here, self.bare(item["type_id"]), "one"
            elif item["kind"] in ("STRUCT", "UNION") and depth < 6:
                # an anonymous record is a part of the record around it
                named = where if member["name"] == "(anon)" or where != "last" else "nested"
                yield from self.arrays(item, offset, here, named, depth + 1)

    def leaves(self, element, path=""):
        """Yields the paths of the scalars of an element: "" for a scalar."""
        if element["kind"] in ("INT", "ENUM", "ENUM64", "PTR", "FLOAT"):
            if element.get("size", 8) <= 8:
                yield path
        elif element["kind"] == "STRUCT":
            for member in element["members"]:
                item = self.bare(member["type_id"])
                if item and not member.get("bitfield_size") and member["name"] != "(anon)":
                    yield from self.leaves(item, f"{path}.{member['name']}")


def functions_of(name, kind, path, leaves, count, place):
    """Returns [(function, member, code)]: the member is the one that is right."""
    out, array = [], ".".join(path)
    for leaf in leaves:
        member = f"p->{array}[{{}}]{leaf}"
        root, value = f"{kind} {name} *p", f"typeof(*&p->{array}[0]{leaf})"
        bodies = {
            "index": f"long F({root}, long i) {{ return (long)(volatile {value})({member.format('i')}); }}",
            "beyond": f"long F({root}) {{ return (long)({member.format('5')}); }}",
            "put": f"void F({root}, long i, {value.replace('p->', f'(({kind} {name} *)0)->')} v) {{ {member.format('i')} = v; }}",
            "sum": f"long F({root}, int n) {{ long s = 0; for (int i = 0; i < n; i++) {{ s += (long){member.format('i')}; "
                   'asm volatile("" : "+r"(s)); } return s; }',
        }
        for operation, body in bodies.items():
            if operation == "beyond" and place in ("middle", "marker"):
                continue
            function = f"f{count + len(out)}_{operation}"
            out.append((function, array + leaf, body.replace("F(", function + "(", 1)))
    return out


def records_of(types):
    """Returns [(name, kind, place, functions)] for the records of a BTF file."""
    out, seen, count = [], set(), 0
    for record in types.all.values():
        if record["kind"] not in ("STRUCT", "UNION") or record["name"] == "(anon)" or record["name"] in seen:
            continue
        seen.add(record["name"])
        for path, element, place in types.arrays(record):
            leaves = list(dict.fromkeys(types.leaves(element)))[:LEAVES] if element and types.size(element) else []
            if not path or not leaves:
                continue
            made = functions_of(record["name"], record["kind"].lower(), path, leaves, count, place)
            count += len(made)
            out.append((record["name"], place, made))
    return types.header, out


def generate(rand, wanted):
    """Returns C, and [(name, place, functions)] for records of all shapes."""
    out, text, count = [], "", 0
    scalars = ["char", "short", "int", "long", "void *", "double"]
    for i in range(wanted):
        leaves = [f"e{k}" for k in range(rand.randint(1, 3))]
        text += f"struct element{i} {{ " + " ".join(f"{rand.choice(scalars)} {leaf};" for leaf in leaves) + " };\n"
        scalar = rand.random() < 0.4
        element = rand.choice(scalars) if scalar else f"struct element{i}"
        bound = rand.choice(["", "", "0"])
        place = PLACES[i % 5]
        head = " ".join(f"{rand.choice(scalars)} h{k};" for k in range(rand.randint(1, 3)))
        path = ["items"]
        inner = f"{head} {element} items[{1 if place == 'one' else bound}];"
        if place == "union":
            bound = "0" if bound == "" else bound
            other = rand.choice(["long other;", "char other[0];", "struct { int a; long b; } other;", "short other;"])
            field = f"struct {{ int count; {element} items[{bound}]; }} open;" if rand.random() < 0.5 else f"{element} items[{bound}];"
            path = ["open", "items"] if "open" in field else ["items"]
            name = rand.choice(["", " u"])
            path = ["u"] + path if name else path
            inner = f"{head} union {{ {other} {field} }}{name};"
        for depth in range(rand.randint(1, 2) if place == "nested" else 0):
            tag = "" if rand.random() < 0.5 else f"inner{i}_{depth}"
            path = [f"n{depth}"] + path
            if tag:
                text += f"struct {tag} {{ {inner} }};\n"
            inner = f"{rand.choice(scalars)} o{depth}; struct {tag or '{ ' + inner + ' }'} n{depth};"
        if place == "middle":
            path = ["n0"] + path
            inner = f"struct {{ {inner} }} n0; " + rand.choice([f"{element} store[6];", "long after[4];", "char after; int more;"])
        text += f"struct record{i} {{ {inner} }};\n"
        made = functions_of(f"record{i}", "struct", path, [""] if scalar else [f".{leaf}" for leaf in leaves[:LEAVES]], count, place)
        count += len(made)
        out.append((f"record{i}", place, made))
    return text, out


def verdict_of(dtprof, program, name, function, member):
    """Returns the worst verdict of the function's accesses, and its line."""
    text = subprocess.run([dtprof, "debug", "types", program, function], capture_output=True, text=True).stdout
    order, worst = ["right", "cut", "honest", "wrong"], ("honest", "no access")
    for line in text.splitlines():
        if re.search(r"\((stack|no memory|constant)", line) or not re.search(r"; \w|\(unknown\)|\+\d", line) or re.search("%r[sb]p", line):
            continue
        match = re.search(r"(?:struct|union) (\w+) \+\d+(?: \((.*?)\))?;", line)
        named = match and (match.group(2) or "").split("..")
        inner = re.search(r" \+\d+ \((.*?)\);", line)
        if "(unknown)" in line:
            verdict = "honest"
        elif not match or match.group(1) != name:
            # a variable of the compiler's own may point into an element
            verdict = "right" if inner and member.endswith("." + inner.group(1)) else "wrong"
        elif named[0] == member or (len(named) == 2 and member.startswith(os.path.commonprefix(named))):
            verdict = "right"
        else:
            # only members on the way are named: around a union, or those that its members have in common
            way = iter(member.split("."))
            verdict = "cut" if all(part in way for part in named[0].split(".") if part) else "wrong"
        if worst[1] == "no access" or order.index(verdict) > order.index(worst[0]):
            worst = (verdict, line)
    return worst


def measure(dtprof, flags, folder, header, records, show):
    source, program = os.path.join(folder, "open.c"), os.path.join(folder, "open.so")
    with open(source, "w") as file:
        file.write(header)
        for _, _, functions in records:
            file.write("\n".join(body for _, _, body in functions) + "\n")
    # functions of the same code become one
    alone = [] if "clang" in flags else ["-fno-ipa-icf"]
    subprocess.run(flags.split() + alone + ["-g", "-w", "-fPIC", "-fno-builtin", "-fno-tree-vectorize", "-shared", "-o", program, source], check=True)
    counts, per_record = collections.Counter(), collections.defaultdict(set)

    def one(item):
        name, place, (function, member, _) = item
        return item, verdict_of(dtprof, program, name, function, member)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, place, function), (verdict, line) in pool.map(one, [(n, p, f) for n, p, fs in records for f in fs]):
            counts[place, verdict] += 1
            per_record[place, name].add(verdict)
            if verdict != "right" and show[0] > 0 and show[1] in ("", place):
                show[0] -= 1
                print(f"    {verdict}: {place}: {flags}: {name}.{function[1]} {function[0]}: {line.strip()}")
    return counts, per_record


def main():
    arguments, options = [], {"--seed": 1, "--records": 24, "--show": 0, "--btf": "", "--where": ""}
    rest = iter(sys.argv[1:])
    for argument in rest:
        if argument in options:
            options[argument] = type(options[argument])(next(rest))
        else:
            arguments.append(argument)
    if not arguments:
        sys.exit(__doc__)
    if options["--btf"]:
        header, records = records_of(Types(options["--btf"]))
    else:
        header, records = generate(random.Random(options["--seed"]), options["--records"])
    if options["--where"]:
        records = [record for record in records if record[1] == options["--where"]]
    wrong, show = 0, [options["--show"], options["--where"]]
    for flags in arguments[1:] or SETS:
        if not shutil.which(flags.split()[0]):
            print(f"{flags}: left out: no {flags.split()[0]}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            counts, per_record = measure(arguments[0], flags, folder, header, records, show)
        for place in PLACES:
            verdicts = [verdicts for (where, _), verdicts in per_record.items() if where == place]
            if not verdicts:
                continue
            worst = collections.Counter(next(v for v in ("wrong", "honest", "cut", "right") if v in each) for each in verdicts)
            wrong += counts[place, "wrong"] if place not in ("one", "marker") else 0
            print(f"{flags}: {place}: of {len(verdicts)} records " + ", ".join(f"{v} {worst[v]}" for v in ("right", "cut", "honest", "wrong"))
                  + "; of the functions " + ", ".join(f"{v} {counts[place, v]}" for v in ("right", "cut", "honest", "wrong")))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
