// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/argument.h"

#include "annotate/place.h"
#include "disasm/insn.h"

const uint8_t argument_registers[ARGUMENT_REGISTERS] = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 };

/* The class of one eightbyte of a type of at most 16 bytes (psABI 3.2.3, "Classification"). */
static enum argument_class classify_part(const struct type *type, int64_t base, int64_t eightbyte,
					 unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (depth > 8)
		return ARGUMENT_MEMORY;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = element ? place_size(element) : 0;
		enum argument_class result = ARGUMENT_NONE;

		for (uint64_t at = 0; size && at < bare->size; at += size) {
			enum argument_class part =
				classify_part(element, base + (int64_t)at, eightbyte, depth + 1);

			result = part > result || part == ARGUMENT_INTEGER ? part : result;
		}
		return result;
	}
	if (!type_is_record(bare)) {
		if (base / 8 != eightbyte && !(bare->size > 8 && eightbyte > base / 8))
			return ARGUMENT_NONE;
		if (bare->kind == TYPE_FLOAT)
			return bare->size > 8 ? ARGUMENT_MEMORY : ARGUMENT_SSE;
		return ARGUMENT_INTEGER;
	}
	size_t count;
	const struct member *members = type_members(bare, &count);
	enum argument_class result = ARGUMENT_NONE;

	for (size_t i = 0; i < count; i++) {
		enum argument_class part =
			classify_part(members[i].type, base + members[i].offset, eightbyte, depth + 1);

		if (part == ARGUMENT_MEMORY || result == ARGUMENT_MEMORY)
			result = ARGUMENT_MEMORY;
		else if (part == ARGUMENT_INTEGER || result == ARGUMENT_INTEGER)
			result = ARGUMENT_INTEGER;
		else if (part != ARGUMENT_NONE)
			result = part;
	}
	return result;
}

bool argument_classes(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = place_size(type);

	classes[0] = classes[1] = ARGUMENT_NONE;
	if (size > 16)
		return false;
	classes[0] = classify_part(type, 0, 0, 0);
	if (size > 8)
		classes[1] = classify_part(type, 0, 1, 0);
	return classes[0] != ARGUMENT_MEMORY && classes[1] != ARGUMENT_MEMORY;
}

bool arguments_return_in_memory(const struct prototype *prototype)
{
	enum argument_class classes[2];

	return prototype->return_type && type_is_record(type_strip(prototype->return_type)) &&
	       !argument_classes(prototype->return_type, classes);
}

void arguments_begin(struct argument_walk *walk, const struct prototype *prototype)
{
	*walk = (struct argument_walk){ .prototype = prototype };
	if (arguments_return_in_memory(prototype))
		walk->next++; /* rdi is where the result goes */
}

bool arguments_next(struct argument_walk *walk, struct argument *argument)
{
	enum argument_class classes[2];

	if (walk->index >= walk->prototype->parameter_count)
		return false;
	*argument = (struct argument){ .type = walk->prototype->parameters[walk->index++].type,
				       .registers = { REG_NONE, REG_NONE },
				       .stack_offset = -1 };

	bool in_registers = argument_classes(argument->type, classes);
	size_t wanted = (size_t)(classes[0] == ARGUMENT_INTEGER) + (classes[1] == ARGUMENT_INTEGER);

	if (!in_registers || walk->next + wanted > ARGUMENT_REGISTERS) {
		argument->stack_offset = walk->stack;
		walk->stack += (int64_t)((place_size(argument->type) + 7) & ~(uint64_t)7);
		return true;
	}
	for (size_t i = 0; i < 2; i++) {
		if (classes[i] == ARGUMENT_INTEGER)
			argument->registers[i] = argument_registers[walk->next++];
	}
	return true;
}
