/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints tables: as text in the form of perf report --stdio, as JSON and as comma-separated values.
 * Also counts and prints how many samples of a table have a type.
 *
 * All functions append to a buffer or a JSON stream. A table must be sorted before it is printed.
 */
#pragma once

#include "base/strbuf.h"
#include "report/callgraph.h"
#include "report/json.h"
#include "report/result.h"
#include "report/table.h"

#define COVERAGE_REASONS_MAX 32

/* How many of a table's samples have an instruction that could be read, how many of these are
 * memory accesses, how many of these have a type, and why the others have none. */
struct coverage {
	uint64_t samples;
	uint64_t with_code; /* samples whose instruction could be read */
	uint64_t accesses;  /* of these, samples of instructions that access memory */
	uint64_t typed;     /* accesses with a type */
	struct {
		const char *text; /* the value of the column `how`, interned */
		uint64_t samples;
	} reasons[COVERAGE_REASONS_MAX]; /* why accesses have no type */
	size_t reason_count;
	uint64_t charged;   /* samples charged to another instruction than the sampled one */
	uint64_t held_back; /* samples that belong to no access because interrupts were off */
	uint64_t computed;  /* samples whose data address was computed from registers */
	uint64_t recorded;  /* samples whose data address was recorded */
};

void coverage_add(struct coverage *coverage, const struct result *result);
/* Sorts the reasons: those with the most samples first. */
void coverage_sort(struct coverage *coverage);
/* Returns the text of a reason without its parentheses; it has *length bytes. */
const char *coverage_reason(const struct coverage *coverage, size_t reason, size_t *length);
/* Prints the numbers and the reasons as lines that begin with "# ". */
void print_coverage(const struct coverage *coverage, struct strbuf *buffer);
/* Prints how many samples were charged or held back; nothing if none were. */
void print_charges(const struct coverage *coverage, struct strbuf *buffer);
/* Prints how many data addresses are known; nothing if none are. */
void print_address_coverage(const struct coverage *coverage, struct strbuf *buffer);

/* ---- tables as text ---- */

struct print_options {
	/* The form for readers at a terminal: columns align, a type is not repeated by the columns
	 * after it, and headings are without "# ". Else perf's form. Not with `separator`. */
	bool screen;
	unsigned int line_width; /* with `screen`: columns of a line, at most; 0: no limit */
	const char *ellipsis;    /* with `screen`: stands for what is cut out of names */
	const char
		*separator;   /* -t: separates columns, which are then not aligned; NULL: aligned */
	double percent_limit; /* rows with a smaller share are left out */
	uint64_t max_rows;    /* below one row, or of a flat table; 0: all */
	bool hexadecimal;
	bool nanoseconds, verbose;
	unsigned int max_name; /* longer names lose their middle; 0: no limit */
	bool colour;
	bool quiet;     /* no headings */
	bool callgraph; /* print the call graphs of rows */
	/* Takes what is in the buffer, so that a table of millions of rows is never there as a
	 * whole; NULL: the caller takes all of it at the end. */
	void (*flush)(struct strbuf *buffer);
};

/* The contents of a table's heading: "# Samples: 91K of event 'x'" and "# Event count (approx.):
 * N", or if rows are not weighed by periods, "# Total weight : N" and the sort keys. */
struct table_heading {
	const char *event;
	bool plural;                     /* write "events" */
	const char *time;                /* the argument of --time, or NULL */
	const char *weighing;            /* "weight"; NULL: rows are weighed by periods */
	const char *sort;                /* the sort keys, or NULL */
	const char *chosen;              /* on a screen: what filters chose, ", comm lua" */
	const struct coverage *coverage; /* on a screen: of a table with types; else NULL */
};
void print_table_heading(const struct table *table, const struct table_heading *heading,
			 struct strbuf *buffer);
/* Prints one line in place of the heading, the coverage and the charges: "cpu-clock: 1,827 samples,
 * with code 99.7%, accesses 80.1%, typed 77.1%". Each is a share of the one before. */
void print_screen_heading(const struct table *table, const struct table_heading *heading,
			  const struct print_options *options, struct strbuf *buffer);
/* Prints the column headings and the rows. */
void print_table(const struct table *table, const struct print_options *options,
		 struct strbuf *buffer);

/* ---- call graphs as text: print_callgraph.c ---- */

struct callgraph_print {
	uint64_t total;     /* of the event; percentages are shares of it */
	uint64_t row_total; /* of the row, including callees if these are counted */
	/* leave out a first frame in this function, which the row already names; or NULL */
	const struct result_place *skip;
	bool colour;
	unsigned int max_name;   /* as in struct print_options */
	unsigned int line_width; /* 0: no limit */
	const char *ellipsis;    /* with line_width */
	const char *separator;   /* between the frames of a folded chain; NULL: ";" */
};

/* Prints the graph of a row, whose last entry is `head`; nothing below the threshold. */
void print_callgraph(const struct callgraph *graph, uint32_t head,
		     const struct callgraph_print *print, struct strbuf *buffer);

/* ---- tables for programs: print_machine.c ---- */

struct machine_table {
	const char *const *events; /* names of the table's events */
	const char *group;         /* the table's name: that of the event or the group */
	const struct coverage *coverage;
	bool has_types; /* types were asked for, so print their coverage */
};

/* Adds the table to the open array, as json.md and report.schema.json describe. */
void print_table_json(const struct table *table, const struct machine_table *machine,
		      const struct print_options *options, struct json *json);
/* Prints a line with the names of the columns, if `heading`, and one line for each row and each
 * chain. `flush` is called to write and empty `buffer` when it has grown. */
void print_table_csv(const struct table *table, const struct machine_table *machine,
		     const struct print_options *options, bool heading, struct strbuf *buffer,
		     void (*flush)(struct strbuf *buffer));
