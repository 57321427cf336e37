// SPDX-License-Identifier: GPL-2.0-or-later
/* Targets of direct jumps: see flow.h. */
#include "disasm/flow.h"

#include "profiler/base/memory.h"

bool insn_direct_target(const struct insn *insn, uint64_t *target)
{
	if (!insn->operand_count || insn->operands[0].kind != OPERAND_IMMEDIATE ||
	    (insn->operation != OP_JUMP && insn->operation != OP_BRANCH && insn->operation != OP_CALL))
		return false;
	*target = (uint64_t)insn->operands[0].value;
	return true;
}

bool request_no_return(const struct code_request *request, const struct insn *insn)
{
	uint64_t target = 0;

	if (insn->operation != OP_CALL || !request->no_return)
		return false;
	insn_direct_target(insn, &target);
	return request->no_return(request->data, insn->address + insn->length, target);
}

static int32_t find_target(const struct code *code, uint64_t address)
{
	int64_t insn = code_find(code, address);

	if (insn >= 0)
		return insn;
	if (!code_covers(code, address))
		return FLOW_OUTSIDE;
	/* a jump past a lock prefix goes to the same instruction without it */
	insn = code_find(code, address - 1);
	return insn >= 0 && (code->insns[insn].flags & FLAG_LOCK) ? (int32_t)insn : FLOW_MIDDLE;
}

void flow_init(struct flow *flow, const struct code *code, const struct code_request *request)
{
	*flow = (struct flow){
		.traps_continue = request->traps_continue,
		.targets = xrealloc_array(NULL, code->insn_count, sizeof(*flow->targets)),
		.no_return = xcalloc(code->insn_count, sizeof(*flow->no_return)),
		.leader = xcalloc(code->insn_count, sizeof(*flow->leader)),
	};
	for (size_t i = 0; i < code->insn_count; i++) {
		const struct insn *insn = &code->insns[i];
		uint64_t target;

		flow->targets[i] = FLOW_NONE;
		if (insn->operation == OP_CALL)
			flow->no_return[i] = request_no_return(request, insn);
		else if (insn->flags & FLAG_THUNK) /* no switch is compiled to a retpoline: a tail call */
			flow->targets[i] = insn->operation == OP_JUMP ? FLOW_OUTSIDE : FLOW_NONE;
		else if (insn_direct_target(insn, &target))
			flow->targets[i] = find_target(code, target);
		flow->misses |= flow->targets[i] == FLOW_MIDDLE;
	}
	for (size_t i = 0; i < request->leader_count; i++) {
		int32_t leader = find_target(code, request->leaders[i]);

		if (leader >= 0)
			flow->leader[leader] = true;
		flow->misses |= leader == FLOW_MIDDLE;
	}
}

void flow_release(struct flow *flow)
{
	free(flow->targets);
	free(flow->no_return);
	free(flow->leader);
}
