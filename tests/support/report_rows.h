/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of `dtprof report -t '|'`, taken apart. */
#ifndef DTPROF_TESTS_REPORT_ROWS_H
#define DTPROF_TESTS_REPORT_ROWS_H

#include <stddef.h>

#define REPORT_COLUMNS 8

/* One line; the columns that it does not have are "". Runs of spaces are one space, none at the
 * ends. */
struct report_row {
	double percent;                      /* the first column */
	const char *columns[REPORT_COLUMNS]; /* those behind it */
};

struct report_rows {
	struct report_row *items;
	size_t count;
	size_t capacity;
	char *text; /* what the columns point into */
};

/* Comment lines (#) and empty ones are passed over. */
void report_rows_parse(struct report_rows *rows, const char *text);
void report_rows_deinit(struct report_rows *rows);

#endif
