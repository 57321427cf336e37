// SPDX-License-Identifier: GPL-2.0-or-later
/* Queries of facts: see facts.h; facts_build.c makes them. */
#include "annotate/facts/facts.h"

#include <assert.h>

#include "annotate/facts/abi.h"
#include "annotate/facts/selves.h"
#include "annotate/types/field.h"
#include "base/memory.h"

void facts_index_stack(struct facts *facts)
{
	facts->stack_bases = 0;
	for (size_t i = 0; i < facts->stack_count; i++)
		if (facts->stack[i].base_reg != REG_NONE)
			facts->stack_bases |= REG_BIT(facts->stack[i].base_reg);
	stack_index_deinit(&facts->stack_index);
	stack_index_build(&facts->stack_index, facts->stack, facts->stack_count);
}

void facts_add_stack(struct facts *facts, const struct stack_fact *fact)
{
	facts->stack = xrealloc_array(facts->stack, facts->stack_count + 1, sizeof(*facts->stack));
	facts->stack[facts->stack_count++] = *fact;
}

void facts_deinit(struct facts *facts)
{
	for (size_t reg = 0; reg < REG_COUNT; reg++)
		free(facts->registers[reg]);
	free_all(facts->stack, facts->pointed, facts->arrivals);
	selves_deinit(&facts->selves);
	stack_index_deinit(&facts->pointed_index);
	free_all(facts->sums, facts->addresses);
	stack_index_deinit(&facts->stack_index);
	memset(facts, 0, sizeof(*facts));
}

/* ---- queries */

const struct type *facts_record_in_parts(const struct facts *facts, uint8_t reg, uint64_t low,
					 uint64_t high, int64_t offset, uint64_t size)
{
	const struct function *function = facts->function;

	for (size_t i = 0; function && i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];

		for (size_t k = 0;
		     k < variable->location_count && type_is_record(type_strip(variable->type));
		     k++) {
			const struct location *part = &variable->locations[k];

			if (part->kind == LOCATION_REGISTER && part->low >= low &&
			    part->low <= high && part->piece_size == size &&
			    part->piece_offset == offset &&
			    arch_reg_from_dwarf(facts->abi->arch, part->reg) == reg)
				return type_canonical(variable->type);
		}
	}
	return NULL;
}

bool facts_in_scope(const struct facts *facts, uint32_t variable, uint64_t address)
{
	const struct function *function = facts->function;

	if (!function || variable == NO_VARIABLE)
		return true;
	const struct scope *scope = &function->scopes[function->variables[variable].scope];

	return !scope->range_count || scope_has(scope, address);
}

/* True if the facts are pointers to one address with different types, both to records or both to
 * scalars. That is a cast, and the scopes decide. A record and a scalar are no cast: the record is
 * also read in words. */
static bool is_cast(const struct register_fact *a, const struct register_fact *b)
{
	return a->value.kind == VALUE_POINTER && b->value.kind == VALUE_POINTER &&
	       a->value.offset == b->value.offset &&
	       !field_same_type(a->value.type, b->value.type) &&
	       type_is_record(type_strip(a->value.type)) ==
		       type_is_record(type_strip(b->value.type));
}

/* True if `a` points to a piece of the record that `b` points to. */
static bool is_piece(const struct register_fact *a, const struct register_fact *b)
{
	return field_is_piece(a->value.type) && type_is_record(type_strip(b->value.type)) &&
	       !field_is_piece(b->value.type);
}

/* True if `inner` is the `this` of the code at `address`, and tells which member of a union is
 * meant in the record of `outer`. */
static bool facts_tell_member(const struct facts *facts, const struct register_fact *inner,
			      const struct register_fact *outer, uint64_t address)
{
	return inner->is_this && inner->value.offset == outer->value.offset &&
	       field_tells_member(outer->value.type, inner->value.type) &&
	       facts_in_scope(facts, inner->variable, address);
}

/* True if `a` points before bytes, and `b` into a record: a text behind a record is often
 * addressed by the record's register. */
static bool is_behind_record(const struct register_fact *a, const struct register_fact *b)
{
	return a->value.offset < 0 && field_size(a->value.type) == 1 &&
	       type_is_record(type_strip(b->value.type)) && b->value.offset >= 0 &&
	       (uint64_t)b->value.offset < field_size(b->value.type);
}

/* True if `a` is the better fact of the register at `address`. `b` begins no later than `a`. */
static bool is_better_fact(const struct facts *facts, const struct register_fact *a,
			   const struct register_fact *b, uint64_t address)
{
	bool pointer_a = a->value.kind == VALUE_POINTER, pointer_b = b->value.kind == VALUE_POINTER;

	if (pointer_a != pointer_b)
		return pointer_a;
	if (a->weak != b->weak)
		return b->weak;
	/* nothing tells equal pointers apart */
	if (!pointer_a || (a->value.type == b->value.type && a->value.offset == b->value.offset))
		return a->low > b->low || (a->low == b->low && a->depth >= b->depth);
	if (field_contains(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return facts_tell_member(facts, a, b, address);
	if (field_contains(a->value.type, a->value.offset - b->value.offset, b->value.type))
		return !facts_tell_member(facts, b, a, address);
	if (field_has_integer(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return false;
	if (field_has_integer(a->value.type, a->value.offset - b->value.offset, b->value.type))
		return true;
	if (is_piece(a, b) || is_behind_record(a, b))
		return false;
	if (is_piece(b, a) || is_behind_record(b, a))
		return true;
	if (is_cast(a, b)) {
		if (field_keeps(b->value.type, 0, a->value.type))
			return false;
		if (field_keeps(a->value.type, 0, b->value.type))
			return true;
		/* prefer the type whose scope holds the address */
		bool in_a = facts_in_scope(facts, a->variable, address);

		if (in_a != facts_in_scope(facts, b->variable, address))
			return in_a;
	}
	return a->low > b->low || (a->low == b->low && a->depth >= b->depth);
}

/* Returns how many facts of `reg` begin at or before `address`. */
static size_t count_begun(const struct facts *facts, uint8_t reg, uint64_t address)
{
	const struct register_fact *items = facts->registers[reg];

	return partition_point(0, facts->register_counts[reg], i, items[i].low <= address);
}

void fact_window_move(struct fact_window *window, const struct facts *facts, uint8_t reg,
		      uint64_t address)
{
	const struct register_fact *items = facts->registers[reg];
	size_t count = count_begun(facts, reg, address), i = count;
	bool varies = false;

	*window = (struct fact_window){
		.low = count ? items[count - 1].low : 0,
		.high = count < facts->register_counts[reg] ? items[count].low : UINT64_MAX,
	};
	while (i-- > 0) {
		/* neither this fact nor any before it reaches the address */
		if (items[i].reach <= address) {
			window->low = items[i].reach > window->low ? items[i].reach : window->low;
			break;
		}
		if (items[i].high <= address) {
			window->low = items[i].high > window->low ? items[i].high : window->low;
			continue;
		}
		window->high = items[i].high < window->high ? items[i].high : window->high;
		/* the choice between two types may depend on the scopes at the address */
		varies |= window->fact && is_cast(window->fact, &items[i]);
		if (!window->fact || !is_better_fact(facts, window->fact, &items[i], address))
			window->fact = &items[i];
	}
	if (varies) {
		window->low = address;
		window->high = address + 1;
		window->varies = true;
	}
}

const struct register_fact *facts_register(const struct facts *facts, uint8_t reg, uint64_t address)
{
	struct fact_window window;

	fact_window_move(&window, facts, reg, address);
	return window.fact;
}

COMPARISON(compare_arrivals, struct arrival, ASCENDING(address) ASCENDING(view) ASCENDING(variable))

static const struct arrival *sorted_arrivals(struct facts *facts, size_t count)
{
	size_t bytes = count * sizeof(*facts->arrivals);

	if (count && !facts->arrivals) {
		facts->arrivals = memcpy(xmalloc(bytes), facts->function->arrivals, bytes);
		sort_unless_sorted(facts->arrivals, count, sizeof(*facts->arrivals),
				   compare_arrivals);
	}
	return facts->arrivals;
}

const struct variable *facts_receiver(struct facts *facts, uint8_t reg, uint64_t address)
{
	const struct function *function = facts->function;
	size_t count = function ? function->arrival_count : 0;
	const struct arrival *arrivals = sorted_arrivals(facts, count), *first = NULL;

	for (size_t i = partition_point(0, count, k, arrivals[k].address < address);
	     i < count && arrivals[i].address == address; i++) {
		if (arch_reg_from_dwarf(facts->abi->arch, arrivals[i].reg) != reg)
			continue;
		if (!first)
			first = &arrivals[i];
		else if (arrivals[i].view > first->view)
			break;
		else if (!field_same_type(function->variables[arrivals[i].variable].type,
					  function->variables[first->variable].type))
			return NULL;
	}
	return first ? &function->variables[first->variable] : NULL;
}

bool facts_agree_with_twin(const struct facts *facts, uint8_t reg, const struct register_fact *fact,
			   const struct value *value)
{
	const struct register_fact *items = facts->registers[reg];
	const struct variable *variables = facts->function->variables;
	size_t end = facts->register_counts[reg], i = (size_t)(fact - items);

	if (value->kind != VALUE_POINTER || !(variables[fact->variable].flags & VARIABLE_PARAMETER))
		return false;
	while (i > 0 && items[i - 1].low == fact->low)
		i--;
	for (; i < end && items[i].low == fact->low; i++)
		if (variables[items[i].variable].scope == variables[fact->variable].scope &&
		    variables[items[i].variable].flags & VARIABLE_PARAMETER &&
		    items[i].value.kind == VALUE_POINTER &&
		    items[i].value.offset == value->offset &&
		    field_same_type(items[i].value.type, value->type))
			return true;
	return false;
}

/* True if the type is in the list, or begins with one that is, or is the beginning of one. */
static bool is_listed(const struct type *type, const struct type *const *list, size_t count)
{
	return any_of(i, 0, count,
		      field_same_type(list[i], type) || field_contains(list[i], 0, type) ||
			      field_contains(type, 0, list[i]));
}

size_t facts_pointees(const struct facts *facts, uint8_t reg, uint64_t address,
		      const struct type **pointees, size_t limit)
{
	const struct register_fact *items = facts->registers[reg];
	size_t count = 0;

	for (size_t i = count_begun(facts, reg, address);
	     i-- > 0 && items[i].reach > address && count < limit;) {
		const struct value *value = &items[i].value;

		if (items[i].high > address && !items[i].weak && value->kind == VALUE_POINTER &&
		    !value->offset && !is_listed(value->type, pointees, count))
			pointees[count++] = value->type;
	}
	return count;
}

size_t facts_records_around(const struct facts *facts, uint8_t reg, int64_t displacement,
			    uint64_t address, struct field_ref *records, size_t limit)
{
	const struct register_fact *items = facts->registers[reg];
	uint32_t depths[FACTS_RECORDS_MAX];
	size_t count = 0;

	assert(limit <= FACTS_RECORDS_MAX);
	for (size_t i = count_begun(facts, reg, address);
	     i-- > 0 && items[i].reach > address && count < limit;) {
		const struct value *value = &items[i].value;
		size_t place = count;
		int64_t offset;

		if (items[i].high <= address || items[i].weak || items[i].everywhere ||
		    value->kind != VALUE_POINTER || value->stride ||
		    __builtin_add_overflow(value->offset, displacement, &offset) || offset < 0 ||
		    !type_is_record(type_strip(value->type)) ||
		    !facts_in_scope(facts, items[i].variable, address))
			continue;
		for (; place && depths[place - 1] < items[i].depth; place--) {
			depths[place] = depths[place - 1];
			records[place] = records[place - 1];
		}
		depths[place] = items[i].depth;
		records[place] = (struct field_ref){ value->type, offset };
		count++;
	}
	return count;
}

size_t facts_records_at(const struct facts *facts, int64_t address, uint64_t code,
			struct field_ref *records, size_t limit)
{
	size_t count = 0;

	for (size_t i = facts->address_count; i-- > 0 && count < limit;) {
		const struct address_fact *fact = &facts->addresses[i];
		int64_t offset;

		if (code >= fact->low && code < fact->high &&
		    type_is_record(type_strip(fact->type)) &&
		    !__builtin_sub_overflow(address, fact->address, &offset) && offset >= 0 &&
		    facts_in_scope(facts, fact->variable, code))
			records[count++] = (struct field_ref){ fact->type, offset };
	}
	return count;
}

const struct stack_fact *facts_in_memory(const struct facts *facts, uint8_t base, int64_t offset,
					 uint64_t size, uint64_t address, uint64_t next_address)
{
	const struct stack_index *index = &facts->stack_index;
	const struct stack_fact *best = NULL;
	struct stack_candidates candidates;
	uint32_t number;

	if (!(facts->stack_bases & REG_BIT(base)))
		return NULL;
	stack_candidates_start(&candidates, index);
	for (size_t i = 0; i < index->base_count; i++)
		if (index->bases[i].reg == base)
			stack_candidates_add(&candidates, index, &index->bases[i], offset);
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &facts->stack[number];
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);

		if (fact->base_reg != base || fact->offset != offset || fact->size != size ||
		    fact->piece_offset || !valid)
			continue;
		if (best && !field_same_type(best->type, fact->type)) {
			if (best->depth == fact->depth)
				return NULL;
			if (best->depth > fact->depth)
				continue;
		}
		best = fact;
	}
	return best;
}

const struct type *facts_at_address(const struct facts *facts, int64_t address)
{
	const struct type *found = NULL;

	for (size_t i = 0; i < facts->address_count; i++) {
		if (facts->addresses[i].address != address)
			continue;
		if (found && !field_same_type(found, facts->addresses[i].type))
			return NULL;
		found = facts->addresses[i].type;
	}
	return found;
}

const struct sum_fact *facts_of_sum(const struct facts *facts, const struct operand *operand,
				    bool in_memory, uint64_t address, uint64_t next_address)
{
	const struct sum_fact *best = NULL;

	array_each (const struct sum_fact, fact, facts->sums, facts->sum_count) {
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);
		bool straight = fact->reg == operand->base && fact->index == operand->index;
		bool crossed = fact->scale == 1 && fact->reg == operand->index &&
			       fact->index == operand->base;

		if (fact->in_memory != in_memory || !valid || fact->scale != operand->scale ||
		    (!straight && !crossed) || !facts_in_scope(facts, fact->variable, address))
			continue;
		if (!best || fact->depth >= best->depth)
			best = fact;
	}
	return best;
}

const struct register_fact *facts_register_reaching(const struct facts *facts, uint8_t reg,
						    uint64_t address, int64_t displacement,
						    int64_t end)
{
	const struct register_fact *items = facts->registers[reg];

	for (size_t i = count_begun(facts, reg, address); i-- > 0 && items[i].reach > address;) {
		const struct value *value = &items[i].value;
		int64_t offset;

		if (items[i].high <= address || items[i].weak || value->kind != VALUE_POINTER ||
		    __builtin_add_overflow(value->offset, displacement, &offset))
			continue;
		if (field_size(value->type) == 1 && offset >= 0 && value->offset <= -end)
			return &items[i];
		if (!type_is_record(type_strip(value->type)))
			continue;
		if (offset >= 0 && (uint64_t)offset < field_size(value->type))
			return &items[i];
	}
	return NULL;
}

static uint64_t code_distance(uint64_t low, uint64_t high, uint64_t address)
{
	if (low >= high)
		return UINT64_MAX;
	return address < low ? low - address : address < high ? 0 : address - (high - 1);
}

uint64_t facts_distance(const struct facts *facts, const struct stack_fact *fact, uint64_t address)
{
	const struct function *function = facts->function;
	const struct scope *scope =
		function && fact->variable != NO_VARIABLE
			? &function->scopes[function->variables[fact->variable].scope]
			: NULL;
	uint64_t nearest = UINT64_MAX;

	if (!scope || !scope->range_count)
		return code_distance(fact->low, fact->high, address);
	for (size_t i = 0; i < scope->range_count; i++) {
		uint64_t low = scope->ranges[i].low > fact->low ? scope->ranges[i].low : fact->low;
		uint64_t high =
			scope->ranges[i].high < fact->high ? scope->ranges[i].high : fact->high;
		uint64_t here = code_distance(low, high, address);

		nearest = here < nearest ? here : nearest;
	}
	return nearest;
}

const struct register_fact *facts_register_cast(const struct facts *facts, uint8_t reg,
						uint64_t address, const struct type *whole,
						int64_t offset, uint64_t size)
{
	const struct register_fact *items = facts->registers[reg], *best = NULL;

	for (size_t i = count_begun(facts, reg, address); i-- > 0 && items[i].reach > address;) {
		const struct value *value = &items[i].value;

		if (items[i].high <= address || items[i].weak || value->kind != VALUE_POINTER ||
		    value->offset || field_same_type(value->type, whole) ||
		    !field_unpacks(value->type, whole, offset, size))
			continue;
		if (!best || is_better_fact(facts, &items[i], best, address))
			best = &items[i];
	}
	return best;
}

const struct register_fact *facts_register_for_code(const struct facts *facts, uint8_t reg,
						    uint64_t address, uint64_t code)
{
	const struct register_fact *items = facts->registers[reg], *best = NULL;

	for (size_t i = count_begun(facts, reg, address); i-- > 0 && items[i].reach > address;)
		if (items[i].high > address &&
		    (!best || !is_better_fact(facts, best, &items[i], code)))
			best = &items[i];
	return best;
}
