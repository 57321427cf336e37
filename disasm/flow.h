/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flow of control from each instruction, as far as the instruction alone tells it. It is computed once.
 */
#ifndef DTPROF_DISASM_FLOW_H
#define DTPROF_DISASM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/code.h"

enum flow_target {
	FLOW_NONE = -1,    /* no direct jump or branch */
	FLOW_OUTSIDE = -2, /* out of the function */
	FLOW_MIDDLE = -3,  /* into the function, but not to an instruction */
};

enum flow_mark {
	FLOW_STARTS = 1,    /* a block begins here */
	FLOW_LEADER = 2,    /* the request says that control may come here */
	FLOW_NO_RETURN = 4, /* a call that does not return */
};

struct flow {
	int32_t *targets; /* of each jump and branch: the instruction that it goes to, or enum flow_target */
	uint8_t *marks;   /* per instruction: enum flow_mark */
	size_t start_count;  /* instructions with FLOW_STARTS */
	bool traps_continue; /* as the request says */
	bool misses;         /* a target is FLOW_MIDDLE, or a leader is */
};

void flow_init(struct flow *flow, const struct code *code, const struct code_request *request);
void flow_deinit(struct flow *flow);
/* Let a block begin at an instruction. */
void flow_start_block(struct flow *flow, size_t insn);

/* The immediate target of a jump, branch or call; false if there is none. */
bool insn_direct_target(const struct insn *insn, uint64_t *target);
/* Returns true if the caller says that this call does not return. */
bool request_no_return(const struct code_request *request, const struct insn *insn);

#endif
