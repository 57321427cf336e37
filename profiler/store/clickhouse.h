/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by clickhouse.c, which talks to a server of ClickHouse and adds to its tables, and
 * clickhouse_select.c, which asks it.
 *
 * SQL is made of fixed texts and numbers alone: each text of a recording or of the user is a row of
 * the table `text`, known by its hash. Rows travel as RowBinary, little-endian. The server is not
 * trusted: an answer is bounded, and each length in it is checked.
 */
#pragma once

#include "base/cursor.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/store/store_private.h"

/* The kinds of text. The numbers are stored: never change one. */
enum text_kind {
	TEXT_EVENT = 1,
	TEXT_TYPE,
	TEXT_FIELD,
	TEXT_OBJECT,
	TEXT_BUILD,
	TEXT_FUNCTION,
	TEXT_HOST,
	TEXT_KERNEL,
	TEXT_PROCESSOR,
	TEXT_CGROUP,
	TEXT_IMAGE,
};

/* The tables of samples: facts, and their sums over so many seconds. */
struct clickhouse_sums {
	const char *table;
	int64_t seconds;
};
enum { SUMS_FACT, SUMS_HOURLY, SUMS_DAILY, SUMS_TABLES };
extern const struct clickhouse_sums clickhouse_sums[SUMS_TABLES];

/* Runs SQL, and sets *answer (STRBUF_INIT) to the bytes that the server gives. */
struct error *clickhouse_ask(struct store *store, const char *sql, struct strbuf *answer);

/* Reads a text of RowBinary into the arena; NULL: it is cut off. */
const char *clickhouse_text(struct cursor *cursor, struct arena *arena);

/* Returns an error: the server's answer is not as it was asked for. */
struct error *clickhouse_malformed(const struct store *store);

/* Returns a list "(1,2,3)" of numbers; "(0)" for none, which no text has. */
void add_number_list(struct strbuf *sql, const uint64_t *numbers, size_t count);
