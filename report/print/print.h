/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of a table's samples are memory accesses, how many of these have a type, and why the others have
 * none. */
#ifndef DTPROF_REPORT_PRINT_PRINT_H
#define DTPROF_REPORT_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "report/callgraph.h"
#include "report/json.h"
#include "report/result.h"
#include "report/table.h"

#define COVERAGE_REASONS 32

struct coverage {
	uint64_t samples;
	uint64_t accesses;
	uint64_t typed;
	struct {
		const char *text; /* interned, without the parentheses of the `how` column */
		uint64_t samples;
	} reasons[COVERAGE_REASONS]; /* those with the most samples first, after coverage_sort() */
	size_t reason_count;
	uint64_t charged;   /* samples that were charged to another instruction than theirs */
	uint64_t held_back; /* samples that belong to no access because interrupts were off */
	uint64_t computed;  /* samples whose data address was computed from registers */
	uint64_t recorded;  /* and those that brought it along */
};

void coverage_add(struct coverage *coverage, const struct result *result);
void coverage_sort(struct coverage *coverage);
/* A reason without the parentheses that it has in a column; *length bytes. */
const char *coverage_reason(const struct coverage *coverage, size_t reason, size_t *length);
/* As "# ..." lines. */
void print_coverage(const struct coverage *coverage, struct strbuf *buffer);
/* The lines on samples that were charged, or could not be; nothing where there are none. */
void print_charges(const struct coverage *coverage, struct strbuf *buffer);
/* The line on data addresses; nothing where none are known. */
void print_address_coverage(const struct coverage *coverage, struct strbuf *buffer);

/* Tables as text, in the form of perf report --stdio. */

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

/* The call graph below a row, as text in the form of perf report --stdio. */

struct callgraph_print {
	uint64_t total;     /* of the event: what percentages are of */
	uint64_t row_total; /* of the row and, with children, of what it called */
	const struct result_place
		*skip; /* a first frame in its function is left out: it stands above. NULL: none is */
	bool colour;
	unsigned int max_name; /* as in struct print_options */
	const char *separator; /* of the frames of a folded chain; NULL: ";" */
};

/* `head`: the row's last entry of `graph`. Nothing where no chain is above the threshold. */
void print_callgraph(const struct callgraph *graph, uint32_t head, const struct callgraph_print *print,
		     struct strbuf *buffer);

/* Tables for programs: JSON, as Documentation/json.md and report.schema.json say, and comma-separated values.
 */

struct machine_table {
	const char *const *events; /* names, table->event_count of them */
	const char *group;         /* the table's name: the event's, or the group's */
	const struct coverage *coverage;
	bool has_types; /* they were asked for, so that the coverage is of them, too */
};

/* An element of the array that is open. `table` is sorted. */
void print_table_json(const struct table *table, const struct machine_table *machine,
		      const struct print_options *options, struct json *json);
/*
 * A line with the names of the columns, if `heading`, then one for each row and chain (RFC 4180, but lines
 * end with a newline alone). Written to `buffer`, which `flush` empties as it grows.
 */
void print_table_csv(const struct table *table, const struct machine_table *machine,
		     const struct print_options *options, bool heading, struct strbuf *buffer,
		     void (*flush)(struct strbuf *buffer));

#endif
