// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts from the locations of variables. */
#include "annotate/facts.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/access.h"
#include "annotate/argument.h"
#include "annotate/place.h"

struct fact_list {
	struct register_fact *items;
	size_t count;
	size_t capacity;
};

struct builder {
	struct facts *facts;
	struct fact_list registers[REG_COUNT];
	struct stack_fact *stack;
	size_t stack_count;
	size_t stack_capacity;
	struct stack_fact *pointed;
	size_t pointed_count;
	size_t pointed_capacity;
	struct sum_fact *sums;
	size_t sum_count;
	size_t sum_capacity;
	struct address_fact *addresses;
	size_t address_count;
	size_t address_capacity;
};

static bool is_everywhere(const struct location *location)
{
	return location->low == 0 && location->high == UINT64_MAX;
}

static bool takes_argument(uint8_t reg)
{
	for (size_t i = 0; i < ARGUMENT_REGISTERS; i++)
		if (argument_registers[i] == reg)
			return true;
	return false;
}

/*
 * Is a parameter said to be, everywhere, in a register that no caller passes one in? Then the compiler tells
 * which register it has chosen for each variable, not where that is in it (gcc with -fno-var-tracking, and of
 * what it gives up to follow). A nested function's frame comes in %r10 (psABI 3.2.1).
 */
static bool is_untracked(const struct function *function)
{
	if (function->language != LANGUAGE_C && function->language != LANGUAGE_CXX)
		return false;
	for (size_t i = 0; i < function->variable_count && !function->variables[i].scope; i++) {
		const struct variable *variable = &function->variables[i];
		const struct location *location = variable->locations;
		uint8_t reg = variable->location_count == 1 && location->kind == LOCATION_REGISTER
				      ? reg_from_dwarf(location->reg)
				      : REG_NONE;

		if ((variable->flags & VARIABLE_PARAMETER) && reg_is_general(reg) && reg != REG_R10 &&
		    is_everywhere(location) && !takes_argument(reg))
			return true;
	}
	return false;
}

/* Does the psABI pass this parameter of the function in `reg`? */
static bool is_argument(const struct function *function, const struct variable *variable, uint8_t reg)
{
	struct argument_walk walk;
	struct argument argument;
	uint32_t index = 0;

	if (!(variable->flags & VARIABLE_PARAMETER) || variable->scope || !function->prototype)
		return false;
	arguments_begin(&walk, function->prototype);
	for (; arguments_next(&walk, &argument); index++)
		if (index == variable->parameter_index)
			return argument.registers[0] == reg || argument.registers[1] == reg;
	return false;
}

/* Can a variable that is said to be in `reg` everywhere be what the caller has left there? */
static bool may_be_at_entry(const struct facts *facts, const struct variable *variable, uint8_t reg)
{
	return !facts->untracked || is_argument(facts->function, variable, reg);
}

/* One fact for each range of addresses: a location that holds everywhere holds in its variable's scope. */
static void add_register(struct builder *builder, uint32_t index, const struct location *location,
			 uint8_t reg, const struct value *value, bool weak)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	const struct scope *scope = &function->scopes[variable->scope];
	struct fact_list *list = &builder->registers[reg];
	bool everywhere = is_everywhere(location);
	bool not_at_entry = everywhere && !may_be_at_entry(builder->facts, variable, reg);
	size_t ranges = everywhere && scope->range_count ? scope->range_count : 1;

	for (size_t i = 0; i < ranges; i++) {
		uint64_t low = everywhere && scope->range_count ? scope->ranges[i].low : location->low;
		uint64_t high = everywhere && scope->range_count ? scope->ranges[i].high : location->high;

		if (low >= high)
			continue;
		array_reserve(list->items, list->count, list->capacity);
		list->items[list->count++] = (struct register_fact){
			.low = low,
			.high = high,
			.value = *value,
			.variable = index,
			.depth = scope->depth,
			.everywhere = everywhere,
			.weak = weak,
			.not_at_entry = not_at_entry,
		};
	}
}

/* The declared type of the part of a variable that a location describes; NULL if it is no single value. */
static const struct type *location_type(const struct variable *variable, const struct location *location)
{
	uint64_t size = place_size(variable->type);

	if (!location->piece_size || (location->piece_offset == 0 && location->piece_size == size)) {
		const struct type *bare = type_strip(variable->type);

		/* a record in a register is what its first bytes are */
		if (type_is_record(bare) || bare->kind == TYPE_ARRAY)
			return size <= 8 ? place_scalar(variable->type, 0, size)
					 : place_scalar(variable->type, 0, 8);
		return variable->type;
	}
	return place_scalar(variable->type, location->piece_offset, location->piece_size);
}

/* What a variable says of `size` bytes on the stack, whatever is there. */
static struct stack_fact stack_fact_of(const struct builder *builder, uint32_t index,
				       const struct location *location, uint8_t base_reg, int64_t offset,
				       uint64_t size)
{
	const struct function *function = builder->facts->function;

	return (struct stack_fact){
		.low = location->low,
		.high = location->high,
		.offset = offset,
		.size = size,
		.base_reg = base_reg,
		.variable = index,
		.depth = function->scopes[function->variables[index].scope].depth,
		.how = HOW_VARIABLE,
	};
}

static void add_stack(struct builder *builder, uint32_t index, const struct location *location,
		      uint8_t base_reg, int64_t offset)
{
	const struct variable *variable = &builder->facts->function->variables[index];
	uint64_t size = place_size(variable->type);

	if (location->piece_size)
		size = location->piece_size;
	if (!size)
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, size);

	fact.type = type_canonical(variable->type);
	fact.piece_offset = location->piece_offset;
	array_reserve(builder->stack, builder->stack_count, builder->stack_capacity);
	builder->stack[builder->stack_count++] = fact;
}

/* A pointer variable is the address of something on the stack: what it points to is there. A scalar may be a
 * part of anything. */
static void add_pointed(struct builder *builder, uint32_t index, const struct location *location,
			uint8_t base_reg, int64_t offset)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	const struct type *object = place_pointee(variable->type);
	uint64_t size = object ? place_size(object) : 0;

	if (size < 2 || location->piece_size || !type_is_record(type_strip(object)))
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, size);

	fact.type = object;
	fact.is_self = function->language == LANGUAGE_CXX &&
		       (type_strip(variable->type)->kind == TYPE_REFERENCE ||
			(variable->name && strcmp(variable->name, "this") == 0));
	array_reserve(builder->pointed, builder->pointed_count, builder->pointed_capacity);
	builder->pointed[builder->pointed_count++] = fact;
}

static void add_value_in_register(struct builder *builder, uint32_t index, const struct location *location,
				  int64_t offset)
{
	const struct variable *variable = &builder->facts->function->variables[index];
	uint8_t reg = reg_from_dwarf(location->reg);
	const struct type *type = location_type(variable, location);

	if (reg >= REG_COUNT || !type) /* REG_NONE, too */
		return;
	struct value value = value_of_type(type, HOW_VARIABLE, 0);

	/* the variable's value is reg + offset, so reg is the variable's value less the offset */
	if (value.kind == VALUE_POINTER)
		value.offset -= offset;
	else if (offset)
		return;
	add_register(builder, index, location, reg, &value, false);
}

static void add_memory(struct builder *builder, uint32_t index, const struct location *location)
{
	const struct variable *variable = &builder->facts->function->variables[index];
	uint8_t reg = reg_from_dwarf(location->reg);

	if (reg == REG_NONE || !reg_is_general(reg))
		return;
	add_stack(builder, index, location, reg, location->offset);
	/* in memory through a register that is no stack pointer: a part of some object, or a variable-length
	 * array. A scalar some bytes on says nothing of what it is a part of. */
	if (location->offset && !type_is_record(type_strip(variable->type)) &&
	    type_strip(variable->type)->kind != TYPE_ARRAY)
		return;
	if (reg == REG_RSP || reg == REG_RBP || !place_size(variable->type) || location->piece_size)
		return;
	struct value value = value_pointer(type_canonical(variable->type), -location->offset, HOW_VARIABLE);

	add_register(builder, index, location, reg, &value, true);
}

static void add_sum(struct builder *builder, uint32_t index, const struct location *location)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	uint8_t reg = reg_from_dwarf(location->reg), index_reg = reg_from_dwarf(location->reg2);

	if (!reg_is_general(reg) || !reg_is_general(index_reg) || location->piece_size)
		return;
	array_reserve(builder->sums, builder->sum_count, builder->sum_capacity);
	builder->sums[builder->sum_count++] = (struct sum_fact){
		.low = location->low,
		.high = location->high,
		.offset = location->offset,
		.reg = reg,
		.index = index_reg,
		.scale = location->scale,
		.in_memory = location->kind == LOCATION_SUM_MEMORY,
		.variable = index,
		.depth = function->scopes[variable->scope].depth,
		.type = variable->type,
	};
}

static void add_address(struct builder *builder, uint32_t index, const struct location *location)
{
	const struct type *object = place_pointee(builder->facts->function->variables[index].type);

	if (!object || location->piece_size || type_strip(object)->kind == TYPE_FUNCTION)
		return;
	array_reserve(builder->addresses, builder->address_count, builder->address_capacity);
	builder->addresses[builder->address_count++] =
		(struct address_fact){ .address = location->offset, .type = object };
}

/* At so many bytes from the frame base. */
static void add_on_frame(struct builder *builder, uint32_t index, const struct location *location,
			 void (*add)(struct builder *builder, uint32_t index, const struct location *location,
				     uint8_t base_reg, int64_t offset))
{
	const struct function *function = builder->facts->function;

	if (function->frame_base.kind == FRAME_BASE_CFA) {
		add(builder, index, location, REG_NONE, location->offset);
	} else if (function->frame_base.kind == FRAME_BASE_REGISTER) {
		uint8_t reg = reg_from_dwarf(function->frame_base.reg);

		if (reg_is_general(reg))
			add(builder, index, location, reg, function->frame_base.offset + location->offset);
	}
}

/* %rsp; and %rbp, where the frame is found by it. */
static bool is_frame_register(const struct function *function, uint8_t dwarf_reg)
{
	uint8_t reg = reg_from_dwarf(dwarf_reg);

	for (size_t i = 0; reg == REG_RBP && i < function->frame_row_count; i++)
		if (function->frame_rows[i].kind == CFA_REGISTER && function->frame_rows[i].reg == dwarf_reg)
			return true;
	return reg == REG_RSP;
}

static void add_location(struct builder *builder, uint32_t index, const struct location *location)
{
	const struct function *function = builder->facts->function;

	switch (location->kind) {
	case LOCATION_REGISTER: add_value_in_register(builder, index, location, 0); break;
	case LOCATION_REGISTER_VALUE:
		add_value_in_register(builder, index, location, location->offset);
		if (is_frame_register(function, location->reg))
			add_pointed(builder, index, location, reg_from_dwarf(location->reg),
				    location->offset);
		break;
	case LOCATION_MEMORY: add_memory(builder, index, location); break;
	case LOCATION_ADDRESS_VALUE: add_address(builder, index, location); break;
	case LOCATION_SUM:
	case LOCATION_SUM_MEMORY: add_sum(builder, index, location); break;
	case LOCATION_CFA: add_stack(builder, index, location, REG_NONE, location->offset); break;
	case LOCATION_FRAME: add_on_frame(builder, index, location, add_stack); break;
	case LOCATION_FRAME_VALUE: add_on_frame(builder, index, location, add_pointed); break;
	case LOCATION_CFA_VALUE: add_pointed(builder, index, location, REG_NONE, location->offset); break;
	default: break;
	}
}

static int compare_facts(const void *left, const void *right)
{
	const struct register_fact *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->variable < b->variable ? -1 : a->variable > b->variable;
}

/* Mostly they are: variables come in the order of their scopes, a variable's locations in that of their
 * addresses. */
static bool in_order(const struct fact_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (compare_facts(&list->items[i - 1], &list->items[i]) > 0)
			return false;
	return true;
}

void facts_build(struct facts *facts, const struct function *function)
{
	struct builder builder = { .facts = facts };

	memset(facts, 0, sizeof(*facts));
	facts->function = function;
	facts->untracked = is_untracked(function);
	for (uint32_t i = 0; i < function->variable_count; i++)
		for (size_t j = 0; j < function->variables[i].location_count; j++)
			add_location(&builder, i, &function->variables[i].locations[j]);
	for (size_t reg = 0; reg < REG_COUNT; reg++) {
		struct fact_list *list = &builder.registers[reg];

		if (!list->count)
			continue;
		if (!in_order(list))
			qsort(list->items, list->count, sizeof(*list->items), compare_facts);
		uint64_t reach = 0;

		for (size_t i = 0; i < list->count; i++) {
			if (list->items[i].high > reach)
				reach = list->items[i].high;
			list->items[i].reach = reach;
		}
		facts->registers[reg] = list->items;
		facts->register_counts[reg] = list->count;
	}
	facts->stack = builder.stack;
	facts->stack_count = builder.stack_count;
	facts->pointed = builder.pointed;
	facts->pointed_count = builder.pointed_count;
	stack_index_build(&facts->pointed_index, facts->pointed, facts->pointed_count);
	facts->sums = builder.sums;
	facts->sum_count = builder.sum_count;
	facts->addresses = builder.addresses;
	facts->address_count = builder.address_count;
	facts_index_stack(facts);
}

void facts_index_stack(struct facts *facts)
{
	facts->stack_bases = 0;
	for (size_t i = 0; i < facts->stack_count; i++)
		if (facts->stack[i].base_reg != REG_NONE)
			facts->stack_bases |= REG_BIT(facts->stack[i].base_reg);
	stack_index_release(&facts->stack_index);
	stack_index_build(&facts->stack_index, facts->stack, facts->stack_count);
}

void facts_add_stack(struct facts *facts, const struct stack_fact *fact)
{
	facts->stack = xrealloc_array(facts->stack, facts->stack_count + 1, sizeof(*facts->stack));
	facts->stack[facts->stack_count++] = *fact;
}

void facts_release(struct facts *facts)
{
	for (size_t reg = 0; reg < REG_COUNT; reg++)
		free(facts->registers[reg]);
	free(facts->stack);
	free(facts->pointed);
	stack_index_release(&facts->pointed_index);
	free(facts->sums);
	free(facts->addresses);
	stack_index_release(&facts->stack_index);
	memset(facts, 0, sizeof(*facts));
}
