# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile sources in C, which layout reads for the places that a change of a record changes."""
from hostile_formats import *  # noqa: F403

SIZE = 950000


def sourced(name, text, members=24):
    """A program whose hot record is declared in a source that has this text, too."""
    declared = b''.join(b'\tlong m%d;\n' % i for i in range(members))
    source = write(name + '.c', b'struct s {\n%s};\n' % declared + text[:SIZE])
    lp = line_program(source.encode() + b'\0\0\0\0', b'\x21\x04\x01' * 100)
    c = Cu(stmt=0, nbytes=0x2000)
    t = c.base(b'long', 8)
    place = [(N, STR), (SZ, D4), (0x3A, D1), (0x3B, D1)]
    s = c.die(0x13, 1, place, b's\0' + p32(8 * members) + b'\1\1')
    for i in range(members):
        c.die(0x0D, 0, [(N, STR), (T, R4), (ML, D4)], b'm%d\0' % i + p32(t) + p32(8 * i))
    c.b += b'\0'
    c.func(b'f', 0x401000, 0x2000, [(b'p', c.ptr(s))])
    code = b''.join(b'\x48\x8b\x47' + bytes([8 * (i % 2)]) + b'\x90' * 4 for i in range(1024))
    data = c.make(name, samples=1000, code=code, extra={'debug_line': lp})[0]
    return [
        'layout --stdio -i %s',
        'layout --emit=patch --even-if --proposal=split -i %s',
        'layout --emit=places -i %s',
    ], data


ALLOCATED = b'static struct s *all;\nvoid g(void)\n{\n\tall = calloc(900, sizeof(struct s));\n}\n'
OPEN = b'void f(struct s *p, struct s *q)\n{\n'
BODY = ALLOCATED + OPEN
END = b'\n}\n'


@more
def source_right():
    """Shows that the sources below are read: a record of this one is divided."""
    commands, data = sourced('right', BODY + b'p->m3 = 1;' + END)
    return [commands[0], (commands[1], '+')] + commands[2:], data


def source(mark, name, *parts, members=24):
    """A part is text, or a text and how often: %d in it counts from 0."""

    def make():
        pairs = ((part, 1) if isinstance(part, bytes) else part for part in parts)
        text = (t.replace(b'%d', b'%d' % i) for t, times in pairs for i in range(times))
        return sourced(name, b''.join(text), members)

    make.__name__ = 'source_' + name
    mark(make)


source(more, 'accesses', BODY, (b'p->m3=1;', 120000), END)
# brackets that close, each with an access before; and some that never do
source(case, 'brackets', BODY, (b'(', 300000), b'p->m3', (b')', 300000), END)
source(case, 'open', ALLOCATED, b'void f(struct s *p) {', (b'free(sizeof(p->m3[', 50000))
source(case, 'indexes', BODY, (b'all[', 90000), b'1', (b'].m3', 90000), END)
source(more, 'no_statement', ALLOCATED, (b'struct s all all all ', 50000))
source(more, 'declarations', ALLOCATED, (b'struct s *v%d; ', 50000))
source(more, 'variables', BODY, (b'struct s *v%d;v%d->m3=1;', 30000), END)
source(case, 'initializers', ALLOCATED, (b'struct s x[] = {', 50000))
source(case, 'sizes', BODY, (b'memset(p,0,sizeof(*p));', 40000), END)
source(case, 'allocations', BODY, (b'p=malloc(sizeof(*p));', 40000), END)
source(case, 'frees', BODY, (b'free(p);', 110000), END)
source(more, 'free_names', BODY, (b'free%d(p);', 70000), END)
source(more, 'copies', BODY, (b'*p=*q;', 150000), END)
source(more, 'objects', ALLOCATED, (b'void h%d(void){struct s x;x.m3=1;}', 25000))
source(more, 'others', OPEN, (b'z->m3;', 150000), END)  # their declaration is nowhere
source(case, 'macros', ALLOCATED, b'#define A ', (b'x->m3 ', 150000))
source(more, 'macro_lines', ALLOCATED, (b'#define A x->m3\n', 60000))
source(more, 'calls', BODY, (b'memcpy(&p->m3,', 60000), END)
source(more, 'casts', BODY, (b'((struct s *)', 70000), END)
source(more, 'typedefs', (b'typedef struct s a%d;', 40000))
# records that begin as this one does; and the same record again
ALIKE = b'struct t%d {long m0;long m1;};\n'
source(case, 'records', ALLOCATED, (ALIKE, 30000))
source(more, 'again', (ALIKE.replace(b't%d', b's'), 10000), (ALIKE, 15000))
source(more, 'record_open', ALLOCATED, (b'struct t {', 90000))
source(more, 'comments', (b'/* m0 must be first */\n', 40000), ALLOCATED)
source(more, 'designated', ALLOCATED, b'struct s d = {', (b'.m3=1,', 150000), b'};')
source(more, 'base', BODY, (b'all[1].m3=all->m3;', 50000), END)
source(more, 'lines_many', BODY, (b'p->m3=1;\n', 100000), END)
source(more, 'chain', BODY, b'p', (b'->m3', 200000), b';', END)
source(more, 'extern', ALLOCATED, (b'extern struct s *all:', 40000))
source(more, 'objects_long', BODY, (b'struct s x=', 80000), b'*p;', END)
source(more, 'objects_file', (b'struct s x%d;', 50000))
source(more, 'functions', ALLOCATED, (b'struct s *v%d;', 20000), (b'struct s *w;\n}\n', 30000))
source(more, 'unknown', ALLOCATED, (b'struct s *v%d;', 20000), (b'x;v0;', 100000))
NAMED = (b'a%d x;', 20000)
source(more, 'names', (b'typedef struct s a%d;', 20000), NAMED, NAMED, (NAMED[0], 10000))
source(more, 'free_unknown', ALLOCATED, (b'x ', 100000), (b'free(z),', 90000))
source(more, 'members_set', BODY, (b'memcpy(&p->m3,&p->m4);', 40000), END)
source(more, 'details', BODY, (b'offsetof(struct s,a%d);', 40000), END)
source(more, 'pointers', BODY, (b'a%d=&p->m3;', 40000), (b'x;', 100000), END)
source(more, 'parameters', ALLOCATED, b'void f(', (b'struct s,', 100000))
source(more, 'values', BODY, (b'struct s v=', 80000), END)
source(more, 'assigned', BODY, (b':*p=', 200000), END)
source(more, 'size_words', BODY, (b'sizeof ', 130000), END)
source(more, 'made', BODY, (b'(struct s*)(', 75000), END)
source(more, 'asserts', (b'static_assert(', 60000), (b')', 60000))
source(case, 'nested', (b'struct s {', 60000), b'int a;', (b'};', 60000))
source(more, 'nested_others', (b'struct t%d {', 50000), b'int a;', (b'};', 50000))
# functions without a definition, each of which frees
source(more, 'free_defined', ALLOCATED[:20], OPEN[len(b'void f'):], (b'free(p);', 110000), END)
source(more, 'wide', BODY, (b'p->m5999=1;', 50000), END, members=6000)
source(more, 'lists', BODY, (b'z,z,z,z->m3,', 75000), END)
