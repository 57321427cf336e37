// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts of a unit that help to find types: its records that end in a flexible array, or that have
 * records as members, the records of its arrays, its inline functions
 * that cast one record to another, the records that its pointers without a place point to, those
 * inside of objects, and whether it has types at all. They are found once for each unit. */

#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/types/function.h"
#include "base/hash.h"
#include "base/memory.h"

/*
 * ---- cast types
 *
 * Cast types: the records to which a unit in C only casts pointers. Compilers leave out types that
 * a unit does not use, but a cast is a use. If no variable, parameter or function of the unit leads
 * to a record, the record was named in a cast (or after sizeof), which leaves no other trace:
 *
 *     #define page_flags(p) (((struct page_header *)(p))->flags)
 *
 * The unit's types and the references to them are read once into a graph. A record is a cast type
 * if neither a declaration nor another such record leads to it.
 */

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

/* True for a DIE that neither defines a type nor has a variable with a type of its own: a call, or
 * an inlined instance, whose types are at the function that was inlined (DWARF 5, section 3.3.8.2).
 */
static bool has_no_types(unsigned int tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site ||
	       tag == DW_TAG_inlined_subroutine;
}

/* Reads the unit's DIEs. False: it imports another one, is nested too deeply, or damaged. */
static bool read_graph(struct type_graph *graph, struct unit *unit)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	int64_t within[NESTING_MAX] = { -1 };
	size_t depth = 0;
	struct die die;

	while (die_read_some(
		unit, &cursor,
		DIE_SLOT(SLOT_TYPE) | DIE_SLOT(SLOT_DECLARATION) | DIE_SLOT(SLOT_SIBLING), &die)) {
		if (!die.tag) {
			if (depth <= 1)
				return true;
			depth--;
			continue;
		}
		if (die.tag == DW_TAG_imported_unit || depth + 1 >= NESTING_MAX)
			return false;
		int64_t around = depth ? add_die(graph, &die, within[depth]) : -1;

		if (!die.has_children && !depth)
			return true;
		if (die.has_children &&
		    !(has_no_types(die.tag) && die_follow_sibling(&die, &cursor)))
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
	return sum_over(size_t, i, 0, graph->node_count,
			cast_types_is_record(graph->nodes[i].tag) && !graph->nodes[i].declared);
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

/* Returns the list UNIT_CAST_TYPES of a unit. */
static void *dwarf_find_cast_types(struct dwarf_object *object, struct unit *unit)
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

/* More typedefs and qualifiers in a row than any real program has. */
#define NAMES_MAX 32

static void unit_facts_add_type(struct type_list *list, const struct type *type)
{
	array_add(list->types, list->count, list->capacity) = type;
}

/* Returns a fact of the unit, which `find` finds when first asked; or NULL. */
static const void *fact_of(struct dwarf_object *object, struct unit *unit,
			   struct concurrent_map *facts,
			   void *(*find)(struct dwarf_object *object, struct unit *unit),
			   void (*destroy)(void *fact))
{
	return unit && unit_prepare(unit) ? dwarf_unit_fact(object, facts, unit, find, destroy)
					  : NULL;
}

static bool ends_in_flexible_array(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	const struct type *last = count ? type_strip(members[count - 1].type) : record;

	return last->kind == TYPE_ARRAY && !type_size_or(last, 0);
}

static bool holds_record(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	return any_of(i, 0, count, type_is_record(type_strip(members[i].type)));
}

/* References of DIEs. Zero-initialized is empty. */
struct number_list {
	uint64_t *items;
	size_t count, capacity;
};

/* The first members of each list on the heap. */
struct unit_fact_list {
	void *items;
	size_t count;
} __attribute__((may_alias));

static void destroy_list(void *data)
{
	struct unit_fact_list *list = data;

	free_all(list->items, list);
}

static void add_number(struct number_list *list, uint64_t number)
{
	array_add(list->items, list->count, list->capacity) = number;
}

/* A search for the records of a unit that have a member of some kind. A first look at the DIEs
 * finds those that may have one, so that only their types are loaded. */
struct record_search {
	struct dwarf_object *object;
	struct unit *unit;
	bool (*may_be)(const struct die *member_type);
	bool (*fits)(const struct type *record);
	bool last;             /* only a record's last member counts */
	struct hash_map seen;  /* by the DIE of a member's type: 1 if it may be of that kind */
	struct hash_map names; /* reference of a DIE -> index + 1 of the first typedef of it */
	struct number_list typedefs, candidates; /* references */
	struct type_list *records;
};

/* True for an array with a dimension that is missing or 0 (DWARF 5, section 5.13). */
static bool is_open_array(const struct die *array)
{
	children_each (die, array) {
		uint64_t count, upper = UINT64_MAX;

		if (die.tag != DW_TAG_subrange_type)
			continue;
		if (die_unsigned(&die, SLOT_COUNT_ATTRIBUTE, &count)
			    ? !count
			    : !die_unsigned(&die, SLOT_UPPER_BOUND, &upper) || upper > INT64_MAX ||
				      die_has(&die, SLOT_LOWER_BOUND))
			return true;
	}
	return false;
}

/* Reads the DIE of a type without typedefs and qualifiers, loading none. False: it cannot. */
static bool stripped_die(struct dwarf_object *object, uint64_t reference, struct die *die)
{
	for (unsigned int i = 0; i < NAMES_MAX && die_at(object->files, reference, die); i++) {
		switch (die->tag) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: reference = die_type_target(die); break;
		default: return true;
		}
	}
	return false;
}

static bool may_be(struct record_search *search, uint64_t reference)
{
	struct die die;
	bool created;
	uint32_t *known = reference ? hash_map_insert(&search->seen, reference, &created) : NULL;

	if (known && created)
		*known = stripped_die(search->object, reference, &die) && search->may_be(&die);
	return known && *known;
}

static bool has_member(struct record_search *search, const struct die *record)
{
	struct member_walk walk;
	struct die member;
	uint64_t last = 0;

	member_walk_start(&walk, record, DIE_SLOT(SLOT_TYPE));
	while (member_walk_next(&walk, &member)) {
		last = die_type_target(&member);
		if (!search->last && may_be(search, last))
			return true;
	}
	return search->last && may_be(search, last);
}

/* Adds a record if it has such a member. One that only a typedef names is a type like others; one
 * without any name is a part of the record around it. */
static void unit_facts_add_record(struct record_search *search, uint64_t reference)
{
	struct die die;

	if (!die_at(search->object->files, reference, &die) || die_flag(&die, SLOT_DECLARATION))
		return;
	if (!die_name(&die)) {
		const uint32_t *named = hash_map_find(&search->names, reference);

		if (!named)
			return;
		reference = search->typedefs.items[*named - 1];
	}
	const struct type *type = dwarf_type(&search->object->types, reference);

	if (type_is_record(type_strip(type)) && search->fits(type_strip(type)))
		unit_facts_add_type(search->records, type_canonical(type));
}

static void add_typedef(struct record_search *search, const struct die *die)
{
	bool created;
	uint32_t *index = hash_map_insert(&search->names, die_type_target(die), &created);

	if (!created)
		return;
	add_number(&search->typedefs, die_reference(die));
	*index = (uint32_t)search->typedefs.count;
}

static bool is_record_tag(unsigned int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* True if a DIE of this tag contains no records that the rest of the unit may use. */
static bool unit_facts_is_closed(const struct unit *unit, unsigned int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_array_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_subroutine_type ||
	       (is_record_tag(tag) && unit->language == LANGUAGE_C);
}

/* Adds the DIE if it is a record that may have such a member, or a typedef. */
static void look_for_record(struct record_search *search, const struct die *die)
{
	if (is_record_tag(die->tag) && die->has_children && has_member(search, die))
		add_number(&search->candidates, die_reference(die));
	else if (die->tag == DW_TAG_typedef && die_type_target(die))
		add_typedef(search, die);
}

/* Looks at the DIEs of the unit, without those that are in closed DIEs. */
static void look_for_records(struct record_search *search)
{
	struct unit *unit = search->unit;
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	size_t depth = 0;
	struct die die;

	while (die_read_some(unit, &cursor, DIE_SLOT(SLOT_TYPE) | DIE_SLOT(SLOT_SIBLING), &die)) {
		if (!die.tag) {
			if (depth <= 1)
				return;
			depth--;
			continue;
		}
		look_for_record(search, &die);
		if (die.has_children &&
		    !(unit_facts_is_closed(unit, die.tag) && die_follow_sibling(&die, &cursor)))
			depth++;
	}
}

static void *find_records(struct dwarf_object *object, struct unit *unit,
			  bool (*may_be)(const struct die *member_type),
			  bool (*fits)(const struct type *record), bool last)
{
	struct record_search search = { .object = object,
					.unit = unit_with_dies(unit),
					.may_be = may_be,
					.fits = fits,
					.last = last,
					.records = xcalloc(1, sizeof(*search.records)) };

	if (search.unit)
		look_for_records(&search);
	for (size_t i = 0; i < search.candidates.count; i++)
		unit_facts_add_record(&search, search.candidates.items[i]);
	free_all(search.candidates.items, search.typedefs.items);
	hash_map_deinit(&search.seen);
	hash_map_deinit(&search.names);
	return search.records;
}

static bool is_tail(const struct die *type)
{
	return type->tag == DW_TAG_array_type && is_open_array(type);
}

static void *find_tails(struct dwarf_object *object, struct unit *unit)
{
	return find_records(object, unit, is_tail, ends_in_flexible_array, true);
}

static bool unit_facts_is_record(const struct die *type)
{
	return is_record_tag(type->tag);
}

static void *find_holders(struct dwarf_object *object, struct unit *unit)
{
	return find_records(object, unit, unit_facts_is_record, holds_record, false);
}

static bool is_any(const struct die *type _unused_)
{
	return true;
}

static bool has_members(const struct type *record)
{
	size_t count;

	type_members(record, &count);
	return count;
}

static void *find_all_records(struct dwarf_object *object, struct unit *unit)
{
	return find_records(object, unit, is_any, has_members, false);
}

/* ---- records in arrays ---- */

static bool has_type(const struct type_list *list, const struct type *type)
{
	return any_of(i, 0, list->count, list->types[i] == type);
}

/* Adds the record of which the DIE is an array, unless the array has only one element. */
static void add_element(struct dwarf_object *object, const struct die *array,
			struct type_list *elements)
{
	struct die element;

	if (!stripped_die(object, die_type_target(array), &element) || !is_record_tag(element.tag))
		return;
	const struct type *whole = dwarf_type(&object->types, die_reference(array));
	const struct type *type = whole->kind == TYPE_ARRAY ? type_target(whole) : NULL;

	if (type && type_is_record(type_strip(type)) &&
	    (!type_size_or(whole, 0) || type_size_or(whole, 0) > type_size_or(type, 0)) &&
	    !has_type(elements, type_canonical(type)))
		unit_facts_add_type(elements, type_canonical(type));
}

/* Makes the list of types that the unit's outermost DIEs with this tag add to it. */
static void *find_types_of(struct dwarf_object *object, struct unit *unit, unsigned int tag,
			   void (*add)(struct dwarf_object *object, const struct die *die,
				       struct type_list *types))
{
	struct type_list *types = xcalloc(1, sizeof(*types));
	struct die root;

	unit = unit_with_dies(unit);
	if (!unit || !die_root(unit, &root))
		return types;
	children_each (die, &root)
		if (die.tag == tag)
			add(object, &die, types);
	return types;
}

static void *find_elements(struct dwarf_object *object, struct unit *unit)
{
	return find_types_of(object, unit, DW_TAG_array_type, add_element);
}

static void add_enum(struct dwarf_object *object, const struct die *die, struct type_list *enums)
{
	if (die->has_children)
		unit_facts_add_type(enums,
				    type_canonical(dwarf_type(&object->types, die_reference(die))));
}

static void *find_enums(struct dwarf_object *object, struct unit *unit)
{
	return find_types_of(object, unit, DW_TAG_enumeration_type, add_enum);
}

/* ---- records that are passed by value ---- */

/* Adds the record that a parameter, or the result of a function, is. */
static void add_passed_record(struct dwarf_object *object, const struct die *die,
			      struct type_list *values)
{
	struct die record;

	if (!die_has(die, SLOT_TYPE) || !stripped_die(object, die_type_target(die), &record) ||
	    !is_record_tag(record.tag))
		return;
	const struct type *type = type_canonical(dwarf_type(&object->types, die_type_target(die)));

	if (type_is_record(type_strip(type)) && !has_type(values, type))
		unit_facts_add_type(values, type);
}

static void add_values(struct dwarf_object *object, const struct die *function,
		       struct type_list *values)
{
	add_passed_record(object, function, values);
	children_each (parameter, function)
		if (parameter.tag == DW_TAG_formal_parameter)
			add_passed_record(object, &parameter, values);
}

static void *find_values(struct dwarf_object *object, struct unit *unit)
{
	return find_types_of(object, unit, DW_TAG_subprogram, add_values);
}

/* ---- inline functions from one record to another ---- */

struct inline_casts {
	struct inline_cast *items;
	size_t count, capacity;
};

static const struct type *record_pointed_to(const struct type *type)
{
	const struct type *bare = type ? type_strip(type) : NULL;
	const struct type *target = bare && type_is_pointer(bare) ? type_target(bare) : NULL;

	return target && type_is_record(type_strip(target)) ? type_canonical(target) : NULL;
}

/* True for a function that was inlined and has a result and parameters. *declared: the source
 * declares it inline (DW_AT_inline, DWARF 5, section 3.3.8.1). */
static bool is_inlined(const struct die *die, bool *declared)
{
	uint64_t how;

	if (die->tag != DW_TAG_subprogram || !die->has_children || !die_has(die, SLOT_TYPE) ||
	    !die_unsigned(die, SLOT_INLINE, &how))
		return false;
	*declared = how == DW_INL_declared_inlined;
	return *declared || how == DW_INL_inlined;
}

/* True if the function's result is a pointer. Most are not, and need not be loaded. */
static bool gives_pointer(struct dwarf_object *object, const struct die *function)
{
	struct die result;

	return stripped_die(object, die_type_target(function), &result) &&
	       (result.tag == DW_TAG_pointer_type || result.tag == DW_TAG_reference_type ||
		result.tag == DW_TAG_rvalue_reference_type);
}

/* True if the function has neither variables nor blocks. */
static bool only_fetches(const struct die *function)
{
	children_each (child, function)
		if (child.tag == DW_TAG_variable || child.tag == DW_TAG_lexical_block)
			return false;
	return true;
}

/* Adds the function if it takes a pointer to one record and returns one to another. */
static void add_cast(struct dwarf_object *object, const struct die *function, bool declared,
		     struct inline_casts *casts)
{
	uint64_t reference = die_reference(function);
	const struct dwarf_prototype *found = dwarf_prototype(object, reference);
	const struct prototype *prototype = found ? &found->prototype : NULL;

	if (!prototype || prototype->parameter_count != 1 || prototype->variadic)
		return;
	const struct type *from = record_pointed_to(prototype->parameters[0].type);
	const struct type *to = record_pointed_to(prototype->return_type);

	if (!from || !to || from == to)
		return;
	array_add(casts->items, casts->count, casts->capacity) =
		(struct inline_cast){ prototype, from, to, declared, only_fetches(function) };
}

static void *find_casts(struct dwarf_object *object, struct unit *unit)
{
	const struct unit_index *index = unit_file_scope_get(unit);
	struct inline_casts *casts = xcalloc(1, sizeof(*casts));
	struct die die;
	bool declared;

	for (size_t i = 0; i < index->name_count; i++)
		if (index->names[i].kind == NAME_FUNCTION &&
		    die_at(object->files, index->names[i].die, &die) &&
		    is_inlined(&die, &declared) && gives_pointer(object, &die))
			add_cast(object, &die, declared, casts);
	return casts;
}

/* ---- variables that have locations ---- */

/* A walk over the variables and parameters of a unit that have a location. */
struct located_walk {
	struct unit *unit; /* NULL: it has none */
	struct cursor cursor;
	size_t depth;     /* of the next DIE below the unit's own */
	size_t outermost; /* changes from one function of the unit to the next */
};

static struct located_walk located_begin(struct unit *unit)
{
	struct located_walk walk = { .unit = unit_with_dies(unit) };

	if (walk.unit)
		walk.cursor = unit_cursor(walk.unit, walk.unit->first_die);
	return walk;
}

/* Reads the location of the next one alone. False: there are no more. */
static bool located_next(struct located_walk *walk, struct die *die)
{
	while (walk->unit &&
	       die_read_some(walk->unit, &walk->cursor, DIE_SLOT(SLOT_LOCATION), die)) {
		if (!die->tag && --walk->depth == 0)
			break;
		walk->outermost += walk->depth == 1;
		if (die->tag && die->has_children)
			walk->depth++;
		if (!walk->depth)
			break;
		if ((die->tag == DW_TAG_variable || die->tag == DW_TAG_formal_parameter) &&
		    die_has(die, SLOT_LOCATION))
			return true;
	}
	walk->unit = NULL;
	return false;
}

/* ---- records inside of objects ---- */

/* The most locations of one variable that are looked at. */
#define LOCATIONS_MAX 4096

struct inner_records {
	struct inner_record *items;
	size_t count, capacity;
	struct location_list locations; /* memory for those of one variable */
};

/* Adds what a variable, of which the locations were read, points to where its value is a register
 * plus a number. */
static void add_inner(struct dwarf_object *object, const struct die *die,
		      struct inner_records *inner)
{
	struct location_list *locations = &inner->locations;
	const struct type *record = NULL;
	struct die whole;

	locations->count = locations->work = 0;
	locations_of_attribute(die, SLOT_LOCATION, locations);
	array_each (const struct location, location, locations->items, locations->count) {
		if (location->kind != LOCATION_REGISTER_VALUE || location->offset <= 0)
			continue;
		if (!record && die_at(object->files, die_reference(die), &whole))
			record = record_pointed_to(dwarf_type_of(&object->types, &whole));
		if (!record)
			return;
		if (any_of(i, 0, inner->count,
			   inner->items[i].type == record &&
				   inner->items[i].offset == location->offset))
			continue;
		array_add(inner->items, inner->count, inner->capacity) =
			(struct inner_record){ record, location->offset };
	}
}

static void *find_inner(struct dwarf_object *object, struct unit *unit)
{
	struct inner_records *inner = xcalloc(1, sizeof(*inner));
	struct located_walk walk = located_begin(unit);
	struct die die;

	inner->locations.limit = LOCATIONS_MAX;
	while (located_next(&walk, &die))
		add_inner(object, &die, inner);
	free(inner->locations.items);
	return inner;
}

/* ---- one value as a pointer to two records ---- */

/* The most pairs of locations of one function that are compared. */
#define HELD_PAIRS_MAX 65536

/* A register that has the value of a pointer to a record. */
struct held_pointer {
	uint64_t low, high; /* code */
	uint64_t record;    /* its DIE */
	uint8_t reg;
};

COMPARISON(compare_held, struct held_pointer, ASCENDING(reg) ASCENDING(low) ASCENDING(record))

struct value_casts {
	struct value_cast *items;
	size_t count, capacity;
	struct held_pointer *held; /* of one function */
	size_t held_count, held_capacity;
	struct location_list locations; /* memory for those of one variable */
};

/* Returns the DIE of the record that a variable points to; 0: it points to no record. */
static uint64_t pointed_record(struct dwarf_object *object, const struct die *variable)
{
	struct die whole, other, type;
	const struct die *owner;

	if (!die_at(object->files, die_reference(variable), &whole))
		return 0;
	owner = die_integrate(object->files, &whole, SLOT_TYPE, &other);
	if (!owner || !stripped_die(object, die_type_target(owner), &type) ||
	    type.tag != DW_TAG_pointer_type ||
	    !stripped_die(object, die_type_target(&type), &type) || !cast_types_is_record(type.tag))
		return 0;
	return die_reference(&type);
}

/* Notes the registers that have the variable's value in a part of the function. A register that
 * has it everywhere shows nothing: where a compiler does not follow variables, two have one. */
static void note_held(struct dwarf_object *object, const struct die *variable,
		      struct value_casts *casts)
{
	struct location_list *locations = &casts->locations;
	uint64_t record = 0;

	locations->count = locations->work = 0;
	locations_of_attribute(variable, SLOT_LOCATION, locations);
	array_each (const struct location, location, locations->items, locations->count) {
		if (location->kind != LOCATION_REGISTER || location->piece_size ||
		    location->high == UINT64_MAX)
			continue;
		record = record ?: pointed_record(object, variable);
		if (!record)
			return;
		array_add(casts->held, casts->held_count, casts->held_capacity) =
			(struct held_pointer){ location->low, location->high, record,
					       location->reg };
	}
}

/* Adds the two records, the smaller one first. Those of one size show no cast to more. */
static void add_value_cast(struct dwarf_object *object, uint64_t one, uint64_t other,
			   struct value_casts *casts)
{
	const struct type *a = type_canonical(dwarf_type(&object->types, one)),
			  *b = type_canonical(dwarf_type(&object->types, other));
	const bool ordered = type_size_or(a, 0) < type_size_or(b, 0);
	const struct value_cast cast = { ordered ? a : b, ordered ? b : a };

	if (type_size_or(a, 0) != type_size_or(b, 0) &&
	    !any_of(i, 0, casts->count,
		    casts->items[i].from == cast.from && casts->items[i].to == cast.to))
		array_add(casts->items, casts->count, casts->capacity) = cast;
}

/* Adds the records of pointers that had one register at the same time, and forgets all. */
static void pair_held(struct dwarf_object *object, struct value_casts *casts)
{
	const struct held_pointer *held = casts->held;
	size_t pairs = 0;

	array_sort(casts->held, casts->held_count, compare_held);
	for (size_t i = 0; i < casts->held_count; i++)
		for (size_t k = i + 1; k < casts->held_count && held[k].reg == held[i].reg &&
				       held[k].low < held[i].high && pairs < HELD_PAIRS_MAX;
		     k++, pairs++)
			if (held[i].record != held[k].record)
				add_value_cast(object, held[i].record, held[k].record, casts);
	casts->held_count = 0;
}

static void *find_value_casts(struct dwarf_object *object, struct unit *unit)
{
	struct value_casts *casts = xcalloc(1, sizeof(*casts));
	struct located_walk walk = located_begin(unit);
	size_t outermost = 0;
	struct die die;

	casts->locations.limit = LOCATIONS_MAX;
	while (located_next(&walk, &die)) {
		if (walk.outermost != outermost)
			pair_held(object, casts);
		outermost = walk.outermost;
		note_held(object, &die, casts);
	}
	pair_held(object, casts);
	free_all(casts->held, casts->locations.items);
	return casts;
}

/* ---- static variables without a place ---- */

/* The attributes of a variable that another DIE describes, or that has a place or a value. */
#define PLACED                                                                                     \
	(DIE_SLOT(SLOT_LOCATION) | DIE_SLOT(SLOT_CONST_VALUE) | DIE_SLOT(SLOT_DECLARATION) |       \
	 DIE_SLOT(SLOT_EXTERNAL) | DIE_SLOT(SLOT_ORIGIN) | DIE_SLOT(SLOT_SPECIFICATION))

static void add_promoted(struct dwarf_object *object, const struct die *variable,
			 struct type_list *records)
{
	const struct type *record =
		variable->present & PLACED
			? NULL
			: record_pointed_to(dwarf_type_of(&object->types, variable));

	if (record && !has_type(records, record))
		unit_facts_add_type(records, record);
}

static void *find_promoted(struct dwarf_object *object, struct unit *unit)
{
	return find_types_of(object, unit, DW_TAG_variable, add_promoted);
}

/* ---- units without types ---- */

/* True for a DIE that a unit with only line tables does not have. Variables count, too: all types
 * of a program in Go are in one unit. */
static bool shows_types(const struct die *die)
{
	/* records of Swift have only names and sizes: its debugger reads the compiler's modules */
	if (die->unit->language == LANGUAGE_SWIFT)
		return die->tag == DW_TAG_member && die_name(die);
	switch (die->tag) {
	/* Crystal gives one for the result of main() in any case */
	case DW_TAG_base_type: return die->unit->language != LANGUAGE_CRYSTAL;
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_pointer_type: return true;
	default: return false;
	}
}

/* True if the compiler of the unit's language describes types if it is asked to, as assemblers and
 * the compilers of OCaml, Haskell and Swift do not. */
static bool may_describe_types(const struct unit *unit)
{
	switch (unit->language) {
	case LANGUAGE_ASSEMBLER:
	case LANGUAGE_OCAML:
	case LANGUAGE_HASKELL:
	case LANGUAGE_SWIFT:
	case LANGUAGE_CRYSTAL: /* it does with --debug alone */
	case LANGUAGE_OTHER: return false;
	default: return true;
	}
}

static void *find_types(struct dwarf_object *object _unused_, struct unit *unit)
{
	enum unit_types *types = xcalloc(1, sizeof(*types));
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	bool functions = false;
	struct die die;

	*types = UNIT_HAS_TYPES;
	/* the types of Go are in other units than its assembly, whose language is Go's, too */
	if (unit->language == LANGUAGE_GO)
		return types;
	while (die_read(unit, &cursor, &die)) {
		if (shows_types(&die))
			return types;
		functions |= die.tag == DW_TAG_subprogram;
	}
	if (!may_describe_types(unit))
		*types = UNIT_NEVER_TYPES;
	/* with -C debuginfo=line-tables-only, rustc describes no functions either */
	else if (functions || unit->language == LANGUAGE_RUST)
		*types = UNIT_LINES_ONLY;
	return types;
}

enum unit_types dwarf_unit_types(struct debug_reader *reader, uint64_t address)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const enum unit_types *types = fact_of(object, dwarf_source_unit_at(object, address),
					       &object->unit_types, find_types, free);

	return types ? *types : UNIT_HAS_TYPES;
}

/* ---- functions of a unit ---- */

/* A function whose code is in a unit that link-time optimization made. */
struct linked_function {
	const struct unit *source;
	uint64_t entry;
};

/* All of them, sorted by source and address. */
struct linked_functions {
	struct linked_function *items;
	size_t count, capacity;
};

COMPARISON(compare_functions, struct linked_function, ASCENDING(source) ASCENDING(entry))

/* Lists the functions in units that link-time optimization made. */
static void *list_linked_functions(struct dwarf_object *object, struct unit *first)
{
	struct linked_functions *list = xcalloc(1, sizeof(*list));
	struct dwarf_file *file = first->file;

	for (size_t i = 0; i < file->info_unit_count; i++) {
		if (!unit_prepare(&file->units[i]) || !file->units[i].linked)
			continue;
		const struct unit_index *index = unit_file_scope_get(&file->units[i]);

		for (size_t j = 0; j < index->function_count; j++) {
			array_add(list->items, list->count, list->capacity) =
				(struct linked_function){
					dwarf_source_unit(object, index->functions[j].die),
					index->functions[j].entry,
				};
		}
	}
	array_sort(list->items, list->count, compare_functions);
	return list;
}

/* Lists the functions of a unit whose code is in units that link-time optimization made. */
static const uint64_t *functions_of_source(struct dwarf_object *object, struct unit *source,
					   struct arena *arena, size_t *count)
{
	const struct linked_functions *list = dwarf_unit_fact(
		object, &object->linked_functions, &dwarf_files_main(object->files)->units[0],
		list_linked_functions, destroy_list);
	size_t first = partition_point(0, list->count, i, list->items[i].source < source);
	size_t after = partition_point(first, list->count, i, list->items[i].source <= source);
	uint64_t *entries = arena_alloc(arena, (after - first + 1) * sizeof(*entries));

	for (size_t i = first; i < after; i++)
		if (!*count || entries[*count - 1] != list->items[i].entry)
			entries[(*count)++] = list->items[i].entry;
	return entries;
}

COMPARISON(compare_entries, uint64_t, BY_VALUE)

const uint64_t *dwarf_unit_functions(struct debug_reader *reader, uint64_t address,
				     struct arena *arena, size_t *count)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct unit *unit = dwarf_unit_at(object, address);

	if (!unit)
		return NULL;
	if (unit->linked)
		return functions_of_source(object, dwarf_source_unit_at(object, address), arena,
					   count);
	const struct unit_index *index = unit_file_scope_get(unit);
	uint64_t *entries = arena_alloc(arena, (index->function_count + 1) * sizeof(*entries));

	for (size_t i = 0; i < index->function_count; i++)
		entries[i] = index->functions[i].entry;
	*count = index->function_count;
	array_unique(entries, *count, compare_entries);
	return entries;
}

/* ---- lists ---- */

/* The lists, by enum unit_list. */
static void *(*const finders[UNIT_LISTS])(struct dwarf_object *object, struct unit *unit) = {
	[UNIT_RECORDS] = find_all_records,
	[UNIT_FLEXIBLE_RECORDS] = find_tails,
	[UNIT_HOLDERS] = find_holders,
	[UNIT_ELEMENTS] = find_elements,
	[UNIT_VALUES] = find_values,
	[UNIT_INLINE_CASTS] = find_casts,
	[UNIT_CAST_TYPES] = dwarf_find_cast_types,
	[UNIT_INNER_RECORDS] = find_inner,
	[UNIT_PROMOTED_RECORDS] = find_promoted,
	[UNIT_VALUE_CASTS] = find_value_casts,
	[UNIT_ENUMS] = find_enums,
};

const void *dwarf_unit_list(struct debug_reader *reader, enum unit_list list, uint64_t address,
			    size_t *count)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	/* variables of link-time optimization are in the unit that has the code */
	struct unit *unit = list >= UNIT_INNER_RECORDS ? dwarf_unit_at(object, address)
						       : dwarf_source_unit_at(object, address);
	const struct unit_fact_list *found =
		fact_of(object, unit, &object->unit_lists[list], finders[list], destroy_list);

	if (!found)
		return NULL;
	*count = found->count;
	return found->items;
}

void dwarf_unit_facts_deinit(struct dwarf_object *object)
{
	concurrent_map_clear(&object->linked_functions, destroy_list);
	concurrent_map_clear(&object->unit_types, free);
	for (size_t i = 0; i < UNIT_LISTS; i++)
		concurrent_map_clear(&object->unit_lists[i], destroy_list);
}
