// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rule free-list: free objects of several types are chained through their first words, by a cast.
 * The head of the chain, a variable, says what they are cast to.
 */
#include "annotate/field.h"
#include "annotate/rules/stages.h"
#include "annotate/solver.h"

/* How many instructions between a chain's head and the access are looked at. Allocators have few
 * there. */
#define NEAR_MAX 6

/* Returns the record to which the variable at a fixed address is a pointer, if the record has a
 * pointer to its own kind at `offset`; NULL otherwise. */
static const struct type *chain_of(struct solver *solver, const struct operand *operand,
				   int64_t offset)
{
	struct value head;
	const struct type *pointer, *item, *next;

	if (operand->kind != OPERAND_MEMORY || operand->size != 8 || !operand->pc_relative ||
	    operand->base != REG_NONE || operand->index != REG_NONE ||
	    !solver_global(solver, operand->value, &head) || head.kind != VALUE_POINTER)
		return NULL;
	pointer = field_scalar(head.type, head.offset, 8);
	item = pointer ? field_pointee(pointer) : NULL;
	next = item && type_is_record(type_strip(item)) ? field_scalar(item, offset, 8) : NULL;
	next = next ? field_pointee(next) : NULL;
	return next && field_same_type(next, item) ? item : NULL;
}

static bool is_move(const struct insn *insn, unsigned int to, unsigned int from)
{
	return insn->operation == OP_MOVE && insn->operands[0].kind == to &&
	       insn->operands[1].kind == from;
}

/* Returns the operand of the next instructions of the block that a register is stored to, before
 * it is written; NULL: there is none. */
static const struct operand *stored_to(const struct solver *solver, uint8_t reg)
{
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, solver->current)];
	uint32_t end = block->first + block->count;

	for (uint32_t i = solver->current + 1; i < end && i <= solver->current + NEAR_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (is_move(insn, OPERAND_MEMORY, OPERAND_REGISTER) &&
		    insn->operands[1].reg == reg && insn->operands[0].pc_relative)
			return &insn->operands[0];
		if (insn->operation == OP_CALL || (insn->written & REG_BIT(reg)))
			return NULL;
	}
	return NULL;
}

/* Returns the operand that a register was loaded from before in the block; NULL: there is none. */
static const struct operand *loaded_from(const struct solver *solver, uint8_t reg)
{
	const struct cfg *code = solver->code;
	uint32_t first = code->blocks[cfg_block_of(code, solver->current)].first;

	for (uint32_t i = solver->current; i-- > first && i + NEAR_MAX >= solver->current;) {
		const struct insn *insn = &code->insns[i];

		if (is_move(insn, OPERAND_REGISTER, OPERAND_MEMORY) &&
		    insn->operands[0].reg == reg)
			return &insn->operands[1];
		if (insn->operation == OP_CALL || (insn->written & REG_BIT(reg)))
			return NULL;
	}
	return NULL;
}

/*
 * Applies where the head gets what the first object's word has (the object is taken), or where the
 * word gets what the head has, and the head the object (it is given back).
 */
bool rule_free_list(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct insn *insn = &solver->code->insns[solver->current];
	const struct value *address = access->address;
	const struct operand *head, *from;
	const struct type *item = NULL;

	if (access->size != 8)
		return false;
	if (is_move(insn, OPERAND_REGISTER, OPERAND_MEMORY) && address->alternative) {
		head = stored_to(solver, insn->operands[0].reg);
		item = head ? chain_of(solver, head, address->offset) : NULL;
		if (!item || !field_same_type(item, address->alternative))
			return false;
	} else if (is_move(insn, OPERAND_MEMORY, OPERAND_REGISTER)) {
		head = stored_to(solver, insn->operands[0].base);
		from = head ? loaded_from(solver, insn->operands[1].reg) : NULL;
		if (!from || !from->pc_relative || from->value != head->value)
			return false;
		item = chain_of(solver, head, address->offset);
	}
	return item && access_set_field_if(access, item, address->offset);
}
