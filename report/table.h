/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table: results grouped into rows by the keys of a layout, for one event or a group of events.
 *
 * Call table_add() for each result and table_sort() once; then print the table with
 * report/print/print.h.
 *
 * Two results are in one row if the identity words of all keys of the row's level are equal. In a
 * flat table each row's parent is ROW_ROOT. In a hierarchy a row of level N is below a row of level
 * N - 1, and its figures are part of its parent's.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "report/callgraph.h"
#include "report/key/key.h"
#include "report/result.h"

/* ---- layouts ---- */

/*
 * The layout of a table: the keys that rows are sorted by and the columns that are shown. It
 * follows from -s, -F, -n and other options by perf's rules:
 *
 *   -s alone   sort by overhead (unless -s names it) and then by the keys;
 *              show overhead, the columns of -n and --show-total-period, and the keys
 *   -F alone   sort by and show the keys in this order
 *   both       sort by the keys of -s, then by those that only -F has;
 *              show those of -F, then those that only -s has
 *   -s +KEYS   the default keys and these
 *   -F +KEYS   also show these columns, before the keys of -s
 *
 * With --hierarchy each key of -s, then of -F, is one level; so is each {group,of,keys}.
 */

#define LAYOUT_KEYS_MAX 128

struct key_list {
	const struct key *keys[LAYOUT_KEYS_MAX];
	unsigned int widths[LAYOUT_KEYS_MAX]; /* from -w; 0: as wide as needed */
	size_t count;
};

struct layout {
	struct key_list order;                   /* rows are sorted by these, in this order */
	struct key_list columns;                 /* shown from left to right */
	struct key_list levels[LAYOUT_KEYS_MAX]; /* --hierarchy: the keys of each level */
	size_t level_count;                      /* 0: a flat table */
	bool children; /* callers have rows; the heading of overhead is then "Self" */
	/* The first key of -s, whose value a call graph need not repeat; NULL: none. */
	const struct key *callgraph_root;
};

struct layout_options {
	const char *sort;    /* -s; NULL: default_sort, or nothing if there are fields */
	const char *fields;  /* -F; NULL: only what -s says */
	const char *sort_by; /* sort by these keys before all others; NULL: only by -s and -F */
	const char *widths;  /* -w: "8,12,160", or NULL */
	const char *default_sort;
	bool show_samples;
	bool show_period;
	bool children; /* callers have rows */
	bool hierarchy;
};

/* Sets *layout from the options. Returns an error that names the option if it cannot be
 * understood. */
struct error *layout_parse(const struct layout_options *options, struct layout *layout);

/* Returns what the keys need to know about each result: a set of enum result_need. */
uint64_t layout_needs(const struct layout *layout);
/* Returns the heading of the key's column. */
const char *layout_header(const struct layout *layout, const struct key *key);
/* Removes the key from columns, order and levels: rows differ by it no longer. */
void layout_remove(struct layout *layout, const struct key *key);

/* ---- rows ---- */

#define ROW_ROOT 0 /* the parent of all rows; it is not printed */

struct table_row {
	struct result result; /* the first result that was counted in this row */
	uint32_t parent;      /* row; ROW_ROOT in a flat table */
	uint32_t level;       /* of the hierarchy, from 0 */
	uint32_t first_child; /* after table_sort(): index in table.sorted */
	uint32_t child_count;
	uint32_t last_chain;  /* of table.callgraph's entries: index + 1; 0: none */
	uint32_t chain_depth; /* frames of the longest of them */
	uint64_t stamp;       /* number of the last result added to it */
};

struct table {
	const struct layout *layout;
	uint32_t event_count;
	/* With rows for callers: only functions that contain this; NULL: all; the caller's. */
	const char *symbol_part;
	struct table_row *rows;
	size_t row_count, row_capacity;
	struct figures *figures; /* event_count for each row */
	struct more_figures
		*more; /* event_count for each row; row 0 has the totals. NULL: not wanted */
	/* event_count for each row: periods including callees. NULL: not wanted */
	uint64_t *children;
	struct callgraph *callgraph; /* NULL: call chains are not kept */
	uint64_t stamp;              /* number of results added so far */
	uint64_t *totals;            /* sums of the periods, by event */
	uint64_t total_samples;      /* of all events */
	struct hash_index index;     /* of the rows */
	uint32_t *sorted;            /* rows, siblings together and in order */
};

/* Returns an empty table, which table_destroy() frees. `layout` must outlive it. */
struct table *table_create(const struct layout *layout, uint32_t event_count);
/* Makes the table keep the call chains of its rows and, with options->children, make rows for
 * callers. Must be called before the first result. In a group of events, only the first event's
 * chains are kept. */
void table_keep_chains(struct table *table, const struct callgraph_options *options,
		       const struct result_frame *frames, size_t frame_count);
void table_destroy(struct table *table);

void table_add(struct table *table, const struct result *result, uint32_t event);
/* Counts a result in the rows of its callers only. */
void table_add_to_callers(struct table *table, const struct result *result, uint32_t event);
/* Counts a result in the totals only: a filter keeps it out of the rows. */
void table_add_filtered(struct table *table, const struct result *result, uint32_t event);
/* Sorts the rows. Must be called after the last result and before the table is read. */
void table_sort(struct table *table);

/* Returns whether the row has at least `limit` percent of the first event's total. */
bool table_is_shown(const struct table *table, uint32_t row, double limit);
/* Returns the row as keys see it; valid until the next result is added. */
struct row_view table_view(const struct table *table, uint32_t row);
