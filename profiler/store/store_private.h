/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by store.c, which owns the file and adds to it, and store_select.c, which asks it. */
#ifndef DTPROF_STORE_STORE_PRIVATE_H
#define DTPROF_STORE_STORE_PRIVATE_H

#include <sqlite3.h>

#include "profiler/store/store.h"

/* Limits of questions grow with the file: pages may be a knot, and a text of each row. */
struct store {
	sqlite3 *database;
	char *path;
	int64_t steps;  /* of SQLite's machine, that are left */
	uint64_t texts; /* bytes that are left to be read by questions */
};

#define STORE_DAY_SECONDS 86400

/* Returns the number of the day (UTC) that a time is in. */
static inline int64_t store_day(int64_t time)
{
	return time >= 0 ? time / STORE_DAY_SECONDS
			 : -((STORE_DAY_SECONDS - 1 - time) / STORE_DAY_SECONDS);
}

/* Returns an error with the message of SQLite. */
struct error *store_problem(struct store *store, const char *what);
/* Runs statements without results. */
struct error *store_run(struct store *store, const char *sql);
/* Adds the functions that questions call. */
struct error *store_add_functions(struct store *store);
/* Prepares a statement, for sqlite3_finalize(). */
struct error *store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement);

#endif
