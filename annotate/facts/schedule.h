/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedule: which facts are due at which instruction. This is found once for each block,
 * whatever the states are.
 */
#pragma once

#include "annotate/facts/facts.h"

/* Returns the registers that an instruction may change, including those that a call by this
 * convention may. */
static inline uint64_t schedule_written(const struct convention *call, const struct insn *insn)
{
	return insn->operation == OP_CALL ? insn->written | call->clobbered | VECTOR_MASK
					  : insn->written;
}

/* A fact to be put into the state before an instruction. */
struct due_fact {
	const struct register_fact *fact;
	uint8_t reg;
};

/* The facts of one instruction: [first, end) of the schedule's list. */
struct due_facts {
	uint32_t first;
	uint32_t end;
};

struct schedule {
	const struct facts *facts; /* borrowed, as `code` and `call` */
	const struct cfg *code;
	const struct convention *call;         /* of the function and what it calls */
	struct fact_window windows[REG_COUNT]; /* the last answer for each register */
	uint64_t registers;                    /* the registers that have facts */
	uint64_t *starts; /* by instruction: the registers with a fact that begins there */
	bool *built;      /* by block: the members below are filled in for its instructions */
	struct due_facts *due_at; /* by instruction */
	struct due_fact *due;
	uint32_t due_count, due_capacity;
	/* By instruction: the variable that names the base register of its memory operand later in
	 * the block; NULL if there is none. Nothing is written to the register in between, or only
	 * the next object of a list, so it points to such an object already. */
	const struct register_fact **coming;
	size_t insn_capacity;
	size_t block_capacity;
};

/* Empties the schedule for another function, and keeps its memory. A zero-initialized schedule
 * is ready for this. */
void schedule_start(struct schedule *schedule, const struct facts *facts, const struct cfg *code,
		    const struct convention *call);
/* Finds the facts that are due in a block. Must be called before they are asked for; only the
 * first call does anything. */
void schedule_block(struct schedule *schedule, uint32_t block);
void schedule_deinit(struct schedule *schedule);
