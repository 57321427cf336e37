/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns that divide a row's share by one field of its data sources, as perf 7.2 has them: op, cache,
 * memory, snoop, dtlb. Each is as many columns side by side as there are classes with samples in the whole
 * table.
 */
#ifndef DTPROF_REPORT_KEY_KEY_H
#define DTPROF_REPORT_KEY_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "report/result.h"

struct result;

#define BREAKDOWN_CLASSES 7  /* of one of them, at most */
#define BREAKDOWN_PARTS   29 /* classes of all of them */
#define BREAKDOWN_WIDTH   7  /* of a class's column: "  42.7%" */

struct breakdown {
	const char *title;
	uint8_t first; /* its first class in an array of parts */
	uint8_t count;
	const char *names[BREAKDOWN_CLASSES];
};

/* Add the result's period to its class of each breakdown. */
void breakdown_add(uint64_t parts[BREAKDOWN_PARTS], const struct result *result);

/*
 * Sort keys, which are also columns: one table with each key's name, heading, what it needs, how it tells
 * rows apart, how it orders them and what it prints.
 *
 * A *figure* (overhead, sample, period) is a number of the row; it tells nothing apart. All others are
 * *attributes*: rows are equal in them.
 */

struct json;

enum figure_level { LEVEL_KERNEL, LEVEL_USER, LEVEL_GUEST_KERNEL, LEVEL_GUEST_USER, LEVELS };
enum { WEIGHTS = 3 }; /* of a PERF_SAMPLE_WEIGHT_STRUCT */

struct figures {
	uint64_t samples;
	uint64_t period;
};

/* Sums that few tables show. */
struct more_figures {
	uint64_t level_periods[LEVELS]; /* as in enum figure_level */
	uint64_t weights[WEIGHTS];
	uint64_t parts[BREAKDOWN_PARTS];
	uint64_t latency; /* periods, in thousandths, each divided by the threads that ran at its time */
	uint64_t latency_children; /* the same, with what the row has called */
};

/* Whether class `index` has samples in the whole table, and thus a column. */
bool breakdown_shows(const struct breakdown *breakdown, unsigned int index, const struct more_figures *totals,
		     uint32_t events);

/* A row as its keys see it. */
struct row_view {
	const struct result *result;     /* the first of those that the row stands for */
	const struct figures *figures;   /* one for each event of the table */
	const struct more_figures *more; /* the same; NULL: no key of the table wants them */
	const uint64_t *children; /* periods of its own samples and of what it called; NULL: not kept */
	uint32_t event_count;
	uint32_t first_event; /* the one that decides where rows stand: --group-sort-idx */
	uint32_t chain_depth; /* frames of its longest chain */
	bool caller_first;    /* of chains */
};

/* How cells are to be written. */
struct cell_format {
	unsigned int width;                     /* of the column */
	bool separated;                         /* -t: figures are not padded in front */
	bool hexadecimal;                       /* --hex */
	bool nanoseconds;                       /* --ns: times to the nanosecond */
	bool verbose;                           /* -v: addresses beside symbols, dsos in full */
	bool colour;                            /* percentages by their size */
	const uint64_t *totals;                 /* of periods, for each event of the table */
	const struct more_figures *more_totals; /* the same, where row_view.more is there */
};

#define KEY_WORDS 3

struct key {
	const char *name;
	const char *alias; /* another name, or NULL */
	const char *header;
	const char *summary; /* for --help; one line */
	unsigned int needs;  /* set of enum result_need */
	/* Attributes: what rows are equal in; unused words stay 0. NULL: a figure. */
	void (*identity)(const struct result *result, uint64_t words[KEY_WORDS]);
	/* Positive: a comes first; 0: this key has no preference. */
	int (*order)(const struct row_view *a, const struct row_view *b);
	/* Width that this row's cell wants; NULL: the heading's is enough. */
	unsigned int (*width)(const struct row_view *row, const struct cell_format *format);
	void (*cell)(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer);
	/* Attributes: the value as a member called `name`; NULL: a string, as the cell has it without blanks.
	 */
	void (*json)(const struct row_view *row, const char *name, struct json *json);
	unsigned int event_width;          /* figures: width of one event's number */
	bool wants_more;                   /* row_view.more */
	bool right_heading;                /* the heading stands at the right */
	const struct breakdown *breakdown; /* figures that are several columns; else NULL */
};

/* All keys, NULL-terminated, in the order of --help. */
extern const struct key *const all_keys[];

/*
 * By name, alias or the beginning of a name, in any case, as perf does; an unknown one's error names the
 * nearest. `more`, NULL-terminated or NULL: keys that are looked for before all_keys, by their full names
 * alone. `option` ("--sort") is for the message. Some names are those of a figure, for --fields, and of an
 * attribute, for --sort.
 */
struct error *key_find(const char *name, size_t length, const char *option, bool figures_first,
		       const struct key *const *more, const struct key **result);

/* Percent as perf colours it: from 5 red, from 0.5 green. NULL: plain. */
const char *percent_colour(double percent);
#define COLOUR_RESET "\033[m"

/* Keys of the fields of tracepoints: which there are, each file says for itself. */

#define TRACE_KEYS 64 /* of one report */

/* The key of the value result.traces[index]; `name` and `header` must outlive it. index < TRACE_KEYS. */
struct key trace_key(unsigned int index, const char *name, const char *header);

#endif
