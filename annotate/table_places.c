// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects by the stores of their virtual tables' addresses: see table_places.h. */
#include "annotate/table_places.h"

#include <stdlib.h>

#include "annotate/field.h"
#include "annotate/selves.h"
#include "annotate/solver.h"
#include "annotate/virtual_table.h"
#include "profiler/base/memory.h"

/* Finds the place from the CFA on that the operand addresses, by the frame information. */
static bool place_of(const struct solver *solver, uint64_t address, const struct operand *operand,
		     int64_t *place)
{
	const struct frame_row *rows = solver->frame_rows;
	size_t index = partition_point(0, solver->frame_row_count, i, rows[i].high <= address);

	if (operand->kind != OPERAND_MEMORY || operand->index != REG_NONE ||
	    operand->segment != SEGMENT_NONE || !reg_is_general(operand->base) ||
	    index == solver->frame_row_count || address < rows[index].low ||
	    rows[index].kind != CFA_REGISTER ||
	    arch_reg_from_dwarf(solver->arch, rows[index].reg) != operand->base)
		return false;
	*place = operand->value - rows[index].offset;
	return true;
}

/* `by_method`: the class is that of the code which stores a table of an unknown class. */
static void add_place(struct table_places *places, const struct type *class, int64_t offset,
		      bool by_method)
{
	struct stack_fact_list *list = &places->list;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].offset == offset && field_same_type(list->items[i].type, class))
			return;
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = (struct stack_fact){
		.high = UINT64_MAX,
		.offset = offset,
		.size = field_size(class),
		.base_reg = REG_NONE,
		.variable = NO_VARIABLE,
		.type = class,
		.how = HOW_INFERRED,
		.open = field_is_named_only(class),
		.makes = by_method,
	};
}

/*
 * A class with virtual bases gets its tables' addresses from a table of tables. The innermost
 * constructor or destructor around the store then tells the class. The tables of one class follow
 * each other, and that of its beginning is the first one.
 */
struct first_table {
	const struct stack_fact *method;
	uint64_t slot; /* the address in the table of tables */
	int64_t offset;
};

struct first_tables {
	struct first_table *items;
	size_t count, capacity;
};

static void note_first(struct first_tables *tables, const struct first_table *table)
{
	for (size_t i = 0; i < tables->count; i++) {
		struct first_table *old = &tables->items[i];

		if (old->method != table->method)
			continue;
		if (table->slot < old->slot)
			*old = *table;
		return;
	}
	array_reserve(tables->items, tables->count, tables->capacity);
	tables->items[tables->count++] = *table;
}

/* Returns the innermost inlined function, if it makes or ends an object. Other code that stores the
 * address of a table keeps it for later. */
static const struct stack_fact *maker_at(const struct solver *solver, uint64_t address)
{
	const struct stack_fact *method =
		selves_method(&solver->facts.selves, address, 0, UINT32_MAX);

	return method && method->makes ? method : NULL;
}

static void note_store(struct solver *solver, uint32_t index, struct first_tables *tables)
{
	const struct insn *insn = &solver->code->insns[index];
	int64_t place, within;

	if (insn->operation != OP_MOVE || !insn->operands[0].write ||
	    insn->operands[0].size != WORD ||
	    !place_of(solver, insn->address, &insn->operands[0], &place))
		return;
	const struct stack_fact *method = maker_at(solver, insn->address);
	struct stored_table stored = { 0 };

	if (method)
		stored = virtual_table_source(solver, index);
	if (stored.symbol) {
		const struct type *class = virtual_table_begins(solver, &stored, &within);

		if (class)
			add_place(&solver->table_places, class, place - within, false);
	} else if (stored.slot) {
		note_first(tables, &(struct first_table){ method, stored.slot, place });
	}
}

void table_places_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			 int64_t place)
{
	struct stored_table stored = { 0 };
	int64_t within;

	if (insn->operation != OP_MOVE || insn->operands[0].size != WORD || !solver->reader ||
	    !maker_at(solver, insn->address))
		return;
	stored.symbol = virtual_table_stored(solver, state, insn, &stored.offset);
	const struct type *class =
		stored.symbol ? virtual_table_begins(solver, &stored, &within) : NULL;

	if (class)
		add_place(&solver->table_places, class, place - within, false);
}

static void find_places(struct solver *solver)
{
	struct first_tables tables = { 0 };

	solver->table_places.found = true;
	for (uint32_t i = 0; i < solver->code->insn_count; i++)
		note_store(solver, i, &tables);
	for (size_t i = 0; i < tables.count; i++)
		add_place(&solver->table_places, tables.items[i].method->type,
			  tables.items[i].offset, true);
	free(tables.items);
}

/* Returns the object of the class that begins last in [start, at]; a NULL class stands for any, one
 * whose own table was stored if there is one. */
static const struct stack_fact *last_place(const struct table_places *places,
					   const struct type *class, int64_t start, int64_t at)
{
	const struct stack_fact *found = NULL;

	for (size_t i = 0; i < places->list.count; i++) {
		const struct stack_fact *place = &places->list.items[i];

		if (place->offset >= start && place->offset <= at &&
		    (place->open || (uint64_t)(at - place->offset) < place->size) &&
		    (!class || field_same_type(place->type, class)) &&
		    (!found || place->offset > found->offset ||
		     (place->offset == found->offset && found->makes && !place->makes)))
			found = place;
	}
	return found;
}

/* True if the current instruction stores the address of a table. */
static bool stores_table(const struct solver *solver, const struct state *state)
{
	const struct insn *insn = &solver->code->insns[solver->current];

	return insn->operation == OP_MOVE && insn->operands[0].write &&
	       insn->operands[0].kind == OPERAND_MEMORY &&
	       virtual_table_is_stored(solver, state, insn);
}

const struct stack_fact *table_places_part(struct solver *solver, const struct state *state,
					   const struct stack_fact *whole, int64_t at,
					   int64_t *offset)
{
	int64_t start = at - *offset;
	const struct stack_fact *method = selves_method(
		&solver->facts.selves, solver->code->insns[solver->current].address, 0, UINT32_MAX);

	if (!method || !method->open || !solver->reader || !rule_is_on(RULE_PART_BY_TABLE))
		return NULL;
	if (!solver->table_places.found)
		find_places(solver);
	bool own = field_same_type(method->type, whole->type), table = stores_table(solver, state);
	const struct stack_fact *part =
		own ? NULL : last_place(&solver->table_places, method->type, start, at);

	/* a base class that begins with the whole has its table there, too */
	if (table && !part && !own && method->makes && at == start)
		return method;
	/* the object begins there, and `this` may be to the whole that it is a part of */
	if (table && at != start && (!part || part->offset != at))
		part = last_place(&solver->table_places, NULL, at, at);
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
