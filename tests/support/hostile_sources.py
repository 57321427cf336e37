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


def within(statements):
    return b'void f(struct s *p, struct s *q)\n{\n%s\n}\n' % statements


ALLOCATED = b'static struct s *all;\nvoid g(void)\n{\n\tall = calloc(900, sizeof(struct s));\n}\n'


@more
def source_right():
    """Shows that the sources below are read: a record of this one is divided."""
    commands, data = sourced('sright', ALLOCATED + within(b'p->m3 = 1;'))
    return [commands[0], (commands[1], '+')] + commands[2:], data


@more
def source_accesses():
    return sourced('saccesses', ALLOCATED + within(b'p->m3=1;' * 120000))


@case
def source_brackets():
    """Brackets that close, each with an access before."""
    return sourced('sbrackets', ALLOCATED + within(b'(' * 300000 + b'p->m3' + b')' * 300000))


@case
def source_open():
    """Brackets that never close."""
    return sourced('sopen', ALLOCATED + b'void f(struct s *p) {' + b'free(sizeof(p->m3[' * 50000)


@case
def source_indexes():
    return sourced('sindexes', ALLOCATED + within(b'all[' * 90000 + b'1' + b'].m3' * 90000))


@more
def source_no_statement():
    """One statement without an end."""
    return sourced('snostatement', ALLOCATED + b'struct s all all all ' * 50000)


@more
def source_declarations():
    return sourced('sdeclared', ALLOCATED + b''.join(b'struct s *v%d; ' % i for i in range(50000)))


@more
def source_variables():
    """Variables, each of which is used once."""
    one = b''.join(b'struct s *v%d;v%d->m3=1;' % (i, i) for i in range(30000))
    return sourced('svariables', ALLOCATED + within(one))


@case
def source_initializers():
    return sourced('sinitializers', ALLOCATED + b'struct s x[] = {' * 50000)


@case
def source_sizes():
    return sourced('ssizes', ALLOCATED + within(b'memset(p,0,sizeof(*p));' * 40000))


@case
def source_allocations():
    return sourced('sallocations', ALLOCATED + within(b'p=malloc(sizeof(*p));' * 40000))


@case
def source_frees():
    return sourced('sfrees', ALLOCATED + within(b'free(p);' * 110000))


@more
def source_free_names():
    """Calls of many functions that free."""
    one = b''.join(b'free%d(p);' % i for i in range(70000))
    return sourced('sfreenames', ALLOCATED + within(one))


@more
def source_copies():
    return sourced('scopies', ALLOCATED + within(b'*p=*q;' * 150000))


@more
def source_objects():
    """Objects of the record, each in a function."""
    one = b''.join(b'void h%d(void){struct s x;x.m3=1;}' % i for i in range(25000))
    return sourced('sobjects', ALLOCATED + one)


@more
def source_others():
    """Accesses to variables whose declaration is nowhere, or far away."""
    return sourced('sothers', within(b'z->m3;' * 150000))


@case
def source_macros():
    return sourced('smacros', ALLOCATED + b'#define A ' + b'x->m3 ' * 150000)


@more
def source_macro_lines():
    return sourced('smacrolines', ALLOCATED + b'#define A x->m3\n' * 60000)


@more
def source_calls():
    return sourced('scalls', ALLOCATED + within(b'memcpy(&p->m3,' * 60000))


@more
def source_casts():
    return sourced('scasts', ALLOCATED + within(b'((struct s *)' * 70000))


@more
def source_typedefs():
    return sourced('stypedefs', b''.join(b'typedef struct s a%d;' % i for i in range(40000)))


@case
def source_records():
    """Records that begin as this one does."""
    one = b''.join(b'struct t%d {long m0;long m1;};\n' % i for i in range(30000))
    return sourced('srecords', ALLOCATED + one)


@more
def source_record_open():
    return sourced('srecordopen', ALLOCATED + b'struct t {' * 90000)


@more
def source_comments():
    return sourced('scomments', b'/* m0 must be first */\n' * 40000 + ALLOCATED)


@more
def source_designated():
    return sourced('sdesignated', ALLOCATED + b'struct s d = {' + b'.m3=1,' * 150000 + b'};')


@more
def source_base():
    """The array's name, again and again."""
    return sourced('sbase', ALLOCATED + within(b'all[1].m3=all->m3;' * 50000))


@more
def source_lines_many():
    """An access in each line."""
    return sourced('slines', ALLOCATED + within(b'p->m3=1;\n' * 100000))


@more
def source_chain():
    """One operand."""
    return sourced('schain', ALLOCATED + within(b'p' + b'->m3' * 200000 + b';'))


@more
def source_extern():
    return sourced('sextern', ALLOCATED + b'extern struct s *all:' * 40000)


@more
def source_objects_long():
    return sourced('sobjectslong', ALLOCATED + within(b'struct s x=' * 80000 + b'*p;'))


@more
def source_objects_file():
    return sourced('sobjectsfile', b''.join(b'struct s x%d;' % i for i in range(50000)))


@more
def source_functions():
    """Variables of the file, and functions."""
    one = b''.join(b'struct s *v%d;' % i for i in range(20000))
    return sourced('sfunctions', ALLOCATED + one + b'struct s *w;\n}\n' * 30000)


@more
def source_unknown():
    one = b''.join(b'struct s *v%d;' % i for i in range(20000))
    return sourced('sunknown', ALLOCATED + one + b'x;v0;' * 100000)


@more
def source_names():
    one = b''.join(b'typedef struct s a%d;' % i for i in range(20000))
    return sourced('snames', one + b''.join(b'a%d x;' % (i % 20000) for i in range(50000)))


@more
def source_free_unknown():
    return sourced('sfreeunknown', ALLOCATED + b'x ' * 100000 + b'free(z),' * 90000)


@more
def source_members_set():
    return sourced('smembersset', ALLOCATED + within(b'memcpy(&p->m3,&p->m4);' * 40000))


@more
def source_details():
    one = b''.join(b'offsetof(struct s,a%d);' % i for i in range(40000))
    return sourced('sdetails', ALLOCATED + within(one))


@more
def source_pointers():
    one = b''.join(b'a%d=&p->m3;' % i for i in range(40000)) + b'x;' * 100000
    return sourced('spointers', ALLOCATED + within(one))


@more
def source_parameters():
    return sourced('sparameters', ALLOCATED + b'void f(' + b'struct s,' * 100000)


@more
def source_values():
    return sourced('svalues', ALLOCATED + within(b'struct s v=' * 80000))


@more
def source_assigned():
    return sourced('sassigned', ALLOCATED + within(b':*p=' * 200000))


@more
def source_size_words():
    return sourced('ssizewords', ALLOCATED + within(b'sizeof ' * 130000))


@more
def source_made():
    return sourced('smade', ALLOCATED + within(b'(struct s*)(' * 75000))


@more
def source_asserts():
    return sourced('sasserts', b'static_assert(' * 60000 + b')' * 60000)


@case
def source_nested():
    return sourced('snested', b'struct s {' * 60000 + b'int a;' + b'};' * 60000)


@more
def source_nested_others():
    one = b''.join(b'struct t%d {' % i for i in range(50000))
    return sourced('snestedothers', one + b'int a;' + b'};' * 50000)


@more
def source_again():
    """The same record, and others that begin alike."""
    one = b'struct s {long m0;long m1;};\n' * 10000
    two = b''.join(b'struct t%d {long m0;long m1;};\n' % i for i in range(15000))
    return sourced('sagain', one + two)


@more
def source_free_defined():
    """Functions without a definition, each of which frees."""
    return sourced('sfreedefined', ALLOCATED[:20] + within(b'free(p);' * 110000)[len(b'void f'):])


@more
def source_wide():
    """Accesses to the last of many members."""
    text = ALLOCATED + within(b'p->m5999=1;' * 50000)
    return sourced('swide', text, 6000)


@more
def source_lists():
    """Lists that declare nothing."""
    return sourced('slists', ALLOCATED + within(b'z,z,z,z->m3,' * 75000))
