/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a function's ranges, one after the other. */
#ifndef DTPROF_DISASM_SWEEP_H
#define DTPROF_DISASM_SWEEP_H

#include "disasm/code.h"

/*
 * Fill insns and spans of `code`. Where decoding from end to end misses the target of a jump that the
 * function's flow reaches (data among the code), the flow decides where instructions start.
 */
void code_sweep(struct decoder *decoder, const struct code_request *request, struct code *code);

/* The immediate target of a jump, branch or call; false if there is none. */
static inline bool insn_direct_target(const struct insn *insn, uint64_t *target)
{
	if (!insn->operand_count || insn->operands[0].kind != OPERAND_IMMEDIATE ||
	    (insn->operation != OP_JUMP && insn->operation != OP_BRANCH && insn->operation != OP_CALL))
		return false;
	*target = (uint64_t)insn->operands[0].value;
	return true;
}

/* Does the caller say that this call does not return? */
static inline bool request_no_return(const struct code_request *request, const struct insn *insn)
{
	uint64_t target = 0;

	if (insn->operation != OP_CALL || !request->no_return)
		return false;
	insn_direct_target(insn, &target);
	return request->no_return(request->data, insn->address, target);
}

#endif
