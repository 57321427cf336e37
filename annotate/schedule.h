/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which facts of the debug information are due at which instruction of a function: found once, whatever the
 * states are. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_SCHEDULE_H
#define DTPROF_ANNOTATE_SCHEDULE_H

#include <stdbool.h>

#include "annotate/facts.h"
#include "disasm/code.h"

/* What a call may change: registers that are not preserved (psABI figure 3.4). */
#define CALL_CLOBBERED                                                                                       \
	(REG_BIT(REG_RAX) | REG_BIT(REG_RCX) | REG_BIT(REG_RDX) | REG_BIT(REG_RSI) | REG_BIT(REG_RDI) |      \
	 REG_BIT(REG_R8) | REG_BIT(REG_R9) | REG_BIT(REG_R10) | REG_BIT(REG_R11))
#define VECTOR_REGISTERS (UINT64_MAX << REG_XMM0 & (REG_BIT(REG_COUNT) - 1))

/* Registers that an instruction may change, with what a call does. */
static inline uint64_t schedule_written(const struct insn *insn)
{
	return insn->operation == OP_CALL ? insn->written | CALL_CLOBBERED | VECTOR_REGISTERS : insn->written;
}

/* A fact to put into the state before an instruction. */
struct due_fact {
	const struct register_fact *fact;
	uint8_t reg;
};

/* Those of an instruction: [first, end) of the schedule's. */
struct due_facts {
	uint32_t first;
	uint32_t end;
};

struct schedule {
	const struct facts *facts; /* borrowed, as `code` */
	const struct code *code;
	struct fact_window windows[REG_COUNT]; /* on the facts, where they were looked at last */
	uint64_t registers;                    /* that there are facts of */
	uint64_t *starts;                      /* by instruction: registers with a fact that begins there */
	bool *built;                           /* by block: what follows is filled in for its instructions */
	struct due_facts *due_at;              /* by instruction */
	struct due_fact *due;
	uint32_t due_count, due_capacity;
	/*
	 * By instruction, for the base register of its memory operand: the variable that will be in it later
	 * in the block, with nothing written to it between: so the value is that already. NULL: none.
	 */
	const struct register_fact **coming;
	size_t insn_capacity;
	size_t block_capacity;
};

/* For a function. Zero-initialized is ready for this; memory is used again. */
void schedule_start(struct schedule *schedule, const struct facts *facts, const struct code *code);
/* Before a block's instructions are asked about; does something only the first time. */
void schedule_block(struct schedule *schedule, uint32_t block);
void schedule_release(struct schedule *schedule);

#endif
