/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call graphs: the option -g, the call chains that a table keeps for its rows, and the tree of one
 * row's chains.
 *
 * A row keeps its chains as numbers of frames. Its tree is built when the row is printed and freed
 * afterwards, so memory grows with the number of distinct chains and not with the trees of all
 * rows.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "report/result.h"

struct callgraph_options {
	bool none;     /* -g none, --no-call-graph: print no graph even if there are chains */
	bool asked;    /* -g: it is an error if there are no chains */
	bool children; /* callers get rows of their own */
	bool folded;   /* -g folded: one line for each chain, not a tree */
	bool order_chosen;
	bool caller_first;  /* print callers above their callees, not below */
	double threshold;   /* percent; smaller branches are left out */
	unsigned int limit; /* how many branches of a node are printed; 0: all */
	unsigned int max_stack;
};

/* perf's defaults: 0.5 percent, callers below, 127 frames */
#define CALLGRAPH_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.threshold = 0.5, .max_stack = 127                                                 \
	}

/* Parses the argument of -g: words such as "graph,0.5,caller" in any order and number, which may be
 * abbreviated, as in perf. */
struct error *callgraph_parse(struct callgraph_options *options, const char *text);

/* A chain of a row: the frames from `inner` to `outer`, and what was counted with them. */
struct chain_entry {
	uint32_t next; /* the row's next chain: index + 1 in callgraph.entries; 0: none */
	uint32_t inner;
	uint32_t outer;
	uint64_t samples, period;
};

struct callgraph {
	const struct callgraph_options *options;
	const struct result_frame *frames; /* indexed by frame number, from 1 on */
	size_t frame_count;
	/* for each frame number: equal for frames of one function, which are one node; breaks ties
	 */
	uint32_t *identities;
	struct chain_entry *entries;
	size_t count, capacity;
	uint32_t *path; /* the chain of callgraph_take_path(), in the order of the graph */
	size_t path_count;
	size_t path_capacity;
};

/* Returns an empty call graph. `frames` and `options` must outlive it. */
struct callgraph *callgraph_create(const struct callgraph_options *options,
				   const struct result_frame *frames, size_t frame_count);
void callgraph_destroy(struct callgraph *graph);
/* Sets `path` to the frames of the chain with the innermost `chain`, at most max_stack. */
void callgraph_take_path(struct callgraph *graph, uint32_t chain);
/* Adds `path` from element `from` on to the chains of a row. *head is its last entry. */
void callgraph_note(struct callgraph *graph, uint32_t *head, size_t from,
		    const struct result *result);

/* ---- the chains of one row as a tree, in the order of the graph: callers first or callees first
 * ---- */

#define CHAIN_TREE_ROOT 0 /* the root has no frame */

struct chain_tree_node {
	uint32_t parent;
	uint32_t frame;       /* number of the first frame that was counted in this node */
	uint32_t first_child; /* index in tree.sorted */
	uint32_t child_count;
	uint64_t period; /* of chains that end in this node */
	uint64_t samples;
	uint64_t children_period; /* of chains that go on below it */
};

struct chain_tree {
	const struct callgraph *graph;
	struct chain_tree_node *nodes;
	size_t count, capacity;
	uint32_t *sorted; /* node numbers, siblings together, those with the largest period first */
};

/* Builds the tree of a row's chains. `head` is its last entry by callgraph_note(). */
void chain_tree_init(struct chain_tree *tree, const struct callgraph *graph, uint32_t head);
void chain_tree_deinit(struct chain_tree *tree);

static inline uint64_t chain_tree_period(const struct chain_tree_node *node)
{
	return node->period + node->children_period;
}

/* Returns the last node of the run that begins at `node`. Each node of a run but the last has
 * exactly one child and no chain that ends in it. */
uint32_t chain_tree_run_end(const struct chain_tree *tree, uint32_t node);

/* Appends the node's name as graphs show it: "do_idle", "0x7f0012345678". */
struct strbuf;
void chain_tree_add_name(const struct chain_tree *tree, uint32_t node, struct strbuf *buffer);
