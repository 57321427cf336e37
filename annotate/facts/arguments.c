// SPDX-License-Identifier: GPL-2.0-or-later
/* The places of arguments and results: see arguments.h. */
#include "annotate/facts/arguments.h"

#include "annotate/types/field.h"
#include "annotate/values/value.h"
#include "base/memory.h"

bool abi_classify(const struct abi *abi, const struct type *type, enum argument_class classes[2])
{
	if (abi->passing)
		return abi->passing(type, classes) == PASSED_IN_REGISTERS;
	return abi->classify(type, classes) && !type_is_by_address(type);
}

bool arguments_return_in_memory(const struct abi *abi, const struct prototype *prototype)
{
	enum argument_class classes[2];

	if (abi->passing && prototype->return_type)
		return abi->passing(prototype->return_type, classes) == PASSED_BY_ADDRESS;
	return abi->call->result_place != REG_NONE && prototype->return_type &&
	       type_is_record(type_strip(prototype->return_type)) &&
	       !abi_classify(abi, prototype->return_type, classes);
}

const struct type *arguments_general_result(const struct abi *abi,
					    const struct prototype *prototype)
{
	const struct type *type = prototype ? prototype->return_type : NULL;
	enum argument_class classes[2];
	bool elsewhere = type && !abi->flatten && abi_classify(abi, type, classes) &&
			 classes[0] != ARGUMENT_INTEGER;

	return elsewhere ? NULL : type;
}

/* True for a class that is not defined here. It is not known whether it is passed by its address,
 * so the registers of the arguments after it are not known either. */
static bool is_unknown_class(const struct type *type)
{
	return type && field_is_named_only(type);
}

/* True if it is not known whether the first register has the address for the result. */
static bool is_unknown_result(const struct abi *abi, const struct type *type)
{
	enum argument_class classes[2];

	return is_unknown_class(type) ||
	       (type && abi->passing && abi->passing(type, classes) == PASSED_UNKNOWN);
}

void arguments_begin(struct argument_walk *walk, const struct abi *abi,
		     const struct prototype *prototype)
{
	const struct convention *call = abi->call;

	*walk = (struct argument_walk){ .abi = abi,
					.prototype = prototype,
					.stack = call->flat_memory };
	if (is_unknown_result(abi, prototype->return_type))
		walk->index = prototype->parameter_count;
	/* the address for the result may take the first argument's register */
	if (call->result_place == call->arguments[0] && arguments_return_in_memory(abi, prototype))
		walk->next++;
}

/* Returns the alignment of a type of Go: that of its largest scalar. */
static int64_t flat_alignment(const struct type *type, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	int64_t alignment = 1;

	if (depth > FLAT_DEPTH_MAX || type_is_vast(bare))
		return WORD;
	if (bare->kind == TYPE_ARRAY)
		return flat_alignment(type_target(bare), depth + 1);
	if (!type_is_record(bare))
		return type_size_or(bare, 0) == 1 || type_size_or(bare, 0) == 2 ||
				       type_size_or(bare, 0) == 4
			       ? (int64_t)type_size_or(bare, 0)
			       : WORD;

	members_each (member, type_members, bare) {
		int64_t own = flat_alignment(member->type, depth + 1);

		alignment = own > alignment ? own : alignment;
	}
	return alignment;
}

/* Reserves memory for a value after the *stack bytes that are taken already. Returns its distance
 * from the CFA. */
static int64_t take_memory(int64_t *stack, const struct type *type)
{
	int64_t alignment = flat_alignment(type, 0), at = (*stack + alignment - 1) & -alignment;

	*stack = at + (int64_t)field_size(type);
	return at;
}

/* Sets the argument's registers or its place in memory, in an ABI that passes each scalar in a
 * register of its own. At a parameter that is not modelled it returns false and ends the walk,
 * because the parameters after it may be anywhere. */
static bool next_flattened(struct argument_walk *walk, struct argument *argument)
{
	const struct convention *call = walk->abi->call;
	struct flat_part parts[FLAT_PARTS_MAX];
	size_t count = walk->abi->flatten(argument->type, parts), next = walk->next,
	       vector = walk->vector;

	if (count == FLAT_UNKNOWN) {
		walk->index = walk->prototype->parameter_count;
		walk->lost = true;
		return false;
	}
	for (size_t i = 0; count != FLAT_IN_MEMORY && i < count; i++) {
		size_t word = parts[i].offset / WORD;

		if (parts[i].vector) {
			vector++;
			continue;
		}
		if (next < call->argument_count && word < COUNT_OF(argument->registers) &&
		    (parts[i].size == WORD || count == 1))
			argument->registers[word] = call->arguments[next];
		next++;
	}
	if (count == FLAT_IN_MEMORY || next > call->flat_general || vector > call->flat_vector) {
		argument->registers[0] = argument->registers[1] = REG_NONE;
		argument->stack_offset = take_memory(&walk->stack, argument->type);
		return true;
	}
	walk->next = next;
	walk->vector = vector;
	return true;
}

int64_t arguments_flat_result(const struct argument_walk *walk)
{
	const struct type *type = walk->prototype->return_type;
	struct flat_part parts[FLAT_PARTS_MAX];
	const struct convention *call = walk->abi->call;
	size_t count = type ? walk->abi->flatten(type, parts) : 0, general = 0;
	int64_t stack = (walk->stack + WORD - 1) & -WORD;

	if (!type || walk->lost || count == FLAT_UNKNOWN)
		return -1;
	for (size_t i = 0; count != FLAT_IN_MEMORY && i < count; i++)
		general += !parts[i].vector;
	if (count != FLAT_IN_MEMORY && general <= call->flat_general &&
	    count - general <= call->flat_vector)
		return -1;
	return take_memory(&stack, type);
}

/* Classifies the next argument in an ABI with passing(). If it is not known how the argument is
 * passed, returns false and ends the walk. */
static bool next_passed(struct argument_walk *walk, struct argument *argument,
			enum argument_class classes[2])
{
	switch (walk->abi->passing(argument->type, classes)) {
	case PASSED_UNKNOWN: walk->index = walk->prototype->parameter_count; return false;
	case PASSED_NOWHERE: classes[0] = classes[1] = ARGUMENT_NONE; return true;
	case PASSED_BY_ADDRESS:
		argument->type = type_pointer_to(argument->type);
		classes[0] = ARGUMENT_INTEGER;
		classes[1] = ARGUMENT_NONE;
		return true;
	default: return true;
	}
}

bool arguments_next(struct argument_walk *walk, struct argument *argument)
{
	const struct convention *call = walk->abi->call;
	enum argument_class classes[2];

	if (walk->index >= walk->prototype->parameter_count)
		return false;
	*argument = (struct argument){ .type = walk->prototype->parameters[walk->index++].type,
				       .registers = { REG_NONE, REG_NONE },
				       .stack_offset = -1 };

	if (walk->abi->flatten)
		return next_flattened(walk, argument);
	if (is_unknown_class(argument->type)) {
		walk->index = walk->prototype->parameter_count;
		return false;
	}
	if (walk->abi->passing && !next_passed(walk, argument, classes))
		return false;
	if (type_is_by_address(argument->type))
		argument->type = type_pointer_to(argument->type);
	bool in_registers = walk->abi->passing || walk->abi->classify(argument->type, classes);

	if (!in_registers && walk->abi->by_address) {
		argument->type = type_pointer_to(argument->type);
		classes[0] = ARGUMENT_INTEGER;
		classes[1] = ARGUMENT_NONE;
		in_registers = true;
	}
	size_t wanted = (size_t)(classes[0] == ARGUMENT_INTEGER) + (classes[1] == ARGUMENT_INTEGER);

	if (!in_registers || walk->next + wanted > call->argument_count) {
		if (walk->abi->by_address)
			walk->next = call->argument_count;
		argument->stack_offset = walk->stack;
		walk->stack += (int64_t)((field_size(argument->type) + 7) & ~(uint64_t)7);
		return true;
	}
	for (size_t i = 0; i < 2; i++) {
		if (classes[i] == ARGUMENT_INTEGER)
			argument->registers[i] = call->arguments[walk->next++];
	}
	return true;
}

size_t arguments_pointers(const struct abi *abi, const struct function *function,
			  struct passed_pointer *pointers)
{
	struct argument_walk walk;
	struct argument argument;
	size_t count = 0;

	if (!function->prototype)
		return 0;
	arguments_begin(&walk, abi_of_function(abi, function), function->prototype);
	while (arguments_next(&walk, &argument))
		if (argument.registers[0] != REG_NONE && type_is_pointer(type_strip(argument.type)))
			pointers[count++] = (struct passed_pointer){
				.type = type_target(type_strip(argument.type)),
				.reg = argument.registers[0],
			};
	return count;
}
