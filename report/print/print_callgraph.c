// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints the call graph below a row as perf report --stdio does (print.h). */

#include "base/memory.h"
#include "report/callgraph.h"
#include "report/key/key.h"
#include "report/print/print.h"
#include "report/text.h"

#define MARGIN        12 /* columns before a graph */
#define LEVEL_GAP     10 /* columns after the bar of a level */
#define SCREEN_MARGIN 4  /* the same on a screen, where deep graphs have to fit */
#define SCREEN_GAP    2
#define LEAST_NAME    12 /* columns of a name, however deep it is */

struct graph_printer {
	const struct chain_tree *tree;
	const struct callgraph_options *options;
	const struct callgraph_print *print;
	struct strbuf *buffer;
	unsigned int margin;
	bool *bars; /* for each level: its bar continues below */
	size_t bar_count, bar_capacity;
};

/* Shortens the name at `start`, which ends the buffer's last line, to what the line has left. */
static void fit_name(const struct graph_printer *printer, size_t start)
{
	const char *text = printer->buffer->data;
	size_t line = start, taken, width = printer->print->line_width;

	while (line && text[line - 1] != '\n')
		line--;
	taken = text_visible_columns(text + line, start - line);
	text_shorten_name(printer->buffer, start,
			  taken + LEAST_NAME < width ? width - taken : LEAST_NAME,
			  printer->print->ellipsis);
}

static void print_callgraph_add_name(const struct graph_printer *printer, uint32_t node)
{
	size_t start = printer->buffer->length;

	chain_tree_add_name(printer->tree, node, printer->buffer);
	if (printer->print->line_width && !printer->options->folded)
		fit_name(printer, start);
	else if (printer->print->max_name)
		text_shorten(printer->buffer, start, printer->print->max_name);
}

static void print_callgraph_add_percent(const struct graph_printer *printer, uint64_t period)
{
	double percent = percent_of(period, printer->print->total);
	bool coloured = begin_percent_colour(printer->buffer, percent, printer->print->colour);

	strbuf_add_format(printer->buffer, "%.2f%%", percent);
	if (coloured)
		strbuf_add_string(printer->buffer, COLOUR_RESET);
}

/* Returns the period that a chain or a child of a node must have to be shown. */
static uint64_t least_period(const struct graph_printer *printer)
{
	return (uint64_t)(printer->print->total * (printer->options->threshold / 100));
}

/* Returns how many of a node's children, the first by period, are shown. */
static uint32_t shown_children(const struct graph_printer *printer, uint32_t node)
{
	const struct chain_tree *tree = printer->tree;
	const struct chain_tree_node *parent = &tree->nodes[node];
	uint64_t least = least_period(printer);
	uint32_t count = 0;

	while (count < parent->child_count &&
	       chain_tree_period(&tree->nodes[tree->sorted[parent->first_child + count]]) >= least)
		count++;
	return count;
}

static void set_bar(struct graph_printer *printer, size_t level, bool on)
{
	while (printer->bar_count <= level)
		array_add(printer->bars, printer->bar_count, printer->bar_capacity) = false;
	printer->bars[level] = on;
}

static unsigned int graph_margin(const struct graph_printer *printer)
{
	return (printer->print->line_width ? SCREEN_MARGIN : MARGIN) + printer->margin;
}

static void add_bars(const struct graph_printer *printer, size_t levels)
{
	strbuf_add_repeated(printer->buffer, ' ', graph_margin(printer));
	for (size_t i = 0; i < levels; i++) {
		strbuf_add_char(printer->buffer, printer->bars[i] ? '|' : ' ');
		strbuf_add_repeated(printer->buffer, ' ',
				    printer->print->line_width ? SCREEN_GAP : LEVEL_GAP);
	}
}

static void add_branch_start(const struct graph_printer *printer, size_t level)
{
	add_bars(printer, level);
	strbuf_add_string(printer->buffer, printer->bars[level] ? "|--" : " --");
}

/* Prints the frames of a run: the first with its branch and value, the others below it. */
static void add_run(const struct graph_printer *printer, uint32_t first, uint32_t last,
		    size_t level)
{
	const struct chain_tree *tree = printer->tree;

	for (uint32_t node = first;; node = tree->sorted[tree->nodes[node].first_child]) {
		if (node == first) {
			add_branch_start(printer, level);
			print_callgraph_add_percent(printer, chain_tree_period(&tree->nodes[last]));
			strbuf_add_string(printer->buffer, "--");
		} else {
			add_bars(printer, level + 1);
		}
		print_callgraph_add_name(printer, node);
		strbuf_add_char(printer->buffer, '\n');
		if (node == last)
			return;
	}
}

/* Recursion is bounded by the length of chains, which max_stack limits. */
static void add_children(struct graph_printer *printer, uint32_t node, size_t level)
{
	const struct chain_tree *tree = printer->tree;
	const struct chain_tree_node *parent = &tree->nodes[node];
	uint32_t shown = shown_children(printer, node), limit = printer->options->limit;

	for (uint32_t i = 0; i < shown && (!limit || i < limit); i++) {
		uint32_t child = tree->sorted[parent->first_child + i];
		uint32_t end = chain_tree_run_end(tree, child);

		set_bar(printer, level, true);
		add_bars(printer, level + 1);
		strbuf_add_char(printer->buffer, '\n');
		set_bar(printer, level, i + 1 < shown);
		add_run(printer, child, end, level);
		add_children(printer, end, level + 1);
	}
}

static bool is_place(const struct result_frame *frame, const struct result_place *place)
{
	if (!place || frame->place->dso != place->dso || frame->place->symbol != place->symbol)
		return false;
	return place->symbol ? frame->place->symbol_address == place->symbol_address
			     : frame->place->address == place->address;
}

/* Prints the frames that all chains share, without percentages. Returns the last. */
static uint32_t add_trunk(struct graph_printer *printer)
{
	const struct chain_tree *tree = printer->tree;
	const struct chain_tree_node *root = &tree->nodes[CHAIN_TREE_ROOT];
	uint32_t first = tree->sorted[root->first_child], last = chain_tree_run_end(tree, first);
	unsigned int lines = 0;
	bool skip = is_place(&tree->graph->frames[tree->nodes[first].frame], printer->print->skip);

	for (uint32_t node = first;; node = tree->sorted[tree->nodes[node].first_child]) {
		if (skip) {
			skip = false;
		} else {
			strbuf_add_repeated(printer->buffer, ' ', graph_margin(printer));
			if (!lines) {
				strbuf_add_string(printer->buffer, "|\n");
				strbuf_add_repeated(printer->buffer, ' ', graph_margin(printer));
				strbuf_add_string(printer->buffer, "---");
				printer->margin += 3;
			}
			print_callgraph_add_name(printer, node);
			strbuf_add_char(printer->buffer, '\n');
			if (++lines == printer->options->limit)
				break;
		}
		if (node == last)
			break;
	}
	return last;
}

static void print_graph(struct graph_printer *printer)
{
	const struct chain_tree *tree = printer->tree;
	uint32_t node = CHAIN_TREE_ROOT, shown = shown_children(printer, node);
	size_t start = printer->buffer->length;

	if (shown == 1) {
		uint32_t child = tree->sorted[tree->nodes[node].first_child];

		if (chain_tree_period(&tree->nodes[child]) == printer->print->row_total)
			node = add_trunk(printer);
	}
	add_children(printer, node, 0);
	if (printer->buffer->length > start)
		strbuf_add_char(printer->buffer, '\n');
}

/* ---- folded: each chain in a line, which other programs read ---- */

struct ended_chain {
	uint64_t period;
	uint32_t node; /* the chain's last node */
	uint32_t rank; /* breaks ties */
};

COMPARISON(compare_chains, struct ended_chain, DESCENDING(period) ASCENDING(rank))

/* Collects the chains below `node`, children first, which is perf's order of ties. */
static void find_chains(const struct graph_printer *printer, uint32_t node,
			struct ended_chain *chains, size_t *count)
{
	const struct chain_tree_node *parent = &printer->tree->nodes[node];

	for (uint32_t i = 0; i < parent->child_count; i++)
		find_chains(printer, printer->tree->sorted[parent->first_child + i], chains, count);
	if (parent->period && parent->period >= least_period(printer) && node != CHAIN_TREE_ROOT) {
		chains[*count] = (struct ended_chain){ parent->period, node, (uint32_t)*count };
		++*count;
	}
}

static void print_chains(const struct graph_printer *printer)
{
	const struct chain_tree *tree = printer->tree;
	_cleanup_free_ struct ended_chain *chains = xcalloc(tree->count, sizeof(*chains));
	_cleanup_free_ uint32_t *path = NULL;
	size_t count = 0, capacity = 0;

	find_chains(printer, CHAIN_TREE_ROOT, chains, &count);
	array_sort(chains, count, compare_chains);
	for (size_t i = 0; i < count && (!printer->options->limit || i < printer->options->limit);
	     i++) {
		size_t length = 0;

		for (uint32_t node = chains[i].node; node; node = tree->nodes[node].parent)
			array_add(path, length, capacity) = node;
		print_callgraph_add_percent(printer, chains[i].period);
		for (size_t k = length; k-- > 0;) {
			strbuf_add_string(printer->buffer, k + 1 == length ? " "
					  : printer->print->separator       ?: ";");
			print_callgraph_add_name(printer, path[k]);
		}
		strbuf_add_char(printer->buffer, '\n');
	}
}

void print_callgraph(const struct callgraph *graph, uint32_t head,
		     const struct callgraph_print *print, struct strbuf *buffer)
{
	struct chain_tree tree;
	struct graph_printer printer = {
		.tree = &tree, .options = graph->options, .print = print, .buffer = buffer
	};

	if (!head)
		return;
	chain_tree_init(&tree, graph, head);
	if (graph->options->folded)
		print_chains(&printer);
	else
		print_graph(&printer);
	free(printer.bars);
	chain_tree_deinit(&tree);
}
