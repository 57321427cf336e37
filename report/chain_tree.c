// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/chain_tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/base/printable.h"
#include "profiler/base/strbuf.h"

static uint32_t add_node(struct chain_tree *tree, uint32_t parent, uint32_t frame)
{
	array_reserve(tree->nodes, tree->count, tree->capacity);
	tree->nodes[tree->count] = (struct chain_tree_node){ .parent = parent, .frame = frame };
	return (uint32_t)tree->count++;
}

static void add_chain(struct chain_tree *tree, struct hash_map *children, const uint32_t *path, size_t count,
		      const struct chain_entry *entry)
{
	uint32_t node = CHAIN_TREE_ROOT;

	for (size_t i = 0; i < count; i++) {
		uint64_t key = (uint64_t)node << 32 | tree->graph->identities[path[i]];
		bool created;
		uint32_t *child = hash_map_insert(children, key, &created);

		if (created)
			*child = add_node(tree, node, path[i]);
		tree->nodes[node].children_period += entry->period;
		tree->nodes[node].children_samples += entry->samples;
		node = *child;
	}
	tree->nodes[node].period += entry->period;
	tree->nodes[node].samples += entry->samples;
}

/* The frames of an entry in the order of the graph. */
static size_t entry_path(const struct callgraph *graph, const struct chain_entry *entry, uint32_t **path,
			 size_t *capacity)
{
	size_t count = 0;

	for (uint32_t frame = entry->inner; frame; frame = graph->frames[frame].caller) {
		array_reserve(*path, count, *capacity);
		(*path)[count++] = frame;
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

static int compare_nodes(const void *left, const void *right, void *data)
{
	const struct chain_tree *tree = data;
	const struct chain_tree_node *a = &tree->nodes[*(const uint32_t *)left],
				     *b = &tree->nodes[*(const uint32_t *)right];
	const uint32_t *identities = tree->graph->identities;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (chain_tree_period(a) != chain_tree_period(b))
		return chain_tree_period(a) > chain_tree_period(b) ? -1 : 1;
	return identities[a->frame] < identities[b->frame] ? -1 : 1;
}

static void sort_children(struct chain_tree *tree)
{
	size_t count = tree->count - 1;

	tree->sorted = xcalloc(count + 1, sizeof(*tree->sorted));
	for (uint32_t i = 0; i < count; i++)
		tree->sorted[i] = i + 1;
	if (count > 1)
		qsort_r(tree->sorted, count, sizeof(*tree->sorted), compare_nodes, tree);
	for (uint32_t i = (uint32_t)count; i-- > 0;) {
		struct chain_tree_node *parent = &tree->nodes[tree->nodes[tree->sorted[i]].parent];

		parent->first_child = i;
		parent->child_count++;
	}
}

void chain_tree_build(struct chain_tree *tree, const struct callgraph *graph, uint32_t head)
{
	struct hash_map children = { 0 };
	uint32_t *path _cleanup_free_ = NULL;
	size_t capacity = 0;

	*tree = (struct chain_tree){ .graph = graph };
	add_node(tree, CHAIN_TREE_ROOT, 0);
	while (head) {
		const struct chain_entry *entry = &graph->entries[head - 1];
		size_t count = entry_path(graph, entry, &path, &capacity);

		add_chain(tree, &children, path, count, entry);
		head = entry->next;
	}
	hash_map_release(&children);
	sort_children(tree);
}

void chain_tree_release(struct chain_tree *tree)
{
	free(tree->nodes);
	free(tree->sorted);
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
	else if (tree->graph->options->key == CALLGRAPH_FUNCTION || !frame->place->source_line)
		strbuf_add_string(buffer, frame->place->symbol);
	else
		strbuf_add_format(buffer, "%s %s", frame->place->symbol, frame->place->source_line);
	if (frame->place->inlined)
		strbuf_add_string(buffer, " (inlined)");
	make_printable(buffer->data + start, buffer->length - start);
}
