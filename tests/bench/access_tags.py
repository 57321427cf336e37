#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the types that clang knows of a program's accesses where score.py of ORACLE reads them.

    access_tags.py cc [ARGUMENT...]        in place of clang, c++ in place of clang++
    access_tags.py join PROGRAM OUT TAGS   OUT is PROGRAM with a section .typetruth, from the files x.o.tags

Clang marks loads and stores of members with an access tag (!tbaa: record, scalar, offset), which its
machine code keeps until it is printed. `cc -c` compiles by clang to optimized IR and by llc to the
object and to the printed code; x.o.tags lists for each function its instructions with their tags.
join finds the functions in the linked program, takes those in which both lists are of one length, and
says how many these were. Unions, bytes and -fno-strict-aliasing have no such tags; records without a
name and scalars by themselves are left out. The tag is of the innermost record that an array is in.

LLVM is the folder of clang, llc, llvm-as and llvm-dis (/usr/lib/llvm-14/bin).
"""
import collections
import json
import os
import re
import struct
import subprocess
import sys

LLVM = os.environ.get('LLVM', '/usr/lib/llvm-14/bin') + '/'
LEVELS = {'-Os': '-O2', '-Oz': '-O2', '-O': '-O1', '-Og': '-O1'}  # llc has four
SIZE_UNKNOWN = 1 << 20
# What the printed code has that is no instruction.
NO_INSTRUCTION = re.compile(
    r'DBG_|CFI_INSTRUCTION|KILL|IMPLICIT_DEF|EH_LABEL|LIFETIME_|GC_LABEL|ANNOTATION_LABEL|PSEUDO_PROBE'
)
NOTE = re.compile(r'successors|liveins|; predecessors|cp#|fi#|%jump-table')
RESULTS = re.compile(
    r'(?:(?:renamable |dead |early-clobber |implicit-def |undef )*\$\w+(?:\(tied-def \d+\))?(?:, )?)+ = '
)
FLAGS = re.compile(
    r'(?:(?:frame-setup|frame-destroy|nofpexcept|nnan|ninf|nsz|arcp|contract|afn|reassoc|nuw|nsw|exact) )+'
)
MEMORY = re.compile(
    r'\((?:volatile |non-temporal |dereferenceable |invariant )*(load|store)[^()]*? \(s(\d+)\)([^()]*)'
)
SCALARS = {'any pointer': 'void*', 'vtable pointer': 'void*', 'omnipotent char': 'char'}


def run(words, **options):
    return subprocess.run(words, text=True, errors='replace', **options)


class Tags:
    """The access tags of a module's IR."""

    def __init__(self, text):
        found = re.finditer(r'^(!\d+) = (?:distinct )?!\{(.*)\}$', text, re.M)
        self.nodes = {m[1]: re.findall(r'!"(?:[^"\\]|\\.)*"|[^,\s][^,]*', m[2]) for m in found}

    def find(self, number):
        """Returns [record, offset, scalar]; None: a scalar by itself."""
        base, access, offset = self.nodes[number][:3]
        if base == access:
            return None
        return [self.nodes[base][0][2:-1], int(offset.split()[-1]), self.nodes[access][0][2:-1]]


def printed_functions(text, tags):
    """Returns {function: [accesses of an instruction, ...]}; an access is [letter, bytes, tag]."""
    functions, current = {}, None
    for line in text.splitlines():
        start = re.match(r'# Machine code for function ([^:\s]+):', line)
        if start:
            current = functions.setdefault(start[1], [])
        elif line.startswith('# End machine code'):
            current = None
        if current is None or not line.startswith('  ') or NOTE.match(line.strip()):
            continue
        bare = FLAGS.sub('', RESULTS.sub('', line.strip(), count=1), count=1)
        if not re.match(r'[A-Z][A-Za-z0-9_]+\b', bare) or NO_INSTRUCTION.match(bare):
            continue
        accesses = []
        for kind, bits, rest in MEMORY.findall(line.partition(' :: ')[2]):
            number = re.search(r'!tbaa (!\d+)', rest)
            accesses.append([kind[0].upper(), int(bits) // 8, number and tags.find(number[1])])
        current.append(accesses)
    return functions


def compile_with_tags(compiler, words):
    sources = [w for w in words if re.search(r'\.(c|cc|cpp|cxx)$', w)]
    if '-c' not in words or len(sources) != 1:
        return run([LLVM + compiler] + words).returncode
    out = os.path.basename(os.path.splitext(sources[0])[0]) + '.o'
    if '-o' in words:
        at = words.index('-o')
        out = words[at + 1]
        words = words[:at] + words[at + 2 :]
    if {'-MMD', '-MD'} & set(words) and '-MF' not in words:
        words = words + ['-MF', os.path.splitext(out)[0] + '.d']
    bitcode = out + '.bc'
    status = run([LLVM + compiler] + words + ['-emit-llvm', '-o', bitcode]).returncode
    if status:
        return status

    # llc prints numbers of its own, which are those of the file only for what a named list has
    dis = [LLVM + 'llvm-dis', bitcode, '-o', '-']
    text = run(dis, stdout=subprocess.PIPE, check=True).stdout
    used = sorted(set(re.findall(r'!tbaa (!\d+)', text)))
    text += '\n!access.tags = !{%s}\n' % ', '.join(used)
    run([LLVM + 'llvm-as', '-', '-o', bitcode], input=text, check=True)
    tags = Tags(run(dis, stdout=subprocess.PIPE, check=True).stdout)

    level = [w for w in words if re.match('-O', w)][-1:] or ['-O0']
    llc = [LLVM + 'llc', LEVELS.get(level[0], level[0]), '-relocation-model=pic', '-filetype=obj']
    llc += ['-print-after=cfi-instr-inserter', bitcode, '-o', out]
    printed = run(llc, stderr=subprocess.PIPE, check=True).stderr
    os.unlink(bitcode)
    with open(out + '.tags', 'w') as f:
        json.dump(printed_functions(printed, tags), f)
    return 0


def linked_functions(program):
    """Returns [(function, [(end of an instruction, its text), ...]), ...] without padding."""
    functions = []
    dump = ['objdump', '-d', '-w', '--insn-width=16', '-j', '.text', program]
    for line in run(dump, stdout=subprocess.PIPE, check=True).stdout.splitlines():
        start = re.match(r'[0-9a-f]+ <(.+)>:$', line)
        if start:
            functions.append((start[1], []))
        words = line.split('\t', 2)
        if len(words) == 3 and not re.match(r'((data16|cs) )*(nop|xchg +%ax,%ax|int3)', words[2]):
            end = int(words[0].strip(' :'), 16) + len(words[1].split())
            functions[-1][1].append((end, words[2].strip()))
    return functions


def demangled(names):
    """Returns {name of a tag: name of the record}."""
    mangled = sorted(n for n in names if n.startswith('_ZTS'))
    lines = run(
        ['c++filt'], input='\n'.join('_ZTI' + n[4:] for n in mangled), stdout=subprocess.PIPE
    ).stdout.splitlines()
    plain = {n: n for n in names if n and not n.startswith('_ZTS')}
    return {**plain, **{n: t.partition('typeinfo for ')[2] for n, t in zip(mangled, lines)}}


def join(program, out, files):
    known = collections.defaultdict(list)
    for name in files:
        with open(name) as f:
            for function, accesses in json.load(f).items():
                known[function].append(accesses)
    functions = linked_functions(program)
    count = collections.Counter(name for name, _ in functions)
    names = demangled(
        {a[2][0] for v in known.values() for f in v for i in f for a in i if a[2]}
    )
    section, taken, records = b'', 0, 0
    for name, code in functions:
        tagged = known[name][0] if count[name] == len(known[name]) == 1 else []
        if not tagged or len(tagged) != len(code):
            continue
        taken += 1
        for accesses, (end, text) in zip(tagged, code):
            if not accesses or not all(a[2] and names.get(a[2][0]) for a in accesses):
                continue
            if not re.search(r'\(|%[a-z]s:|^(push|pop|call|jmp|rep)', text):
                sys.exit('access_tags: %s: %s has a tag' % (name, text))
            for letter, size, (record, offset, scalar) in accesses:
                record = names[record].replace('>', '\2').replace(';', '\3')
                way = 'p>struct %s@%d/%d>%s@0/%d' % (
                    record, offset, SIZE_UNKNOWN, SCALARS.get(scalar, scalar), size,
                )  # fmt: skip
                section += struct.pack('<Q', end) + ('%s;%d;%s\0' % (letter, size, way)).encode()
                records += 1
    print('%d of %d functions, %d accesses' % (taken, len(functions), records))
    if not records:
        sys.exit('access_tags: %s has no function of these files' % program)
    with open(out + '.section', 'wb') as f:
        f.write(section)
    run(['objcopy', '--add-section', '.typetruth=%s.section' % out, program, out], check=True)
    os.unlink(out + '.section')


def main():
    words = sys.argv[1:]
    compilers = {'cc': 'clang', 'c++': 'clang++'}
    if words and words[0] in compilers:
        sys.exit(compile_with_tags(compilers[words[0]], words[1:]))
    if len(words) < 4 or words[0] != 'join':
        sys.exit(__doc__)
    join(words[1], words[2], words[3:])


if __name__ == '__main__':
    main()
