// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cell_text.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "report/keys.h"

void cell_text(const struct table *table, uint32_t row, const struct key *key,
	       const struct print_options *options, struct strbuf *text)
{
	struct row_view view = table_view(table, row);
	struct cell_format format = { .hexadecimal = options->hexadecimal,
				      .nanoseconds = options->nanoseconds,
				      .verbose = options->verbose,
				      .totals = table->totals,
				      .more_totals = table->more };
	unsigned int width = key->width ? key->width(&view, &format) : 0;

	format.width = text_width(key->header);
	if (format.width < width)
		format.width = width;
	strbuf_reset(text);
	key->cell(&view, &format, text);

	size_t blanks = strspn(text->data, " ");

	if (blanks) {
		memmove(text->data, text->data + blanks, text->length - blanks + 1);
		text->length -= blanks;
	}
	while (text->length && text->data[text->length - 1] == ' ')
		text->data[--text->length] = '\0';
}

struct ended {
	uint32_t node;
	uint64_t period;
};

static int compare_ended(const void *left, const void *right)
{
	const struct ended *a = left, *b = right;

	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

static void visit_chain(const struct chain_tree *tree, uint32_t node,
			void (*visit)(const struct shown_chain *chain, void *data), void *data)
{
	struct shown_chain chain = { .tree = tree,
				     .samples = tree->nodes[node].samples,
				     .period = tree->nodes[node].period };
	uint32_t *nodes _cleanup_free_ = NULL;
	size_t capacity = 0;

	for (uint32_t at = node; at != CHAIN_TREE_ROOT; at = tree->nodes[at].parent) {
		array_reserve(nodes, chain.count, capacity);
		nodes[chain.count++] = at;
	}
	for (size_t i = 0; i < chain.count / 2; i++) {
		uint32_t other = nodes[i];

		nodes[i] = nodes[chain.count - 1 - i];
		nodes[chain.count - 1 - i] = other;
	}
	chain.nodes = nodes;
	visit(&chain, data);
}

void each_chain(const struct table *table, uint32_t row,
		void (*visit)(const struct shown_chain *chain, void *data), void *data)
{
	struct chain_tree tree;
	uint64_t least = (uint64_t)(table->totals[0] * table->callgraph->options->threshold / 100);
	struct ended *ended _cleanup_free_ = NULL;
	size_t count = 0;

	chain_tree_build(&tree, table->callgraph, table->rows[row].last_chain);
	ended = xcalloc(tree.count, sizeof(*ended));
	for (uint32_t node = 1; node < tree.count; node++)
		if (tree.nodes[node].samples && tree.nodes[node].period >= least)
			ended[count++] = (struct ended){ node, tree.nodes[node].period };
	qsort(ended, count, sizeof(*ended), compare_ended);
	for (size_t i = 0; i < count; i++)
		visit_chain(&tree, ended[i].node, visit, data);
	chain_tree_release(&tree);
}
