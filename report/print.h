/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables as text, in the form of perf report --stdio. */
#ifndef DTPROF_REPORT_PRINT_H
#define DTPROF_REPORT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "report/table.h"

struct print_options {
	const char *separator; /* -t: between columns, which are then not aligned; NULL: aligned */
	double percent_limit;  /* rows below are left out */
	bool hexadecimal;
	bool nanoseconds;
	bool verbose;
	unsigned int max_name; /* columns of a name: longer ones lose their middle; 0: none does */
	bool colour;
	bool quiet;     /* no headings */
	bool callgraph; /* of rows that have one */
};

/*
 * "# Samples: 91K of event 'x'" and "# Event count (approx.): N"; where rows are weighed by something else,
 * so that this is the period of results, "# Total weight : N" and the sort keys.
 */
struct table_heading {
	const char *event;
	bool plural;                /* "events" */
	const char *time;           /* --time; NULL: all */
	const char *weighing;       /* NULL: by period */
	const char *sort;           /* keys; NULL: not said */
	const unsigned int *socket; /* --socket-filter; NULL: none */
};
void print_table_heading(const struct table *table, const struct table_heading *heading,
			 struct strbuf *buffer);
/* Column headings and rows. `table` is sorted. */
void print_table(const struct table *table, const struct print_options *options, struct strbuf *buffer);

#endif
