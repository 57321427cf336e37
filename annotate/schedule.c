// SPDX-License-Identifier: GPL-2.0-or-later
/* Which facts of the debug information are due at which instruction: see schedule.h. */
#include "annotate/schedule.h"

#include <string.h>

#define VECTOR_REGISTERS (UINT64_MAX << REG_XMM0 & (REG_BIT(REG_COUNT) - 1))

static uint64_t all_facts(const struct facts *facts)
{
	uint64_t mask = 0;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (facts->register_counts[reg])
			mask |= REG_BIT(reg);
	return mask;
}

/* Ranges may begin within an instruction: the fact holds from the next one. */
static void mark_start(struct schedule *schedule, unsigned int reg, uint64_t low)
{
	int64_t insn = -1;

	for (unsigned int skip = 0; skip < 16 && insn < 0; skip++)
		insn = code_find(schedule->code, low + skip);
	if (insn >= 0)
		schedule->starts[insn] |= REG_BIT(reg);
}

static void mark_starts(struct schedule *schedule)
{
	const struct facts *facts = schedule->facts;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		for (size_t i = 0; i < facts->register_counts[reg]; i++) {
			const struct register_fact *fact = &facts->registers[reg][i];
			const struct function *function = facts->function;
			const struct scope *scope =
				&function->scopes[function->variables[fact->variable].scope];

			mark_start(schedule, reg, fact->low);
			/* where its scope begins or is over another variable may be the better account */
			for (size_t j = 0; j < scope->range_count; j++) {
				if (scope->ranges[j].low > fact->low && scope->ranges[j].low < fact->high)
					mark_start(schedule, reg, scope->ranges[j].low);
				if (scope->ranges[j].high > fact->low && scope->ranges[j].high < fact->high)
					mark_start(schedule, reg, scope->ranges[j].high);
			}
		}
	}
}

static uint8_t base_register(const struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].base != REG_NONE)
			return insn->operands[i].base;
	return REG_NONE;
}

static const struct register_fact *fact_at(const struct schedule *schedule, struct fact_window *windows,
					   uint8_t reg, uint64_t address)
{
	if (!fact_window_holds(&windows[reg], address))
		fact_window_move(&windows[reg], schedule->facts, reg, address);
	return windows[reg].fact;
}

/* Each block backwards. */
static void find_coming(struct schedule *schedule, struct fact_window *windows)
{
	const struct code *code = schedule->code;

	for (size_t i = 0; i < code->block_count; i++) {
		const struct register_fact *next[REG_GENERAL_COUNT] = { 0 };
		const struct block *block = &code->blocks[i];

		for (uint32_t j = block->first + block->count; j-- > block->first;) {
			const struct insn *insn = &code->insns[j];
			uint64_t written = insn->written | (insn->operation == OP_CALL ? CALL_CLOBBERED : 0);
			uint8_t base = base_register(insn);

			for (uint64_t left = written & (REG_BIT(REG_GENERAL_COUNT) - 1); left;
			     left &= left - 1)
				next[__builtin_ctzll(left)] = NULL;
			if (reg_is_general(base))
				schedule->coming[j] = next[base];
			for (uint64_t left = schedule->starts[j] & (REG_BIT(REG_GENERAL_COUNT) - 1); left;
			     left &= left - 1) {
				uint8_t reg = (uint8_t)__builtin_ctzll(left);
				const struct register_fact *fact =
					fact_at(schedule, windows, reg, insn->address);

				if (fact && !fact->weak && fact->value.kind == VALUE_POINTER)
					next[reg] = fact;
			}
		}
	}
}

/*
 * Which facts are due where: all that hold at a block's start; those that begin at an instruction; those that
 * hold of a register which the instruction before has written.
 */
static void find_due(struct schedule *schedule, struct fact_window *windows)
{
	const struct code *code = schedule->code;
	const uint64_t all = all_facts(schedule->facts);

	for (size_t i = 0; i < code->block_count; i++) {
		const struct block *block = &code->blocks[i];
		uint64_t mask = all;

		for (uint32_t j = block->first; j < block->first + block->count; j++) {
			const struct insn *insn = &code->insns[j];

			schedule->due_first[j] = schedule->due_count;
			for (uint64_t left = (mask | schedule->starts[j]) & all; left; left &= left - 1) {
				uint8_t reg = (uint8_t)__builtin_ctzll(left);
				const struct register_fact *fact =
					fact_at(schedule, windows, reg, insn->address);

				if (!fact)
					continue;
				array_reserve(schedule->due, schedule->due_count, schedule->due_capacity);
				schedule->due[schedule->due_count++] = (struct due_fact){ fact, reg };
			}
			mask = insn->written;
			if (insn->operation == OP_CALL)
				mask |= CALL_CLOBBERED | VECTOR_REGISTERS;
		}
	}
	schedule->due_first[code->insn_count] = schedule->due_count;
}

void schedule_build(struct schedule *schedule, const struct facts *facts, const struct code *code)
{
	struct fact_window windows[REG_COUNT] = { 0 };

	if (code->insn_count > schedule->insn_capacity) {
		schedule_release(schedule);
		schedule->starts = xrealloc_array(NULL, code->insn_count, sizeof(*schedule->starts));
		schedule->due_first =
			xrealloc_array(NULL, code->insn_count + 1, sizeof(*schedule->due_first));
		schedule->coming = xrealloc_array(NULL, code->insn_count, sizeof(*schedule->coming));
		schedule->insn_capacity = code->insn_count;
	}
	memset(schedule->starts, 0, code->insn_count * sizeof(*schedule->starts));
	memset(schedule->coming, 0, code->insn_count * sizeof(*schedule->coming));
	schedule->facts = facts;
	schedule->code = code;
	schedule->due_count = 0;
	mark_starts(schedule);
	find_due(schedule, windows);
	find_coming(schedule, windows);
}

void schedule_release(struct schedule *schedule)
{
	free(schedule->starts);
	free(schedule->due_first);
	free(schedule->due);
	free(schedule->coming);
	memset(schedule, 0, sizeof(*schedule));
}
