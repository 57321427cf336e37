/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of a function, how an address changes from one iteration to the next, and the least
 * time that an iteration takes.
 */
#pragma once

#include "disasm/cfg.h"

#define LOOP_NONE UINT32_MAX /* not in a loop */

/* The member that an instruction accesses. */
struct loop_member {
	uint32_t outer; /* hash of the outermost record and the offset; 0: an index is added */
	uint32_t whole; /* hash of the outermost record, */
	uint32_t inner; /* and of the innermost one; 0: not known */
	uint32_t offset, size; /* bytes of the innermost one */
};

/* All definitions of a place in a loop. */
struct place_writes {
	uint32_t count; /* that are not additions of constants */
	uint32_t last;  /* one of them */
	uint32_t additions;
	int64_t constant; /* that was added last, in this block */
	uint32_t block;
	int64_t step; /* sum of the constants on one path */
	bool called;  /* a call may have changed it */
};

struct code_loop {
	uint32_t header;     /* block */
	uint32_t blocks;     /* how many blocks it has, with those of inner loops */
	uint32_t around;     /* the innermost loop around it, or LOOP_NONE */
	uint32_t merged; /* a loop within it that is another way to its next iteration, or LOOP_NONE
			  */
	uint32_t first, end; /* its blocks are among these */
	/* of each general register, and the REG_BITs of those that it leaves alone; NULL: not found
	 * yet
	 */
	struct place_writes *writes;
	uint64_t fixed;
};

struct loop_forest {
	const struct cfg *code;
	struct code_loop *loops;
	size_t loop_count;
	uint32_t *loop_of; /* the innermost loop of each block, or LOOP_NONE */
	uint8_t *member;   /* loop * block_count + block: the loop has the block */
	uint32_t *idom;    /* immediate dominator of each block; UINT32_MAX: not reached */
	/* a block dominates `dominated` ones from its `place` on, itself too; 0: not reached */
	uint32_t *place, *dominated;
	uint64_t *work; /* see loop_work_max() */
	/* of each instruction. NULL: only equal operands are one place in memory */
	const struct loop_member *members;
};

/* How a value changes from one iteration of a loop to the next. */
enum value_walk {
	VALUE_SAME,
	VALUE_INDUCTION, /* by the same number of bytes each time */
	VALUE_LOADED,    /* it is loaded from an address that does not depend on it */
	VALUE_CHASED,    /* it is loaded through itself */
	VALUE_OTHER,
};

struct address_walk {
	enum value_walk kind;
	int64_t step;  /* VALUE_INDUCTION: bytes; 0: not known */
	uint32_t load; /* VALUE_CHASED: the instruction that loads the next one */
	uint32_t cycle; /* VALUE_CHASED: an instruction of each step, */
	bool closed;    /* which was passed by both steps */
	bool aside; /* it is found through a pointer in what is chased, and leads to no next one */
	bool several; /* VALUE_CHASED: iterations go through different members */
	bool indexed; /* VALUE_LOADED: what was loaded is an index from a fixed pointer */
	/* the instruction that sets the value last, or UINT32_MAX; or LOOP_ORIGIN_SLOT and a number
	 * of the memory that the value is reloaded from. Equal values have equal origins. */
	uint32_t origin;
};

#define LOOP_ORIGIN_SLOT 0x80000000

/* Returns whether the value is reloaded from one place in memory, whatever register it is in. */
static inline bool address_walk_has_slot(const struct address_walk *walk)
{
	return walk->origin != UINT32_MAX && walk->origin & LOOP_ORIGIN_SLOT;
}

/* Returns the budget for the loops of all functions of an object, which have this many
 * instructions: about how many instructions are looked at. Real programs need less than half. When
 * it is spent, addresses have walks of the kind VALUE_OTHER, and functions no loops. Definitions of
 * definitions branch, so without a budget a function of generated code would take forever. */
uint64_t loop_work_max(uint64_t insns);
/* Finds the loops of a function. `code` and `work`, what is left of the budget, must outlive the
 * forest. Functions with too many blocks have no loops. */
void loop_forest_init(struct loop_forest *forest, const struct cfg *code, uint64_t *work);
void loop_forest_deinit(struct loop_forest *forest);

/* Takes steps from the budget. */
static inline void loop_take_work(const struct loop_forest *forest, uint64_t steps)
{
	*forest->work -= steps < *forest->work ? steps : *forest->work;
}

/* Returns whether the loop has the block. */
static inline bool loop_has_block(const struct loop_forest *forest, uint32_t loop, uint32_t block)
{
	return forest->member[(size_t)loop * forest->code->block_count + block];
}

/* Returns whether every way to `block` passes `above`. */
bool loop_block_dominates(const struct loop_forest *forest, uint32_t above, uint32_t block);
/* Returns how the address of the operand of instruction `insn` changes in the loop. */
struct address_walk loop_address_walk(const struct loop_forest *forest, uint32_t loop,
				      uint32_t insn, const struct operand *memory);
/* Returns whether the address of the operand in the first iteration of the loop differs from one
 * iteration of the loop around it to the next, other than by a fixed step. */
bool loop_begins_anew(const struct loop_forest *forest, uint32_t loop, uint32_t insn,
		      const struct operand *memory);
/* Returns whether each iteration runs the block: it dominates all sources of back edges. */
bool loop_always_runs(const struct loop_forest *forest, uint32_t loop, uint32_t block);
/* Returns whether an iteration of the loop may pass none of the blocks that are marked. */
bool loop_may_avoid(const struct loop_forest *forest, uint32_t loop, const uint8_t *marks);
/* Returns whether the last iteration of the loop may pass `block`, but none that are marked. */
bool loop_end_may_avoid(const struct loop_forest *forest, uint32_t loop, uint32_t block,
			const uint8_t *marks);
/* Returns whether a run of the function that passes `block` may pass none that are marked. */
bool loop_runs_may_avoid(const struct loop_forest *forest, uint32_t block, const uint8_t *marks);
/* Returns the cycles that an iteration of the loop takes at least if all loads hit L1: by the chain
 * of dependent instructions from one iteration to the next, and by the number of instructions. Only
 * blocks that each iteration runs count. 0: not known. *issue: those by the number of instructions
 * alone. */
double loop_cycles(const struct loop_forest *forest, uint32_t loop, double *issue);
/* Returns how many jumps of an iteration decide between two ways through the loop. The jump that
 * only decides whether there is another iteration does not count. */
uint32_t loop_choices(const struct loop_forest *forest, uint32_t loop);
/* Returns whether the loop ends at what it looks for, or where there is no more: several of its
 * blocks have a way out, other than to a call that does not return. */
bool loop_searches(const struct loop_forest *forest, uint32_t loop);
/* Returns whether the block of the loop ends in a jump that loop_choices() counts. */
bool loop_is_choice(const struct loop_forest *forest, uint32_t loop, uint32_t block);
/* Returns whether the loop calls a function. */
bool loop_calls(const struct loop_forest *forest, uint32_t loop);
