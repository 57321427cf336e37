// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cast types: the records to which a unit in C only casts pointers. Compilers leave out types that
 * a unit does not use, but a cast is a use. If no variable, parameter or function of the unit leads
 * to a record, the record was named in a cast (or after sizeof), which leaves no other trace:
 *
 *     #define page_flags(p) (((struct page_header *)(p))->flags)
 *
 * The unit's types and the references to them are read once into a graph. A record is a cast type
 * if neither a declaration nor another such record leads to it.
 */
#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/dwarf/type.h"
#include "base/memory.h"

/* Types that are written within types are nested less deeply than this. */
#define NESTING_MAX 64
/* A unit casts to fewer types than this; a compiler that keeps unused types has more. */
#define CAST_TYPES_MAX 32

/* A node: a type. */
struct graph_type {
	uint64_t reference; /* of the DIE */
	uint16_t tag;
	bool declared; /* a declaration leads to it */
	bool inner;    /* another record without a declaration leads to it */
	bool visited;  /* in the walk that is under way */
	size_t edges;  /* 1 + index of its first edge; 0: it has none */
};

/* One type refers to another. */
struct graph_edge {
	uint64_t to; /* reference of a DIE */
	size_t next; /* 1 + index of the next edge from the same type; 0: there is none */
};

struct type_graph {
	struct graph_type *nodes; /* sorted by reference */
	size_t node_count, node_capacity;
	struct graph_edge *edges;
	size_t edge_count, edge_capacity;
	uint64_t *roots; /* what declarations refer to */
	size_t root_count, root_capacity;
	uint32_t *pending; /* nodes to be visited */
	size_t pending_count, pending_capacity;
};

static bool cast_types_is_record(uint16_t tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_type(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_pointer_type:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_enumeration_type: return true;
	default: return cast_types_is_record(tag);
	}
}

static void add_edge(struct type_graph *graph, int64_t from, uint64_t to)
{
	array_add(graph->edges, graph->edge_count, graph->edge_capacity) =
		(struct graph_edge){ to, graph->nodes[from].edges };
	graph->nodes[from].edges = graph->edge_count;
}

/* Adds a DIE: a node if it is a type, and an edge or a root for the type that it refers to.
 * `within` is the node around it, or -1. Returns the node around its children, or -1. */
static int64_t add_die(struct type_graph *graph, const struct die *die, int64_t within)
{
	uint64_t target = die_has(die, SLOT_TYPE) ? die_type_target(die) : 0;
	int64_t from = within;

	if (is_type(die->tag) && !die_flag(die, SLOT_DECLARATION)) {
		from = (int64_t)graph->node_count;
		array_add(graph->nodes, graph->node_count, graph->node_capacity) =
			(struct graph_type){ .reference = die_reference(die), .tag = die->tag };
		/* a record that is written in another one belongs to it */
		if (within >= 0 && cast_types_is_record(die->tag))
			add_edge(graph, within, die_reference(die));
	}
	if (target && target != REFERENCE_BROKEN && from >= 0)
		add_edge(graph, from, target);
	else if (target && target != REFERENCE_BROKEN)
		array_add(graph->roots, graph->root_count, graph->root_capacity) = target;
	return from;
}

/* Reads all DIEs of the unit. False: it imports another one, is nested too deeply, or damaged. */
static bool read_graph(struct type_graph *graph, struct unit *unit)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	int64_t within[NESTING_MAX] = { -1 };
	size_t depth = 0;
	struct die die;

	while (die_read_some(unit, &cursor, DIE_SLOT(SLOT_TYPE) | DIE_SLOT(SLOT_DECLARATION),
			     &die)) {
		if (!die.tag) {
			if (depth <= 1)
				return true;
			depth--;
			continue;
		}
		if (die.tag == DW_TAG_imported_unit || depth + 1 >= NESTING_MAX)
			return false;
		int64_t around = depth ? add_die(graph, &die, within[depth]) : -1;

		if (!die.has_children) {
			if (!depth)
				return true;
			continue;
		}
		within[++depth] = around;
	}
	return false;
}

static struct graph_type *find_node(const struct type_graph *graph, uint64_t reference)
{
	size_t index =
		partition_point(0, graph->node_count, i, graph->nodes[i].reference < reference);

	return index < graph->node_count && graph->nodes[index].reference == reference
		       ? &graph->nodes[index]
		       : NULL;
}

/* Marks a type as visited, and adds it to the pending ones if it is new. */
static void visit(struct type_graph *graph, uint64_t reference)
{
	struct graph_type *node = find_node(graph, reference);

	if (!node || node->visited)
		return;
	node->visited = true;
	array_add(graph->pending, graph->pending_count, graph->pending_capacity) =
		(uint32_t)(node - graph->nodes);
}

static void visit_targets(struct type_graph *graph, uint32_t node)
{
	for (size_t i = graph->nodes[node].edges; i; i = graph->edges[i - 1].next)
		visit(graph, graph->edges[i - 1].to);
}

static void visit_all(struct type_graph *graph)
{
	while (graph->pending_count)
		visit_targets(graph, graph->pending[--graph->pending_count]);
}

/* Marks the types to which declarations lead. */
static void mark_declared(struct type_graph *graph)
{
	for (size_t i = 0; i < graph->root_count; i++)
		visit(graph, graph->roots[i]);
	visit_all(graph);
	for (size_t i = 0; i < graph->node_count; i++)
		graph->nodes[i].declared = graph->nodes[i].visited;
}

static bool is_candidate(const struct graph_type *node)
{
	return cast_types_is_record(node->tag) && !node->declared && !node->inner;
}

/* Marks the types to which records without a declaration lead. */
static void mark_inner(struct type_graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (!cast_types_is_record(graph->nodes[i].tag) || graph->nodes[i].declared)
			continue;
		for (size_t k = 0; k < graph->node_count; k++)
			graph->nodes[k].visited = graph->nodes[k].declared;
		graph->nodes[i].visited = true;
		visit_targets(graph, i);
		visit_all(graph);
		for (size_t k = 0; k < graph->node_count; k++)
			graph->nodes[k].inner |= k != i && graph->nodes[k].visited;
	}
}

static size_t count_undeclared(const struct type_graph *graph)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->node_count; i++)
		count += cast_types_is_record(graph->nodes[i].tag) && !graph->nodes[i].declared;
	return count;
}

/* Returns the reference of a typedef of the record; of the record itself if there is none. */
static uint64_t named_by(const struct type_graph *graph, const struct graph_type *record)
{
	for (size_t i = 0; i < graph->node_count; i++)
		for (size_t at = graph->nodes[i].tag == DW_TAG_typedef ? graph->nodes[i].edges : 0;
		     at; at = graph->edges[at - 1].next)
			if (graph->edges[at - 1].to == record->reference)
				return graph->nodes[i].reference;
	return record->reference;
}

void *dwarf_find_cast_types(struct dwarf_object *object, struct unit *unit)
{
	struct type_list *found = xcalloc(1, sizeof(*found));
	struct type_graph graph = { 0 };

	unit = unit_with_dies(unit);
	if (unit && unit->language == LANGUAGE_C && read_graph(&graph, unit)) {
		mark_declared(&graph);
		if (count_undeclared(&graph) <= CAST_TYPES_MAX)
			mark_inner(&graph);
		else
			graph.node_count = 0;
		for (size_t i = 0; i < graph.node_count; i++) {
			if (!is_candidate(&graph.nodes[i]))
				continue;
			const struct type *type =
				dwarf_type(&object->types, named_by(&graph, &graph.nodes[i]));

			if (type_is_record(type_strip(type)))
				array_add(found->types, found->count, found->capacity) =
					type_canonical(type);
		}
	}
	free_all(graph.nodes, graph.edges, graph.roots, graph.pending);
	return found;
}
