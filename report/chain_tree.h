/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call chains of one row as a tree, in the order of the graph: callers first, or callees first. */
#ifndef DTPROF_REPORT_CHAIN_TREE_H
#define DTPROF_REPORT_CHAIN_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "report/callgraph.h"

#define CHAIN_TREE_ROOT 0 /* no frame: above all others */

struct chain_tree_node {
	uint32_t parent;
	uint32_t frame;       /* number of the first of those that it stands for */
	uint32_t first_child; /* index in tree.sorted */
	uint32_t child_count;
	uint64_t period; /* of chains that end here */
	uint64_t samples;
	uint64_t children_period; /* of those that go on */
	uint64_t children_samples;
};

struct chain_tree {
	const struct callgraph *graph;
	struct chain_tree_node *nodes;
	size_t count;
	size_t capacity;
	uint32_t *sorted; /* nodes, siblings together: those with the most first, ties by their frames */
};

/* `head`: the row's last entry, as callgraph_note() left it. */
void chain_tree_build(struct chain_tree *tree, const struct callgraph *graph, uint32_t head);
void chain_tree_release(struct chain_tree *tree);

static inline uint64_t chain_tree_period(const struct chain_tree_node *node)
{
	return node->period + node->children_period;
}

/* The last node of the run that begins at `node`: frames with one way on, at which no chain ends. */
uint32_t chain_tree_run_end(const struct chain_tree *tree, uint32_t node);

/* "do_idle", "0x7f0012345678": as a frame is called in a graph. */
struct strbuf;
void chain_tree_add_name(const struct chain_tree *tree, uint32_t node, struct strbuf *buffer);

#endif
