// SPDX-License-Identifier: GPL-2.0-or-later
/* clang-format off */
#include "annotate/code/code.h"
#include "annotate/flow/flow.h"

/*
 * The data flow over one function. In order: the blocks that are solved (slice); the join where
 * paths meet; the walk over one block; the fixed point.
 *
 *     void f(struct node *n)            block 1: rdi is a POINTER to struct node, from its variable
 *     { while (n) n = n->next; }        block 2: joined from block 1 and from itself: both are such POINTERs
 *
 * Each wanted block has an entry state, joined over all edges that lead to it. A block whose entry
 * changed is walked again, in reverse post-order, until nothing changes. States only go up the
 * lattice, and a block that is visited too often is widened, so this ends.
 *
 * Invariants, asserted after each solution: the slice is closed under predecessors, each of its
 * blocks but padding has been reached, and no block is left to be walked. With the option `check`,
 * the entry states are sound.
 */
/* clang-format on */
#include <assert.h>
#include <malloc.h>
#include <pthread.h>

#include "annotate/facts/abi.h"
#include "annotate/flow/infer.h"
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "disasm/cfg.h"
#include "base/memory.h"

/*
 * ---- the blocks that are solved
 *
 * The state at an instruction depends on the blocks that lead to it, and on no others.
 */

struct slice {
	const struct cfg *code;      /* borrowed, as `extra_edges` */
	const uint32_t *extra_edges; /* as in struct solver */
	uint8_t *holds;              /* by block */
	uint32_t *pending;           /* blocks whose predecessors are not in the slice yet */
	uint32_t pending_count;
	uint32_t held;          /* how many blocks it holds */
	bool has_unknown_jumps; /* the blocks that end in unknown jumps are in it */
	/* Only used if there are extra edges. The first has, by block, one more than the last
	 * instruction with such an edge to it; the second has, by instruction, one more than the
	 * instruction before it with an edge to the same block. */
	uint32_t *last_thrower;
	uint32_t *thrower_before;
	size_t block_capacity;
	size_t insn_capacity; /* of thrower_before */
};

static inline bool slice_is_whole(const struct slice *slice)
{
	return slice->held == slice->code->block_count;
}

/* ---- the state of the flow */

/* A block whose entry still changes after this many visits is widened: values that change become
 * unknown. */
#define VISIT_MAX 24

/* The frame information at one stretch of addresses: a row, or none. */
struct row_window {
	uint64_t low;
	uint64_t high; /* 0: an empty window */
	/* REG_BIT of the general register that the CFA is computed from; 0: none */
	uint64_t registers;
	int64_t offset; /* of the CFA from that register */
};

/*
 * Budgets of one function: the work (struct solver's), the bytes of slots and vector registers in
 * its blocks' entries, and its origins. The second number is for each instruction, a third one for
 * each edge beyond two of a block: in an interpreter, the code of each of its instructions may jump
 * to that of any other. The largest real functions that were measured (640 KB in LLVM, 150 KB in
 * OpenJDK, the interpreters of Python and Lua, Linux) take at most 870,000, 21 MB and 200,000,
 * QuickJS's 2,900,000 for 100,000 edges, and none takes more than half of what it may.
 */
#define WORK_MAX(insns, edges) (2000000 + 16 * (uint64_t)(insns) + 64 * (uint64_t)(edges))
#define ENTRY_BYTES_MAX(insns) ((UINT64_C(64) << 20) + 128 * (uint64_t)(insns))
#define ORIGINS_MAX(insns)     (300000 + (uint64_t)(insns))

/* Copying or joining this many slots takes about as long as an instruction. */
#define SLOTS_PER_INSN 4

struct data_flow {
	struct solver *solver;
	size_t block_capacity;
	uint64_t entry_bytes; /* of slots and vector registers of the blocks' entries */
	uint8_t *dirty;       /* by block: its entry changed since it was last walked */
	uint32_t *visits;     /* by block */
	uint32_t *position;   /* by block: its position in reverse post-order */
	struct slice slice;   /* the blocks that are solved */
	struct liveness live; /* the registers that are joined at the blocks' entries */
	uint32_t live_held;   /* the number of blocks in the slice when `live` was found */
	bool every;           /* all registers are joined */
	struct state current;
	struct state left;          /* flow->current before enter_edge() */
	struct state unknown_jumps; /* joined over all jumps whose targets are not known */
	unsigned int gather_rounds; /* how often uses were gathered */
	bool solving;               /* the walk pushes states along edges */
	/* the state at a landing pad has changed, which may come before the block of the call */
	bool pad_changed;
	struct row_window row; /* the row of the last instruction */
	bool alone;            /* this thread holds `large_function` */
};

/* Functions that take more memory than this are solved one at a time, and then give it back: as
 * much as for one function may be needed, but not for each thread. */
#define SHARED_MEMORY_MAX (UINT64_C(8) << 20)

static pthread_mutex_t large_function = PTHREAD_MUTEX_INITIALIZER;

static uint64_t flow_memory(const struct data_flow *flow)
{
	const struct solver *solver = flow->solver;

	return flow->entry_bytes + solver->code->block_count * sizeof(struct state) +
	       solver->origins.count * sizeof(struct origin);
}

/* Waits until no other thread solves a large function, if this one has become large. (Nothing is
 * locked by a thread that waits here.) */
static void await_memory(struct data_flow *flow)
{
	if (flow->alone || flow_memory(flow) <= SHARED_MEMORY_MAX)
		return;
	pthread_mutex_lock(&large_function);
	flow->alone = true;
}

bool flow_is_too_large(const struct data_flow *flow)
{
	const struct solver *solver = flow->solver;
	size_t insns = solver->code->insn_count, edges = solver->code->edge_count,
	       usual = 2 * solver->code->block_count;

	return solver->pass.work > WORK_MAX(insns, edges > usual ? edges - usual : 0) ||
	       flow->entry_bytes > ENTRY_BYTES_MAX(insns) ||
	       solver->origins.count > ORIGINS_MAX(insns);
}

/* ---- the blocks that are solved */

static void need_slice(struct slice *slice)
{
	const struct cfg *code = slice->code;

	if (code->block_count > slice->block_capacity) {
		size_t count = code->block_count;

		slice->holds = xrealloc_array(slice->holds, count, sizeof(*slice->holds));
		slice->pending = xrealloc_array(slice->pending, count, sizeof(*slice->pending));
		slice->last_thrower =
			xrealloc_array(slice->last_thrower, count, sizeof(*slice->last_thrower));
		slice->block_capacity = count;
	}
	if (slice->extra_edges && code->insn_count > slice->insn_capacity) {
		slice->thrower_before = xrealloc_array(slice->thrower_before, code->insn_count,
						       sizeof(*slice->thrower_before));
		slice->insn_capacity = code->insn_count;
	}
}

static void chain_throwers(struct slice *slice)
{
	memset(slice->last_thrower, 0, slice->code->block_count * sizeof(*slice->last_thrower));
	for (uint32_t i = 0; i < slice->code->insn_count; i++) {
		uint32_t block = slice->extra_edges[i];

		if (!block)
			continue;
		slice->thrower_before[i] = slice->last_thrower[block];
		slice->last_thrower[block] = i + 1;
	}
}

/* Empties the slice; the function stays the same. */
static void slice_clear(struct slice *slice)
{
	memset(slice->holds, 0, slice->code->block_count * sizeof(*slice->holds));
	slice->held = slice->pending_count = 0;
	slice->has_unknown_jumps = false;
}

/* Prepares an empty slice of this function, and keeps its memory. A zero-initialized slice is
 * ready for this. */
static void slice_start(struct slice *slice, const struct cfg *code, const uint32_t *extra_edges)
{
	slice->code = code;
	slice->extra_edges = extra_edges;
	need_slice(slice);
	if (extra_edges)
		chain_throwers(slice);
	slice_clear(slice);
}

static void hold_block(struct slice *slice, uint32_t block)
{
	if (slice->holds[block])
		return;
	slice->holds[block] = 1;
	slice->held++;
	slice->pending[slice->pending_count++] = block;
}

/* Adds the blocks that end in unknown jumps, for a block that no edge leads to: it may be a target
 * of these jumps. */
static void hold_unknown_jumps(struct slice *slice)
{
	if (slice->has_unknown_jumps)
		return;
	slice->has_unknown_jumps = true;
	for (uint32_t i = 0; i < slice->code->block_count; i++)
		if (slice->code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS)
			hold_block(slice, i);
}

static void hold_predecessors(struct slice *slice, uint32_t index)
{
	const struct cfg *code = slice->code;
	const struct basic_block *block = &code->blocks[index];

	each_predecessor (before, code, block)
		hold_block(slice, before);
	for (uint32_t i = slice->extra_edges ? slice->last_thrower[index] : 0; i;
	     i = slice->thrower_before[i - 1])
		hold_block(slice, cfg_block_of(code, i - 1));
	if (block->flags & BLOCK_ORPHAN)
		hold_unknown_jumps(slice);
}

/* Adds a block, and all blocks that lead to it. */
static void slice_add(struct slice *slice, uint32_t block)
{
	hold_block(slice, block);
	while (slice->pending_count)
		hold_predecessors(slice, slice->pending[--slice->pending_count]);
}

static void slice_add_all(struct slice *slice)
{
	memset(slice->holds, 1, slice->code->block_count * sizeof(*slice->holds));
	slice->held = (uint32_t)slice->code->block_count;
}

static void slice_deinit(struct slice *slice)
{
	free_all(slice->holds, slice->pending, slice->last_thrower, slice->thrower_before);
	memset(slice, 0, sizeof(*slice));
}

/* ---- where paths meet */

/* True if `a` is what this join gave before and `b` adds nothing to it. This is the common case
 * when a block is walked again. */
static bool is_joined_already(const struct solver *solver, const struct value *a,
			      const struct value *b, uint64_t key)
{
	const struct origin *origin = &solver->origins.items[a->origin];

	if (!a->origin || origin->key != key || a->kind != b->kind || (b->conflict && !a->conflict))
		return false;
	if (a->kind == VALUE_UNKNOWN) {
		struct value plain = value_unknown(a->origin);

		plain.conflict = a->conflict;
		return value_equal(a, &plain) && a->origin != b->origin && !origin->inferred.type;
	}
	return a->kind == VALUE_NUMBER && a->stride == 1 && !a->type && !a->displaced;
}

/* Gives a pointer from several paths an origin, if its uses may show more: one to bytes, which are
 * room for an object, or, if there are no variables, one to a record. */
static void give_origin(struct solver *solver, struct value *joined, uint64_t key)
{
	if (joined->kind == VALUE_POINTER && !joined->origin && !joined->stride &&
	    (field_size(joined->type) == 1 ||
	     (solver_has_no_variables(solver) && type_is_record(type_strip(joined->type)))))
		joined->origin = origins_id(&solver->origins, origin_key_joined(key));
}

/* True if *b clearly changes nothing of *a: no path has given it yet, or nothing is known of *a. */
static bool adds_nothing(const struct solver *solver, const struct value *a, const struct value *b,
			 uint64_t key)
{
	return b->kind == VALUE_BOTTOM ||
	       (a->kind == VALUE_UNKNOWN && a->conflict && origins_is(&solver->origins, a, key)) ||
	       is_joined_already(solver, a, b, key);
}

/* Returns the join of two values that differ. */
static struct value join_values(struct solver *solver, const struct value *a, const struct value *b,
				uint64_t key)
{
	uint32_t phi = origins_id(&solver->origins, key);
	if (solver->abi->goroutine_type) {
		struct value data = go_join(solver, a, b);

		if (data.kind != VALUE_BOTTOM)
			return data;
	}
	struct value joined;

	if (a->kind == VALUE_ADDRESS || b->kind == VALUE_ADDRESS)
		joined = solver_join_addresses(solver, *a, *b, phi);
	else if (!solver->pass.goes_back || !value_join_moved(a, b, &joined))
		joined = value_join(a, b, phi);

	give_origin(solver, &joined, key);
	/* A type that was inferred for this join before is kept: on one path an element may be
	 * known, on the other only its list's node. */
	const struct field_ref *before = &solver->origins.items[phi].inferred;

	if (before->type &&
	    ((joined.kind == VALUE_UNKNOWN && joined.origin == phi) ||
	     (joined.kind == VALUE_POINTER && !joined.stride &&
	      field_contains(before->type, before->offset - joined.offset, joined.type) &&
	      !field_is_view(before->type, before->offset - joined.offset, joined.type))))
		return origins_inferred(&solver->origins, phi);
	return joined;
}

/* Joins *other, which differs, into *value; true if *value changed. With `widen`, it becomes
 * unknown. */
static __attribute__((noinline)) bool join_different(struct solver *solver, struct value *value,
						     const struct value *other, uint64_t key,
						     bool widen)
{
	if (adds_nothing(solver, value, other, key))
		return false;
	struct value joined =
		value->kind == VALUE_BOTTOM ? *other : join_values(solver, value, other, key);

	if (value_equal(&joined, value))
		return false;
	if (widen) {
		joined = value_unknown(origins_id(&solver->origins, key));
		joined.conflict = true;
		if (value_equal(&joined, value))
			return false;
	}
	*value = joined;
	return true;
}

/* Joins the slots. Both lists are sorted, so they are walked side by side. */
static bool flow_join_slots(struct solver *solver, struct state *into, const struct state *from,
			    uint32_t block)
{
	const struct slot *theirs = from->slots, *end = theirs + from->slot_count;
	uint32_t kept = 0;
	bool changed = false;

	/* the common case: both are the same */
	if (!into->slot_count ||
	    (into->slot_count == from->slot_count &&
	     memcmp(into->slots, from->slots, into->slot_count * sizeof(*into->slots)) == 0))
		return false;
	array_indexed (struct slot, slot, i, into->slots, into->slot_count) {
		while (theirs < end && !slot_is_same(theirs, slot) && slot_is_before(theirs, slot))
			theirs++;
		if (theirs == end || !slot_is_same(theirs, slot)) {
			changed = true;
			continue;
		}
		if (!value_equal(&slot->value, &theirs->value))
			changed |= join_different(solver, &slot->value, &theirs->value,
						  origin_key_slot(block, slot->frame, slot->offset),
						  false);
		theirs++;
		if (kept != i)
			into->slots[kept] = *slot;
		kept++;
	}
	into->slot_count = kept;
	return changed;
}

static inline bool join_value(struct solver *solver, struct value *value, const struct value *other,
			      uint32_t block, unsigned int index, bool widen)
{
	return !value_equal(value, other) &&
	       join_different(solver, value, other, origin_key_join(block, index), widen);
}

/* Joins `from` into the entry of `block`: of the general registers those that are `wanted`
 * (REG_BITs; the others become unknown). True if the entry changed. With `widen`, values that
 * differ become unknown. */
static bool solver_join(struct solver *solver, struct state *into, const struct state *from,
			uint32_t block, uint64_t wanted, bool widen)
{
	bool changed = false;

	if (!into->reached) {
		state_copy(into, from);
		bits_each (bit, arch_general_registers(solver->arch) & ~wanted)
			into->values[bit] = value_nothing;
		return true;
	}
	if (into->vectors & ~from->vectors) {
		into->vectors &= from->vectors;
		changed = true;
	}
	bits_each (i, wanted & arch_general_registers(solver->arch)) {
		changed |= join_value(solver, &into->values[i], &from->values[i], block, i, widen);
	}
	bits_each (lane, into->vectors) {
		for (unsigned int half = REG_VECTOR; half <= REG_COUNT; half += REG_VECTOR_COUNT)
			changed |= join_value(solver, &into->lanes[half + lane - REG_VECTOR],
					      &from->lanes[half + lane - REG_VECTOR], block,
					      half + lane, widen);
	}
	return flow_join_slots(solver, into, from, block) || changed;
}

/* ---- the walk over one block */

/* Finds the row that holds at an address, and its register. */
static void find_row(struct data_flow *flow, uint64_t address)
{
	const struct frame_row *rows = flow->solver->frame.rows;
	size_t count = flow->solver->frame.row_count;
	size_t index = partition_point(0, count, i, rows[i].high <= address);
	bool holds = index < count && address >= rows[index].low;
	uint8_t reg = holds && rows[index].kind == CFA_REGISTER
			      ? arch_reg_from_dwarf(flow->solver->arch, rows[index].reg)
			      : REG_NONE;

	flow->row = (struct row_window){ .low = index ? rows[index - 1].high : 0,
					 .high = index < count ? rows[index].low : UINT64_MAX };
	if (holds)
		flow->row = (struct row_window){ .low = rows[index].low,
						 .high = rows[index].high,
						 .offset = rows[index].offset };
	flow->row.registers = reg_is_general(reg) ? REG_BIT(reg) : 0;
}

/* Applies the frame information: it says which register is at which distance from the CFA. */
static void apply_frame(struct data_flow *flow, struct state *state, uint64_t address, bool always)
{
	if (address < flow->row.low || address >= flow->row.high)
		find_row(flow, address);
	if (!flow->row.registers)
		return;
	struct value *value = &state->values[__builtin_ctzll(flow->row.registers)];

	/* in assembly each row may have a base of its own (dwarf/unwind/unwind.h) */
	always |= solver_is_assembly(flow->solver) && address == flow->row.low;
	if (always || value->kind == VALUE_UNKNOWN || value->kind == VALUE_BOTTOM)
		*value = value_frame(FRAME_CFA, -flow->row.offset);
}

/* Returns the general registers that are joined at a block's entry. */
static uint64_t flow_wanted_at(const struct data_flow *flow, uint32_t block)
{
	return flow->every ? arch_general_registers(flow->solver->arch)
			   : flow->live.blocks[block].entry;
}

/* Returns by how many bytes an entry grows if `from` is the first state that is joined into it. */
static uint64_t entry_growth(const struct state *entry, const struct state *from)
{
	uint64_t bytes = 0;

	if (entry->reached)
		return 0;
	if (from->slot_count > entry->slot_capacity)
		bytes += (from->slot_count - entry->slot_capacity) * sizeof(*from->slots);
	if (from->vectors && !entry->lanes)
		bytes += (STATE_VALUES - REG_VECTOR) * sizeof(*from->lanes);
	return bytes;
}

/* Joins flow->current into the entry of a block. */
static void flow_push_edge(struct data_flow *flow, uint32_t to)
{
	struct solver *solver = flow->solver;
	bool widen = flow->visits[to] > VISIT_MAX;

	if (!flow->slice.holds[to])
		return;
	flow->entry_bytes += entry_growth(&solver->tables.entries[to], &flow->current);
	solver->pass.goes_back = solver->pass.current >= solver->code->blocks[to].first;
	solver->pass.work += 1 + flow->current.slot_count / SLOTS_PER_INSN;
	if (solver_join(solver, &solver->tables.entries[to], &flow->current, to,
			flow_wanted_at(flow, to), widen))
		flow->dirty[to] = 1;
}

/*
 * Follows an edge that no jump shows, from the instruction just walked over: a static branch, or an
 * exception that a call throws. The unwinder restores the registers that a call preserves, and puts
 * the exception and a number into the registers of results (gcc's __builtin_eh_return_data_regno).
 */
static void push_extra_edge(struct data_flow *flow, uint32_t insn, uint32_t to)
{
	struct solver *solver = flow->solver;
	const uint8_t *results = solver->abi->call->results;
	struct value *values = flow->current.values;

	if (!flow->solving && !solver->pass.gather)
		return;
	struct value kept[] = { values[results[0]], values[results[1]] };

	if (solver->code->insns[insn].operation == OP_CALL)
		values[results[0]] = values[results[1]] = value_nothing;
	if (flow->solving) {
		flow_push_edge(flow, to);
		flow->pad_changed |= flow->dirty[to];
	} else {
		gather_edge(solver, &flow->current, to, flow_wanted_at(flow, to));
	}
	values[results[0]] = kept[0];
	values[results[1]] = kept[1];
}

/* Walks a block from its entry. flow->current is the state at its end afterwards. `visit` sees the
 * state before each instruction, and may end the walk. */
static void flow_walk(struct data_flow *flow, uint32_t index, const struct state *entry,
		      flow_visitor visit, void *data)
{
	struct solver *solver = flow->solver;
	const struct basic_block *block = &solver->code->blocks[index];
	const struct insn *insns = solver->code->insns;
	struct state *state = &flow->current;
	bool tail = solver->pass.gather && (block->flags & BLOCK_TAIL_CALL);
	uint64_t written = UINT64_MAX; /* registers that the instruction before has written */

	schedule_block(&solver->tables.schedule, index);
	solver->pass.work += block->count + entry->slot_count / SLOTS_PER_INSN;
	state_copy(state, entry);
	for (uint32_t i = block->first, end = i + block->count; i < end; i++) {
		const struct insn *insn = &insns[i];

		solver->pass.current = i;
		if ((written & flow->row.registers) || insn->address < flow->row.low ||
		    insn->address >= flow->row.high)
			apply_frame(flow, state, insn->address, i == block->first);
		const struct due_facts due = solver->tables.schedule.due_at[i];

		for (uint32_t j = due.first; j < due.end; j++)
			solver_apply_fact(solver, state, solver->tables.schedule.due[j].reg,
					  solver->tables.schedule.due[j].fact);
		if (visit && !visit(solver, state, i, data))
			return;
		if (tail && i + 1 == end)
			solver_call(solver, state, i, true);
		if (!solver_passes_over(insn))
			solver_transfer(solver, state, i);
		if (solver->tables.extra_edges && solver->tables.extra_edges[i])
			push_extra_edge(flow, i, solver->tables.extra_edges[i]);
		written = schedule_written(solver->abi->call, insn);
	}
}

/* ---- the fixed point */

/* The most rounds of gathering uses. An inferred type may give a type to what is loaded through
 * it, which takes another round. */
#define GATHER_ROUNDS_MAX 3
/* The memory of functions with more blocks or instructions than these is given back when they are
 * done. */
#define KEPT_BLOCKS       4096
#define KEPT_INSTRUCTIONS 32768

/* Makes a state in which nothing is known: at the function's entry, or of a block that no known
 * edge leads to. */
static void entry_state(struct solver *solver, struct state *state, bool function_entry)
{
	state->slot_count = 0;
	state->reached = true;
	state->vectors = 0;
	state->general_count = solver->arch->general_count;
	for (unsigned int i = 0; i < state->general_count; i++)
		state->values[i] = function_entry
					   ? origins_value(&solver->origins, origin_key_entry(i))
					   : value_nothing;
	if (!function_entry)
		return;
	state->values[solver->arch->stack_pointer] =
		value_frame(FRAME_CFA, -(int64_t)solver->arch->entry_cfa);
	struct value result = solver_result_place(solver);

	if (result.kind == VALUE_POINTER)
		state->values[solver->abi->call->result_place] = result;
	solver_arguments(solver, state);
	for (size_t i = 0; solver->distant && i < solver->abi->call->argument_count; i++)
		solver_distant_argument(solver, solver->abi->call->arguments[i],
					&state->values[solver->abi->call->arguments[i]]);
	solver_goroutine(solver, state);
	go_context(solver, state);
	go_receiver(solver, state);
}

/*
 * True if an edge that is not known may lead to the block. Padding and landing pads are excluded.
 */
static bool may_have_unseen_edge(const struct basic_block *block)
{
	return (block->flags & (BLOCK_ORPHAN | BLOCK_PADDING | BLOCK_LEADER)) == BLOCK_ORPHAN;
}

/* Pushes the joined state of unknown jumps: they may lead to every block that nothing else leads
 * to. */
static void push_unknown_jumps(struct data_flow *flow)
{
	struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;

	if (!solver_join(solver, &flow->unknown_jumps, &flow->current, (uint32_t)code->block_count,
			 UINT64_MAX, false))
		return;
	for (uint32_t i = 1; i < code->block_count; i++) {
		if (!flow->slice.holds[i] || !may_have_unseen_edge(&code->blocks[i]))
			continue;
		if (solver_join(solver, &solver->tables.entries[i], &flow->unknown_jumps, i,
				flow_wanted_at(flow, i), flow->visits[i] > VISIT_MAX))
			flow->dirty[i] = 1;
	}
}

/* True for two addresses in one record, or in arrays of it, in one frame or of variables. */
static bool flow_is_same_object(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_POINTER)
		return b->kind == VALUE_POINTER && a->type == b->type &&
		       type_is_record(type_strip(a->type));
	return a->kind == b->kind &&
	       (a->kind == VALUE_ADDRESS || (a->kind == VALUE_FRAME && a->frame == b->frame));
}

/* True if `b` is one of fewer addresses of the object than `a`. */
static bool is_narrower(const struct value *a, const struct value *b)
{
	return a->stride && !(b->stride % a->stride) && b->stride != a->stride &&
	       !((b->offset - a->offset) % a->stride);
}

/* True if the block before the comparison changes the first register, and not the second: that is
 * where a loop ends. */
static bool is_moved_to(const struct cfg *code, uint32_t compare, uint8_t moved, uint8_t end)
{
	return cfg_last_write(code, compare, moved) && !cfg_last_write(code, compare, end);
}

/*
 * Handles an edge that is taken only if two addresses are equal, as when a loop over an array ends:
 * both become the one that is known better, or the one that the loop does not change. From the end
 * of an inner array, a loop over the outer one goes on to the next element. False: the state is as
 * it was.
 */
static bool make_equal(struct data_flow *flow, uint32_t compare)
{
	const struct cfg *code = flow->solver->code;
	const struct operand *operands = code->insns[compare].operands;

	if (code->insns[compare].operation == OP_TEST || !operand_is_general(&operands[0]) ||
	    !operand_is_general(&operands[1]))
		return false;
	for (int i = 0; i < 2; i++) {
		struct value *value = &flow->current.values[operands[i].reg];
		const struct value *other = &flow->current.values[operands[!i].reg];
		/* a loop that has not been followed to its end yet */
		bool early = !value->stride && !other->stride && value->offset != other->offset &&
			     is_moved_to(code, compare, operands[i].reg, operands[!i].reg);

		if (!flow_is_same_object(value, other) || !(early || is_narrower(value, other)))
			continue;
		state_copy(&flow->left, &flow->current);
		*value = *other;
		return true;
	}
	return false;
}

/* Puts into flow->current what taking an edge shows (go_enter_edge(), make_equal()). If it shows
 * anything, returns true, and flow->left is the state before. */
static bool enter_edge(struct data_flow *flow, uint32_t from, uint32_t to)
{
	uint32_t compare;

	if (flow->solver->tags.on && flow->slice.holds[to])
		tags_note_edge(flow->solver, &flow->current, from, to);
	if (!flow->slice.holds[to] || !tags_find_equality(flow->solver->code, from, to, &compare))
		return false;
	if (!flow->solver->abi->goroutine_type)
		return make_equal(flow, compare);
	state_copy(&flow->left, &flow->current);
	return go_enter_edge(flow->solver, &flow->current, compare);
}

static void fixed_point(struct data_flow *flow)
{
	struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < code->block_count; i++) {
			uint32_t index = code->order[i];
			const struct basic_block *block = &code->blocks[index];

			if (!flow->dirty[index])
				continue;
			if (flow_is_too_large(flow))
				return;
			await_memory(flow);
			flow->dirty[index] = 0;
			flow->visits[index]++;
			flow->pad_changed = false;
			flow_walk(flow, index, &solver->tables.entries[index], NULL, NULL);
			again |= flow->pad_changed;
			each_successor (to, code, block) {
				bool entered = enter_edge(flow, index, to);

				flow_push_edge(flow, to);
				if (entered)
					state_copy(&flow->current, &flow->left);
				again |= flow->dirty[to] && flow->position[to] <= i;
			}
			if (block->flags & BLOCK_UNKNOWN_SUCCESSORS) {
				push_unknown_jumps(flow);
				again = true;
			}
		}
	}
}

/*
 * Starts at the function's entry, and with nothing known in blocks that no known edge leads to. If
 * there are unknown jumps, these lead to such blocks. Leaders are left out: they are landing pads,
 * to which calls lead.
 */
static void seed_entries(struct data_flow *flow)
{
	struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;
	const bool unknown_jumps =
		any_of(i, 0, code->block_count, code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS);

	for (size_t i = 0; i < code->block_count; i++) {
		bool entry = i == 0 || (!unknown_jumps && may_have_unseen_edge(&code->blocks[i]));

		if (!entry || !flow->slice.holds[i] || solver->tables.entries[i].reached)
			continue;
		entry_state(solver, &solver->tables.entries[i], i == 0);
		flow->dirty[i] = 1;
	}
}

/* Starts with nothing known in a block that is still unreached (a loop that only an orphan enters).
 * True if there was one. */
static bool seed_unreached(struct data_flow *flow)
{
	struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;

	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t index = code->order[i];

		if (!flow->slice.holds[index] || solver->tables.entries[index].reached ||
		    (code->blocks[index].flags & BLOCK_PADDING))
			continue;
		entry_state(solver, &solver->tables.entries[index], false);
		flow->dirty[index] = 1;
		return true;
	}
	return false;
}

static void reset_states(struct data_flow *flow)
{
	const struct cfg *code = flow->solver->code;

	for (size_t i = 0; i < code->block_count; i++) {
		flow->solver->tables.entries[i].reached = false;
		flow->solver->tables.entries[i].slot_count = 0;
		flow->solver->tables.entries[i].vectors = 0;
		flow->dirty[i] = 0;
		flow->visits[i] = 0;
	}
	flow->unknown_jumps.reached = false;
	flow->unknown_jumps.slot_count = 0;
	tags_restart(&flow->solver->tags);
}

/* True if the invariants at the top of this file hold; for assert(). */
static __attribute__((unused)) bool is_solved(const struct data_flow *flow)
{
	const struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;

	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		if (!flow->slice.holds[i])
			continue;
		if (flow->dirty[i] ||
		    !(solver->tables.entries[i].reached || block->flags & BLOCK_PADDING))
			return false;
		if (solver->options.check && solver->tables.entries[i].reached &&
		    !state_is_sound(&solver->tables.entries[i]))
			return false;
		each_predecessor (before, code, block)
			if (!flow->slice.holds[before])
				return false;
	}
	return true;
}

static void solve_wanted(struct data_flow *flow)
{
	seed_entries(flow);
	flow->solving = true;
	do
		fixed_point(flow);
	while (!flow_is_too_large(flow) && seed_unreached(flow));
	flow->solving = false;
	assert(flow_is_too_large(flow) || is_solved(flow));
}

void flow_solve(struct data_flow *flow)
{
	/* If most blocks are wanted, all are solved: to solve the rest later would cost more
	 * than is saved now. */
	if (flow->slice.held > flow->solver->code->block_count / 4 * 3)
		slice_add_all(&flow->slice);
	reset_states(flow);
	flow->solver->pass.round++;
	if (!flow->every && flow->live_held != flow->slice.held) {
		live_find(&flow->live, flow->solver, flow->slice.holds);
		flow->live_held = flow->slice.held;
	}
	solve_wanted(flow);
}

/* Also solves the blocks that were not wanted so far. All are solved from the start: states on the
 * way to the fixed point leave traces in the blocks after them, and no answer may depend on what
 * was asked first. */
static void solve_whole(struct data_flow *flow)
{
	if (slice_is_whole(&flow->slice))
		return;
	slice_add_all(&flow->slice);
	flow_solve(flow);
}

/* Gathers along all edges at the end of a block. */
static void gather_flows(struct data_flow *flow, uint32_t from)
{
	const struct cfg *code = flow->solver->code;
	const struct basic_block *block = &code->blocks[from];

	each_successor (to, code, block) {
		bool entered = enter_edge(flow, from, to);

		gather_edge(flow->solver, &flow->current, to, flow_wanted_at(flow, to));
		if (entered)
			state_copy(&flow->current, &flow->left);
	}
}

static void gather_uses(struct data_flow *flow)
{
	struct solver *solver = flow->solver;

	solver->pass.gather = true;
	solver->pass.returns = RETURNS_NOTHING;
	call_objects_begin(&solver->evidence.call_objects);
	solver->origins.flow_count = 0;
	for (uint32_t i = 0; i < solver->code->block_count && !flow_is_too_large(flow); i++) {
		if (!solver->tables.entries[i].reached)
			continue;
		solver->origins.block = i + 1;
		flow_walk(flow, i, &solver->tables.entries[i], gather_operands, NULL);
		solver->origins.block = 0;
		gather_flows(flow, i);
	}
	rust_conclude_returns(solver);
	solver->pass.gather = false;
	solver->pass.gathered = true;
	call_objects_end(&solver->evidence.call_objects);
}

struct data_flow *flow_create(struct solver *solver)
{
	struct data_flow *flow = xcalloc(1, sizeof(*flow));

	flow->solver = solver;
	return flow;
}

static void need_blocks(struct data_flow *flow, size_t count)
{
	if (count <= flow->block_capacity)
		return;
	flow->dirty = xrealloc_array(flow->dirty, count, sizeof(*flow->dirty));
	flow->visits = xrealloc_array(flow->visits, count, sizeof(*flow->visits));
	flow->position = xrealloc_array(flow->position, count, sizeof(*flow->position));
	flow->block_capacity = count;
}

static void release_memory(struct data_flow *flow)
{
	solver_tables_deinit(&flow->solver->tables);
	free_all(flow->dirty, flow->visits, flow->position);
	slice_deinit(&flow->slice);
	liveness_deinit(&flow->live);
	flow->dirty = NULL;
	flow->visits = flow->position = NULL;
	flow->block_capacity = 0;
}

void flow_destroy(struct data_flow *flow)
{
	if (!flow)
		return;
	release_memory(flow);
	state_deinit(&flow->current);
	state_deinit(&flow->left);
	state_deinit(&flow->unknown_jumps);
	free(flow);
}

void flow_start(struct data_flow *flow, bool every)
{
	struct solver *solver = flow->solver;
	const struct cfg *code = solver->code;

	flow->entry_bytes = 0;
	solver->origins.count = 0;
	await_memory(flow);
	need_blocks(flow, code->block_count);
	solver_tables_reserve(&solver->tables, code->insn_count, code->block_count);
	for (uint32_t i = 0; i < code->block_count; i++)
		flow->position[code->order[i]] = i;
	flow->row = (struct row_window){ 0 };
	flow->gather_rounds = 0;
	solver->pass.work = solver->pass.bit_work = 0;
	solver->pass.first_round = solver->pass.round + 1;
	origins_start(&solver->origins, code->insn_count, code->block_count);
	schedule_start(&solver->tables.schedule, &solver->facts, code, solver->abi->call);
	slice_start(&flow->slice, code, solver->tables.extra_edges);
	flow->live_held = 0;
	flow->every = every;
}

void flow_want(struct data_flow *flow, uint32_t block)
{
	slice_add(&flow->slice, block);
}

void flow_finish(struct data_flow *flow)
{
	if (flow->alone || flow->block_capacity > KEPT_BLOCKS ||
	    flow->solver->tables.insn_capacity > KEPT_INSTRUCTIONS)
		release_memory(flow);
	if (!flow->alone)
		return;
	origins_deinit(&flow->solver->origins);
	malloc_trim(0); /* each thread has a heap of its own, which keeps what is freed */
	pthread_mutex_unlock(&large_function);
	flow->alone = false;
}

/* True if any instruction can give away the address of something on the stack. */
static bool may_give_away(const struct cfg *code)
{
	const uint8_t sp = code->arch->stack_pointer, fp = code->arch->frame_pointer;

	array_each (const struct insn, insn, code->insns, code->insn_count) {
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (to->kind != OPERAND_REGISTER || to->reg == sp || insn->operand_count < 2)
			continue;
		if (insn->operation == OP_LEA && (from->base == sp || from->base == fp))
			return true;
		if (insn->operation == OP_MOVE && to->reg != fp && from->kind == OPERAND_REGISTER &&
		    (from->reg == sp || from->reg == fp))
			return true;
	}
	return false;
}

bool flow_gives_away_unnamed(struct data_flow *flow)
{
	const struct solver *solver = flow->solver;

	if (!slice_is_whole(&flow->slice) && may_give_away(solver->code))
		solve_whole(flow);
	return any_of(i, 0, solver->frame.escape_count, solver->frame.escapes[i].unnamed);
}

bool flow_learn(struct data_flow *flow)
{
	struct solver *solver = flow->solver;
	uint32_t walked = solver->evidence.walked_count;
	bool headers = solver->evidence.casts_headers, bytes = solver->evidence.casts_bytes;

	if (flow->gather_rounds++ == GATHER_ROUNDS_MAX)
		return false;
	solve_whole(flow);
	gather_uses(flow);
	bool learned = gather_conclude(solver), wanted = solver->pass.wants_calls;

	solver->pass.wants_calls = false;
	return learned || wanted || solver->evidence.walked_count > walked ||
	       solver->evidence.casts_headers != headers || solver->evidence.casts_bytes != bytes;
}

void flow_visit(struct data_flow *flow, uint32_t block, flow_visitor visit, void *data)
{
	flow_walk(flow, block, &flow->solver->tables.entries[block], visit, data);
}

void flow_note_edge(struct data_flow *flow, uint32_t from, uint32_t to)
{
	if (!flow->solver->tables.entries[from].reached)
		return;
	flow_walk(flow, from, &flow->solver->tables.entries[from], NULL, NULL);
	tags_note_edge(flow->solver, &flow->current, from, to);
}

void flow_note_edges(struct data_flow *flow, uint32_t block)
{
	const struct cfg *code = flow->solver->code;

	each_successor (to, code, &code->blocks[block])
		tags_note_edge(flow->solver, &flow->current, block, to);
}
