// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects that are known by the stores of their virtual tables' addresses: see table_places.h. */
#include "annotate/cxx/table_places.h"

#include "annotate/cxx/virtual_table.h"
#include "annotate/facts/selves.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* Adds an object of the class at `offset` bytes from the CFA, unless it is there already.
 * `by_method`: the class of the table is not known, and `class` is the class of the method that
 * stores the table's address. */
static void add_place(struct table_places *places, const struct type *class, int64_t offset,
		      bool by_method)
{
	struct stack_fact_list *list = &places->list;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].offset == offset && field_same_type(list->items[i].type, class))
			return;
	array_add(list->items, list->count, list->capacity) = (struct stack_fact){
		.high = UINT64_MAX,
		.offset = offset,
		.size = field_size(class),
		.base_reg = REG_NONE,
		.variable = NO_VARIABLE,
		.type = class,
		.how = HOW_INFERRED,
		.open = field_is_named_only(class),
		.by_method = by_method,
	};
}

/*
 * The first of the tables that a constructor or destructor stores from a table of tables, which
 * classes with virtual bases have. Its class is that of the method. The tables of one class follow
 * each other in the table of tables, and the first is that of the object's beginning.
 */
struct first_table {
	const struct stack_fact *method; /* the innermost one around the store */
	uint64_t slot;                   /* the address in the table of tables */
	int64_t offset;                  /* of the place that gets it, from the CFA */
};

/* One for each method. Zero-initialized is empty. */
struct first_tables {
	struct first_table *items;
	size_t count, capacity;
};

/* Keeps the table if its slot is the lowest of its method so far. */
static void note_first(struct first_tables *tables, const struct first_table *table)
{
	array_each (struct first_table, old, tables->items, tables->count) {
		if (old->method != table->method)
			continue;
		if (table->slot < old->slot)
			*old = *table;
		return;
	}
	array_add(tables->items, tables->count, tables->capacity) = *table;
}

/* Returns the innermost inlined method at an address if it is a constructor or destructor, else
 * NULL. Other code that stores the address of a table may only save it for later use. */
static const struct stack_fact *maker_at(const struct solver *solver, uint64_t address)
{
	const struct stack_fact *method =
		selves_method(&solver->facts.selves, address, 0, UINT32_MAX);

	return method && method->is_maker ? method : NULL;
}

/* Adds the object at whose beginning, or in which, the address of a table is stored at `place`. */
static void table_places_add_object(struct solver *solver, const struct stored_table *stored,
				    int64_t place)
{
	int64_t within;
	const struct type *class = virtual_table_begins(solver, stored, &within);

	if (class)
		add_place(&solver->places.table_places, class, place - within, false);
}

/* Adds the object whose table's address the instruction stores, as far as its block tells. */
static void table_places_note_store(struct solver *solver, uint32_t index,
				    struct first_tables *tables)
{
	const struct insn *insn = &solver->code->insns[index];
	int64_t place;

	if (insn->operation != OP_MOVE || !insn->operands[0].write ||
	    insn->operands[0].size != WORD ||
	    !solver_frame_place(solver, insn, &insn->operands[0], &place))
		return;
	const struct stack_fact *method = maker_at(solver, insn->address);
	struct stored_table stored = { 0 };

	if (method)
		stored = virtual_table_source(solver, index);
	if (stored.symbol)
		table_places_add_object(solver, &stored, place);
	else if (stored.slot)
		note_first(tables, &(struct first_table){ method, stored.slot, place });
}

void table_places_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			 int64_t place)
{
	struct stored_table stored = { 0 };

	if (insn->operation != OP_MOVE || insn->operands[0].size != WORD || !solver->reader ||
	    !maker_at(solver, insn->address))
		return;
	stored.symbol = virtual_table_stored(solver, state, insn, &stored.offset);
	if (stored.symbol)
		table_places_add_object(solver, &stored, place);
}

/* Adds all objects of the function whose tables' addresses are stored. */
static void find_places(struct solver *solver)
{
	struct first_tables tables = { 0 };

	solver->places.table_places.found = true;
	for (uint32_t i = 0; i < solver->code->insn_count; i++)
		table_places_note_store(solver, i, &tables);
	for (size_t i = 0; i < tables.count; i++)
		add_place(&solver->places.table_places, tables.items[i].method->type,
			  tables.items[i].offset, true);
	free(tables.items);
}

/* Returns the object of the class that has the byte `at` and begins last in [start, at]; NULL:
 * there is none. A NULL class stands for any. Of two at one place, the one whose own table is
 * stored is preferred. */
static const struct stack_fact *last_place(const struct table_places *places,
					   const struct type *class, int64_t start, int64_t at)
{
	const struct stack_fact *found = NULL;

	array_each (const struct stack_fact, place, places->list.items, places->list.count) {
		if (place->offset >= start && place->offset <= at &&
		    (place->open || (uint64_t)(at - place->offset) < place->size) &&
		    (!class || field_same_type(place->type, class)) &&
		    (!found || place->offset > found->offset ||
		     (place->offset == found->offset && found->by_method && !place->by_method)))
			found = place;
	}
	return found;
}

/* True if the current instruction stores the address of a table. */
static bool stores_table(const struct solver *solver, const struct state *state)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];

	return insn->operation == OP_MOVE && insn->operands[0].write &&
	       insn->operands[0].kind == OPERAND_MEMORY &&
	       virtual_table_is_stored(solver, state, insn);
}

const struct stack_fact *table_places_part(struct solver *solver, const struct state *state,
					   const struct stack_fact *whole, int64_t at,
					   int64_t *offset)
{
	int64_t start = at - *offset;
	const struct stack_fact *method =
		selves_method(&solver->facts.selves,
			      solver->code->insns[solver->pass.current].address, 0, UINT32_MAX);

	if (!method || !method->open || !solver->reader)
		return NULL;
	if (!solver->places.table_places.found)
		find_places(solver);
	bool own = field_same_type(method->type, whole->type), table = stores_table(solver, state);
	const struct stack_fact *part =
		own ? NULL : last_place(&solver->places.table_places, method->type, start, at);

	/* a base class at the start of the whole has its table there, too */
	if (table && !part && !own && method->is_maker && at == start)
		return method;
	/* an object begins where a table is stored, also if the method is that of a whole around it
	 */
	if (table && at != start && (!part || part->offset != at))
		part = last_place(&solver->places.table_places, NULL, at, at);
	if (part)
		*offset = at - part->offset;
	return part;
}

void table_places_clear(struct table_places *places)
{
	places->list.count = 0;
	places->found = false;
}

void table_places_deinit(struct table_places *places)
{
	free(places->list.items);
	*places = (struct table_places){ 0 };
}
