# SPDX-License-Identifier: GPL-2.0-or-later
"""Stores (`dtprof store`): files of SQLite whose pages, schema and texts are not those of dtprof."""
import os
import re
import struct

import hostile_formats as formats
from hostile_answers import object_of
from hostile_formats import *  # noqa: F403


try:
    import sqlite3
except ImportError:  # a build of python without it
    sqlite3 = None

SCHEMA = """
CREATE TABLE text(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE object(id INTEGER PRIMARY KEY, path INTEGER NOT NULL, build INTEGER NOT NULL,
 cgroup INTEGER NOT NULL, image INTEGER NOT NULL, UNIQUE(path, build, cgroup, image));
CREATE TABLE field(id INTEGER PRIMARY KEY, type INTEGER NOT NULL, offset INTEGER NOT NULL,
 field INTEGER NOT NULL, UNIQUE(type, offset, field));
CREATE TABLE host(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, kernel INTEGER NOT NULL,
 processor INTEGER NOT NULL, UNIQUE(name, kernel, processor));
CREATE TABLE batch(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, host INTEGER NOT NULL,
 time INTEGER NOT NULL, day INTEGER NOT NULL, samples INTEGER NOT NULL);
CREATE TABLE fact(batch INTEGER NOT NULL, event INTEGER NOT NULL, object INTEGER NOT NULL,
 field INTEGER NOT NULL, function INTEGER NOT NULL, samples INTEGER NOT NULL, period INTEGER NOT NULL,
 latency INTEGER NOT NULL, loads INTEGER NOT NULL, stores INTEGER NOT NULL,
 PRIMARY KEY(batch, event, object, field, function)) WITHOUT ROWID;
CREATE TABLE daily(day INTEGER NOT NULL, host INTEGER NOT NULL, event INTEGER NOT NULL,
 object INTEGER NOT NULL, field INTEGER NOT NULL, batches INTEGER NOT NULL, samples INTEGER NOT NULL,
 period INTEGER NOT NULL, latency INTEGER NOT NULL, loads INTEGER NOT NULL, stores INTEGER NOT NULL,
 PRIMARY KEY(day, host, event, object, field)) WITHOUT ROWID;
CREATE INDEX batch_day ON batch(day);
""".replace('\n ', ' ')
HEAD = 'PRAGMA application_id = 1685352550; PRAGMA user_version = 2;'
ROWS = """
INSERT INTO text VALUES(1, 'node'), (2, '/bin/x'), (3, 'abcd'), (4, 'here'), (5, 'cycles');
INSERT INTO object VALUES(1, 2, 3, 4, 4);
INSERT INTO field VALUES(1, 1, 0, 1);
INSERT INTO host VALUES(1, 4, 4, 4);
INSERT INTO batch VALUES(1, 'b', 1, 86400, 1, 10);
INSERT INTO fact VALUES(1, 5, 1, 1, 1, 10, 10, 0, 0, 0);
INSERT INTO daily VALUES(1, 1, 5, 1, 1, 1, 10, 10, 0, 0, 0);
"""


def stored(name, fill='', schema=SCHEMA, change=None, rows=ROWS, many=()):
    """A store; `change` edits its bytes, `many` are statements with lists of rows."""
    path = os.path.join(formats.OUT, name + '.db')
    database = sqlite3.connect(path)
    database.executescript('PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE;' + schema + HEAD)
    database.executescript(rows + fill)
    for statement, values in many:
        database.executemany(statement, values)
    roots = dict(database.execute('SELECT name, rootpage FROM sqlite_schema'))
    database.commit()
    database.close()
    with open(path, 'rb') as f:
        data = bytearray(f.read())
    if change:
        data = change(data, roots)
    write(name + '.db', data)

    object_of('added')
    store = '--store {out}/%s.db' % name
    return [
        'store top %s' % store,
        'store report %s -s typeoff,sym,dso' % store,
        'store report --json %s -s type,day,image --by hosts --cgroup h*' % store,
        'store report --csv %s --type node --sym n*' % store,
        'store history %s node' % store,
        'store list %s' % store,
        'store diff --all %s ab abc' % store,
        'store add -q %s {out}/added.data' % store,
        'store gc --keep 1d %s' % store,
    ], path


def interior(child, count, cell):
    """A page of which all children are the same one."""
    body = b''
    starts = []
    kind, make = cell
    for i in range(count):
        one = p32(child)[::-1] + make(i)
        starts.append(len(body))
        body += one
    begin = 4096 - len(body)
    head = struct.pack('>BHHHBI', kind, 0, count, begin, 0, child)
    page = head + b''.join(struct.pack('>H', begin + at) for at in starts)
    return page + bytes(begin - len(page)) + body


def knot(table, cell, levels=18):
    """Each page of a tree has the next one as all of its children: rows without end."""

    def change(data, roots):
        root = roots[table]
        old = bytes(data[4096 * (root - 1) : 4096 * root])
        first = len(data) // 4096 + 1
        pages = [interior(first + i + 1, 100, cell) for i in range(levels)] + [old]
        data[4096 * (root - 1) : 4096 * root] = interior(first, 100, cell)
        data += b''.join(pages)
        data[28:32] = struct.pack('>I', len(data) // 4096)
        return data

    return change


def varint(value):
    out = [value & 0x7F]
    while value > 0x7F:
        value >>= 7
        out.append(value & 0x7F | 0x80)
    return bytes(reversed(out))


def row_cell(_):
    return varint(1)


def daily_cell(_):
    record = bytes([12] + [1] * 11) + bytes([1, 1, 5, 1, 1, 1, 10, 10, 0, 0, 0])
    return varint(len(record)) + record


if sqlite3:

    @case
    def store_right():
        """It shows that the other ones are read, too."""
        commands, path = stored('sright')
        return [(commands[0], 'node')] + commands[1:], path

    @case
    def store_knot():
        return stored('sknot', change=knot('batch', (5, row_cell)))

    @case
    def store_knot_of_days():
        return stored('sdaily', change=knot('daily', (2, daily_cell)))

    @case
    def store_long_name():
        """One long name, which is that of many fields."""
        name = ('INSERT INTO text VALUES(?, ?)', [(9, 'n' * 300000)])
        fields = ('INSERT INTO field VALUES(?, 9, ?, 9)', [(9 + i, i) for i in range(5000)])
        days = ('INSERT INTO daily VALUES(1, 1, 5, 1, ?, 1, 1, 1, 0, 0, 0)', [(9 + i,) for i in range(5000)])
        return stored('slong', many=[name, fields, days])

    @case
    def store_days():
        days = ('INSERT INTO daily VALUES(?, 1, 5, 1, 1, 1, 1, 1, 0, 0, 0)', [(2 + i,) for i in range(25000)])
        return stored('sdays', many=[days])

    @case
    def store_without_keys():
        """Nothing is found by an index."""
        schema = re.sub(r',\s*UNIQUE\([^)]*\)', '', SCHEMA).replace(' UNIQUE', '')
        schema = schema.replace('INTEGER PRIMARY KEY', 'INTEGER')
        fields = ('INSERT INTO field VALUES(?, 1, ?, 1)', [(9 + i, i) for i in range(15000)])
        days = ('INSERT INTO daily VALUES(1, 1, 5, 1, ?, 1, 1, 1, 0, 0, 0)', [(9 + i,) for i in range(15000)])
        return stored('skeys', schema=schema, many=[fields, days])

    @case
    def store_computed():
        """A text that is not in the file, but is computed for each row."""
        schema = SCHEMA.replace(
            'text TEXT NOT NULL UNIQUE', "seed TEXT, text TEXT AS (printf('%900000d', id)) VIRTUAL"
        )
        rows = ROWS.replace('INTO text VALUES', 'INTO text(id, seed) VALUES')
        many = [
            ('INSERT INTO text(id, seed) VALUES(?, 1)', [(9 + i,) for i in range(5000)]),
            ('INSERT INTO field VALUES(?, ?, 0, 1)', [(9 + i, 9 + i) for i in range(5000)]),
            ('INSERT INTO daily VALUES(1, 1, 5, 1, ?, 1, 1, 1, 0, 0, 0)', [(9 + i,) for i in range(5000)]),
        ]
        return stored('scomputed', schema=schema, rows=rows, many=many)

    @more
    def store_view():
        schema = SCHEMA[: SCHEMA.index('CREATE TABLE daily')] + (
            'CREATE VIEW daily AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)'
            ' SELECT x AS day, 1 AS host, 5 AS event, 1 AS object, 1 AS field, 1 AS batches,'
            ' 1 AS samples, 1 AS period, 0 AS latency, 0 AS loads, 0 AS stores FROM c;'
        )
        rows = ROWS[: ROWS.index('INSERT INTO daily')]
        return stored('sview', schema=schema, rows=rows)

    @more
    def store_tables():
        tables = ''.join('CREATE TABLE t%d(a);' % i for i in range(220))
        return stored('stables', schema=SCHEMA + tables)
