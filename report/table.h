/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results grouped into rows by the keys of a layout, for one event or a group of events.
 *
 * table_add() as often as there are results, table_sort() once, then read or print (report/print.h).
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

#define ROW_ROOT 0 /* row 0 is above all others; it is no row of the report */

struct table_row {
	struct result result; /* the first of those that it stands for */
	uint32_t parent;      /* row; ROW_ROOT in a flat table */
	uint32_t level;       /* of the hierarchy, from 0 */
	uint32_t first_child; /* after table_sort(): index in table.sorted */
	uint32_t child_count;
	uint32_t last_chain;  /* of table.callgraph's entries: index + 1; 0: none */
	uint32_t chain_depth; /* frames of the longest of them */
	uint64_t stamp;       /* of the result that was added to it last */
};

struct table {
	const struct layout *layout;
	uint32_t event_count;
	uint32_t first_event; /* whose figures decide first where rows stand; set by the caller */
	struct table_row *rows;
	size_t row_count, row_capacity;
	struct figures *figures;   /* event_count for each row; those of row 0 are the totals */
	struct more_figures *more; /* the same, or NULL */
	uint64_t *children; /* the same, of periods with what rows have called; NULL: rows are of samples
			       alone */
	struct callgraph *callgraph; /* NULL: none */
	uint64_t stamp;              /* results so far */
	uint64_t *totals;            /* sums of the periods, by event */
	uint64_t total_samples;      /* of all events */
	uint64_t *words;             /* what each row is told apart by */
	size_t words_per_row;
	uint32_t *slots; /* row numbers by hash; 0: free */
	size_t slot_count;
	uint32_t *sorted; /* rows, siblings together and in order */
};

/* `layout` must outlive the table. */
struct table *table_create(const struct layout *layout, uint32_t event_count);
/*
 * Before the first result: keep the chains of rows, and, if the options say so, make rows of callers, too.
 * In a group, the graph is that of its first event.
 */
void table_keep_chains(struct table *table, const struct callgraph_options *options,
		       const struct result_frame *frames, size_t frame_count);
void table_destroy(struct table *table);

/* Count a result as the table's event number `event`. */
void table_add(struct table *table, const struct result *result, uint32_t event);
/* Count in the totals alone: what a filter leaves out of the rows. */
void table_add_filtered(struct table *table, const struct result *result, uint32_t event);
void table_sort(struct table *table);

/* Whether a row's share, of the first event, is at least `limit` percent. */
bool table_is_shown(const struct table *table, uint32_t row, double limit);
struct row_view table_view(const struct table *table, uint32_t row);

#endif
