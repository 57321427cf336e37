// SPDX-License-Identifier: GPL-2.0-or-later
/* Which registers are live where: see live.h. */
#include "annotate/live.h"

#include <string.h>

#include "annotate/argument.h"
#include "annotate/solver.h"

#define ALL_GENERAL ((uint16_t)(REG_BIT(REG_GENERAL_COUNT) - 1))

/* The stack pointer tells what is a callee's; by others variables in memory are found. */
static uint16_t always_live(const struct facts *facts)
{
	uint64_t registers = REG_BIT(REG_RSP) | facts->stack_bases;

	for (size_t i = 0; i < facts->pointed_count; i++)
		if (facts->pointed[i].base_reg != REG_NONE)
			registers |= REG_BIT(facts->pointed[i].base_reg);
	return (uint16_t)registers;
}

static uint16_t argument_mask(void)
{
	uint16_t registers = 0;

	for (size_t i = 0; i < ARGUMENT_REGISTERS; i++)
		registers |= (uint16_t)REG_BIT(argument_registers[i]);
	return registers;
}

/* Registers that an instruction writes whatever was in them. (What is left out is live for longer.) */
static uint16_t overwritten(struct solver *solver, uint32_t index)
{
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *to = &insn->operands[0];

	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
	case OP_LEA:
	case OP_ZERO:
	case OP_SET_CONDITION:
	case OP_MULTIPLY:
	case OP_POP:
		return to->kind == OPERAND_REGISTER && reg_is_general(to->reg) ? (uint16_t)REG_BIT(to->reg)
									       : 0;
	case OP_CALL: {
		const struct call_memo *memo = solver_callee(solver, index);

		/* who is called through a pointer may keep more of them: solver_called_through() */
		return memo->by_state && solver->kernel ? 0 : (uint16_t)memo->clobbered;
	}
	default: return 0;
	}
}

/* Registers whose values have a say in what an instruction does, or in what is learned of it. */
static uint16_t read_by(const struct solver *solver, uint32_t index, uint16_t arguments)
{
	const struct insn *insn = &solver->code->insns[index];

	switch (insn->operation) {
	/* a jump may be a tail call */
	case OP_CALL:
	case OP_JUMP: return (uint16_t)insn->read | arguments;
	case OP_RETURN: return (uint16_t)(insn->read | REG_BIT(REG_RAX));
	default: return (uint16_t)insn->read;
	}
}

/* A block backwards. */
static void look_through(struct solver *solver, struct live_block *live, const struct block *block,
			 uint16_t arguments)
{
	const struct schedule *schedule = &solver->schedule;

	live->read = 0;
	live->kept = ALL_GENERAL;
	for (uint32_t i = block->first + block->count; i-- > block->first;) {
		uint16_t written = overwritten(solver, i);

		live->kept &= (uint16_t)~written;
		live->read = (uint16_t)((live->read & ~written) | read_by(solver, i, arguments));
		/* what an exception's landing pad reads */
		if (solver->landings && solver->landings[i])
			live->read = ALL_GENERAL;
		for (uint32_t j = schedule->due_at[i].first; j < schedule->due_at[i].end; j++)
			if (reg_is_general(schedule->due[j].reg))
				live->read |= (uint16_t)REG_BIT(schedule->due[j].reg);
	}
}

static uint16_t live_behind(const struct live *live, const struct code *code, const struct block *block)
{
	/* nobody knows what is behind an unknown jump */
	uint16_t registers = block->flags & BLOCK_UNKNOWN_SUCCESSORS ? ALL_GENERAL : 0;

	for (uint32_t i = 0; i < block->successor_count; i++)
		registers |= live->blocks[code->edges[block->successor_first + i]].entry;
	return registers;
}

static void start(struct live *live, struct solver *solver, const struct slice *slice)
{
	const struct code *code = solver->code;
	uint16_t arguments = argument_mask();

	if (code->block_count > live->capacity) {
		live->blocks = xrealloc_array(live->blocks, code->block_count, sizeof(*live->blocks));
		live->capacity = code->block_count;
	}
	memset(live->blocks, 0, code->block_count * sizeof(*live->blocks));
	for (uint32_t i = 0; i < code->block_count; i++) {
		if (!slice->holds[i])
			continue;
		schedule_block(&solver->schedule, i);
		look_through(solver, &live->blocks[i], &code->blocks[i], arguments);
		live->blocks[i].pending = true;
	}
}

void live_find(struct live *live, struct solver *solver, const struct slice *slice)
{
	const struct code *code = solver->code;
	uint16_t always = always_live(&solver->facts);
	bool again = true;

	start(live, solver, slice);
	while (again) {
		again = false;
		for (size_t i = code->block_count; i-- > 0;) {
			const struct block *block = &code->blocks[code->order[i]];
			struct live_block *at = &live->blocks[code->order[i]];

			if (!at->pending)
				continue;
			at->pending = false;

			uint16_t behind = live_behind(live, code, block);
			uint16_t entry = always | at->read | (behind & at->kept);

			if (entry == at->entry)
				continue;
			at->entry = entry;
			again = true;
			for (uint32_t j = 0; j < block->predecessor_count; j++) {
				uint32_t from = code->edges[block->predecessor_first + j];

				live->blocks[from].pending = slice->holds[from];
			}
		}
	}
}

void live_release(struct live *live)
{
	free(live->blocks);
	*live = (struct live){ 0 };
}
