// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call graphs in the browser's tables: below a row, the functions that called it, and their
 * callers; and shared cachelines, which samples of several threads use.
 *
 * The rows of a call graph follow the row of their group in the order of their shares, and stay
 * with it in any order of the table. Branches below a threshold are left out, as in perf.
 */
#include "report/browse/view.h"

#include <inttypes.h>

#include "report/text.h"

#define DEPTH_MAX 64  /* callers above each other */
#define ROWS_MAX  500 /* of one group's call graph */
#define THRESHOLD 0.5 /* percent of the whole table, as perf's */
#define NO_NODE   UINT32_MAX

/* ---- the tree ---- */

struct caller_node {
	const struct result_place *place;
	struct browse_figures figures;
	uint32_t first_below, next; /* NO_NODE: none */
};

struct caller_tree {
	struct caller_node *nodes;
	size_t count, capacity;
};

static bool is_same_function(const struct result_place *a, const struct result_place *b)
{
	return a->symbol == b->symbol && a->dso == b->dso && a->inlined == b->inlined &&
	       (!a->symbol || a->symbol_address == b->symbol_address);
}

static uint32_t add_node(struct caller_tree *tree, const struct result_place *place,
			 uint32_t parent)
{
	array_reserve(tree->nodes, tree->count, tree->capacity);
	tree->nodes[tree->count] =
		(struct caller_node){ .place = place, .first_below = NO_NODE, .next = NO_NODE };
	if (parent != NO_NODE) {
		tree->nodes[tree->count].next = tree->nodes[parent].first_below;
		tree->nodes[parent].first_below = (uint32_t)tree->count;
	}
	return (uint32_t)tree->count++;
}

static uint32_t node_below(struct caller_tree *tree, uint32_t parent,
			   const struct result_place *place)
{
	uint32_t node = tree->nodes[parent].first_below;

	while (node != NO_NODE && !is_same_function(tree->nodes[node].place, place))
		node = tree->nodes[node].next;
	return node != NO_NODE ? node : add_node(tree, place, parent);
}

static void add_chain(struct caller_tree *tree, const struct browse_source *source,
		      const struct browse_entry *entry)
{
	const struct result_frame *frame = &source->frames[entry->chain];
	uint32_t node = 0, depth = 0;

	/* the first frame is the function itself, unless the sample was charged to another one */
	if (frame->place->symbol_address == entry->place->symbol_address &&
	    frame->place->dso == entry->place->dso)
		frame = frame->caller ? &source->frames[frame->caller] : NULL;
	for (; frame && depth < DEPTH_MAX; depth++) {
		node = node_below(tree, node, frame->place);
		browse_add_figures(&tree->nodes[node].figures, entry);
		frame = frame->caller ? &source->frames[frame->caller] : NULL;
	}
}

/* ---- rows ---- */

struct caller_maker {
	struct browse_view *view;
	const struct browse_source *source;
	const struct caller_tree *tree;
	enum browse_weight weight;
	uint32_t text_cell;
	size_t group, group_row, row_count;
};

static const char *name_of(const struct result_place *place)
{
	return place->symbol ?: "[unknown]";
}

static int compare_nodes(const void *left, const void *right, void *data)
{
	const struct caller_maker *maker = data;
	const struct caller_node *a = &maker->tree->nodes[*(const uint32_t *)left],
				 *b = &maker->tree->nodes[*(const uint32_t *)right];

	DESCENDING(figures.by[maker->weight])
	COMPARE(strcmp(name_of(a->place), name_of(b->place)), 0);
	ASCENDING(place->symbol_address)
	return 0;
}

/* Sets *below to the nodes below a node that are above the threshold, in their order. */
static size_t list_below(const struct caller_maker *maker, uint32_t node, uint32_t **below)
{
	const struct caller_node *nodes = maker->tree->nodes;
	size_t count = 0, capacity = 0;

	*below = NULL;
	for (uint32_t i = nodes[node].first_below; i != NO_NODE; i = nodes[i].next) {
		if (percent_of(nodes[i].figures.by[maker->weight], maker->view->whole) < THRESHOLD)
			continue;
		array_add(*below, count, capacity) = i;
	}
	if (count)
		qsort_r(*below, count, sizeof(**below), compare_nodes, (void *)maker);
	return count;
}

static void add_callers(struct caller_maker *maker, uint32_t node, uint32_t depth)
{
	_cleanup_free_ uint32_t *below = NULL;
	size_t count = list_below(maker, node, &below);

	for (size_t i = 0; i < count && maker->row_count < ROWS_MAX; i++) {
		const struct caller_node *caller = &maker->tree->nodes[below[i]];
		struct browse_row *row = browse_add_row(maker->view, ROW_ITEM);
		size_t index = maker->view->row_count - 1, before = maker->row_count;

		maker->row_count++;
		row->item = maker->group;
		row->depth = depth;
		row->caller = caller->place;
		row->group_row = (uint32_t)maker->group_row;
		browse_set_figures(row, &caller->figures, maker->weight, maker->view,
				   maker->source);
		row->cells[maker->text_cell].text = name_of(caller->place);
		if (maker->view->kind == VIEW_FUNCTIONS || maker->view->kind == VIEW_USERS)
			row->cells[maker->text_cell + 1].text = caller->place->dso ?: "[unknown]";
		add_callers(maker, below[i], depth + 1);
		maker->view->rows[index].opens = maker->view->rows[index].folded =
			maker->row_count > before + 1;
	}
}

/* Moves the rows from `first` on to after `row`, and counts the rows of later groups anew. */
static void move_rows(struct browse_view *view, size_t row, size_t first)
{
	size_t moved = view->row_count - first;
	struct browse_row *copy = xcalloc(moved + 1, sizeof(*copy));

	memcpy(copy, view->rows + first, moved * sizeof(*copy));
	memmove(view->rows + row + 1 + moved, view->rows + row + 1,
		(first - row - 1) * sizeof(*view->rows));
	memcpy(view->rows + row + 1, copy, moved * sizeof(*copy));
	free(copy);
	for (size_t i = row + 1 + moved; i < view->row_count; i++)
		view->rows[i].group_row += (uint32_t)moved;
}

void browse_add_callers(struct browse_view *view, const struct browse_source *source,
			enum browse_weight weight, size_t row)
{
	const struct browse_group *group = &view->groups[view->rows[row].item];
	const struct browse_entry sample = { .place = group->place,
					     .comm = group->comm,
					     .tid = group->tid };
	struct caller_tree tree = { 0 };
	struct caller_maker maker = { .view = view,
				      .source = source,
				      .tree = &tree,
				      .weight = weight,
				      .group = view->rows[row].item,
				      .group_row = row };
	size_t first = view->row_count;

	if (!view->rows[row].opens || view->rows[row].caller ||
	    (row + 1 < view->row_count && view->rows[row + 1].caller))
		return;
	while (maker.text_cell < view->column_count &&
	       view->columns[maker.text_cell].kind != CELL_TEXT)
		maker.text_cell++;
	add_node(&tree, NULL, NO_NODE);
	array_each (const struct browse_entry, entry, source->entries, source->entry_count) {
		if (entry->chain && browse_accepts(&view->zoom, entry) &&
		    browse_same_group(view->kind, entry, &sample))
			add_chain(&tree, source, entry);
	}
	add_callers(&maker, 0, 1);
	move_rows(view, row, first);
	view->rows[row].opens = maker.row_count > 0;
	free(tree.nodes);
}

/* ---- shared cachelines ---- */

void browse_fill_sharing(struct browse_view *view, const struct browse_shared_line *lines,
			 size_t count)
{
	browse_add_column(view, "Share", CELL_SHARE, 7, 0, 0, false);
	browse_add_column(view, "Samples", CELL_COUNT, 8, 0, 0, false);
	browse_add_column(view, "HITM", CELL_COUNT, 6, 0, 100, false);
	browse_add_column(view, "Threads", CELL_COUNT, 7, 0, 90, false);
	browse_add_column(view, "Verdict", CELL_TEXT, 14, 0, 0, true);
	browse_add_column(view, "Cacheline", CELL_TEXT, 18, 0, 100, false);
	browse_add_column(view, "Fields", CELL_TEXT, 0, 1, 0, true);
	for (size_t i = 0; i < count; i++) {
		struct browse_row *row = browse_add_row(view, ROW_ITEM);
		row->item = i;
		row->cells[0].number = lines[i].percent;
		row->cells[1].number = (double)lines[i].samples;
		row->cells[2].number = (double)lines[i].hitm;
		row->cells[3].number = (double)lines[i].threads;
		row->cells[4].text = lines[i].verdict;
		row->cells[5].text = arena_format(&view->texts, "%#" PRIx64, lines[i].address);
		row->cells[6].text = lines[i].fields;
	}
}

void browse_fill_line(struct browse_view *view, const struct browse_shared_line *line)
{
	browse_add_column(view, "Samples", CELL_COUNT, 8, 0, 0, false);
	browse_add_column(view, "Loads", CELL_COUNT, 8, 0, 90, false);
	browse_add_column(view, "Stores", CELL_COUNT, 8, 0, 0, false);
	browse_add_column(view, "Offset", CELL_OFFSET, 6, 0, 0, false);
	browse_add_column(view, "Size", CELL_OFFSET, 4, 0, 0, false);
	browse_add_column(view, "Thread", CELL_OFFSET, 8, 0, 0, false);
	browse_add_column(view, "Field", CELL_TEXT, 0, 3, 0, false);
	browse_add_column(view, "Function", CELL_TEXT, 0, 2, 0, false);
	browse_add_column(view, "Source", CELL_TEXT, 0, 2, 110, false);
	view->title = xasprintf("%#" PRIx64, line->address);
	view->facts = xasprintf("%s, %" PRIu64 " samples of %" PRIu64 " threads", line->verdict,
				line->samples, line->threads);
	array_indexed (const struct browse_use, use, i, line->uses, line->use_count) {
		struct browse_row *row = browse_add_row(view, ROW_ITEM);

		row->item = i;
		row->cells[0].number = (double)use->samples;
		row->cells[1].number = (double)use->loads;
		row->cells[2].number = (double)use->stores;
		row->cells[3].number = (double)use->offset;
		row->cells[4].number = (double)use->size;
		row->cells[5].number = (double)use->tid;
		row->cells[6].text = use->field;
		row->cells[7].text = use->function;
		row->cells[8].text = use->source;
	}
}
