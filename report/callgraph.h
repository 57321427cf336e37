/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call graphs: how they are asked for (-g), and what a table keeps of the call chains of its rows.
 *
 * A row remembers its chains by number; a tree is made of them only when the row is shown
 * (report/chain_tree.h). So memory grows with the distinct chains, not with what a tree of all of them would
 * take.
 */
#ifndef DTPROF_REPORT_CALLGRAPH_H
#define DTPROF_REPORT_CALLGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "report/result.h"

enum callgraph_mode {
	CALLGRAPH_GRAPH,   /* percentages of the event's total */
	CALLGRAPH_FRACTAL, /* of the caller's, or of the callee's */
	CALLGRAPH_FLAT,    /* each chain by itself, one frame a line */
	CALLGRAPH_FOLDED,  /* each chain on one line */
};

enum callgraph_value { CALLGRAPH_PERCENT, CALLGRAPH_PERIOD, CALLGRAPH_COUNT };

/* What makes two frames the same one. */
enum callgraph_key { CALLGRAPH_FUNCTION, CALLGRAPH_ADDRESS, CALLGRAPH_SOURCE_LINE };

struct callgraph_options {
	bool none;     /* -g none, --no-call-graph: none, though there are chains */
	bool asked;    /* -g: it is an error if there are no chains */
	bool children; /* rows for callers, too */
	bool order_chosen;
	bool caller_first; /* callers above what they call, not below */
	enum callgraph_mode mode;
	enum callgraph_value value;
	enum callgraph_key key;
	double threshold;   /* percent: what is below is left out */
	unsigned int limit; /* of branches below one frame; 0: none */
	unsigned int max_stack;
};

/* As perf's: graph, 0.5 percent, callers below, by function, percentages, 127 frames. */
#define CALLGRAPH_OPTIONS_INIT                                                                               \
	{                                                                                                    \
		.threshold = 0.5, .max_stack = 127                                                           \
	}

/* "graph,0.5,caller,function,percent", in any order and number, abbreviated; as perf. */
struct error *callgraph_parse(struct callgraph_options *options, const char *text);

/* A chain of a row: the frames from `inner` up to `outer`, and what was counted with them. */
struct chain_entry {
	uint32_t next; /* of the same row: index + 1; 0: none */
	uint32_t inner;
	uint32_t outer;
	uint64_t samples;
	uint64_t period;
};

struct callgraph {
	const struct callgraph_options *options;
	const struct result_frame *frames; /* by number, from 1 on */
	size_t frame_count;
	uint32_t *identities; /* by number: equal for frames that are the same one, in the order of ties */
	struct chain_entry *entries;
	size_t count;
	size_t capacity;
	uint32_t *path; /* the chain at hand, in the order of the graph */
	size_t path_count;
	size_t path_capacity;
};

/* `frames` and `options` must outlive it. */
struct callgraph *callgraph_create(const struct callgraph_options *options, const struct result_frame *frames,
				   size_t frame_count);
void callgraph_destroy(struct callgraph *graph);
/* Set `path` to the frames of a chain, no more than max_stack. */
void callgraph_take_path(struct callgraph *graph, uint32_t chain);
/* Note for a row, whose last entry *head is, the path from its element `from` on. */
void callgraph_note(struct callgraph *graph, uint32_t *head, size_t from, const struct result *result);

/* The call chains of one row as a tree, in the order of the graph: callers first, or callees first. */

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
