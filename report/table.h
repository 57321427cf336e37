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
#ifndef DTPROF_REPORT_TABLE_H
#define DTPROF_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/callgraph.h"
#include "report/key/key.h"
#include "report/layout.h"
#include "report/result.h"

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
	uint32_t first_event; /* rows are sorted by this event's figures first; set by the caller */
	struct table_row *rows;
	size_t row_count, row_capacity;
	struct figures *figures; /* event_count for each row */
	struct more_figures
		*more;      /* event_count for each row; row 0 has the totals. NULL: not wanted */
	uint64_t *children; /* event_count for each row: periods including callees. NULL: not wanted
			     */
	struct callgraph *callgraph; /* NULL: call chains are not kept */
	uint64_t stamp;              /* number of results added so far */
	uint64_t *totals;            /* sums of the periods, by event */
	uint64_t total_samples;      /* of all events */
	uint64_t *words;             /* for each row: its parent and its keys' identity words */
	size_t words_per_row;
	uint32_t *slots; /* row numbers by hash; 0: free */
	size_t slot_count;
	uint32_t *sorted; /* rows, siblings together and in order */
};

/* Returns an empty table, which table_destroy() frees. `layout` must outlive it. */
struct table *table_create(const struct layout *layout, uint32_t event_count);
/*
 * Makes the table keep the call chains of its rows and, with options->children, make rows for
 * callers. Must be called before the first result. In a group of events, only the first event's
 * chains are kept.
 */
void table_keep_chains(struct table *table, const struct callgraph_options *options,
		       const struct result_frame *frames, size_t frame_count);
void table_destroy(struct table *table);

/* Counts a result for the table's event number `event`. */
void table_add(struct table *table, const struct result *result, uint32_t event);
/* Counts a result in the totals only: a filter keeps it out of the rows. */
void table_add_filtered(struct table *table, const struct result *result, uint32_t event);
/* Sorts the rows. Must be called after the last result and before the table is read. */
void table_sort(struct table *table);

/* Returns whether the row has at least `limit` percent of the first event's total. */
bool table_is_shown(const struct table *table, uint32_t row, double limit);
/* Returns the row as keys see it; valid until the next result is added. */
struct row_view table_view(const struct table *table, uint32_t row);

#endif
