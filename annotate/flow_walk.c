// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk over one block: the facts that are due, the frame's row, and what each instruction does. */
#include "annotate/flow_walk.h"

#include "annotate/gather.h"
#include "profiler/base/search.h"

/* The row that holds at an address, and the register that it speaks of. */
static void find_row(struct flow *flow, uint64_t address)
{
	const struct frame_row *rows = flow->solver->frame_rows;
	size_t count = flow->solver->frame_row_count;
	size_t index = partition_point(0, count, i, rows[i].high <= address);
	bool holds = index < count && address >= rows[index].low;
	uint8_t reg = holds && rows[index].kind == CFA_REGISTER ? reg_from_dwarf(rows[index].reg) : REG_NONE;

	flow->row = (struct row_window){ .low = index ? rows[index - 1].high : 0,
					 .high = index < count ? rows[index].low : UINT64_MAX };
	if (holds)
		flow->row = (struct row_window){ .low = rows[index].low,
						 .high = rows[index].high,
						 .offset = rows[index].offset };
	flow->row.registers = reg_is_general(reg) ? REG_BIT(reg) : 0;
}

/* The frame information says which register is where on the stack. */
static void apply_frame(struct flow *flow, struct state *state, uint64_t address, bool always)
{
	if (address < flow->row.low || address >= flow->row.high)
		find_row(flow, address);
	if (!flow->row.registers)
		return;
	struct value *value = &state->values[__builtin_ctzll(flow->row.registers)];

	/* in assembly the row may count from something else than the one before did (dwarf/orc.h) */
	always |= solver_is_assembly(flow->solver) && address == flow->row.low;
	if (always || value->kind == VALUE_UNKNOWN || value->kind == VALUE_BOTTOM)
		*value = value_frame(FRAME_CFA, -flow->row.offset);
}

uint64_t flow_wanted_at(const struct flow *flow, uint32_t block)
{
	return flow->every ? UINT64_MAX : flow->live.blocks[block].entry;
}

void flow_push_edge(struct flow *flow, uint32_t to)
{
	struct solver *solver = flow->solver;
	bool settle = flow->visits[to] > VISIT_LIMIT;

	if (!flow->slice.holds[to])
		return;
	if (solver_join(solver, &solver->entries[to], &flow->current, to, flow_wanted_at(flow, to), settle))
		flow->dirty[to] = 1;
}

/*
 * An edge that no jump shows, from the instruction that was just walked over: a static branch; or an
 * exception out of a call: the unwinder restores what the call preserves, and gives the exception and a
 * number in the registers of results (gcc's __builtin_eh_return_data_regno).
 */
static void push_landing(struct flow *flow, uint32_t insn, uint32_t to)
{
	struct solver *solver = flow->solver;
	struct value *result = flow->current.values;

	if (!flow->solving && !solver->gather)
		return;
	struct value kept[] = { result[REG_RAX], result[REG_RDX] };

	if (solver->code->insns[insn].operation == OP_CALL)
		result[REG_RAX] = result[REG_RDX] = value_unknown(0);
	if (flow->solving) {
		flow_push_edge(flow, to);
		flow->behind |= flow->dirty[to];
	} else {
		gather_edge(solver, &flow->current, to, flow_wanted_at(flow, to));
	}
	result[REG_RAX] = kept[0];
	result[REG_RDX] = kept[1];
}

void flow_walk(struct flow *flow, uint32_t index, const struct state *entry, flow_visitor visit, void *data)
{
	struct solver *solver = flow->solver;
	const struct block *block = &solver->code->blocks[index];
	const struct insn *insns = solver->code->insns;
	struct state *state = &flow->current;
	bool tail = solver->gather && (block->flags & BLOCK_TAIL_CALL);
	uint64_t written = UINT64_MAX; /* by the instruction before */

	schedule_block(&solver->schedule, index);
	state_copy(state, entry);
	for (uint32_t i = block->first, end = i + block->count; i < end; i++) {
		const struct insn *insn = &insns[i];

		solver->current = i;
		if ((written & flow->row.registers) || insn->address < flow->row.low ||
		    insn->address >= flow->row.high)
			apply_frame(flow, state, insn->address, i == block->first);
		const struct due_facts due = solver->schedule.due_at[i];

		for (uint32_t j = due.first; j < due.end; j++)
			solver_apply_fact(solver, state, solver->schedule.due[j].reg,
					  solver->schedule.due[j].fact);
		if (visit && !visit(solver, state, i, data))
			return;
		if (tail && i + 1 == end)
			solver_call(solver, state, i, true);
		if (!solver_passes_over(insn))
			solver_transfer(solver, state, i);
		if (solver->landings && solver->landings[i])
			push_landing(flow, i, solver->landings[i]);
		written = schedule_written(insn);
	}
}
