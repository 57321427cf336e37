// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that AddressSanitizer has instrumented (compiler-rt: asan_fake_stack.h, asan_mapping.h).
 *
 * The variables whose addresses are taken lie in a frame of their own, with room around each. The
 * frame is on the stack, or in a copy that __asan_stack_malloc_N() allocates, so that a use after
 * the function's return is seen. gcc gives such variables no locations, but the frame begins with a
 * fixed number and with the address of a description, "2 32 8 7 res:394 64 4 4 i:12": the number
 * of the variables; for each its offset, its size, the length of its name, its name and line.
 *
 * A byte of shadow memory says which bytes of an aligned word may be accessed. It is at
 * (address >> 3) + sanitizer_shadow of struct arch.
 */

#include <stdlib.h>
#include <string.h>

#include "annotate/facts/abi.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/arch/arch.h"
#include "base/text.h"

/* The first word of a frame. */
#define FRAME_MAGIC 0x41b58ab3
/* The offset of the description's address in a frame. */
#define DESCRIPTION_AT WORD

/* The farthest that one instruction addresses from the byte of a frame's start: a frame of 64 KB is
 * kept on the stack. */
#define SHADOW_FAR (1 << 16)

bool sanitizer_is_shadow(const struct arch *arch, const struct value *address)
{
	return address->kind == VALUE_NUMBER && address->stride &&
	       address->offset >= arch->sanitizer_shadow &&
	       address->offset < arch->sanitizer_shadow + SHADOW_FAR;
}

bool sanitizer_is_variable(const struct solver *solver, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(solver->image, address);

	return symbol && starts_with(symbol->name, "__asan_option_");
}

bool sanitizer_makes_frame(const char *callee)
{
	return starts_with(callee, "__asan_stack_malloc_");
}

/* True if the instruction stores the first word of a frame. */
static bool begins_frame(const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	return insn->operation == OP_MOVE && to->kind == OPERAND_MEMORY && to->size == WORD &&
	       to->index == REG_NONE && reg_is_general(to->base) &&
	       from->kind == OPERAND_IMMEDIATE && from->value == FRAME_MAGIC;
}

/* Returns the index of the last instruction before `index` that writes the register, or that stores
 * to the place if `reg` is REG_NONE; `index` itself: there is none. */
static size_t last_write(const struct solver *solver, size_t index, uint8_t reg, int64_t place)
{
	const struct insn *insns = solver->code->insns;
	int64_t stored;

	for (size_t i = index; i-- > 0;)
		if (reg != REG_NONE ? (insns[i].written & REG_BIT(reg)) != 0
				    : insns[i].operation == OP_MOVE &&
					      solver_frame_place(solver, &insns[i],
								 &insns[i].operands[0], &stored) &&
					      stored == place)
			return i;
	return index;
}

/* Finds the place on the stack that a register points to, from the instructions before `index`. A
 * result of a call is passed over: it is the address of a copy of the frame. */
static bool find_base(const struct solver *solver, size_t index, uint8_t reg, int64_t *place)
{
	const struct insn *insns = solver->code->insns;
	struct operand in_place = {
		.kind = OPERAND_MEMORY, .segment = SEGMENT_NONE, .base = reg, .index = REG_NONE
	};
	int64_t slot = 0;

	if (solver_frame_place(solver, &insns[index], &in_place, place))
		return true;
	for (size_t i; (i = last_write(solver, index, reg, slot)) != index; index = i) {
		const struct operand *from = &insns[i].operands[1];
		size_t source;

		if (insns[i].operation == OP_LEA)
			return solver_frame_place(solver, &insns[i], from, place);
		if (insns[i].operation != OP_MOVE)
			return false;
		if (solver_frame_place(solver, &insns[i], from, &slot)) {
			reg = REG_NONE;
			continue;
		}
		if (!operand_is_general(from))
			return false;
		in_place.base = from->reg;
		if (solver_frame_place(solver, &insns[i], &in_place, place))
			return true;
		source = last_write(solver, i, from->reg, 0);
		if (insns[source].operation != OP_CALL)
			reg = from->reg;
	}
	return false;
}

/* Returns the fixed address that a register has before the instruction `index`, by a `lea` of its
 * block; 0: it is not known. */
static uint64_t fixed_address(const struct cfg *code, size_t index, uint8_t reg)
{
	const struct insn *insn = cfg_last_write(code, index, reg);
	const struct operand *from = insn ? &insn->operands[1] : NULL;

	return insn && ((insn->operation == OP_LEA && from->pc_relative) ||
			(insn->operation == OP_MOVE && from->kind == OPERAND_IMMEDIATE))
		       ? (uint64_t)from->value
		       : 0;
}

/* Returns the address of the description of the frame that the instruction `index` begins; 0: it is
 * not known. */
static uint64_t description_of(const struct cfg *code, size_t index)
{
	const struct operand *begin = &code->insns[index].operands[0];
	const struct basic_block *block = &code->blocks[cfg_block_of(code, (uint32_t)index)];

	for (size_t i = block->first; i < block->first + block->count; i++) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (insn->operation != OP_MOVE || to->kind != OPERAND_MEMORY ||
		    to->base != begin->base || to->index != REG_NONE || to->size != WORD ||
		    to->value != begin->value + DESCRIPTION_AT)
			continue;
		if (from->kind == OPERAND_IMMEDIATE)
			return (uint64_t)from->value;
		return operand_is_general(from) ? fixed_address(code, i, from->reg) : 0;
	}
	return 0;
}

/* A variable of a description. */
struct described {
	const char *name; /* not terminated */
	size_t length;
	uint64_t offset, size;
	uint32_t line; /* 0: not given */
};

/* Reads a number and the space after it. */
static bool take_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*number = strtoull(*text, &end, 10);
	*text = *end == ' ' ? end + 1 : end;
	return true;
}

/* Reads the next variable of a description. */
static bool take_variable(const char **text, struct described *variable)
{
	uint64_t length;
	const char *line;

	if (!take_number(text, &variable->offset) || !take_number(text, &variable->size) ||
	    !take_number(text, &length) || length > strlen(*text))
		return false;
	variable->name = *text;
	variable->length = length;
	variable->line = 0;
	line = memchr(*text, ':', length);
	if (line) {
		variable->length = (size_t)(line - *text);
		variable->line = (uint32_t)strtoul(line + 1, NULL, 10);
	}
	*text += length;
	*text += **text == ' ';
	return true;
}

/* Makes *found the type of a variable of this name and type, if it may be the one that is
 * described. False if *found is another type already. */
static bool sanitized_agree_on(const struct type **found, const struct described *described,
			       const char *name, const struct type *type)
{
	if (!name || strlen(name) != described->length ||
	    memcmp(name, described->name, described->length) != 0 ||
	    field_size(type) != described->size)
		return true;
	if (*found && !field_same_type(*found, type))
		return false;
	*found = type;
	return true;
}

/* Returns the type of the function's variable that is described. If an inlined function has it
 * several times, it is any of these. Parameters without a location are in the prototype alone.
 * NULL: there is none, or variables of several types. */
static const struct type *find_described(const struct function *function,
					 const struct described *described)
{
	const struct type *found = NULL;

	for (size_t i = 0; i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];

		if (described->line && variable->line && variable->line != described->line)
			continue;
		if (!sanitized_agree_on(&found, described, variable->name, variable->type))
			return NULL;
	}
	if (found)
		return found;
	for (size_t i = 0; i < function->scope_count; i++) {
		const struct prototype *prototype =
			i ? function->scopes[i].prototype : function->prototype;

		for (size_t k = 0; prototype && k < prototype->parameter_count; k++)
			if (!sanitized_agree_on(&found, described, prototype->parameters[k].name,
						prototype->parameters[k].type))
				return NULL;
	}
	return found;
}

/* Adds the places of the variables of the frame at `place`. */
static void add_variables(struct solver *solver, const char *text, int64_t place)
{
	struct described described;
	uint64_t count;

	if (!take_number(&text, &count))
		return;
	while (count-- && take_variable(&text, &described)) {
		const struct type *type = find_described(solver->function, &described);

		/* it has the place in all of the function, whatever its scope is */
		if (type && described.offset <= INT32_MAX)
			facts_add_stack(
				&solver->facts,
				&(struct stack_fact){ .high = UINT64_MAX,
						      .offset = place + (int64_t)described.offset,
						      .size = described.size,
						      .base_reg = REG_NONE,
						      .variable = NO_VARIABLE,
						      .type = type_canonical(type),
						      .how = HOW_VARIABLE });
	}
}

void sanitizer_find_places(struct solver *solver)
{
	const struct cfg *code = solver->code;
	size_t available;
	int64_t place;

	for (size_t i = 0; i < code->insn_count; i++) {
		const struct operand *to = &code->insns[i].operands[0];
		uint64_t address = begins_frame(&code->insns[i]) ? description_of(code, i) : 0;
		const char *text =
			address ? (const char *)elf_image_bytes(solver->image, address, &available)
				: NULL;

		if (!text || !memchr(text, '\0', available) ||
		    !find_base(solver, i, to->base, &place))
			continue;
		add_variables(solver, text, place + to->value);
		facts_index_stack(&solver->facts);
		return;
	}
}
