#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures reports from companions beside those of another build of dtprof from debug information, and beside perf.

companion_figures.py --old DTPROF [options] [ROW...]

Rows (all of them by default):
  index     dtprof index of VMLINUX: wall time and peak of memory, two threads
  kernel    ../shared/kernel's kregs and memsamp, by type: --new with a companion beside --old
  sqlite    12,000 instructions of a SQLITE, by type and offset: the same
  million   4 million samples of redis-server, 320 MB: the same
  without   kregs, memsamp, lua, zstd and redis-server from debug information: --new beside --old
  perf      redis-server and lua: --new with a companion beside PERF
  sizes     companions and their .BTF beside the uncompressed .debug_ sections
  same      byte for byte: companion.sh for lua, zstd, redis-server, the PROGRAMs and VMLINUX

Two programs run in turn, PAIRS times each. A line has the medians of both: wall time, processor time, peak of memory; and the
median of the ratios of pairs. Only on a quiet machine do wall times mean something; ratios of processor time bear more.
A row whose files are not there says so."""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
ROWS = ['index', 'kernel', 'sqlite', 'million', 'without', 'perf', 'sizes', 'same']


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--old', help='the other build of dtprof')
    parser.add_argument('--new', default=TOP / 'build/dtprof', help='dtprof (build/dtprof)')
    parser.add_argument('--vmlinux', help="that of ../shared/kernel's recordings, with DWARF")
    parser.add_argument('--corpus', default='/tmp/dtprof-corpus/bin', help='folder with lua, zstd and redis-server')
    parser.add_argument('--sqlite', help='an SQLite with debug information')
    parser.add_argument('--perf', help='a perf with types')
    parser.add_argument('--program', action='append', default=[], help='further programs for sizes and same')
    parser.add_argument('--shared', default=TOP.parent / 'shared')
    parser.add_argument('--work', help='folder for recordings and companions, which stay (a temporary one)')
    parser.add_argument('--pairs', type=int, default=15)
    parser.add_argument('row', nargs='*', choices=ROWS + [[]])
    return parser.parse_args()


def run_once(command):
    """Returns wall and processor time in ms, and the peak of memory in MB."""
    begin = time.monotonic()
    pid = os.fork()
    if not pid:
        nothing = os.open('/dev/null', os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nothing, descriptor)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f'failed ({status}): {" ".join(command)}')
    return ((time.monotonic() - begin) * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024)


def compare(name, first, second, pairs):
    """Prints the figures of two commands that run in turn, and how often the second fits in the first."""
    runs = [(run_once(first), run_once(second)) for _ in range(pairs)]
    medians = [[statistics.median(run[side][i] for run in runs) for i in range(3)] for side in range(2)]
    ratios = [statistics.median(run[0][i] / run[1][i] for run in runs) for i in range(3)]
    print(f'{name:26} {medians[0][0]:7.1f} -> {medians[1][0]:6.1f} ms ({ratios[0]:.2f}), '
          f'processor {medians[0][1]:7.1f} -> {medians[1][1]:6.1f} ms ({ratios[1]:.2f}), '
          f'memory {medians[0][2]:6.1f} -> {medians[1][2]:5.1f} MB ({1 / ratios[2]:.3f})', flush=True)


class Bench:
    def __init__(self, given):
        self.given = given
        self.new = str(pathlib.Path(given.new).resolve())
        self.old = given.old and str(pathlib.Path(given.old).resolve())
        self.kernel = pathlib.Path(given.shared) / 'kernel'
        self.folder = pathlib.Path(given.work or tempfile.mkdtemp())
        self.folder.mkdir(parents=True, exist_ok=True)
        os.environ.update(XDG_CACHE_HOME=str(self.folder / 'cache'), DEBUGINFOD_URLS='', DTPROF_CONFIG='')

    def program(self, name):
        path = pathlib.Path(self.given.corpus) / name
        return str(path) if path.exists() else None

    def companion(self, program):
        path = self.folder / (pathlib.Path(program).name + '.dtp')
        if not path.exists():
            subprocess.run([self.new, 'index', program, '-o', path], check=True, stdout=subprocess.DEVNULL)
        return str(path)

    def recording(self, program, count=None, times=1):
        """Samples at instructions of a program: `count` of them (all), each so many times."""
        path = self.folder / f'{pathlib.Path(program).name}.{count or "all"}.{times}.data'
        if path.exists():
            return str(path)
        make = ['/usr/bin/python3', str(pathlib.Path(self.given.shared) / 'oracle/mkperf.py')]
        if times == 1:
            subprocess.run(make + [path, program] + (['--max', str(count)] if count else []), check=True, stdout=subprocess.DEVNULL)
            return str(path)
        known = subprocess.run([self.new, 'script', '-i', self.recording(program, count), '-F', 'ip', '--ignore-companion'],
                               check=True, capture_output=True, text=True).stdout
        maps = subprocess.run(['readelf', '-lW', program], check=True, capture_output=True, text=True).stdout
        slide = 0x555555554000 if re.search(r'\(?DYN|Position-Independent', maps) else 0
        ips = self.folder / 'ips'
        ips.write_text(''.join(f'{int(ip, 16) - slide:x} 0 1 {times}\n' for ip in known.split()))
        subprocess.run(make + [path, program, '--ips', str(ips)], check=True, stdout=subprocess.DEVNULL)
        return str(path)

    def kernel_report(self, dtprof, name, *more):
        kallsyms = self.kernel / f'{name}.kallsyms'
        kallsyms = kallsyms if kallsyms.exists() else self.kernel / 'kallsyms'
        return [dtprof, 'report', '--stdio', '-i', str(self.kernel / f'{name}.data'), '-n', '-s', 'type', '-k', self.given.vmlinux,
                '--kallsyms', str(kallsyms), *more]

    def report(self, dtprof, recording, *more):
        return [dtprof, 'report', '--stdio', '-i', recording, '-n', '-s', 'type,typeoff', *more]

    # ---- rows

    def index(self):
        out = str(self.folder / 'again.dtp')
        wall, processor, memory = zip(*(run_once([self.new, 'index', self.given.vmlinux, '-o', out]) for _ in range(3)))
        print(f'index vmlinux: {min(wall) / 1000:.2f} to {max(wall) / 1000:.2f} s, processor {statistics.median(processor) / 1000:.2f} s, '
              f'memory {max(memory):.0f} MB')

    def kernel_rows(self):
        companion = self.companion(self.given.vmlinux)
        for name in 'kregs', 'memsamp':
            compare(name, self.kernel_report(self.old, name), self.kernel_report(self.new, name, '--companion', companion),
                    self.given.pairs)

    def user_row(self, name, program, recording):
        compare(name, self.report(self.old, recording), self.report(self.new, recording, '--companion', self.companion(program)),
                self.given.pairs)

    def sqlite(self):
        self.user_row('sqlite3', self.given.sqlite, self.recording(self.given.sqlite, 12000))

    def million(self):
        program = self.program('redis-server')
        self.user_row('4 million samples', program, self.recording(program, 12000, 334))

    def without(self):
        for name in 'kregs', 'memsamp':
            if self.given.vmlinux:
                compare(f'{name}, no companion', self.kernel_report(self.old, name),
                        self.kernel_report(self.new, name, '--ignore-companion'), self.given.pairs)
        for name in 'lua', 'zstd', 'redis-server':
            if self.program(name):
                recording = self.recording(self.program(name))
                compare(f'{name}, no companion', self.report(self.old, recording),
                        self.report(self.new, recording, '--ignore-companion'), self.given.pairs)

    def perf(self):
        for name in 'redis-server', 'lua':
            recording = self.recording(self.program(name), 12000)
            compare(f'{name}, perf', [self.given.perf, 'report', '-i', recording, '--stdio', '-s', 'type,typeoff'],
                    self.report(self.new, recording, '--companion', self.companion(self.program(name))), min(5, self.given.pairs))

    def sizes(self):
        for program in filter(None, [self.given.vmlinux, self.program('redis-server'), self.given.sqlite, *self.given.program]):
            def sections(path):
                text = subprocess.run(['readelf', '-SW', path], check=True, capture_output=True, text=True).stdout
                return {m[1]: int(m[2], 16) for m in re.finditer(r'\] (\S+)\s+\S+\s+[0-9a-f]{8,16} [0-9a-f]+ ([0-9a-f]+)', text)}
            plain = self.folder / 'plain'
            subprocess.run(['objcopy', '--decompress-debug-sections', '--only-keep-debug', program, plain], check=True)
            debug = sum(size for name, size in sections(plain).items() if name.startswith('.debug_'))
            companion = self.companion(program)
            size, btf = os.path.getsize(companion), sections(companion).get('.BTF', 0)
            plain.unlink()
            print(f'{pathlib.Path(program).name:26} .debug_* {debug}, companion {size} ({100 * size / debug:.2f} %), '
                  f'.BTF {btf} ({100 * btf / debug:.2f} %)', flush=True)

    def same(self):
        programs = [self.program(name) for name in ('lua', 'zstd', 'redis-server')] + self.given.program
        environment = dict(os.environ, SHARED=str(self.given.shared), VMLINUX=self.given.vmlinux or '')
        done = subprocess.run([HERE / 'companion.sh', '-v', self.new, *filter(None, programs)], env=environment, text=True,
                              capture_output=True, check=False)
        print('\n'.join(line for line in (done.stdout + done.stderr).splitlines()[-40:]), flush=True)

    def measure(self, row):
        needs = {'index': ['vmlinux'], 'kernel': ['old', 'vmlinux'], 'sqlite': ['old', 'sqlite'], 'million': ['old'], 'without': ['old'],
                 'perf': ['perf']}
        lacks = [f'--{name}' for name in needs.get(row, []) if not getattr(self.given, name)]
        if row in ('million', 'perf') and not self.program('redis-server'):
            lacks.append('--corpus')
        if lacks:
            print(f'{row}: left out without {", ".join(lacks)}')
            return
        getattr(self, {'kernel': 'kernel_rows'}.get(row, row))()


def main():
    given = options()
    bench = Bench(given)
    for row in given.row or ROWS:
        bench.measure(row)


if __name__ == '__main__':
    main()
