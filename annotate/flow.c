// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fixed point: states at the entry of each block that is wanted, joined over all edges until nothing
 * changes; and a pass over all of them that gathers what values are used as.
 */
#include "annotate/flow.h"

#include <string.h>

#include "annotate/gather.h"
#include "annotate/live.h"
#include "annotate/slice.h"
#include "profiler/base/search.h"

/* A block whose entry still changes after so many visits is made to settle: what changes is given up. */
#define VISIT_LIMIT 24
/* A type that was inferred may type what is loaded through it: it is gathered again, so often. */
#define LESSON_LIMIT 3
/* The memory of functions with more blocks or instructions than these is given back when they are done. */
#define KEPT_BLOCKS       4096
#define KEPT_INSTRUCTIONS 32768

/* What the frame information says of one stretch of addresses: a row of it, or that it has none. */
struct row_window {
	uint64_t low;
	uint64_t high;      /* 0: an empty window */
	uint64_t registers; /* REG_BIT of the general register that the CFA is at; 0: it is at none */
	int64_t offset;     /* of the CFA from that */
};

struct flow {
	struct solver *solver;
	size_t block_capacity;
	size_t insn_capacity;
	uint8_t *dirty;     /* by block: entry changed since it was last walked */
	uint32_t *visits;   /* by block */
	uint32_t *position; /* by block: place in reverse post-order */
	struct slice slice; /* the blocks that are solved */
	struct live live;   /* the registers that are joined at their entries */
	uint32_t live_held; /* blocks that the slice held when that was found out */
	bool every;         /* all registers are */
	struct state current;
	struct state hub;     /* joined over all jumps whose targets could not be read */
	unsigned int lessons; /* times that uses were gathered */
	bool solving;         /* what is walked over flows on */
	bool behind; /* a landing pad has changed: it may be walked before the block that has the call */
	struct row_window row; /* that held for the last instruction */
};

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

/* A state in which nothing is known: the function's entry, or a block that no known edge leads to. */
static void entry_state(struct solver *solver, struct state *state, bool function_entry)
{
	state->slot_count = 0;
	state->reached = true;
	state->vectors = 0;
	for (unsigned int i = 0; i < REG_XMM0; i++)
		state->values[i] = function_entry && reg_is_general((uint8_t)i)
					   ? origins_value(&solver->origins, origin_key_entry(i))
					   : value_unknown(0);
	if (!function_entry)
		return;
	state->values[REG_RSP] = value_frame(FRAME_CFA, -8);
	struct value result = solver_result_place(solver);

	if (result.kind == VALUE_POINTER)
		state->values[REG_RDI] = result;
	solver_arguments(solver, state);
}

/* The general registers that are joined at a block's entry. */
static uint64_t wanted_at(const struct flow *flow, uint32_t block)
{
	return flow->every ? UINT64_MAX : flow->live.blocks[block].entry;
}

static void push_edge(struct flow *flow, uint32_t to)
{
	struct solver *solver = flow->solver;
	bool settle = flow->visits[to] > VISIT_LIMIT;

	if (!flow->slice.holds[to])
		return;
	if (solver_join(solver, &solver->entries[to], &flow->current, to, wanted_at(flow, to), settle))
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
		push_edge(flow, to);
		flow->behind |= flow->dirty[to];
	} else {
		gather_edge(solver, &flow->current, to, wanted_at(flow, to));
	}
	result[REG_RAX] = kept[0];
	result[REG_RDX] = kept[1];
}

/* Walk a block from its entry; flow->current is then the state at its end. `visit` sees the state before each
 * instruction, and may be told enough. */
static void walk_block(struct flow *flow, uint32_t index, const struct state *entry, flow_visitor visit,
		       void *data)
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

/* Nothing that we see leads here, but what we do not see may: no padding, and no landing pad. */
static bool is_hidden_entry(const struct block *block)
{
	return (block->flags & (BLOCK_ORPHAN | BLOCK_PADDING | BLOCK_LEADER)) == BLOCK_ORPHAN;
}

/* Where an unreadable jump may lead: every block that nothing else leads to. */
static void push_hub(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;

	if (!solver_join(solver, &flow->hub, &flow->current, (uint32_t)code->block_count, UINT64_MAX, false))
		return;
	for (uint32_t i = 1; i < code->block_count; i++) {
		if (!flow->slice.holds[i] || !is_hidden_entry(&code->blocks[i]))
			continue;
		if (solver_join(solver, &solver->entries[i], &flow->hub, i, wanted_at(flow, i),
				flow->visits[i] > VISIT_LIMIT))
			flow->dirty[i] = 1;
	}
}

static void fixed_point(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < code->block_count; i++) {
			uint32_t index = code->order[i];
			const struct block *block = &code->blocks[index];

			if (!flow->dirty[index])
				continue;
			flow->dirty[index] = 0;
			flow->visits[index]++;
			flow->behind = false;
			walk_block(flow, index, &solver->entries[index], NULL, NULL);
			again |= flow->behind;
			for (uint32_t j = 0; j < block->successor_count; j++) {
				uint32_t to = code->edges[block->successor_first + j];

				push_edge(flow, to);
				again |= flow->dirty[to] && flow->position[to] <= i;
			}
			if (block->flags & BLOCK_UNKNOWN_SUCCESSORS) {
				push_hub(flow);
				again = true;
			}
		}
	}
}

/* Where there are no unknown jumps, blocks that control reaches in ways that we cannot see (dead ends of
 * tables) start from nothing. Leaders are landing pads: calls lead to them. */
static void seed(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;
	bool unknown_jumps = false;

	for (size_t i = 0; i < code->block_count; i++)
		unknown_jumps |= (code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS) != 0;
	for (size_t i = 0; i < code->block_count; i++) {
		bool entry = i == 0 || (!unknown_jumps && is_hidden_entry(&code->blocks[i]));

		if (!entry || !flow->slice.holds[i] || solver->entries[i].reached)
			continue;
		entry_state(solver, &solver->entries[i], i == 0);
		flow->dirty[i] = 1;
	}
}

/* What is left unreached (a loop that only an orphan enters ...) starts from nothing, too. */
static bool seed_unreached(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;

	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t index = code->order[i];

		if (!flow->slice.holds[index] || solver->entries[index].reached ||
		    (code->blocks[index].flags & BLOCK_PADDING))
			continue;
		entry_state(solver, &solver->entries[index], false);
		flow->dirty[index] = 1;
		return true;
	}
	return false;
}

static void reset(struct flow *flow)
{
	const struct code *code = flow->solver->code;

	for (size_t i = 0; i < code->block_count; i++) {
		flow->solver->entries[i].reached = false;
		flow->solver->entries[i].slot_count = 0;
		flow->solver->entries[i].vectors = 0;
		flow->dirty[i] = 0;
		flow->visits[i] = 0;
	}
	flow->hub.reached = false;
	flow->hub.slot_count = 0;
}

static void settle(struct flow *flow)
{
	seed(flow);
	flow->solving = true;
	do
		fixed_point(flow);
	while (seed_unreached(flow));
	flow->solving = false;
}

void flow_solve(struct flow *flow)
{
	/* what is saved is less than what it costs if the rest must be solved after all */
	if (flow->slice.held > flow->solver->code->block_count / 4 * 3)
		slice_add_all(&flow->slice);
	reset(flow);
	flow->solver->round++;
	if (!flow->every && flow->live_held != flow->slice.held) {
		live_find(&flow->live, flow->solver, &flow->slice);
		flow->live_held = flow->slice.held;
	}
	settle(flow);
}

/* The blocks that were not wanted so far, too. All are solved again: on the way to the fixed point, states
 * that do not last leave their traces in those behind, and what is found out may not depend on what was asked
 * first. */
static void solve_whole(struct flow *flow)
{
	if (slice_is_whole(&flow->slice))
		return;
	slice_add_all(&flow->slice);
	flow_solve(flow);
}

/* The same for all edges at the end of a block. */
static void gather_flows(struct flow *flow, uint32_t from)
{
	const struct code *code = flow->solver->code;
	const struct block *block = &code->blocks[from];

	for (uint32_t j = 0; j < block->successor_count; j++) {
		uint32_t to = code->edges[block->successor_first + j];

		gather_edge(flow->solver, &flow->current, to, wanted_at(flow, to));
	}
}

static void gather(struct flow *flow)
{
	struct solver *solver = flow->solver;

	solver->gather = true;
	for (uint32_t i = 0; i < solver->code->block_count; i++) {
		if (!solver->entries[i].reached)
			continue;
		walk_block(flow, i, &solver->entries[i], gather_operands, NULL);
		gather_flows(flow, i);
	}
	solver->gather = false;
}

struct flow *flow_create(struct solver *solver)
{
	struct flow *flow = xcalloc(1, sizeof(*flow));

	flow->solver = solver;
	return flow;
}

static void need_blocks(struct flow *flow, size_t count)
{
	struct solver *solver = flow->solver;

	if (count <= flow->block_capacity)
		return;
	flow->dirty = xrealloc_array(flow->dirty, count, sizeof(*flow->dirty));
	flow->visits = xrealloc_array(flow->visits, count, sizeof(*flow->visits));
	flow->position = xrealloc_array(flow->position, count, sizeof(*flow->position));
	solver->entries = xrealloc_array(solver->entries, count, sizeof(*solver->entries));
	memset(&solver->entries[flow->block_capacity], 0,
	       (count - flow->block_capacity) * sizeof(*solver->entries));
	flow->block_capacity = count;
}

static void need_insns(struct flow *flow, size_t count)
{
	struct solver *solver = flow->solver;

	if (count <= flow->insn_capacity)
		return;
	free(solver->loads);
	free(solver->calls);
	solver->loads = xcalloc(count, sizeof(*solver->loads));
	solver->calls = xcalloc(count, sizeof(*solver->calls));
	flow->insn_capacity = count;
}

static void release_memory(struct flow *flow)
{
	struct solver *solver = flow->solver;

	for (size_t i = 0; i < flow->block_capacity; i++)
		state_release(&solver->entries[i]);
	free(solver->entries);
	free(solver->loads);
	free(solver->calls);
	free(flow->dirty);
	free(flow->visits);
	free(flow->position);
	solver->entries = NULL;
	solver->loads = NULL;
	solver->calls = NULL;
	schedule_release(&solver->schedule);
	slice_release(&flow->slice);
	live_release(&flow->live);
	flow->dirty = NULL;
	flow->visits = flow->position = NULL;
	flow->block_capacity = flow->insn_capacity = 0;
}

void flow_destroy(struct flow *flow)
{
	if (!flow)
		return;
	release_memory(flow);
	state_release(&flow->current);
	state_release(&flow->hub);
	free(flow);
}

void flow_start(struct flow *flow, bool every)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;

	need_blocks(flow, code->block_count);
	need_insns(flow, code->insn_count);
	for (uint32_t i = 0; i < code->block_count; i++)
		flow->position[code->order[i]] = i;
	flow->row = (struct row_window){ 0 };
	flow->lessons = 0;
	solver->first_round = solver->round + 1;
	origins_start(&solver->origins, code->insn_count, code->block_count);
	schedule_start(&solver->schedule, &solver->facts, code);
	slice_start(&flow->slice, code, solver->landings);
	flow->live_held = 0;
	flow->every = every;
}

void flow_want(struct flow *flow, uint32_t block)
{
	slice_add(&flow->slice, block);
}

void flow_finish(struct flow *flow)
{
	if (flow->block_capacity > KEPT_BLOCKS || flow->insn_capacity > KEPT_INSTRUCTIONS)
		release_memory(flow);
}

/* Can any instruction give the address of something on the stack to somebody else? */
static bool may_give_away(const struct code *code)
{
	for (size_t i = 0; i < code->insn_count; i++) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (to->kind != OPERAND_REGISTER || to->reg == REG_RSP || insn->operand_count < 2)
			continue;
		if (insn->operation == OP_LEA && (from->base == REG_RSP || from->base == REG_RBP))
			return true;
		if (insn->operation == OP_MOVE && to->reg != REG_RBP && from->kind == OPERAND_REGISTER &&
		    (from->reg == REG_RSP || from->reg == REG_RBP))
			return true;
	}
	return false;
}

bool flow_gives_away_unnamed(struct flow *flow)
{
	const struct solver *solver = flow->solver;

	if (!slice_is_whole(&flow->slice) && may_give_away(solver->code))
		solve_whole(flow);
	for (uint32_t i = 0; i < solver->escape_count; i++) {
		if (solver->escapes[i].high == INT64_MAX)
			return true;
	}
	return false;
}

bool flow_learn(struct flow *flow)
{
	struct solver *solver = flow->solver;
	uint32_t walked = solver->walked_count;
	uint32_t words = solver->words.count;
	bool headers = solver->casts_headers, bytes = solver->casts_bytes;

	if (flow->lessons++ == LESSON_LIMIT)
		return false;
	solve_whole(flow);
	gather(flow);
	bool learned = gather_conclude(solver);

	return learned || solver->walked_count > walked || solver->words.count > words ||
	       solver->casts_headers != headers || solver->casts_bytes != bytes;
}

void flow_visit(struct flow *flow, uint32_t block, flow_visitor visit, void *data)
{
	walk_block(flow, block, &flow->solver->entries[block], visit, data);
}
