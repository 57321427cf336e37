// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The places of variables whose addresses are passed on. Such a variable has one
 * place on the stack, but gcc may give it only as the memory at a register, which ends when the
 * register is changed; or, for a parameter, as the register in which it was passed. The instruction
 * that computes the address, or that stores the parameter, tells the place.
 */

#include "annotate/facts/abi.h"
#include "annotate/flow/solver.h"
#include "annotate/policy.h"
#include "annotate/types/field.h"
#include "base/arch/arch.h"
#include "base/memory.h"

/* Finds the distance from the CFA to the address in a register, by the frame information. False:
 * the frame information does not count the CFA from this register at `address`. */
static bool frame_register(const struct solver *solver, uint64_t address, uint8_t reg,
			   int64_t *place)
{
	const struct frame_row *rows = solver->frame.rows;
	size_t index = partition_point(0, solver->frame.row_count, i, rows[i].high <= address);

	if (index == solver->frame.row_count || address < rows[index].low ||
	    rows[index].kind != CFA_REGISTER ||
	    arch_reg_from_dwarf(solver->arch, rows[index].reg) != reg)
		return false;
	*place = -rows[index].offset;
	return true;
}

/* Finds the place on the stack whose address a register holds at `address`, from the instructions
 * of the block before it. False: it is not known. */
static bool pointed_place(const struct solver *solver, uint64_t address, uint8_t reg,
			  int64_t *place)
{
	const struct cfg *code = solver->code;
	size_t end = partition_point(0, code->insn_count, i, code->insns[i].address < address);

	if (!end)
		return false;
	uint32_t first = code->blocks[cfg_block_of(code, end - 1)].first;

	for (size_t i = end; i-- > first;) {
		const struct insn *insn = &code->insns[i];
		const struct operand *from = &insn->operands[1];

		if (!(insn->written & REG_BIT(reg)))
			continue;
		if (insn->operation == OP_LEA && from->index == REG_NONE &&
		    from->segment == SEGMENT_NONE &&
		    frame_register(solver, insn->address, from->base, place)) {
			*place += from->value;
			return true;
		}
		if (insn->operation != OP_MOVE || from->kind != OPERAND_REGISTER ||
		    from->size != WORD)
			return false;
		if (frame_register(solver, insn->address, from->reg, place))
			return true;
		reg = from->reg;
	}
	return false;
}

/* Adds the places of variables that are only described by a register with their address. */
static bool find_pointed(struct solver *solver)
{
	struct facts *facts = &solver->facts;
	size_t count = facts->stack_bases ? facts->stack_count : 0;
	bool added = false;

	for (size_t i = 0; i < count; i++) {
		struct stack_fact fact = facts->stack[i];
		int64_t place;

		if (fact.base_reg == REG_NONE ||
		    !pointed_place(solver, fact.low, fact.base_reg, &place))
			continue;
		fact.base_reg = REG_NONE;
		fact.offset += place;
		facts_add_stack(facts, &fact);
		added = true;
	}
	return added;
}

bool solver_frame_place(const struct solver *solver, const struct insn *insn,
			const struct operand *operand, int64_t *place)
{
	if (operand->kind != OPERAND_MEMORY || operand->index != REG_NONE ||
	    operand->segment != SEGMENT_NONE || !reg_is_general(operand->base) ||
	    !frame_register(solver, insn->address, operand->base, place))
		return false;
	*place += operand->value;
	return true;
}

/* Returns the index of the parameter that is in a register at an address, or NO_VARIABLE. */
static uint32_t parameter_in(const struct solver *solver, uint64_t address, uint8_t reg)
{
	const struct function *function = solver->function;

	array_indexed (const struct variable, variable, i, function->variables,
		       function->variable_count) {
		if (!(variable->flags & VARIABLE_PARAMETER))
			continue;
		array_each (const struct location, location, variable->locations,
			    variable->location_count) {
			if (location->kind == LOCATION_REGISTER && !location->piece_size &&
			    address >= location->low && address < location->high &&
			    arch_reg_from_dwarf(solver->arch, location->reg) == reg &&
			    facts_in_scope(&solver->facts, i, address))
				return i;
		}
	}
	return NO_VARIABLE;
}

/* True if a variable is at any time in memory that the parameter would have. */
static bool is_taken(const struct facts *facts, int64_t place, uint64_t size)
{
	return any_of(i, 0, facts->stack_count,
		      facts->stack[i].base_reg == REG_NONE &&
			      facts->stack[i].offset < place + (int64_t)size &&
			      place < facts->stack[i].offset + (int64_t)facts->stack[i].size);
}

/* Places on the stack, from the CFA. To be freed. */
struct places {
	int64_t *items;
	size_t count, capacity;
};

/* Lists the places whose addresses instructions compute. */
static void list_addressed(const struct solver *solver, struct places *addressed)
{
	const struct cfg *code = solver->code;
	int64_t place;

	for (size_t i = 0; i < code->insn_count; i++) {
		if (code->insns[i].operation != OP_LEA ||
		    !solver_frame_place(solver, &code->insns[i], &code->insns[i].operands[1],
					&place))
			continue;
		array_add(addressed->items, addressed->count, addressed->capacity) = place;
	}
}

static bool is_addressed(const struct places *addressed, int64_t place)
{
	return any_of(i, 0, addressed->count, addressed->items[i] == place);
}

/* Adds the place of a parameter that the instruction stores from its register, if the function
 * computes the address of the place. */
static bool variable_places_find_stored(struct solver *solver, const struct insn *insn,
					const struct places *addressed)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	int64_t place;

	if (insn->operation != OP_MOVE || !operand_is_general(from) ||
	    !solver_frame_place(solver, insn, to, &place) || !is_addressed(addressed, place))
		return false;
	uint32_t index = parameter_in(solver, insn->address, from->reg);

	if (index == NO_VARIABLE)
		return false;
	const struct type *type = type_canonical(solver->function->variables[index].type);
	const struct scope *scope =
		&solver->function->scopes[solver->function->variables[index].scope];

	if (field_size(type) != to->size || type_is_record(type_strip(type)) ||
	    is_taken(&solver->facts, place, to->size))
		return false;
	facts_add_stack(&solver->facts, &(struct stack_fact){ .high = UINT64_MAX,
							      .offset = place,
							      .size = to->size,
							      .base_reg = REG_NONE,
							      .variable = index,
							      .depth = scope->depth,
							      .type = type,
							      .how = HOW_VARIABLE });
	return true;
}

void variable_places_find(struct solver *solver)
{
	struct places addressed = { 0 };
	bool added;

	if (!solver->function || solver->abi->goroutine_type)
		return;
	added = find_pointed(solver);
	/* C++ also stores parameters as the first members of unnamed objects */
	if (!language_has(solver->function, FACT_TEMPORARIES))
		list_addressed(solver, &addressed);
	for (size_t i = 0; addressed.count && i < solver->code->insn_count; i++)
		added |= variable_places_find_stored(solver, &solver->code->insns[i], &addressed);
	free(addressed.items);
	if (added)
		facts_index_stack(&solver->facts);
}
