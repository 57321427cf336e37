/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For print_json.c and print_csv.c only: what both show of a row. */
#ifndef DTPROF_REPORT_CELL_TEXT_H
#define DTPROF_REPORT_CELL_TEXT_H

#include "report/chain_tree.h"
#include "report/print.h"
#include "report/table.h"

/* The text of an attribute's cell, without the blanks that align it; `text` is emptied first. */
void cell_text(const struct table *table, uint32_t row, const struct key *key,
	       const struct print_options *options, struct strbuf *text);

/* Calls back for each chain of a row that is above the graph's threshold, the most frequent first. */
struct shown_chain {
	const struct chain_tree *tree;
	const uint32_t *nodes; /* in the order of the graph */
	size_t count;
	uint64_t samples;
	uint64_t period;
};
void each_chain(const struct table *table, uint32_t row,
		void (*visit)(const struct shown_chain *chain, void *data), void *data);

#endif
