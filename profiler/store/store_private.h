/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by store.c, file_store.c and file_select.c for files of SQLite, and clickhouse.c for
 * servers. */
#pragma once

#include <sqlite3.h>

#include "base/strbuf.h"
#include "profiler/store/store.h"

struct clickhouse;

/* Limits of questions grow with the file, because its pages may be a knot, and one of
 * its texts that of each row. */
struct store {
	char *path;
	struct clickhouse *server; /* NULL: a file, whose are the rest */
	sqlite3 *database;
	int64_t steps;  /* of SQLite's machine, that are left */
	uint64_t texts; /* bytes that are left to be read by questions */
	size_t rows;    /* that an answer may have */
};

#define STORE_DAY_SECONDS 86400

/* Returns the number of the day (UTC) that a time is in. */
static inline int64_t store_day(int64_t time)
{
	return time >= 0 ? time / STORE_DAY_SECONDS
			 : -((STORE_DAY_SECONDS - 1 - time) / STORE_DAY_SECONDS);
}

/* The two kinds of store, in a file and on a server; the functions are those of store.h. */
struct error *file_open(const struct store_place *place, struct store *store);
struct error *clickhouse_open(const struct store_place *place, struct store *store);
__typeof__(store_close) file_close, clickhouse_close;
__typeof__(store_add) file_add, clickhouse_add;
__typeof__(store_commit) clickhouse_commit;
__typeof__(store_forget) file_forget, clickhouse_forget;
/* as store_select(), whose other arguments the answer has; rows in any order */
struct error *file_select(struct store *store, const struct store_choice *choice,
			  struct store_answer *answer);
__typeof__(file_select) clickhouse_select;
__typeof__(store_batches) file_batches, clickhouse_batches;

/* Returns whether a text is as a choice wants it. */
bool store_text_matches(enum store_key key, const char *wanted, const char *text);

unsigned int store_chosen_keys(const struct store_choice *choice);
/* Adds " AND CONDITION" for each condition of a choice: those that leave out `rows`, or those that
 * choose recordings and objects. `add_test` adds the SQL of one test. */
struct error *store_add_conditions(const struct store_choice *choice, bool rows, struct strbuf *sql,
				   struct error *(*add_test)(const struct store_term *test,
							     void *data),
				   void *data);

/* Columns of sums, in the order of rows. */
extern const char *const store_sum_columns[STORE_SUMS - 1];
/* Returns whether an answer has this sum. */
bool store_wants_sum(const struct store_choice *choice, enum store_order order, size_t sum);

void number_texts_deinit(struct number_texts *texts);
/* Sorts the rows, and leaves those that are asked for. */
void store_answer_sort(struct store_answer *answer);

/* Returns an error with the message of SQLite. */
struct error *store_problem(struct store *store, const char *what);
/* Returns the number that a question gives, or -1. */
int64_t store_number(struct store *store, const char *sql);
/* Adds the functions that questions call. */
struct error *store_add_functions(struct store *store);
/* Prepares a statement, for sqlite3_finalize(). */
struct error *store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement);
