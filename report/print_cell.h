/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What flat tables and hierarchies are put together from. Private to print*.c. */
#ifndef DTPROF_REPORT_PRINT_CELL_H
#define DTPROF_REPORT_PRINT_CELL_H

#include "report/key.h"
#include "report/print.h"

struct printer {
	const struct table *table;
	const struct print_options *options;
	struct strbuf *buffer;
	struct cell_format format;
	unsigned int widths[LAYOUT_KEYS]; /* of layout->columns */
};

/* One cell, its separator characters made dots, padded to the column unless it ends the line; returns where
 * it starts. */
size_t print_cell(struct printer *printer, uint32_t row, const struct key *key, unsigned int width, bool pad);

/* Before a cell: -t's separator but before the `first`, or `plain`. */
void print_separator(const struct printer *printer, bool first, const char *plain);

/* The name above a column, or the names of its parts. */
void print_column_heading(const struct printer *printer, const struct key *key, unsigned int width);

/* The call graph below a row, if it has one. */
void print_row_callgraph(const struct printer *printer, uint32_t row);

#endif
