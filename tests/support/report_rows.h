/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of `dtprof report -t '|'` as columns. */
#pragma once

#include <stddef.h>

#define REPORT_COLUMNS 8

/*
 * One line. Missing columns are "". Spaces at the ends are removed, and several spaces become one.
 */
struct report_row {
	double percent;                      /* the first column */
	const char *columns[REPORT_COLUMNS]; /* the columns after it */
};

struct report_rows {
	struct report_row *items;
	size_t count;
	size_t capacity;
	char *text; /* the text that the columns point into */
};

/* Sets *rows to the lines of `text`, without comments (#) and empty lines. */
void report_rows_parse(struct report_rows *rows, const char *text);
void report_rows_deinit(struct report_rows *rows);
