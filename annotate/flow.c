// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fixed point: states at the entry of each block that is wanted, joined over all edges until nothing
 * changes; and a pass over all of them that gathers what values are used as.
 */
#include "annotate/flow.h"

#include <string.h>

#include "annotate/flow_walk.h"
#include "annotate/gather.h"

/* A type that was inferred may type what is loaded through it: it is gathered again, so often. */
#define LESSON_LIMIT 3
/* The memory of functions with more blocks or instructions than these is given back when they are done. */
#define KEPT_BLOCKS       4096
#define KEPT_INSTRUCTIONS 32768

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
		if (solver_join(solver, &solver->entries[i], &flow->hub, i, flow_wanted_at(flow, i),
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
			flow_walk(flow, index, &solver->entries[index], NULL, NULL);
			again |= flow->behind;
			for (uint32_t j = 0; j < block->successor_count; j++) {
				uint32_t to = code->edges[block->successor_first + j];

				flow_push_edge(flow, to);
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

		gather_edge(flow->solver, &flow->current, to, flow_wanted_at(flow, to));
	}
}

static void gather(struct flow *flow)
{
	struct solver *solver = flow->solver;

	solver->gather = true;
	for (uint32_t i = 0; i < solver->code->block_count; i++) {
		if (!solver->entries[i].reached)
			continue;
		flow_walk(flow, i, &solver->entries[i], gather_operands, NULL);
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
	flow_walk(flow, block, &flow->solver->entries[block], visit, data);
}
