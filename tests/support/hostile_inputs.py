#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Input below 1 MB that is harmless and takes bounded time and memory, whatever it holds.

    hostile_inputs.py DTPROF [--show] [--all | NAME...]   runs inputs (by parts of names); TAP

Each function that is marked as @case or @more makes a file that drives one parser to work that grows
faster than the file: names that share bytes, records in records, forks of forks. It returns the
commands that read it; a command may be a pair with a text that its output must have. The floor is 3 s
and 600 MB. The test fails at 600 MB, and at 10 s of processor time, which a loaded machine does not
reach by itself. --show prints what each command took.
"""
import collections
import os
import resource
import shutil
import sys
import tempfile

import hostile_answers  # noqa: F401
import hostile_files  # noqa: F401
import hostile_formats as formats
import hostile_programs  # noqa: F401
import hostile_sources  # noqa: F401
import hostile_stores  # noqa: F401
from hostile_formats import CASES, MORE

MEMORY_MAX = 600  # MB
SECONDS_MAX = 10
OUTPUT_MAX = 128  # MB
USAGE_ERROR = 129
Limits = collections.namedtuple('Limits', 'seconds memory')


def run(command, limits):
    pid = os.fork()
    if not pid:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for fd, name in ((1, 'stdout'), (2, 'stderr')):
            os.dup2(os.open(formats.OUT + '/' + name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), fd)
        while '=' in command[1]:
            name, value = command.pop(1).split('=', 1)
            os.environ[name] = value
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    return status, seconds, usage.ru_maxrss >> 10, os.path.getsize(formats.OUT + '/stdout') >> 20


def read_text(name):
    with open(os.path.join(formats.OUT, name), errors='replace') as f:
        return f.read()


def run_case(tool, function, show, limits):
    commands, path = function()
    found = []
    for command in commands:
        command, shown = command if isinstance(command, tuple) else (command, '')
        command = command.replace('{elf}', path.replace('.data', '.elf'))
        command = command.replace('{out}', formats.OUT).replace('%s', path)
        status, seconds, memory, output = run([tool] + command.split(), limits)
        figures = '%.2f s, %d MB, %d MB of output' % (seconds, memory, output)
        if show:
            print(
                '# %s: %s: %s'
                % (function.__name__, command.replace(formats.OUT + '/', ''), figures)
            )
        usage_error = os.WIFEXITED(status) and os.WEXITSTATUS(status) == USAGE_ERROR
        if usage_error and not command.startswith('DTPROF_CONFIG='):
            found.append('# dtprof %s: %s' % (command, read_text('stderr')[:200].strip()))
        if os.WIFSIGNALED(status) or memory > limits.memory or output > OUTPUT_MAX:
            end = ', signal %d' % os.WTERMSIG(status) if os.WIFSIGNALED(status) else ''
            found.append('# dtprof %s: %s%s' % (command, figures, end))
        if shown not in read_text('stdout') + read_text('stderr'):
            found.append('# dtprof %s: does not show "%s"' % (command, shown))
    return found


def main():
    words = sys.argv[2:]
    names = [word for word in words if not word.startswith('--')]
    cases = CASES + (MORE if names or '--all' in words else [])
    with open(sys.argv[1], 'rb') as program:
        # sanitizers keep memory that was freed, and take several times as long
        sanitized = b'__asan_init' in program.read()
        limits = Limits(60, 1 << 20) if sanitized else Limits(SECONDS_MAX, MEMORY_MAX)
    chosen = [f for f in cases if not names or any(name in f.__name__ for name in names)]
    print('1..%d' % len(chosen))
    formats.OUT = tempfile.mkdtemp(prefix='dtprof-test-')
    try:
        for number, function in enumerate(chosen, 1):
            found = run_case(sys.argv[1], function, '--show' in words, limits)
            print(
                '\n'.join(
                    found + ['%sok %d - %s' % ('not ' if found else '', number, function.__name__)]
                ),
                flush=True,
            )
            for path in formats.REMOVED + [
                os.path.join(formats.OUT, name) for name in os.listdir(formats.OUT)
            ]:
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)
            formats.REMOVED.clear()
    finally:
        shutil.rmtree(formats.OUT)


if __name__ == '__main__':
    main()
