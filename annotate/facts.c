// SPDX-License-Identifier: GPL-2.0-or-later
/* What the debug information says of values: see facts.h. */
#include "annotate/facts.h"

#include "annotate/access.h"
#include "annotate/place.h"
#include "profiler/base/search.h"

bool facts_in_scope(const struct facts *facts, uint32_t variable, uint64_t address)
{
	const struct function *function = facts->function;

	if (!function || variable == NO_VARIABLE)
		return true;
	const struct scope *scope = &function->scopes[function->variables[variable].scope];

	if (!scope->range_count)
		return true;
	for (size_t i = 0; i < scope->range_count; i++)
		if (address >= scope->ranges[i].low && address < scope->ranges[i].high)
			return true;
	return false;
}

/* Two types of one address, of which the scopes say which is meant; words that were once read as records are
 * these. */
static bool is_cast(const struct register_fact *a, const struct register_fact *b)
{
	return a->value.kind == VALUE_POINTER && b->value.kind == VALUE_POINTER &&
	       a->value.offset == b->value.offset && !place_same_type(a->value.type, b->value.type) &&
	       type_is_record(type_strip(a->value.type)) == type_is_record(type_strip(b->value.type));
}

/* Is `a` the better account of the same register at `address` than `b`, which begins no later? */
static bool better(const struct facts *facts, const struct register_fact *a, const struct register_fact *b,
		   uint64_t address)
{
	bool pointer_a = a->value.kind == VALUE_POINTER, pointer_b = b->value.kind == VALUE_POINTER;

	if (pointer_a != pointer_b)
		return pointer_a;
	if (a->weak != b->weak)
		return b->weak;
	if (!pointer_a)
		return a->low > b->low || (a->low == b->low && a->depth >= b->depth);
	if (place_contains(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return false;
	if (place_contains(a->value.type, a->value.offset - b->value.offset, b->value.type))
		return true;
	if (place_has_integer(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return false;
	if (place_has_integer(a->value.type, a->value.offset - b->value.offset, b->value.type))
		return true;
	if (is_cast(a, b)) {
		if (place_keeps(b->value.type, 0, a->value.type))
			return false;
		if (place_keeps(a->value.type, 0, b->value.type))
			return true;
		/* one of the scopes means it */
		bool in_a = facts_in_scope(facts, a->variable, address);

		if (in_a != facts_in_scope(facts, b->variable, address))
			return in_a;
	}
	return a->low > b->low || (a->low == b->low && a->depth >= b->depth);
}

/* How many facts of `reg` begin at or before `address`. */
static size_t begun(const struct facts *facts, uint8_t reg, uint64_t address)
{
	const struct register_fact *items = facts->registers[reg];

	return partition_point(0, facts->register_counts[reg], i, items[i].low <= address);
}

void fact_window_move(struct fact_window *window, const struct facts *facts, uint8_t reg, uint64_t address)
{
	const struct register_fact *items = facts->registers[reg];
	size_t count = begun(facts, reg, address), i = count;
	bool varies = false;

	*window = (struct fact_window){
		.low = count ? items[count - 1].low : 0,
		.high = count < facts->register_counts[reg] ? items[count].low : UINT64_MAX,
	};
	while (i-- > 0) {
		/* what is over, with all before it, was not over further down */
		if (items[i].reach <= address) {
			window->low = items[i].reach > window->low ? items[i].reach : window->low;
			break;
		}
		if (items[i].high <= address) {
			window->low = items[i].high > window->low ? items[i].high : window->low;
			continue;
		}
		window->high = items[i].high < window->high ? items[i].high : window->high;
		/* which of two types is meant may depend on the scopes at the address */
		varies |= window->fact && is_cast(window->fact, &items[i]);
		if (!window->fact || !better(facts, window->fact, &items[i], address))
			window->fact = &items[i];
	}
	if (varies) {
		window->low = address;
		window->high = address + 1;
	}
}

const struct register_fact *facts_register(const struct facts *facts, uint8_t reg, uint64_t address)
{
	struct fact_window window;

	fact_window_move(&window, facts, reg, address);
	return window.fact;
}

const struct stack_fact *facts_in_memory(const struct facts *facts, uint8_t base, int64_t offset,
					 uint64_t size, uint64_t address, uint64_t next_address)
{
	const struct stack_fact *best = NULL;

	if (!(facts->stack_bases & REG_BIT(base)))
		return NULL;
	for (size_t i = 0; i < facts->stack_count; i++) {
		const struct stack_fact *fact = &facts->stack[i];
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);

		if (fact->base_reg != base || fact->offset != offset || fact->size != size ||
		    fact->piece_offset || !valid)
			continue;
		if (best && !place_same_type(best->type, fact->type)) {
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
		if (found && !place_same_type(found, facts->addresses[i].type))
			return NULL;
		found = facts->addresses[i].type;
	}
	return found;
}

const struct sum_fact *facts_of_sum(const struct facts *facts, const struct operand *operand, bool in_memory,
				    uint64_t address, uint64_t next_address)
{
	const struct sum_fact *best = NULL;

	for (size_t i = 0; i < facts->sum_count; i++) {
		const struct sum_fact *fact = &facts->sums[i];
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);
		bool straight = fact->reg == operand->base && fact->index == operand->index;
		bool crossed =
			fact->scale == 1 && fact->reg == operand->index && fact->index == operand->base;

		if (fact->in_memory != in_memory || !valid || fact->scale != operand->scale ||
		    (!straight && !crossed) || !facts_in_scope(facts, fact->variable, address))
			continue;
		if (!best || fact->depth >= best->depth)
			best = fact;
	}
	return best;
}

const struct register_fact *facts_register_reaching(const struct facts *facts, uint8_t reg, uint64_t address,
						    int64_t displacement)
{
	const struct register_fact *items = facts->registers[reg];

	for (size_t i = begun(facts, reg, address); i-- > 0 && items[i].reach > address;) {
		const struct value *value = &items[i].value;
		int64_t offset;

		if (items[i].high <= address || items[i].weak || value->kind != VALUE_POINTER ||
		    !type_is_record(type_strip(value->type)) ||
		    __builtin_add_overflow(value->offset, displacement, &offset))
			continue;
		if (offset >= 0 && (uint64_t)offset < place_size(value->type))
			return &items[i];
	}
	return NULL;
}

static uint64_t distance(uint64_t low, uint64_t high, uint64_t address)
{
	if (low >= high)
		return UINT64_MAX;
	return address < low ? low - address : address < high ? 0 : address - (high - 1);
}

uint64_t facts_distance(const struct facts *facts, const struct stack_fact *fact, uint64_t address)
{
	const struct function *function = facts->function;
	const struct scope *scope = function && fact->variable != NO_VARIABLE
					    ? &function->scopes[function->variables[fact->variable].scope]
					    : NULL;
	uint64_t nearest = UINT64_MAX;

	if (!scope || !scope->range_count)
		return distance(fact->low, fact->high, address);
	for (size_t i = 0; i < scope->range_count; i++) {
		uint64_t low = scope->ranges[i].low > fact->low ? scope->ranges[i].low : fact->low;
		uint64_t high = scope->ranges[i].high < fact->high ? scope->ranges[i].high : fact->high;
		uint64_t here = distance(low, high, address);

		nearest = here < nearest ? here : nearest;
	}
	return nearest;
}

const struct register_fact *facts_register_cast(const struct facts *facts, uint8_t reg, uint64_t address,
						const struct type *whole, int64_t offset, uint64_t size)
{
	const struct register_fact *items = facts->registers[reg], *best = NULL;

	for (size_t i = begun(facts, reg, address); i-- > 0 && items[i].reach > address;) {
		const struct value *value = &items[i].value;

		if (items[i].high <= address || items[i].weak || value->kind != VALUE_POINTER ||
		    value->offset || place_same_type(value->type, whole) ||
		    !place_unpacks(value->type, whole, offset, size))
			continue;
		if (!best || better(facts, &items[i], best, address))
			best = &items[i];
	}
	return best;
}
