// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rule free-list: allocators chain free objects of several types through a word of each, by a cast.
 * The type of the head of the chain, a global variable, tells the type that they are cast to.
 */
#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"

/* A store to the head is looked for in this many instructions after the access to the object.
 * Allocators have few there. */
#define NEAR_MAX 6

/* Returns the record to which the head of a chain points: a pointer at a fixed address to a record
 * that has a pointer to its own type at `offset`. NULL: the operand is no such head. */
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

/* True for a move from one kind of operand (OPERAND_...) to another. */
static bool free_list_is_move(const struct insn *insn, unsigned int to, unsigned int from)
{
	return insn->operation == OP_MOVE && insn->operands[0].kind == to &&
	       insn->operands[1].kind == from;
}

/* Returns the memory at a fixed address to which a register is stored, in the next instructions of
 * the block, before it is overwritten; NULL: there is none. */
static const struct operand *free_list_stored_to(const struct solver *solver, uint8_t reg)
{
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, solver->pass.current)];
	uint32_t end = block->first + block->count;

	if (!reg_is_general(reg))
		return NULL;
	for (uint32_t i = solver->pass.current + 1; i < end && i <= solver->pass.current + NEAR_MAX;
	     i++) {
		const struct insn *insn = &code->insns[i];

		if (free_list_is_move(insn, OPERAND_MEMORY, OPERAND_REGISTER) &&
		    insn->operands[1].reg == reg && insn->operands[0].pc_relative)
			return &insn->operands[0];
		if (insn->operation == OP_CALL || (insn->written & REG_BIT(reg)))
			return NULL;
	}
	return NULL;
}

/*
 * Applies if an object is taken from the chain or given back. To take it, the code loads the word
 * of the object and stores it in the head. To give it back, the code stores the contents of the
 * head in the word, and the address of the object in the head.
 */
void rule_free_list(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct value *address = access->address;
	const struct operand *head;
	const struct insn *load;
	const struct type *item = NULL;

	if (access->size != 8)
		return;
	if (free_list_is_move(insn, OPERAND_REGISTER, OPERAND_MEMORY) && address->alternative) {
		head = free_list_stored_to(solver, insn->operands[0].reg);
		item = head ? chain_of(solver, head, address->offset) : NULL;
		if (!item || !field_same_type(item, address->alternative))
			return;
	} else if (free_list_is_move(insn, OPERAND_MEMORY, OPERAND_REGISTER)) {
		head = free_list_stored_to(solver, insn->operands[0].base);
		load = head && reg_is_general(insn->operands[1].reg)
			       ? cfg_last_write(solver->code, solver->pass.current,
						insn->operands[1].reg)
			       : NULL;
		if (!load || !free_list_is_move(load, OPERAND_REGISTER, OPERAND_MEMORY) ||
		    !load->operands[1].pc_relative || load->operands[1].value != head->value)
			return;
		item = chain_of(solver, head, address->offset);
	}
	if (item)
		access_add(access, item, address->offset);
}
