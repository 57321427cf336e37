// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers that are read later, and what that says of the calls before: see code.h. */
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"

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
	case OP_POP: return operand_is_general(to) ? (general_set)REG_BIT(to->reg) : 0;
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
	general_set all = arch_general_registers(solver->arch);

	live->kept = all;
	/* the targets of an unknown jump may read every register */
	live->read = block->flags & BLOCK_UNKNOWN_SUCCESSORS ? all : 0;
	for (uint32_t i = block->first + block->count; i-- > block->first;) {
		live_block_back(live, overwritten_by(solver, i),
				live_read_by(solver, i, arguments));
		/* a landing pad may read all registers */
		if (solver->tables.extra_edges && solver->tables.extra_edges[i])
			live->read = all;
		for (uint32_t j = schedule->due_at[i].first; j < schedule->due_at[i].end; j++)
			if (reg_is_general(schedule->due[j].reg))
				live->read |= (general_set)REG_BIT(schedule->due[j].reg);
	}
}

void live_find(struct liveness *live, struct solver *solver, const uint8_t *blocks)
{
	const struct cfg *code = solver->code;
	general_set arguments = argument_mask(solver->abi->call);

	liveness_start(live, code);
	for (uint32_t i = 0; i < code->block_count; i++) {
		if (!blocks[i])
			continue;
		schedule_block(&solver->tables.schedule, i);
		live_look_through(solver, &live->blocks[i], &code->blocks[i], arguments);
		live->blocks[i].asked = true;
	}
	liveness_solve(live, code, always_live(solver->arch, &solver->facts));
}

/* ---- registers that a call keeps */

/* Goes back over an instruction. A call surely writes its results. What the callee of a call, or
 * the caller after a return, may read does not count, because nothing shows that they do. */
static void kept_back(const struct solver *solver, uint32_t index, struct live_block *block)
{
	const struct insn *insn = &solver->code->insns[index];
	const uint8_t *results = solver->abi->call->results;
	uint64_t written = insn->operation == OP_CALL ? REG_BIT(results[0]) | REG_BIT(results[1])
						      : insn->written;

	live_block_back(block, (general_set)written, (general_set)insn->read);
}

/* Finds the registers that are read from the start of each block on. */
static void find_reads(struct liveness *read, const struct solver *solver)
{
	const struct cfg *code = solver->code;

	liveness_start(read, code);
	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		read->blocks[i] =
			(struct live_block){ .kept = (general_set)GENERAL_MASK, .asked = true };
		for (uint32_t k = block->first + block->count; k-- > block->first;)
			kept_back(solver, k, &read->blocks[i]);
	}
	liveness_solve(read, code, 0);
}

/* Returns the registers that are read from each block of the function on. */
static const struct liveness *reads_of_function(struct solver *solver)
{
	if (solver->places.kept_round != solver->pass.first_round) {
		solver->places.kept_round = solver->pass.first_round;
		find_reads(&solver->places.kept, solver);
	}
	return &solver->places.kept;
}

general_set live_at_entry(struct solver *solver, uint32_t block)
{
	const struct convention *call = solver->abi->call;

	return (general_set)(reads_of_function(solver)->blocks[block].entry | argument_mask(call) |
			     REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
}

void live_find_dominators(struct solver *solver)
{
	struct tags *tags = &solver->tags;
	size_t count = solver->code->block_count;

	if (tags->dominators)
		return;
	tags->dominators = xcalloc(count, sizeof(*tags->dominators));
	tags->position = xcalloc(count, sizeof(*tags->position));
	cfg_find_dominators(solver->code, tags->dominators, tags->position, NULL);
}

uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target,
		      const struct prototype *prototype, uint64_t clobbered)
{
	const struct cfg *code = solver->code;
	const struct convention *call = solver->abi->call;
	bool returns_nothing =
		prototype && prototype->return_type && prototype->return_type->kind == TYPE_VOID;

	if (!target || solver->abi->goroutine_type)
		return 0;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	struct live_block after = { .read = liveness_after(reads_of_function(solver), code,
							   block) };

	for (uint32_t i = block->first + block->count; i-- > insn + 1;)
		kept_back(solver, i, &after);
	uint64_t reads = after.read & GENERAL_MASK & clobbered;

	if (!returns_nothing)
		reads &= ~(REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
	/* the compiler may have known the code of a function of this DSO */
	return reads && !elf_image_plt_import(solver->image, target) ? reads : 0;
}
