// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fixed point: states at the entry of each block, joined over all edges until nothing changes; then a
 * pass that gathers what values are used as, and the fixed point again with what that says.
 */
#include "annotate/flow.h"

#include <string.h>

/* A block whose entry still changes after so many visits is made to settle: what changes is given up. */
#define VISIT_LIMIT 24
/* Rounds of inference: a type that was inferred may type what is loaded through it. */
#define INFER_LIMIT 3
/* The memory of functions with more blocks or instructions than these is given back when they are done. */
#define KEPT_BLOCKS       4096
#define KEPT_INSTRUCTIONS 32768

struct flow {
	struct solver *solver;
	size_t block_capacity;
	size_t insn_capacity;
	uint8_t *dirty;     /* by block: entry changed since it was last walked */
	uint32_t *visits;   /* by block */
	uint32_t *position; /* by block: place in reverse post-order */
	struct state current;
	struct state hub; /* joined over all jumps whose targets could not be read */
	bool solving;     /* what is walked over flows on */
	bool behind;      /* a landing pad has changed: it may be walked before the block that has the call */
	const struct frame_row *row; /* that held for the last instruction; NULL: none */
};

static const struct frame_row *frame_row(const struct solver *solver, uint64_t address)
{
	size_t low = 0, high = solver->frame_row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (solver->frame_rows[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct frame_row *row = &solver->frame_rows[low];

	return low < solver->frame_row_count && address >= row->low ? row : NULL;
}

/* The frame information says which register is where on the stack. */
static void apply_frame(struct flow *flow, struct state *state, uint64_t address, bool always)
{
	const struct frame_row *row = flow->row;

	/* a row holds for many instructions in turn */
	if (!row || address < row->low || address >= row->high)
		row = flow->row = frame_row(flow->solver, address);
	if (!row || row->kind != CFA_REGISTER)
		return;
	uint8_t reg = reg_from_dwarf(row->reg);

	if (!reg_is_general(reg))
		return;
	struct value *value = &state->values[reg];

	/* in assembly the row may count from something else than the one before did (dwarf/orc.h) */
	always |= solver_is_assembly(flow->solver) && address == row->low;
	if (always || value->kind == VALUE_UNKNOWN || value->kind == VALUE_BOTTOM)
		*value = value_frame(FRAME_CFA, -row->offset);
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

/* The inputs of a join that came to nothing, for inference. */
static void gather_edge(struct flow *flow, uint32_t to)
{
	struct solver *solver = flow->solver;
	const struct state *entry = &solver->entries[to];

	for (unsigned int i = 0; i < REG_GENERAL_COUNT; i++) {
		const struct value *value = &entry->values[i];

		if (origins_is(&solver->origins, value, origin_key_join(to, i)))
			origins_flow(&solver->origins, value->origin, &flow->current.values[i]);
	}
	for (uint32_t i = 0; i < entry->slot_count; i++) {
		const struct slot *slot = &entry->slots[i];

		if (!origins_is(&solver->origins, &slot->value,
				origin_key_slot(to, slot->frame, slot->offset)))
			continue;
		const struct slot *out = state_slot(&flow->current, slot->frame, slot->offset, slot->size);

		if (out)
			origins_flow(&solver->origins, slot->value.origin, &out->value);
	}
}

static void push_edge(struct flow *flow, uint32_t to)
{
	struct solver *solver = flow->solver;
	bool settle = flow->visits[to] > VISIT_LIMIT;

	if (solver_join(solver, &solver->entries[to], &flow->current, to, settle))
		flow->dirty[to] = 1;
}

/*
 * An edge that no jump shows, from the instruction that was just walked over: a static branch; or an
 * exception out of a call: the unwinder restores what the call preserves, and gives the exception and a
 * number in the registers of results (gcc's __builtin_eh_return_data_regno).
 */
static void push_landing(struct flow *flow, uint32_t insn)
{
	struct solver *solver = flow->solver;
	uint32_t to = solver->landings ? solver->landings[insn] : 0;
	struct value *result = flow->current.values;

	if (!to || (!flow->solving && !solver->gather))
		return;
	struct value kept[] = { result[REG_RAX], result[REG_RDX] };

	if (solver->code->insns[insn].operation == OP_CALL)
		result[REG_RAX] = result[REG_RDX] = value_unknown(0);
	if (flow->solving) {
		push_edge(flow, to);
		flow->behind |= flow->dirty[to];
	} else {
		gather_edge(flow, to);
	}
	result[REG_RAX] = kept[0];
	result[REG_RDX] = kept[1];
}

/* Walk a block from its entry; flow->current is then the state at its end. `visit` sees the state before each
 * instruction. */
static void walk_block(struct flow *flow, uint32_t index, const struct state *entry,
		       void (*visit)(struct solver *solver, const struct state *state, uint32_t insn,
				     void *data),
		       void *data)
{
	struct solver *solver = flow->solver;
	const struct block *block = &solver->code->blocks[index];
	struct state *state = &flow->current;

	state_copy(state, entry);
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct insn *insn = &solver->code->insns[i];

		solver->current = i;
		apply_frame(flow, state, insn->address, i == block->first);
		for (uint32_t j = solver->schedule.due_first[i]; j < solver->schedule.due_first[i + 1]; j++)
			solver_apply_fact(solver, state, solver->schedule.due[j].reg,
					  solver->schedule.due[j].fact);
		if (visit)
			visit(solver, state, i, data);
		if (i + 1 == block->first + block->count && (block->flags & BLOCK_TAIL_CALL) &&
		    solver->gather)
			solver_call(solver, state, i, true);
		solver_transfer(solver, state, i);
		push_landing(flow, i);
	}
}

/* What fills the gap in front of an aligned block: nothing runs it, so nothing flows on from it. */
static bool is_padding(const struct code *code, uint32_t index)
{
	const struct block *block = &code->blocks[index];

	if (!index || block->predecessor_count || (block->flags & BLOCK_LEADER))
		return false;
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		uint8_t operation = code->insns[i].operation;

		if (operation != OP_NOP && operation != OP_TRAP)
			return false;
	}
	return true;
}

/* No edge that means anything leads here. */
static bool is_orphan(const struct code *code, uint32_t index)
{
	const struct block *block = &code->blocks[index];

	for (uint32_t i = 0; i < block->predecessor_count; i++)
		if (!is_padding(code, code->edges[block->predecessor_first + i]))
			return false;
	return index != 0;
}

/* Where an unreadable jump may lead: every block that nothing else leads to. */
static void push_hub(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;

	if (!solver_join(solver, &flow->hub, &flow->current, (uint32_t)code->block_count, false))
		return;
	for (uint32_t i = 1; i < code->block_count; i++) {
		if (!is_orphan(code, i) || is_padding(code, i) || (code->blocks[i].flags & BLOCK_LEADER))
			continue;
		if (solver_join(solver, &solver->entries[i], &flow->hub, i, flow->visits[i] > VISIT_LIMIT))
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

/* Blocks that control reaches in ways that we cannot see (dead ends of tables) start from nothing. Leaders
 * are landing pads: calls lead to them. */
static void seed(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;
	bool unknown_jumps = false;

	for (size_t i = 0; i < code->block_count; i++)
		unknown_jumps |= (code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS) != 0;
	entry_state(solver, &solver->entries[0], true);
	flow->dirty[0] = 1;
	for (size_t i = 1; i < code->block_count; i++) {
		const struct block *block = &code->blocks[i];
		bool orphan = !unknown_jumps && is_orphan(code, (uint32_t)i);

		if (!orphan || (block->flags & BLOCK_LEADER) || is_padding(code, (uint32_t)i))
			continue;
		entry_state(solver, &solver->entries[i], false);
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

		if (solver->entries[index].reached || is_padding(code, index))
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

static void solve(struct flow *flow)
{
	reset(flow);
	flow->solver->round++;
	flow->solver->unresolved = false;
	seed(flow);
	flow->solving = true;
	do
		fixed_point(flow);
	while (seed_unreached(flow));
	flow->solving = false;
}

/* The same for all edges at the end of a block. */
static void gather_flows(struct flow *flow, uint32_t from)
{
	const struct code *code = flow->solver->code;
	const struct block *block = &code->blocks[from];

	for (uint32_t j = 0; j < block->successor_count; j++)
		gather_edge(flow, code->edges[block->successor_first + j]);
}

/* What the addresses of memory operands tell of how a function uses its pointers. */
static void gather_operands(struct solver *solver, const struct state *state, uint32_t index, void *data)
{
	const struct insn *insn = &solver->code->insns[index];

	(void)data;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY || operand->base == REG_NONE ||
		    !(operand->read || operand->write))
			continue;
		const struct value *base = &state->values[operand->base];

		if (base->kind != VALUE_POINTER && base->kind != VALUE_UNKNOWN)
			continue;
		struct value address = solver_address(solver, state, operand);

		if (address.kind == VALUE_UNKNOWN) {
			alternatives_access(&solver->alternatives, &address, operand->size);
			/* members are cleared and filled together */
			if (!operand->write)
				origins_read(&solver->origins, &address, operand->size);
		}
		if (address.kind != VALUE_POINTER)
			continue;
		if (address.stride && address.offset >= 0 &&
		    address.offset < (int64_t)place_size(address.type))
			solver_note_walk(solver, address.type, address.stride);
		else if (address.offset < 0 && operand->size > 1 && place_size(address.type) == 1)
			solver->casts_headers = true;
		if (operand->size > 1 && place_size(address.type) == 1)
			solver->casts_bytes = true;
		struct place place;

		if (place_find(address.type, address.offset, address.stride, operand->size, &place) ==
		    REASON_NONE)
			cast_gather(solver, &place, operand->size);
	}
}

static bool infer(struct flow *flow)
{
	struct solver *solver = flow->solver;
	uint32_t walked = solver->walked_count;

	solver->gather = true;
	for (uint32_t i = 0; i < solver->code->block_count; i++) {
		if (!solver->entries[i].reached)
			continue;
		walk_block(flow, i, &solver->entries[i], gather_operands, NULL);
		gather_flows(flow, i);
	}
	solver->gather = false;
	alternatives_use(&solver->alternatives, &solver->origins);
	bool learned = object_uses_infer(solver);

	return origins_infer(&solver->origins, solver->infer) || solver->walked_count > walked || learned;
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

static void start(struct flow *flow)
{
	struct solver *solver = flow->solver;
	const struct code *code = solver->code;

	need_blocks(flow, code->block_count);
	need_insns(flow, code->insn_count);
	for (uint32_t i = 0; i < code->block_count; i++)
		flow->position[code->order[i]] = i;
	flow->row = NULL;
	solver->first_round = solver->round + 1;
	origins_start(&solver->origins, code->insn_count, code->block_count);
	schedule_build(&solver->schedule, &solver->facts, code);
}

void flow_finish(struct flow *flow)
{
	if (flow->block_capacity > KEPT_BLOCKS || flow->insn_capacity > KEPT_INSTRUCTIONS)
		release_memory(flow);
}

/* Is the address of something on the stack that no variable is declared for passed on? */
static bool gives_away_unnamed(const struct solver *solver)
{
	for (uint32_t i = 0; i < solver->escape_count; i++) {
		if (solver->escapes[i].high == INT64_MAX)
			return true;
	}
	return false;
}

void flow_solve(struct flow *flow)
{
	struct solver *solver = flow->solver;

	start(flow);
	solve(flow);
	/* what lies on the stack is only known by its use */
	bool undeclared =
		(solver->function && solver->function->arguments_by_abi) || gives_away_unnamed(solver);

	for (unsigned int round = 0; (solver->unresolved || undeclared) && round < INFER_LIMIT; round++) {
		if (!infer(flow))
			break;
		solve(flow);
	}
}

void flow_visit(struct flow *flow, uint32_t block,
		void (*visit)(struct solver *solver, const struct state *state, uint32_t insn, void *data),
		void *data)
{
	walk_block(flow, block, &flow->solver->entries[block], visit, data);
}
