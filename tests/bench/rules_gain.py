#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The right answers and member names that each rule of the type engine gains in each program, and the wrong ones that it adds.

    rules_gain.py DTPROF PROGRAM...              programs whose compiler recorded what each instruction accesses
    rules_gain.py DTPROF --kernel VMLINUX        the same for a kernel
    rules_gain.py DTPROF --btf VMLINUX           the same kernel without its DWARF
        --max N: at most N instructions of each; --rules NAME,...: these rules alone; --show N: N answers that each makes worse

The truth of a program is loaded once. `dtprof report` runs once with all rules and once without each rule, and only answers
that differ are judged, by the classes of score.py in the folder ORACLE (../shared/oracle), which needs drgn. "typed" counts all
accesses with a type: the compiler lost the truth of some.
"""
import argparse, collections, os, random, re, subprocess, sys, tempfile

ORACLE = os.path.abspath(os.environ.get('ORACLE', '../shared/oracle'))
if not os.path.exists(ORACLE + '/score.py'):
    print('no truth to hold the types against (ORACLE=%s): skipped' % ORACLE)
    sys.exit(0)
sys.path.insert(0, ORACLE)
import cxxtypes, drgn

source = open(ORACLE + '/score.py').read().rstrip()
if not source.endswith('\nmain()'):
    sys.exit('%s/score.py is another version: it does not end in main()' % ORACLE)
SCORE = {'__name__': 'score', '__file__': ORACLE + '/score.py'}
exec(compile(source[:-len('main()')], 'score.py', 'exec'), SCORE)

ORDER = ['exact', 'inner', 'outer', 'storage', 'typeonly', 'wrong']
NO_TYPE = re.compile(r'\((?!function_type\)|anonymous namespace\)::|anonymous\))')


class Program:
    def __init__(self, elf, folder, args):
        self.elf, self.folder, self.kernel, self.vmlinux = elf, folder, bool(args.kernel or args.btf), elf
        if args.btf:
            self.vmlinux = folder + '/vmlinux'
            subprocess.run(['objcopy', '--strip-debug', '-R', '.typetruth', elf, self.vmlinux], check=True)
        truth = SCORE['load_truth'](elf, folder + '/truth')
        code = SCORE['insns'](elf, truth)
        forms = SCORE['target'].of(elf) # how the architecture's listing names memory
        items = []
        for end, records in truth.items():
            if end not in code:
                continue
            start, text = code[end]
            bare = re.sub(r'^((lock|rep\w*|cs|ds|es|ss|data16|addr32)\s+)+', '', text).split(' #')[0]
            if not forms.skip.match(bare) and (forms.mem.search(bare) or self.kernel and forms.absolute and forms.absolute.search(bare)):
                items.append((start, text, records))
        items.sort()
        if args.max and len(items) > args.max:
            items = sorted(random.Random(1).sample(items, args.max))
        self.items, self.judged, self.cache = items, {}, {}
        with open(folder + '/ips', 'w') as ips:
            for i, item in enumerate(items):
                ips.write('%x 0 %d 1\n' % (item[0], i + 1))
        subprocess.run([sys.executable, ORACLE + '/mkperf.py', folder + '/data', elf, '--ips', folder + '/ips'] + ['--kernel'] * self.kernel,
                       check=True, stdout=subprocess.DEVNULL)
        self.types = cxxtypes.Types(elf) if not self.kernel and cxxtypes.is_cxx(elf) else None
        self.debug = drgn.Program()
        if not self.types:
            self.debug.load_debug_info([elf])
        names = subprocess.run(['nm', elf], capture_output=True, text=True).stdout.splitlines()
        self.symbols = {f[2]: f[0] for f in map(str.split, names) if len(f) == 3}

    def answers(self, dtprof, *more):
        command = [dtprof, 'report', '-i', self.folder + '/data', '--stdio', '-t', '|', '-w', '8,12,8000,8000', '-s', 'local_weight,type,typeoff']
        run = subprocess.run(command + ['--vmlinux', self.vmlinux] * self.kernel + list(more), capture_output=True, text=True, errors='replace')
        if run.returncode:
            sys.exit('%s, %s: exit %d: %s' % (self.elf, more, run.returncode, run.stderr[-300:]))
        found = {}
        for line in run.stdout.splitlines():
            f = [x.strip() for x in line.split('|')]
            if not line.startswith('#') and len(f) >= 4 and f[1].isdigit():
                offset = re.match(r'^.*? \+(0x[0-9a-f]+|\d+)(?: \((.*)\))?$', f[3])
                found[int(f[1]) - 1] = (f[2], int(offset.group(1), 0), offset.group(2)) if offset else (f[2], None, None)
        return found

    def count(self, i, answer, by, counts):
        """adds `by` to what the answer is: right or wrong, its member's name right, cut or wrong; returns the former"""
        judged = self.judge(i, answer[:2] if answer else None)
        name = SCORE['name_class'](answer[2], self.items[i][2]) if judged == 'right' else None
        counts.update({'typed': by * bool(answer and not NO_TYPE.match(answer[0])), judged: by, 'name ' + str(name): by})
        return judged

    def judge(self, i, answer):
        """'right', 'wrong', 'none' or 'storage'; None if the truth does not say"""
        if (i, answer) not in self.judged:
            self.judged[i, answer] = self.classify(i, answer)
        return self.judged[i, answer]

    def classify(self, i, answer):
        _, text, records = self.items[i]
        none = answer is None or NO_TYPE.match(answer[0])
        best = None
        if re.search(r'%[fg]s:0x28\b', text) and not any(';v:' in r for r in records):
            return None  # the canary of a function's frame
        SCORE['CXX'] = self.types
        for record in records:
            how, _, path = record.split(';', 2)
            if path in ('none', 'spill') or path.startswith('l:%sfp'):
                continue
            if how == 'A' and len({r.split(';', 1)[1] for r in records if not r.endswith(';none')}) > 1:
                continue  # one asm with several operands
            kind, chain = SCORE['parse_chain'](path)
            nameless = kind == 'p' and chain and chain[0][0] in ('struct {anon}', 'union {anon}') and chain[0][1] == chain[-1][1]
            if not chain or chain[-1][0] == 'func' or kind == 'w' or nameless and len(chain) == 2:
                continue
            if none:
                best = 'none'
                continue
            found = SCORE['classify_cxx'](answer, chain, path) if self.types else self.classify_c(answer, kind, chain, path, text)
            if best is None or ORDER.index(found) < ORDER.index(best):
                best = found
        return {'exact': 'right', 'inner': 'right', 'outer': 'right', 'typeonly': 'wrong'}.get(best, best)

    def classify_c(self, answer, kind, chain, path, text):
        name, offset = SCORE['canon'](self.debug, self.cache, answer[0]), answer[1]
        found = 'wrong'
        for n, (type_, size, at, fuzzy, _) in enumerate(chain):
            if SCORE['canon'](self.debug, self.cache, type_) != name:
                continue
            ok = offset == at or (fuzzy and offset is not None and (size < 0 or offset < size))
            if not ok and offset is not None and size > 0:  # a whole array's offset; an element beside the pointer's
                ok = answer[0].endswith('[]') and '>[]>' in path and (offset - at) % size == 0
                ok = ok or kind == 'p' and n == 0 and not 0 <= at < size and at % size == offset
            if ok:
                return 'inner' if n else 'exact'
            found = 'typeonly'
        if found == 'wrong' and offset is not None and not name.endswith('*') and not chain[0][3]:
            around = SCORE['find_type'](self.debug, answer[0] if name == '{anon}' else name)
            for type_, _, at, _, _ in chain[:-1] or chain if around is not None else ():
                if offset >= at and SCORE['holds'](around, offset - at, SCORE['canon'](self.debug, self.cache, type_)):
                    return 'outer'
        if found == 'wrong' and SCORE['same_place'](self.symbols, self.debug, kind, chain, text, answer):
            return 'exact'
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('dtprof')
    parser.add_argument('programs', nargs='*')
    parser.add_argument('--kernel')
    parser.add_argument('--btf')
    parser.add_argument('--max', type=int, default=12000)
    parser.add_argument('--rules')
    parser.add_argument('--show', type=int, default=0)
    args = parser.parse_intermixed_args()
    if bool(args.programs) + bool(args.kernel) + bool(args.btf) != 1:
        parser.error('name programs, or --kernel VMLINUX, or --btf VMLINUX')
    listed = subprocess.run([args.dtprof, 'list', 'rules'], capture_output=True, text=True).stdout
    rules = args.rules.split(',') if args.rules else re.findall(r'(?m)^  (\S+)$', listed)
    gain, lines, names, total = collections.defaultdict(collections.Counter), collections.defaultdict(list), [], 0
    for elf in args.programs or [args.kernel or args.btf]:
        names.append(os.path.basename(elf))
        with tempfile.TemporaryDirectory() as folder:
            program = Program(os.path.abspath(elf), folder, args)
            everything = program.answers(args.dtprof)
            total += sum(program.judge(i, everything[i][:2] if i in everything else None) is not None for i in range(len(program.items)))
            for rule in rules:
                without = program.answers(args.dtprof, '--no-rule=' + rule)
                for i in range(len(program.items)):
                    old, new = without.get(i), everything.get(i)
                    if old == new:
                        continue
                    counts = gain[rule, names[-1]]
                    counts['n'] += 1
                    before, after = program.count(i, old, -1, counts), program.count(i, new, 1, counts)
                    if before != after:
                        lines[rule].append('    %s %x %s: %s, without the rule %s; truth %s' % (
                            names[-1], program.items[i][0], program.items[i][1], new, old, program.items[i][2][0]))
    print('%d accesses whose type is known' % total)
    print('%-20s %-14s %12s %12s %22s' % ('rule', 'program', 'typed', 'right/wrong', 'names right/cut/wrong'))
    for rule in rules:
        for name in names:
            c = gain[rule, name]
            if c['n']:
                print('%-20s %-14s %+12d %12s %22s' % (rule, name, c['typed'], '%+d/%+d' % (c['right'], c['wrong']),
                                                     '%+d/%+d/%+d' % (c['name right'], c['name cut'], c['name wrong'])))
        for line in lines[rule][:args.show]:
            print(line)


main()
