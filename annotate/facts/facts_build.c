// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts from the locations of variables: see facts.h. */

#include "annotate/access.h"
#include "annotate/facts/abi.h"
#include "annotate/facts/arguments.h"
#include "annotate/facts/facts.h"
#include "annotate/facts/selves.h"
#include "annotate/policy.h"
#include "annotate/types/field.h"
#include "base/memory.h"

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

/* True for an instruction that only saves the register on the stack. */
static bool is_save(const struct cfg *code, const struct insn *insn, uint8_t reg)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	return insn->operation == OP_PUSH ||
	       (insn->operation == OP_MOVE && insn->operand_count == 2 &&
		to->kind == OPERAND_MEMORY && to->base == code->arch->stack_pointer &&
		operand_is_reg(from, reg));
}

/* True if the code uses what its caller left in the register: it reads the register, and not only
 * to save it, on a path from the entry on which nothing has written it. */
static bool facts_build_is_passed(const struct cfg *code, uint8_t reg)
{
	_cleanup_free_ uint32_t *blocks = xcalloc(code->block_count + 1, sizeof(*blocks));
	_cleanup_free_ uint8_t *seen = xcalloc(code->block_count + 1, sizeof(*seen));
	size_t count = 1;

	for (size_t next = 0; next < count && next < code->block_count; next++) {
		const struct basic_block *block = &code->blocks[blocks[next]];
		bool kept = true;

		for (uint32_t i = block->first; kept && i < block->first + block->count; i++) {
			const struct insn *insn = &code->insns[i];

			if (insn->read & REG_BIT(reg) && !is_save(code, insn, reg))
				return true;
			kept = !(insn->written & REG_BIT(reg));
		}
		each_successor (to, code, block)
			if (kept && to && !seen[to])
				seen[blocks[count++] = to] = true;
	}
	return false;
}

/*
 * True if the compiler only names the register that it chose for each variable: gcc with
 * -fno-var-tracking, and in functions whose variables it gives up tracking. There, a parameter may
 * be said to be everywhere in a register in which no caller passes one, unless the function has a
 * calling convention of its own (preserve_none). The static chain's register is left out: it has a
 * nested function's frame.
 */
static bool facts_build_is_untracked(const struct arch *arch, const struct function *function,
				     const struct cfg *code)
{
	if (function->untracked)
		return true;
	if (!language_has(function, FACT_UNTRACKED))
		return false;
	for (size_t i = 0; i < function->variable_count && !function->variables[i].scope; i++) {
		const struct variable *variable = &function->variables[i];
		const struct location *location = variable->locations;
		uint8_t reg = variable->location_count == 1 && location->kind == LOCATION_REGISTER
				      ? arch_reg_from_dwarf(arch, location->reg)
				      : REG_NONE;

		if ((variable->flags & VARIABLE_PARAMETER) && reg_is_general(reg) &&
		    reg != arch->call.static_chain && is_everywhere(location) &&
		    !convention_argument(&arch->call, reg) && !facts_build_is_passed(code, reg))
			return true;
	}
	return false;
}

/*
 * The same in Fortran, which passes addresses. gfortran describes what they lead to as memory, and
 * a parameter with the attribute VALUE as C does. A prototype, which has the same type for both, is
 * none; so the place of a parameter before this one must be known, if it may be a float or a
 * record.
 */
static bool is_address_argument(const struct convention *call, const struct function *function,
				const struct variable *variable, uint8_t reg)
{
	size_t general = 0;

	for (const struct variable *other = function->variables; other < variable; other++) {
		const struct type *bare = type_strip(other->type);
		const struct location *location = other->locations;

		if (other->scope || !(other->flags & VARIABLE_PARAMETER))
			continue;
		bool plain = bare->kind != TYPE_FLOAT && !type_is_record(bare);

		if (!plain && (other->location_count != 1 || !is_everywhere(location) ||
			       (location->kind != LOCATION_MEMORY &&
				location->kind != LOCATION_FRAME_INDIRECT)))
			return false;
		general++;
	}
	return general < call->argument_count && call->arguments[general] == reg;
}

/* True if the calling convention passes this parameter in `reg`. */
static bool facts_build_is_argument(const struct abi *abi, const struct function *function,
				    const struct variable *variable, uint8_t reg)
{
	struct argument_walk walk;
	struct argument argument;
	uint32_t index = 0;

	if (!(variable->flags & VARIABLE_PARAMETER) || variable->scope || !function->prototype)
		return false;
	if (!function->prototype->prototyped && variable->location_count == 1 &&
	    variable->locations->kind == LOCATION_MEMORY)
		return is_address_argument(&abi->arch->call, function, variable, reg);
	arguments_begin(&walk, abi, function->prototype);
	for (; arguments_next(&walk, &argument); index++)
		if (index == variable->parameter_index)
			return argument.registers[0] == reg || argument.registers[1] == reg;
	return false;
}

/* True if a variable that is said to be in `reg` everywhere can be what the caller left there. */
static bool may_be_at_entry(const struct facts *facts, const struct variable *variable, uint8_t reg)
{
	return !facts->untracked ||
	       facts_build_is_argument(facts->abi, facts->function, variable, reg);
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
	/* gcc says of a parameter without a name where it was passed, for the whole function */
	bool passed = everywhere && !variable->name && variable->flags & VARIABLE_PARAMETER;
	bool not_at_entry = everywhere && !may_be_at_entry(builder->facts, variable, reg);
	bool limited =
		scope->range_count &&
		(everywhere || (variable->scope && language_has(function, FACT_SCOPED_LOCATIONS)));
	size_t ranges = limited && !passed ? scope->range_count : 1;

	for (size_t i = 0; i < ranges; i++) {
		uint64_t low = location->low, high = location->high;

		if (limited && (everywhere || scope->ranges[i].low > low))
			low = scope->ranges[i].low;
		if (limited && (everywhere || scope->ranges[i].high < high))
			high = scope->ranges[i].high;
		if (passed)
			high = variable->scope ? low : low + 1;
		if (low >= high)
			continue;
		array_add(list->items, list->count, list->capacity) = (struct register_fact){
			.low = low,
			.high = high,
			.value = *value,
			.variable = index,
			.depth = scope->depth,
			.word = value->kind == VALUE_UNKNOWN &&
				field_is_word_record(variable->type),
			.everywhere = everywhere,
			.weak = weak,
			.not_at_entry = not_at_entry,
			.is_this = selves_is_this(variable),
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

	bool open = field_is_named_only(variable->type);

	if (location->piece_size)
		size = location->piece_size;
	if (!size && !open)
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, size);

	fact.open = open;
	fact.type = type_canonical(variable->type);
	fact.piece_offset = location->piece_offset;
	/* Go spills each argument to a place in the caller's frame that has nothing else */
	if (language_has(builder->facts->function, FACT_SPILLED_ARGUMENTS) &&
	    base_reg == REG_NONE && offset >= 0 && variable->flags & VARIABLE_PARAMETER &&
	    !variable->scope) {
		fact.low = 0;
		fact.high = UINT64_MAX;
	}
	array_add(builder->stack, builder->stack_count, builder->stack_capacity) = fact;
}

/* Adds the address of a variable, which the compiler keeps on the stack: without optimization, of
 * arguments that are passed by reference, and of arrays whose size is computed. */
static void add_address_of(struct fact_builder *builder, uint32_t index,
			   const struct location *location, uint8_t base_reg, int64_t offset)
{
	const struct variable *variable = &builder->facts->function->variables[index];

	if (location->offset2 || location->piece_size ||
	    (base_reg == REG_NONE && location->kind == LOCATION_INDIRECT))
		return;
	struct stack_fact fact = stack_fact_of(builder, index, location, base_reg, offset, WORD);

	fact.type = type_pointer_to(type_canonical(variable->type));
	array_add(builder->stack, builder->stack_count, builder->stack_capacity) = fact;
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
	array_add(builder->pointed, builder->pointed_count, builder->pointed_capacity) = fact;
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

/* True if a location is the part of a record in memory of which another part is beside it, as in
 * the record: the variable is a copy of a record there. Parts that are copied one by one may be
 * from anywhere. */
static bool is_of_copy(const struct variable *variable, const struct location *location)
{
	if (!type_is_record(type_strip(variable->type)))
		return false;
	array_indexed (const struct location, a, i, variable->locations, variable->location_count) {
		for (size_t k = i + 1; k < variable->location_count &&
				       variable->locations[k].low == a->low && a->piece_size;
		     k++) {
			const struct location *b = &variable->locations[k];

			if (a->kind == LOCATION_MEMORY && b->kind == LOCATION_MEMORY &&
			    a->reg == b->reg && a->piece_offset != b->piece_offset &&
			    a->offset - a->piece_offset == b->offset - b->piece_offset &&
			    a->offset - a->piece_offset ==
				    location->offset - location->piece_offset)
				return true;
		}
	}
	return false;
}

/* Returns the frame of the coroutine that the function is, if `promise` is in it; NULL otherwise.
 * LLVM describes the frame also where it does not say where it is. */
static const struct type *frame_around(const struct function *function,
				       const struct variable *promise)
{
	if (!(promise->flags & VARIABLE_ARTIFICIAL) || !promise->name ||
	    strcmp(promise->name, "__promise") != 0 ||
	    type_alignment(promise->type) > COROUTINE_PROMISE)
		return NULL;
	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		if (variable->name && strcmp(variable->name, "__coro_frame") == 0)
			return type_is_record(type_strip(variable->type))
				       ? type_canonical(variable->type)
				       : NULL;
	}
	return NULL;
}

static void add_memory(struct fact_builder *builder, uint32_t index,
		       const struct location *location)
{
	const struct arch *arch = arch_of(builder);
	const struct variable *variable = &builder->facts->function->variables[index];
	const struct type *bare = type_strip(variable->type);
	bool array = bare->kind == TYPE_ARRAY;
	uint8_t reg = arch_reg_from_dwarf(arch_of(builder), location->reg);

	if (reg == REG_NONE || !reg_is_general(reg))
		return;
	add_stack(builder, index, location, reg, location->offset);
	/* Memory at an offset from a register that is no stack pointer is a part of an object or a
	 * variable-length array. A scalar some bytes into it says nothing about the whole, and in C
	 * one at its start says little: it may be the first member of a record. */
	if ((location->offset || language_has(builder->facts->function, FACT_FIRST_MEMBERS)) &&
	    !type_is_record(bare) && !array)
		return;
	if (reg == arch->stack_pointer || reg == arch->frame_pointer ||
	    !(field_size(bare) || (array && field_size(type_target(bare)))) ||
	    (location->piece_size && !is_of_copy(variable, location)))
		return;
	struct value value = value_pointer(type_canonical(variable->type),
					   location->piece_offset - location->offset, HOW_VARIABLE);

	value.alternative = frame_around(builder->facts->function, variable);
	value.alternative_delta = value.alternative ? COROUTINE_PROMISE : 0;
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
	array_add(builder->sums, builder->sum_count, builder->sum_capacity) = (struct sum_fact){
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
	array_add(builder->addresses, builder->address_count, builder->address_capacity) =
		(struct address_fact){ .low = location->low,
				       .high = location->high,
				       .address = location->offset,
				       .variable = index,
				       .type = object };
}

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

	return (reg == arch->frame_pointer &&
		any_of(i, 0, function->frame_row_count,
		       function->frame_rows[i].kind == CFA_REGISTER &&
			       function->frame_rows[i].reg == dwarf_reg)) ||
	       reg == arch->stack_pointer;
}

/*
 * Adds the register of a parameter at the function's entry, by a location that gives the parameter
 * as the value of a register at entry (DW_OP_entry_value). For a parameter that a loop changes, gcc
 * often has no other location.
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
	case LOCATION_INDIRECT:
		add_address_of(builder, index, location,
			       arch_reg_from_dwarf(arch_of(builder), location->reg),
			       location->offset);
		break;
	case LOCATION_FRAME_INDIRECT: add_on_frame(builder, index, location, add_address_of); break;
	case LOCATION_CFA_VALUE:
		add_pointed(builder, index, location, REG_NONE, location->offset);
		break;
	default: break;
	}
}

COMPARISON(compare_facts, struct register_fact, ASCENDING(low) ASCENDING(variable))

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
 * that can be alive at the same time, or to a register that the function saves; 0 if that is not
 * known. */
static uint64_t open_size(const struct fact_builder *builder, const struct stack_fact *fact)
{
	const struct function *function = builder->facts->function;
	int64_t end = fact->base_reg == REG_NONE ? arch_frame_end(arch_of(builder)) : fact->offset;

	array_each (const struct stack_fact, other, builder->stack, builder->stack_count) {
		if (other->base_reg == fact->base_reg && other->offset > fact->offset &&
		    !may_be_member(other) && (end <= fact->offset || other->offset < end) &&
		    (scope_nests(function, fact->variable, other->variable) ||
		     scope_nests(function, other->variable, fact->variable)))
			end = other->offset;
	}
	for (size_t i = 0; fact->base_reg == REG_NONE && i < function->frame_row_count; i++) {
		int64_t saved = function->frame_rows[i].saved;

		if (saved > fact->offset && saved < end)
			end = saved;
	}
	return end > fact->offset ? (uint64_t)(end - fact->offset) : 0;
}

/* Sets the sizes of the variables whose classes are only declared, and drops variables without a
 * size.
 */
static void set_open_sizes(struct fact_builder *builder)
{
	for (size_t i = 0; i < builder->stack_count; i++)
		if (builder->stack[i].open)
			builder->stack[i].size = open_size(builder, &builder->stack[i]);
	array_keep(i, builder->stack, builder->stack_count, builder->stack[i].size);
}

/* True if a variable is in a register at an address, and whether it is a pointer is as asked. */
static bool is_there(const struct register_fact *fact, uint64_t address, bool pointer)
{
	return fact->low <= address && fact->high > address &&
	       (fact->value.kind == VALUE_POINTER) == pointer;
}

/* Lets the locations of records that are passed in a register end where the code copies a variable
 * that is a number to it: gcc follows no records by their values, and gcc 16 leaves the iterators
 * of std::sort() where they were passed. */
static void end_records(struct fact_builder *builder, const struct cfg *code)
{
	const struct variable *variables = builder->facts->function->variables;

	array_each (const struct insn, insn, code->insns, code->insn_count) {
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (insn->operation != OP_MOVE || !operand_is_general(to) ||
		    !operand_is_general(from) || from->size != WORD)
			continue;
		const struct fact_list *list = &builder->registers[from->reg];
		const bool number =
			any_of(i, 0, list->count, is_there(&list->items[i], insn->address, false));

		list = &builder->registers[to->reg];
		for (size_t i = 0; number && i < list->count; i++) {
			const struct variable *variable = &variables[list->items[i].variable];

			if (is_there(&list->items[i], insn->address, true) &&
			    !list->items[i].everywhere && variable->flags & VARIABLE_PARAMETER &&
			    type_is_record(type_strip(variable->type)))
				list->items[i].high = insn->address + insn->length;
		}
	}
}

void facts_build(struct facts *facts, const struct abi *abi, const struct function *function,
		 const struct cfg *code)
{
	struct fact_builder builder = { .facts = facts };

	memset(facts, 0, sizeof(*facts));
	facts->abi = abi;
	facts->function = function;
	facts->untracked = facts_build_is_untracked(abi->arch, function, code);
	for (uint32_t i = 0; i < function->variable_count; i++)
		for (size_t j = 0; j < function->variables[i].location_count; j++)
			add_location(&builder, i, &function->variables[i].locations[j]);
	end_records(&builder, code);
	array_indexed (struct fact_list, list, reg, builder.registers, REG_COUNT) {
		if (!list->count)
			continue;
		/* mostly they are sorted: variables come in the order of their scopes, locations in
		 * that of their addresses */
		sort_unless_sorted(list->items, list->count, sizeof(*list->items), compare_facts);
		uint64_t reach = 0;

		for (size_t i = 0; i < list->count; i++) {
			raise_to(reach, list->items[i].high);
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
