// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements callgraph.h: parses -g, keeps the chains of rows, and builds the tree of one row. */
#include "report/callgraph.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/strbuf.h"
#include "report/key/keys.h"

/* ---- -g ---- */

static bool begins(const char *word, const char *text, size_t length)
{
	return length && length <= strlen(word) && !strncmp(word, text, length);
}

/* Applies a word of -g. False: it is none. The words for what all graphs show, which are perf's
 * defaults, change nothing. */
static bool callgraph_take_word(struct callgraph_options *options, const char *text, size_t length)
{
	static const char *const only[] = { "function", "percent" };

	if (begins("graph", text, length) || begins("folded", text, length)) {
		options->folded = begins("folded", text, length);
		return true;
	}
	if (begins("caller", text, length) || begins("callee", text, length)) {
		options->caller_first = begins("caller", text, length);
		return options->order_chosen = true;
	}
	return any_of(i, 0, COUNT_OF(only), begins(only[i], text, length));
}

/* Applies a number of -g: first the threshold, then the limit. False: it is none. */
static bool callgraph_take_number(struct callgraph_options *options, const char *text,
				  size_t length, bool first)
{
	char *end;

	if (first) {
		options->threshold = strtod(text, &end);
		return length && end == text + length && options->threshold >= 0 &&
		       options->threshold <= 100;
	}

	unsigned long limit = strtoul(text, &end, 10);

	options->limit = (unsigned int)limit;
	return length && text[0] != '-' && end == text + length && limit < 1000000;
}

struct error *callgraph_parse(struct callgraph_options *options, const char *text)
{
	bool first = true;

	options->asked = true;
	options->none = false;
	each_word (word, length, text) {
		if (begins("none", word, length)) {
			options->asked = false;
			options->none = true;
			return NULL;
		}
		if (!callgraph_take_word(options, word, length)) {
			if (!callgraph_take_number(options, word, length, first))
				return error_other(
					"'%.*s' is not one of graph, folded, none, caller, "
					"callee, a threshold in percent, a limit",
					(int)length, word);
			first = false;
		}
	}
	return NULL;
}

/* ---- chains of rows ---- */

/* Orders frames; returns 0 if they are one node. Frames without a symbol are told apart by their
 * addresses. Higher addresses come first, as in perf. */
static int compare_frames(const struct result_frame *a, const struct result_frame *b)
{
	const struct result_place *place = a->place, *other = b->place;
	int order = alphabetical(place->dso_path, other->dso_path);

	if (order)
		return -order;
	if (place->symbol && other->symbol)
		return -(compare_numbers(place->symbol_address, other->symbol_address)
				 ?: alphabetical(place->symbol, other->symbol));
	if (!place->symbol != !other->symbol)
		return place->symbol ? -1 : 1;
	return -compare_numbers(a->ip, b->ip);
}

static int compare_numbered(const void *left, const void *right, void *data)
{
	const struct result_frame *frames = data;

	return compare_frames(&frames[*(const uint32_t *)left], &frames[*(const uint32_t *)right]);
}

static void find_identities(struct callgraph *graph)
{
	size_t count = graph->frame_count ? graph->frame_count - 1 : 0;
	_cleanup_free_ uint32_t *sorted = xcalloc(count + 1, sizeof(*sorted));
	uint32_t identity = 0;

	graph->identities = xcalloc(count + 1, sizeof(*graph->identities));
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i + 1;
	qsort_r(sorted, count, sizeof(*sorted), compare_numbered, (void *)graph->frames);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_frames(&graph->frames[sorted[i - 1]], &graph->frames[sorted[i]]))
			identity++;
		graph->identities[sorted[i]] = identity;
	}
}

struct callgraph *callgraph_create(const struct callgraph_options *options,
				   const struct result_frame *frames, size_t frame_count)
{
	struct callgraph *graph = xcalloc(1, sizeof(*graph));

	*graph = (struct callgraph){ .options = options,
				     .frames = frames,
				     .frame_count = frame_count };
	find_identities(graph);
	return graph;
}

void callgraph_destroy(struct callgraph *graph)
{
	if (!graph)
		return;
	free_all(graph->identities, graph->entries, graph->path, graph);
}

/* Returns how many elements of the path are within max_stack. Inlined frames do not count. */
static size_t limited(const struct callgraph *graph)
{
	size_t limit = graph->options->max_stack, count = 0;

	for (size_t i = 0; i < graph->path_count; i++) {
		/* With callees first, inlined frames stand before their function */
		if (count == limit && (!graph->options->caller_first ||
				       !graph->frames[graph->path[i]].place->inlined))
			return i;
		count += !graph->frames[graph->path[i]].place->inlined;
	}
	return graph->path_count;
}

void callgraph_take_path(struct callgraph *graph, uint32_t chain)
{
	graph->path_count = 0;
	for (uint32_t frame = chain; frame; frame = graph->frames[frame].caller)
		array_add(graph->path, graph->path_count, graph->path_capacity) = frame;
	for (size_t i = 0; graph->options->caller_first && i < graph->path_count / 2; i++) {
		uint32_t frame = graph->path[i];

		graph->path[i] = graph->path[graph->path_count - 1 - i];
		graph->path[graph->path_count - 1 - i] = frame;
	}
	graph->path_count = limited(graph);
}

void callgraph_note(struct callgraph *graph, uint32_t *head, size_t from,
		    const struct result *result)
{
	uint32_t first, last;

	if (from >= graph->path_count)
		return;
	first = graph->path[from];
	last = graph->path[graph->path_count - 1];
	array_add(graph->entries, graph->count, graph->capacity) =
		(struct chain_entry){ .next = *head,
				      .inner = graph->options->caller_first ? last : first,
				      .outer = graph->options->caller_first ? first : last,
				      .samples = result->samples,
				      .period = result->period };
	*head = (uint32_t)graph->count;
}

/* ---- the tree of one row ---- */

static uint32_t callgraph_add_node(struct chain_tree *tree, uint32_t parent, uint32_t frame)
{
	array_add(tree->nodes, tree->count, tree->capacity) =
		(struct chain_tree_node){ .parent = parent, .frame = frame };
	return (uint32_t)tree->count - 1;
}

static void callgraph_add_chain(struct chain_tree *tree, struct hash_map *children,
				const uint32_t *path, size_t count, const struct chain_entry *entry)
{
	uint32_t node = CHAIN_TREE_ROOT;

	for (size_t i = 0; i < count; i++) {
		uint64_t key = (uint64_t)node << 32 | tree->graph->identities[path[i]];
		bool created;
		uint32_t *child = hash_map_insert(children, key, &created);

		if (created)
			*child = callgraph_add_node(tree, node, path[i]);
		tree->nodes[node].children_period += entry->period;
		node = *child;
	}
	tree->nodes[node].period += entry->period;
	tree->nodes[node].samples += entry->samples;
}

/* Sets *path to the frames of an entry, in the order of the graph. Returns how many there are. */
static size_t entry_path(const struct callgraph *graph, const struct chain_entry *entry,
			 uint32_t **path, size_t *capacity)
{
	size_t count = 0;

	for (uint32_t frame = entry->inner; frame; frame = graph->frames[frame].caller) {
		array_add(*path, count, *capacity) = frame;
		if (frame == entry->outer)
			break;
	}
	for (size_t i = 0; graph->options->caller_first && i < count / 2; i++) {
		uint32_t frame = (*path)[i];

		(*path)[i] = (*path)[count - 1 - i];
		(*path)[count - 1 - i] = frame;
	}
	return count;
}

static int callgraph_compare_nodes(const void *left, const void *right, void *data)
{
	const struct chain_tree *tree = data;
	const struct chain_tree_node *a = &tree->nodes[*(const uint32_t *)left],
				     *b = &tree->nodes[*(const uint32_t *)right];
	const uint32_t *identities = tree->graph->identities;

	ASCENDING(parent)
	COMPARE(chain_tree_period(b), chain_tree_period(a));
	return identities[a->frame] < identities[b->frame] ? -1 : 1;
}

static void sort_children(struct chain_tree *tree)
{
	size_t count = tree->count - 1;

	tree->sorted = xcalloc(count + 1, sizeof(*tree->sorted));
	for (uint32_t i = 0; i < count; i++)
		tree->sorted[i] = i + 1;
	if (count > 1)
		qsort_r(tree->sorted, count, sizeof(*tree->sorted), callgraph_compare_nodes, tree);
	for (uint32_t i = (uint32_t)count; i-- > 0;) {
		struct chain_tree_node *parent = &tree->nodes[tree->nodes[tree->sorted[i]].parent];

		parent->first_child = i;
		parent->child_count++;
	}
}

void chain_tree_init(struct chain_tree *tree, const struct callgraph *graph, uint32_t head)
{
	_cleanup_map_ struct hash_map children = { 0 };
	_cleanup_free_ uint32_t *path = NULL;
	size_t capacity = 0;

	*tree = (struct chain_tree){ .graph = graph };
	callgraph_add_node(tree, CHAIN_TREE_ROOT, 0);
	while (head) {
		const struct chain_entry *entry = &graph->entries[head - 1];
		size_t count = entry_path(graph, entry, &path, &capacity);

		callgraph_add_chain(tree, &children, path, count, entry);
		head = entry->next;
	}
	sort_children(tree);
}

void chain_tree_deinit(struct chain_tree *tree)
{
	free_all(tree->nodes, tree->sorted);
	*tree = (struct chain_tree){ 0 };
}

uint32_t chain_tree_run_end(const struct chain_tree *tree, uint32_t node)
{
	while (tree->nodes[node].child_count == 1 && !tree->nodes[node].samples)
		node = tree->sorted[tree->nodes[node].first_child];
	return node;
}

void chain_tree_add_name(const struct chain_tree *tree, uint32_t node, struct strbuf *buffer)
{
	const struct result_frame *frame = &tree->graph->frames[tree->nodes[node].frame];
	size_t start = buffer->length;

	if (!frame->place->symbol)
		strbuf_add_format(buffer, "%#" PRIx64, frame->ip);
	else
		strbuf_add_string(buffer, frame->place->symbol);
	if (frame->place->inlined)
		strbuf_add_string(buffer, " (inlined)");
	make_printable(buffer->data + start, buffer->length - start);
}
