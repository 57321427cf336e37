// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Facts: see facts.h.
 *
 * In order: an index of stack memory by position; facts from the locations of variables; queries;
 * the schedule.
 */
#include "annotate/facts.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/access.h"
#include "annotate/abi.h"
#include "annotate/field.h"
#include "annotate/rules/rules.h"
#include "annotate/selves.h"
#include "profiler/base/memory.h"

/* ---- an index of stack memory */

/* If more facts than this share a position on average, no pieces are made and all facts are
 * searched. In real functions few variables share a position. */
#define OVERLAP 16

/* Memory from `low` up to the next piece. */
struct stack_piece {
	int64_t low;
	uint32_t first; /* index in `numbers` */
	uint32_t count;
};

static int64_t end_of(const struct stack_fact *fact)
{
	int64_t end;

	return fact->size > INT64_MAX ||
			       __builtin_add_overflow(fact->offset, (int64_t)fact->size, &end)
		       ? INT64_MAX
		       : end;
}

static int compare_offsets(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* Cuts the memory into pieces, one from each place where a fact begins or ends to the next. */
static void cut_into_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	int64_t *cuts = xrealloc_array(NULL, 2 * count + 1, sizeof(*cuts));
	size_t cut_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (facts[i].base_reg != REG_NONE)
			continue;
		cuts[cut_count++] = facts[i].offset;
		cuts[cut_count++] = end_of(&facts[i]);
	}
	if (cut_count)
		qsort(cuts, cut_count, sizeof(*cuts), compare_offsets);
	index->pieces = xcalloc(cut_count + 1, sizeof(*index->pieces));
	for (size_t i = 0; i < cut_count; i++)
		if (!i || cuts[i] != cuts[i - 1])
			index->pieces[index->piece_count++].low = cuts[i];
	free(cuts);
}

/* Returns the last piece that begins at or before `offset`; NULL if none does. */
static struct stack_piece *piece_at(const struct stack_index *index, int64_t offset)
{
	size_t after = partition_point(0, index->piece_count, i, index->pieces[i].low <= offset);

	return after ? &index->pieces[after - 1] : NULL;
}

/* Counts the entries of each piece's list. Returns their sum, or just more than OVERLAP * count if
 * there are too many. */
static size_t count_members(struct stack_index *index, const struct stack_fact *facts, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count && total <= OVERLAP * count; i++) {
		if (facts[i].base_reg != REG_NONE)
			continue;
		for (struct stack_piece *piece = piece_at(index, facts[i].offset);
		     piece < index->pieces + index->piece_count && piece->low < end_of(&facts[i]);
		     piece++) {
			piece->count++;
			total++;
		}
	}
	return total;
}

static void fill_pieces(struct stack_index *index, const struct stack_fact *facts, size_t count,
			size_t total)
{
	uint32_t next = 0;
	uint32_t *based;

	index->numbers = xrealloc_array(NULL, total + count + 1, sizeof(*index->numbers));
	index->based = based = index->numbers + total;
	for (size_t i = 0; i < index->piece_count; i++) {
		index->pieces[i].first = next;
		next += index->pieces[i].count;
		index->pieces[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (facts[i].base_reg != REG_NONE) {
			based[index->based_count++] = i;
			continue;
		}
		for (struct stack_piece *piece = piece_at(index, facts[i].offset);
		     piece < index->pieces + index->piece_count && piece->low < end_of(&facts[i]);
		     piece++)
			index->numbers[piece->first + piece->count++] = i;
	}
}

static void stack_index_build(struct stack_index *index, const struct stack_fact *facts,
			      size_t count)
{
	size_t total;

	*index = (struct stack_index){ 0 };
	if (!count)
		return;
	cut_into_pieces(index, facts, count);
	total = count_members(index, facts, count);
	if (total <= OVERLAP * count) {
		fill_pieces(index, facts, count, total);
		return;
	}
	/* Every fact goes into the list of those with a base register, which is always searched
	 * whole. */
	index->piece_count = 0;
	index->numbers = xrealloc_array(NULL, count, sizeof(*index->numbers));
	for (uint32_t i = 0; i < count; i++)
		index->numbers[i] = i;
	index->based = index->numbers;
	index->based_count = count;
}

static void stack_index_deinit(struct stack_index *index)
{
	free(index->pieces);
	free(index->numbers);
	*index = (struct stack_index){ 0 };
}

struct stack_candidates stack_index_at(const struct stack_index *index, bool from_cfa,
				       int64_t offset)
{
	const struct stack_piece *piece = from_cfa ? piece_at(index, offset) : NULL;
	struct stack_candidates candidates = { .based = index->based,
					       .based_end = index->based + index->based_count };

	if (piece) {
		candidates.here = index->numbers + piece->first;
		candidates.here_end = candidates.here + piece->count;
	}
	return candidates;
}

/* ---- facts from the locations of variables */

struct fact_list {
	struct register_fact *items;
	size_t count;
	size_t capacity;
};

struct fact_builder {
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

static bool takes_argument(const struct convention *call, uint8_t reg)
{
	for (size_t i = 0; i < call->argument_count; i++)
		if (call->arguments[i] == reg)
			return true;
	return false;
}

/*
 * True if a parameter is said to be everywhere in a register in which no caller passes one. Then
 * the compiler only names the register that it chose for each variable (gcc with -fno-var-tracking,
 * and in functions whose variables it gives up tracking). The static chain's register is left out:
 * it has a nested function's frame.
 */
static bool is_untracked(const struct arch *arch, const struct function *function)
{
	if (function->language != LANGUAGE_C && function->language != LANGUAGE_CXX)
		return false;
	for (size_t i = 0; i < function->variable_count && !function->variables[i].scope; i++) {
		const struct variable *variable = &function->variables[i];
		const struct location *location = variable->locations;
		uint8_t reg = variable->location_count == 1 && location->kind == LOCATION_REGISTER
				      ? arch_reg_from_dwarf(arch, location->reg)
				      : REG_NONE;

		if ((variable->flags & VARIABLE_PARAMETER) && reg_is_general(reg) &&
		    reg != arch->call.static_chain && is_everywhere(location) &&
		    !takes_argument(&arch->call, reg))
			return true;
	}
	return false;
}

/* True if the calling convention passes this parameter in `reg`. */
static bool is_argument(const struct abi *abi, const struct function *function,
			const struct variable *variable, uint8_t reg)
{
	struct argument_walk walk;
	struct argument argument;
	uint32_t index = 0;

	if (!(variable->flags & VARIABLE_PARAMETER) || variable->scope || !function->prototype)
		return false;
	arguments_begin(&walk, abi, function->prototype);
	for (; arguments_next(&walk, &argument); index++)
		if (index == variable->parameter_index)
			return argument.registers[0] == reg || argument.registers[1] == reg;
	return false;
}

/* True if a variable that is said to be in `reg` everywhere can be what the caller left there. */
static bool may_be_at_entry(const struct facts *facts, const struct variable *variable, uint8_t reg)
{
	return !facts->untracked || is_argument(facts->abi, facts->function, variable, reg);
}

/* Adds one fact for each range of addresses in which the location holds. One that holds everywhere
 * is limited to its variable's scope. So are those of Go's compiler, which locates the variables of
 * all cases of a type switch where the switched value is, even before the switch. */
static void add_register(struct fact_builder *builder, uint32_t index,
			 const struct location *location, uint8_t reg, const struct value *value,
			 bool weak)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	const struct scope *scope = &function->scopes[variable->scope];
	struct fact_list *list = &builder->registers[reg];
	bool everywhere = is_everywhere(location);
	bool not_at_entry = everywhere && !may_be_at_entry(builder->facts, variable, reg);
	bool limited = scope->range_count &&
		       (everywhere || (variable->scope && function->language == LANGUAGE_GO));
	size_t ranges = limited ? scope->range_count : 1;

	for (size_t i = 0; i < ranges; i++) {
		uint64_t low = location->low, high = location->high;

		if (limited && (everywhere || scope->ranges[i].low > low))
			low = scope->ranges[i].low;
		if (limited && (everywhere || scope->ranges[i].high < high))
			high = scope->ranges[i].high;
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

/* Returns the declared type of the part of a variable that a location describes; NULL if it is no
 * single value. */
static const struct type *location_type(const struct variable *variable,
					const struct location *location)
{
	uint64_t size = field_size(variable->type);

	if (!location->piece_size ||
	    (location->piece_offset == 0 && location->piece_size == size)) {
		const struct type *bare = type_strip(variable->type);

		/* a register holds the first bytes of a record */
		if (type_is_record(bare) || bare->kind == TYPE_ARRAY)
			return size <= 8 ? field_scalar(variable->type, 0, size)
					 : field_scalar(variable->type, 0, 8);
		return variable->type;
	}
	return field_scalar(variable->type, location->piece_offset, location->piece_size);
}

/* Returns the fact of `size` bytes on the stack, without a type. */
static struct stack_fact stack_fact_of(const struct fact_builder *builder, uint32_t index,
				       const struct location *location, uint8_t base_reg,
				       int64_t offset, uint64_t size)
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

static void add_stack(struct fact_builder *builder, uint32_t index, const struct location *location,
		      uint8_t base_reg, int64_t offset)
{
	const struct variable *variable = &builder->facts->function->variables[index];
	uint64_t size = field_size(variable->type);

	bool open = field_is_named_only(variable->type) && rule_is_on(RULE_INCOMPLETE_VARIABLE);

	if (location->piece_size)
		size = location->piece_size;
	if (!size && !open)
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, size);

	fact.open = open;
	fact.type = type_canonical(variable->type);
	fact.piece_offset = location->piece_offset;
	array_reserve(builder->stack, builder->stack_count, builder->stack_capacity);
	builder->stack[builder->stack_count++] = fact;
}

/* Adds the object that a pointer variable points to, if the variable's value is an address on the
 * stack. A scalar may be a part of anything, so only records count. */
static void add_pointed(struct fact_builder *builder, uint32_t index,
			const struct location *location, uint8_t base_reg, int64_t offset)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	const struct type *object = field_pointee(variable->type);
	uint64_t size = object ? field_size(object) : 0;

	if (size < 2 || location->piece_size || !type_is_record(type_strip(object)))
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, size);

	fact.type = object;
	fact.is_self = selves_is_self(function, variable);
	array_reserve(builder->pointed, builder->pointed_count, builder->pointed_capacity);
	builder->pointed[builder->pointed_count++] = fact;
}

static const struct arch *arch_of(const struct fact_builder *builder)
{
	return builder->facts->abi->arch;
}

static void add_value_in_register(struct fact_builder *builder, uint32_t index,
				  const struct location *location, int64_t offset)
{
	const struct variable *variable = &builder->facts->function->variables[index];
	uint8_t reg = arch_reg_from_dwarf(arch_of(builder), location->reg);
	const struct type *type = location_type(variable, location);

	if (reg >= REG_COUNT || !type) /* REG_NONE is above REG_COUNT, too */
		return;
	struct value value = value_of_type(type, HOW_VARIABLE, 0);

	/* the variable is reg + offset, so reg is the variable less the offset */
	if (value.kind == VALUE_POINTER)
		value.offset -= offset;
	else if (offset)
		return;
	add_register(builder, index, location, reg, &value, false);
}

static void add_memory(struct fact_builder *builder, uint32_t index,
		       const struct location *location)
{
	const struct arch *arch = arch_of(builder);
	const struct variable *variable = &builder->facts->function->variables[index];
	uint8_t reg = arch_reg_from_dwarf(arch_of(builder), location->reg);

	if (reg == REG_NONE || !reg_is_general(reg))
		return;
	add_stack(builder, index, location, reg, location->offset);
	/* Memory at an offset from a register that is no stack pointer is a part of an object or a
	 * variable-length array. A scalar some bytes into it says nothing about the whole. */
	if (location->offset && !type_is_record(type_strip(variable->type)) &&
	    type_strip(variable->type)->kind != TYPE_ARRAY)
		return;
	if (reg == arch->stack_pointer || reg == arch->frame_pointer ||
	    !field_size(variable->type) || location->piece_size)
		return;
	struct value value =
		value_pointer(type_canonical(variable->type), -location->offset, HOW_VARIABLE);

	add_register(builder, index, location, reg, &value, true);
}

static void add_sum(struct fact_builder *builder, uint32_t index, const struct location *location)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];
	uint8_t reg = arch_reg_from_dwarf(arch_of(builder), location->reg),
		index_reg = arch_reg_from_dwarf(arch_of(builder), location->reg2);

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

static void add_address(struct fact_builder *builder, uint32_t index,
			const struct location *location)
{
	const struct type *object = field_pointee(builder->facts->function->variables[index].type);

	if (!object || location->piece_size || type_strip(object)->kind == TYPE_FUNCTION)
		return;
	array_reserve(builder->addresses, builder->address_count, builder->address_capacity);
	builder->addresses[builder->address_count++] =
		(struct address_fact){ .address = location->offset, .type = object };
}

/* Adds a location at an offset from the frame base. */
static void add_on_frame(struct fact_builder *builder, uint32_t index,
			 const struct location *location,
			 void (*add)(struct fact_builder *builder, uint32_t index,
				     const struct location *location, uint8_t base_reg,
				     int64_t offset))
{
	const struct function *function = builder->facts->function;

	if (function->frame_base.kind == FRAME_BASE_CFA) {
		add(builder, index, location, REG_NONE, location->offset);
	} else if (function->frame_base.kind == FRAME_BASE_REGISTER) {
		uint8_t reg = arch_reg_from_dwarf(arch_of(builder), function->frame_base.reg);

		if (reg_is_general(reg))
			add(builder, index, location, reg,
			    function->frame_base.offset + location->offset);
	}
}

/* True for the stack pointer, and for the frame pointer if it is the frame's base. */
static bool is_frame_register(const struct arch *arch, const struct function *function,
			      uint8_t dwarf_reg)
{
	uint8_t reg = arch_reg_from_dwarf(arch, dwarf_reg);

	for (size_t i = 0; reg == arch->frame_pointer && i < function->frame_row_count; i++)
		if (function->frame_rows[i].kind == CFA_REGISTER &&
		    function->frame_rows[i].reg == dwarf_reg)
			return true;
	return reg == arch->stack_pointer;
}

/*
 * Adds where a parameter is at the function's entry, from a location that says that the parameter
 * is what a register held there. gcc often says nothing else of a parameter that a loop changes.
 */
static void add_at_entry(struct fact_builder *builder, uint32_t index,
			 const struct location *location)
{
	const struct function *function = builder->facts->function;
	const struct variable *variable = &function->variables[index];

	if (!(variable->flags & VARIABLE_PARAMETER) || variable->scope || !function->range_count)
		return;
	struct location entry = *location;

	entry.low = function->ranges[0].low;
	entry.high = entry.low + 1;
	add_value_in_register(builder, index, &entry, location->offset);
}

static void add_location(struct fact_builder *builder, uint32_t index,
			 const struct location *location)
{
	const struct function *function = builder->facts->function;

	switch (location->kind) {
	case LOCATION_REGISTER: add_value_in_register(builder, index, location, 0); break;
	case LOCATION_REGISTER_VALUE:
		add_value_in_register(builder, index, location, location->offset);
		if (is_frame_register(arch_of(builder), function, location->reg))
			add_pointed(builder, index, location,
				    arch_reg_from_dwarf(arch_of(builder), location->reg),
				    location->offset);
		break;
	case LOCATION_ENTRY_VALUE: add_at_entry(builder, index, location); break;
	case LOCATION_MEMORY: add_memory(builder, index, location); break;
	case LOCATION_ADDRESS_VALUE: add_address(builder, index, location); break;
	case LOCATION_SUM:
	case LOCATION_SUM_MEMORY: add_sum(builder, index, location); break;
	case LOCATION_CFA: add_stack(builder, index, location, REG_NONE, location->offset); break;
	case LOCATION_FRAME: add_on_frame(builder, index, location, add_stack); break;
	case LOCATION_FRAME_VALUE: add_on_frame(builder, index, location, add_pointed); break;
	case LOCATION_CFA_VALUE:
		add_pointed(builder, index, location, REG_NONE, location->offset);
		break;
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

/* Most lists are sorted already: variables come in the order of their scopes, locations in the
 * order of their addresses. */
static bool in_order(const struct fact_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (compare_facts(&list->items[i - 1], &list->items[i]) > 0)
			return false;
	return true;
}

static bool scope_nests(const struct function *function, uint32_t outer, uint32_t inner)
{
	uint32_t at = function->variables[inner].scope;

	for (; at != function->variables[outer].scope; at = function->scopes[at].parent)
		if (!at)
			return false;
	return true;
}

/* True for a variable that may be a member of another: a scalar that the compiler says is in memory
 * only for a while, mostly because it was loaded from there. */
static bool may_be_member(const struct stack_fact *fact)
{
	const struct type *bare = type_strip(fact->type);

	return (fact->low || fact->high != UINT64_MAX) && !type_is_record(bare) &&
	       bare->kind != TYPE_ARRAY;
}

/* Returns the size of a variable whose class is only declared: the distance to the next variable
 * that can be alive at the same time, or 0 if that is not known. */
static uint64_t open_size(const struct fact_builder *builder, const struct stack_fact *fact)
{
	const struct function *function = builder->facts->function;
	int64_t end = fact->base_reg == REG_NONE ? arch_frame_end(arch_of(builder)) : fact->offset;

	for (size_t i = 0; i < builder->stack_count; i++) {
		const struct stack_fact *other = &builder->stack[i];

		if (other->base_reg == fact->base_reg && other->offset > fact->offset &&
		    !may_be_member(other) && (end <= fact->offset || other->offset < end) &&
		    (scope_nests(function, fact->variable, other->variable) ||
		     scope_nests(function, other->variable, fact->variable)))
			end = other->offset;
	}
	return end > fact->offset ? (uint64_t)(end - fact->offset) : 0;
}

/* Sets the sizes of the variables whose classes are only declared, and drops those that have none.
 */
static void set_open_sizes(struct fact_builder *builder)
{
	size_t kept = 0;

	for (size_t i = 0; i < builder->stack_count; i++)
		if (builder->stack[i].open)
			builder->stack[i].size = open_size(builder, &builder->stack[i]);
	for (size_t i = 0; i < builder->stack_count; i++)
		if (builder->stack[i].size)
			builder->stack[kept++] = builder->stack[i];
	builder->stack_count = kept;
}

void facts_build(struct facts *facts, const struct abi *abi, const struct function *function)
{
	struct fact_builder builder = { .facts = facts };

	memset(facts, 0, sizeof(*facts));
	facts->abi = abi;
	facts->function = function;
	facts->untracked = is_untracked(abi->arch, function);
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
	set_open_sizes(&builder);
	facts->stack = builder.stack;
	facts->stack_count = builder.stack_count;
	selves_build(&facts->selves, abi->arch, function);
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
	free(facts->stack);
	free(facts->pointed);
	selves_deinit(&facts->selves);
	stack_index_deinit(&facts->pointed_index);
	free(facts->sums);
	free(facts->addresses);
	stack_index_deinit(&facts->stack_index);
	memset(facts, 0, sizeof(*facts));
}

/* ---- queries */

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

/* True if `a` is the better fact of the register at `address`. `b` begins no later than `a`. */
static bool is_better_fact(const struct facts *facts, const struct register_fact *a,
			   const struct register_fact *b, uint64_t address)
{
	bool pointer_a = a->value.kind == VALUE_POINTER, pointer_b = b->value.kind == VALUE_POINTER;

	if (pointer_a != pointer_b)
		return pointer_a;
	if (a->weak != b->weak)
		return b->weak;
	if (!pointer_a)
		return a->low > b->low || (a->low == b->low && a->depth >= b->depth);
	if (field_contains(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return false;
	if (field_contains(a->value.type, a->value.offset - b->value.offset, b->value.type))
		return true;
	if (field_has_integer(b->value.type, b->value.offset - a->value.offset, a->value.type))
		return false;
	if (field_has_integer(a->value.type, a->value.offset - b->value.offset, b->value.type))
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

static void fact_window_move(struct fact_window *window, const struct facts *facts, uint8_t reg,
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

	for (size_t i = 0; i < facts->sum_count; i++) {
		const struct sum_fact *fact = &facts->sums[i];
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
						    uint64_t address, int64_t displacement)
{
	const struct register_fact *items = facts->registers[reg];

	for (size_t i = count_begun(facts, reg, address); i-- > 0 && items[i].reach > address;) {
		const struct value *value = &items[i].value;
		int64_t offset;

		if (items[i].high <= address || items[i].weak || value->kind != VALUE_POINTER ||
		    !type_is_record(type_strip(value->type)) ||
		    __builtin_add_overflow(value->offset, displacement, &offset))
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

/* ---- which facts are due where */

static uint64_t all_facts(const struct facts *facts)
{
	uint64_t mask = 0;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (facts->register_counts[reg])
			mask |= REG_BIT(reg);
	return mask;
}

/* Marks the instruction from which a fact of `reg` holds: that at `low`, or the next one if the
 * range begins within an instruction. */
static void mark_start(struct schedule *schedule, unsigned int reg, uint64_t low)
{
	int64_t insn = -1;

	for (unsigned int skip = 0; skip <= schedule->code->arch->insn_length_max && insn < 0;
	     skip++)
		insn = cfg_find(schedule->code, low + skip);
	if (insn >= 0)
		schedule->starts[insn] |= REG_BIT(reg);
}

static void mark_starts(struct schedule *schedule)
{
	const struct facts *facts = schedule->facts;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		for (size_t i = 0; i < facts->register_counts[reg]; i++) {
			const struct register_fact *fact = &facts->registers[reg][i];
			const struct function *function = facts->function;
			const struct scope *scope =
				&function->scopes[function->variables[fact->variable].scope];

			if (!i || fact[-1].low != fact->low)
				mark_start(schedule, reg, fact->low);
			/* where the fact's own scope begins or ends, another variable may become
			 * the better one */
			for (size_t j = 0; j < scope->range_count; j++) {
				if (scope->ranges[j].low > fact->low &&
				    scope->ranges[j].low < fact->high)
					mark_start(schedule, reg, scope->ranges[j].low);
				if (scope->ranges[j].high > fact->low &&
				    scope->ranges[j].high < fact->high)
					mark_start(schedule, reg, scope->ranges[j].high);
			}
		}
	}
}

static uint8_t base_register(const struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].base != REG_NONE)
			return insn->operands[i].base;
	return REG_NONE;
}

static const struct register_fact *fact_at(struct schedule *schedule, uint8_t reg, uint64_t address)
{
	struct fact_window *window = &schedule->windows[reg];

	if (!fact_window_holds(window, address))
		fact_window_move(window, schedule->facts, reg, address);
	return window->fact;
}

/* Returns the best of the facts of `reg` that hold at `address`, for an instruction at `code`. The
 * scope of that instruction decides between two types of one pointer; it may have ended at
 * `address`. */
static const struct register_fact *fact_for_code(const struct facts *facts, uint8_t reg,
						 uint64_t address, uint64_t code)
{
	const struct register_fact *items = facts->registers[reg], *best = NULL;

	for (size_t i = count_begun(facts, reg, address); i-- > 0 && items[i].reach > address;)
		if (items[i].high > address &&
		    (!best || !is_better_fact(facts, best, &items[i], code)))
			best = &items[i];
	return best;
}

/* A fact of a register that begins later in a block. */
struct coming_fact {
	const struct register_fact *fact; /* NULL: there is none */
	uint64_t address;                 /* of the instruction at which it begins */
	bool varies;                      /* the scopes decided between several facts */
};

/* Finds the coming facts of a block by walking it backwards. */
static void find_coming(struct schedule *schedule, const struct basic_block *block)
{
	const struct cfg *code = schedule->code;
	struct coming_fact next[REG_GENERAL_COUNT] = { 0 };

	for (uint32_t j = block->first + block->count; j-- > block->first;) {
		const struct insn *insn = &code->insns[j];
		uint64_t written = schedule_written(schedule->call, insn);
		uint8_t base = base_register(insn);

		for (uint64_t left = written & GENERAL_MASK; left; left &= left - 1)
			next[__builtin_ctzll(left)].fact = NULL;
		schedule->coming[j] = reg_is_general(base) ? next[base].fact : NULL;
		if (schedule->coming[j] && next[base].varies)
			schedule->coming[j] = fact_for_code(schedule->facts, base,
							    next[base].address, insn->address);
		for (uint64_t left = schedule->starts[j] & GENERAL_MASK; left; left &= left - 1) {
			uint8_t reg = (uint8_t)__builtin_ctzll(left);
			const struct register_fact *fact = fact_at(schedule, reg, insn->address);

			if (fact && !fact->weak && fact->value.kind == VALUE_POINTER)
				next[reg] = (struct coming_fact){
					.fact = fact,
					.address = insn->address,
					.varies = schedule->windows[reg].varies,
				};
		}
	}
}

/* Finds the facts that are due: all that hold at the block's start; those that begin at an
 * instruction; and those of a register that the instruction before has written. */
static void find_due(struct schedule *schedule, const struct basic_block *block)
{
	const struct cfg *code = schedule->code;
	uint64_t mask = schedule->registers;

	for (uint32_t j = block->first; j < block->first + block->count; j++) {
		const struct insn *insn = &code->insns[j];

		schedule->due_at[j].first = schedule->due_count;
		for (uint64_t left = (mask | schedule->starts[j]) & schedule->registers; left;
		     left &= left - 1) {
			uint8_t reg = (uint8_t)__builtin_ctzll(left);
			const struct register_fact *fact = fact_at(schedule, reg, insn->address);

			if (!fact)
				continue;
			array_reserve(schedule->due, schedule->due_count, schedule->due_capacity);
			schedule->due[schedule->due_count++] = (struct due_fact){ fact, reg };
		}
		schedule->due_at[j].end = schedule->due_count;
		mask = schedule_written(schedule->call, insn);
	}
}

void schedule_block(struct schedule *schedule, uint32_t index)
{
	const struct basic_block *block = &schedule->code->blocks[index];

	if (schedule->built[index])
		return;
	schedule->built[index] = true;
	find_due(schedule, block);
	find_coming(schedule, block);
}

static void need_schedule(struct schedule *schedule)
{
	size_t insns = schedule->code->insn_count, blocks = schedule->code->block_count;

	if (insns > schedule->insn_capacity) {
		free(schedule->starts);
		free(schedule->due_at);
		free(schedule->coming);
		schedule->starts = xrealloc_array(NULL, insns, sizeof(*schedule->starts));
		schedule->due_at = xrealloc_array(NULL, insns, sizeof(*schedule->due_at));
		schedule->coming = xrealloc_array(NULL, insns, sizeof(*schedule->coming));
		schedule->insn_capacity = insns;
	}
	if (blocks > schedule->block_capacity) {
		schedule->built = xrealloc_array(schedule->built, blocks, sizeof(*schedule->built));
		schedule->block_capacity = blocks;
	}
}

void schedule_start(struct schedule *schedule, const struct facts *facts, const struct cfg *code,
		    const struct convention *call)
{
	schedule->call = call;
	schedule->facts = facts;
	schedule->code = code;
	need_schedule(schedule);
	memset(schedule->starts, 0, code->insn_count * sizeof(*schedule->starts));
	memset(schedule->built, 0, code->block_count * sizeof(*schedule->built));
	memset(schedule->windows, 0, sizeof(schedule->windows));
	schedule->due_count = 0;
	schedule->registers = all_facts(facts);
	mark_starts(schedule);
}

void schedule_deinit(struct schedule *schedule)
{
	free(schedule->starts);
	free(schedule->built);
	free(schedule->due_at);
	free(schedule->due);
	free(schedule->coming);
	memset(schedule, 0, sizeof(*schedule));
}
