/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of c2c report as text, in the form of perf 7.2's c2c report --stdio. */
#ifndef DTPROF_REPORT_C2C_PRINT_C2C_H
#define DTPROF_REPORT_C2C_PRINT_C2C_H

#include "profiler/base/strbuf.h"
#include "report/c2c/c2c_table.h"

struct c2c_print_options {
	const char *const *events; /* names */
	size_t event_count;
	unsigned int node_info; /* -N: 0 nodes, 1 with processors and shares, 2 with lists of
				   processors */
	bool stats_only;        /* --stats */
	bool full_symbols;
	bool no_source;
	bool verbose;
};

/* Append the tables: trace events, shared lines, lines, and rows of each line (Pareto). */
void print_c2c(const struct c2c_table *table, const struct c2c_print_options *options,
	       struct strbuf *buffer);

/* Append the counts of the whole recording, as "Trace Event Information" has them. */
void print_c2c_events(const struct c2c_count *total, struct strbuf *buffer);

#endif
