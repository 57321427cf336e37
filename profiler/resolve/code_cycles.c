// SPDX-License-Identifier: GPL-2.0-or-later
/* The least time that an iteration of a loop takes: see loop_cycles(). */
#include "base/memory.h"
#include "profiler/resolve/code_loops.h"
#include "report/layout/advice.h"

#define ITERATION_COUNT 40 /* simulated */
#define FILL_COUNT      20 /* of these, the iterations that fill the pipeline */
#define LOAD_CYCLES     4  /* of a general register from L1; vectors take one or two more */
/* of an addition or multiplication of floating point: 3 (Zen) or 4 (Intel) */
#define VECTOR_CYCLES   3
#define SLOW_CYCLES     13 /* of a division or a square root, */
#define SLOW_BUSY       6  /* in which the unit for them begins no other one: Zen 3 */
#define MULTIPLY_CYCLES 3
#define ADVANCE_STEPS   16 /* of the budget, for an instruction */

static bool is_slow(const struct insn *insn)
{
	return insn->own_time == OWN_TIME_DIVISION || insn->own_time == OWN_TIME_SQUARE_ROOT;
}

/* Returns the cycles from when an instruction's operands are ready until its result is. */
static double latency(const struct insn *insn)
{
	const struct operand *memory = insn_memory(insn, false);
	bool vector = insn->operand_count && insn->operands[0].kind == OPERAND_REGISTER &&
		      reg_is_vector(insn->operands[0].reg);
	double cycles = 1;

	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		/* A move between registers is done when it is renamed. */
		cycles = 0;
		break;
	case OP_OTHER: cycles = vector ? VECTOR_CYCLES : 1; break;
	case OP_MULTIPLY: cycles = MULTIPLY_CYCLES; break;
	default: break;
	}
	if (is_slow(insn))
		cycles = SLOW_CYCLES;
	if (memory && memory->read && insn->operation != OP_LEA)
		cycles += LOAD_CYCLES + (vector ? 1 : 0);
	return cycles;
}

/* Updates when registers are ready for one instruction, and when the divider is. Returns when the
 * instruction is done. */
static double advance_time(const struct insn *insn, double issued, double ready[REG_COUNT],
			   double *divider)
{
	const struct operand *memory = insn_memory(insn, false);
	double data = issued, address = issued, done;
	uint64_t through = 0;

	if (memory)
		through = operand_registers(memory);
	for (int reg = 0; reg < REG_COUNT; reg++) {
		if (!(insn->read & REG_BIT(reg)))
			continue;
		if (through & REG_BIT(reg))
			address = ready[reg] > address ? ready[reg] : address;
		/* Other registers than those of the address are needed only after the load. */
		else
			data = ready[reg] > data ? ready[reg] : data;
	}
	double total = latency(insn);
	bool loads = memory && memory->read && insn->operation != OP_LEA;
	double load = loads ? LOAD_CYCLES + (total - LOAD_CYCLES >= 1 ? 1 : 0) : 0,
	       rest = total - load;

	raise_to(rest, 0);
	done = address + load > data ? address + load : data;
	if (is_slow(insn)) {
		raise_to(done, *divider);
		*divider = done + SLOW_BUSY;
	}
	done += rest;
	for (int reg = 0; reg < REG_COUNT; reg++)
		if (insn->written & REG_BIT(reg))
			ready[reg] = done;
	return done;
}

double loop_cycles(const struct loop_forest *forest, uint32_t loop, double *issue)
{
	const struct cfg *code = forest->code;
	double ready[REG_COUNT] = { 0 }, divider = 0, filled = 0, last = 0;
	uint32_t *path = xcalloc(code->block_count, sizeof(*path)), count = 0;
	uint64_t issued = 0;

	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t block = code->order[i];

		if (loop_has_block(forest, loop, block) && loop_always_runs(forest, loop, block))
			path[count++] = block;
	}
	for (int iteration = 0; iteration < ITERATION_COUNT && *forest->work; iteration++) {
		for (uint32_t i = 0; i < count; i++) {
			const struct basic_block *block = &code->blocks[path[i]];

			loop_take_work(forest, ADVANCE_STEPS * (uint64_t)block->count);
			for (uint32_t k = block->first; k < block->first + block->count; k++) {
				double done = advance_time(&code->insns[k],
							   (double)issued++ / ADVICE_ISSUE_WIDTH,
							   ready, &divider);

				last = done > last ? done : last;
			}
		}
		if (iteration == FILL_COUNT - 1)
			filled = last;
	}
	free(path);
	*issue = (double)issued / ITERATION_COUNT / ADVICE_ISSUE_WIDTH;
	return *forest->work ? (last - filled) / (ITERATION_COUNT - FILL_COUNT) : 0;
}
