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

void flow_start_block(struct flow *flow, size_t insn)
{
	flow->start_count += !(flow->marks[insn] & FLOW_STARTS);
	flow->marks[insn] |= FLOW_STARTS;
}

static int32_t target_of(const struct code *code, const struct insn *insn)
{
	uint64_t target;

	if (insn->flags & FLAG_THUNK) /* no switch is compiled to a retpoline: a tail call */
		return FLOW_OUTSIDE;
	return insn_direct_target(insn, &target) ? find_target(code, target) : FLOW_NONE;
}

static void add_insn(struct flow *flow, const struct code *code, const struct code_request *request, size_t i)
{
	const struct insn *insn = &code->insns[i];

	switch (insn->operation) {
	case OP_CALL:
		if (!request_no_return(request, insn))
			return;
		flow->marks[i] |= FLOW_NO_RETURN;
		break;
	case OP_JUMP:
	case OP_BRANCH:
		flow->targets[i] = target_of(code, insn);
		flow->misses |= flow->targets[i] == FLOW_MIDDLE;
		if (flow->targets[i] >= 0)
			flow_start_block(flow, flow->targets[i]);
		break;
	case OP_RETURN:
	case OP_TRAP: break;
	default: return;
	}
	if (i + 1 < code->insn_count)
		flow_start_block(flow, i + 1);
}

void flow_init(struct flow *flow, const struct code *code, const struct code_request *request)
{
	*flow = (struct flow){
		.traps_continue = request->traps_continue,
		.targets = xrealloc_array(NULL, code->insn_count, sizeof(*flow->targets)),
		.marks = xcalloc(code->insn_count, sizeof(*flow->marks)),
	};
	for (size_t i = 0; i < code->span_count; i++)
		flow_start_block(flow, code->spans[i].first);
	for (size_t i = 0; i < code->insn_count; i++)
		add_insn(flow, code, request, i);
	for (size_t i = 0; i < request->leader_count; i++) {
		int32_t leader = find_target(code, request->leaders[i]);

		if (leader >= 0) {
			flow->marks[leader] |= FLOW_LEADER;
			flow_start_block(flow, leader);
		}
		flow->misses |= leader == FLOW_MIDDLE;
	}
}

void flow_deinit(struct flow *flow)
{
	free(flow->targets);
	free(flow->marks);
}
