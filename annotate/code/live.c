// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that are read later: see live.h. */
#include "annotate/code/live.h"

#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "base/memory.h"

/* Returns the registers that are live everywhere: the stack pointer, which bounds what a callee may
 * change, and the bases of variables in memory. */
static general_set always_live(const struct arch *arch, const struct facts *facts)
{
	uint64_t registers = REG_BIT(arch->stack_pointer) | facts->stack_bases;

	for (size_t i = 0; i < facts->pointed_count; i++)
		if (facts->pointed[i].base_reg != REG_NONE)
			registers |= REG_BIT(facts->pointed[i].base_reg);
	return (general_set)registers;
}

static general_set argument_mask(const struct convention *call)
{
	general_set registers = 0;

	for (size_t i = 0; i < call->argument_count; i++)
		registers |= (general_set)REG_BIT(call->arguments[i]);
	return registers;
}

/* Returns the registers that an instruction overwrites, whatever they held. A register that is left
 * out here only stays live for longer than necessary. */
static general_set overwritten_by(struct solver *solver, uint32_t index)
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
		return to->kind == OPERAND_REGISTER && reg_is_general(to->reg)
			       ? (general_set)REG_BIT(to->reg)
			       : 0;
	case OP_CALL: {
		const struct call_cache *cache = solver_callee(solver, index);

		/* A function that is called through a pointer may keep more registers:
		 * solver_called_through(). */
		return cache->by_state && solver->options.kernel ? 0
								 : (general_set)cache->clobbered;
	}
	default: return 0;
	}
}

/* Returns the registers whose values influence what an instruction does, or what is learned from
 * it. */
static general_set live_read_by(const struct solver *solver, uint32_t index, general_set arguments)
{
	const struct insn *insn = &solver->code->insns[index];

	switch (insn->operation) {
	/* a jump may be a tail call */
	case OP_CALL:
	case OP_JUMP: return (general_set)insn->read | arguments;
	case OP_RETURN: return (general_set)(insn->read | REG_BIT(solver->abi->call->results[0]));
	default: return (general_set)insn->read;
	}
}

/* Finds the registers that a block reads and keeps, by walking it backwards. */
static void live_look_through(struct solver *solver, struct live_block *live,
			      const struct basic_block *block, general_set arguments)
{
	const struct schedule *schedule = &solver->tables.schedule;

	live->read = 0;
	live->kept = arch_general_registers(solver->arch);
	for (uint32_t i = block->first + block->count; i-- > block->first;) {
		general_set written = overwritten_by(solver, i);

		live->kept &= (general_set)~written;
		live->read =
			(general_set)((live->read & ~written) | live_read_by(solver, i, arguments));
		/* a landing pad may read all registers */
		if (solver->tables.extra_edges && solver->tables.extra_edges[i])
			live->read = arch_general_registers(solver->arch);
		for (uint32_t j = schedule->due_at[i].first; j < schedule->due_at[i].end; j++)
			if (reg_is_general(schedule->due[j].reg))
				live->read |= (general_set)REG_BIT(schedule->due[j].reg);
	}
}

static general_set live_after(const struct live *live, const struct cfg *code,
			      const struct basic_block *block)
{
	/* the targets of an unknown jump may read every register */
	general_set registers =
		block->flags & BLOCK_UNKNOWN_SUCCESSORS ? arch_general_registers(code->arch) : 0;

	for (uint32_t i = 0; i < block->successor_count; i++)
		registers |= live->blocks[code->edges[block->successor_first + i]].entry;
	return registers;
}

static void live_start(struct live *live, struct solver *solver, const uint8_t *blocks)
{
	const struct cfg *code = solver->code;
	general_set arguments = argument_mask(solver->abi->call);

	if (code->block_count > live->capacity) {
		live->blocks =
			xrealloc_array(live->blocks, code->block_count, sizeof(*live->blocks));
		live->capacity = code->block_count;
	}
	memset(live->blocks, 0, code->block_count * sizeof(*live->blocks));
	for (uint32_t i = 0; i < code->block_count; i++) {
		if (!blocks[i])
			continue;
		schedule_block(&solver->tables.schedule, i);
		live_look_through(solver, &live->blocks[i], &code->blocks[i], arguments);
		live->blocks[i].pending = true;
	}
}

void live_find(struct live *live, struct solver *solver, const uint8_t *blocks)
{
	const struct cfg *code = solver->code;
	general_set always = always_live(solver->arch, &solver->facts);
	bool again = true;

	live_start(live, solver, blocks);
	while (again) {
		again = false;
		for (size_t i = code->block_count; i-- > 0;) {
			const struct basic_block *block = &code->blocks[code->order[i]];
			struct live_block *at = &live->blocks[code->order[i]];

			if (!at->pending)
				continue;
			at->pending = false;

			general_set after = live_after(live, code, block);
			general_set entry = always | at->read | (after & at->kept);

			if (entry == at->entry)
				continue;
			at->entry = entry;
			again = true;
			each_predecessor (from, code, block)
				live->blocks[from].pending = blocks[from];
		}
	}
}

void live_deinit(struct live *live)
{
	free(live->blocks);
	*live = (struct live){ 0 };
}
