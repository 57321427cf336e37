// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The regions of a function: its innermost loops, and the code that is in no loop; how an address
 * changes from one iteration to the next; and the least time that an iteration takes.
 *
 *   for (i = 0; i < k; i++)          a region; `nb` + 64 * i is a stream of step 64
 *           if (nb[i].dist > max) ...
 *   for (e = head; e; e = e->next)   a region; `e` is a chase through what `e->next` loads
 *
 * Loops are natural loops of the control-flow graph: a back edge to a block that dominates its
 * source.
 *
 * Dominators are found as Cooper, Harvey and Kennedy describe ("A Simple, Fast Dominance
 * Algorithm", 2001): the immediate dominators of a block's predecessors are intersected in reverse
 * post-order until nothing changes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/abi.h"
#include "annotate/type_resolver.h"
#include "disasm/cfg.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/resolve/layout_private.h"
#include "report/filter.h"

#define FUNCTION_SHARE 0.001 /* of all samples: smaller functions cannot change an answer */
#define BLOCKS_MAX     20000 /* functions with more blocks are generated; they count as one region */
#define MARKS_MAX      (64U << 20) /* bytes of code_regions.member */
#define DEPTH_MAX      16          /* instructions that a value is followed back through */

#define REGION_NONE UINT32_MAX /* not in a loop */

struct code_loop {
	uint32_t header; /* block */
	uint32_t blocks; /* how many blocks it has, with those of inner loops */
};

struct code_regions {
	const struct cfg *code;
	struct code_loop *loops;
	size_t loop_count;
	uint32_t *loop_of; /* the innermost loop of each block, or REGION_NONE */
	uint8_t *member;   /* loop * block_count + block: the loop has the block */
	uint32_t *idom;    /* immediate dominator of each block; UINT32_MAX: not reached */
};

/* How a value changes from one iteration of a loop to the next. */
enum value_walk {
	VALUE_SAME,
	VALUE_INDUCTION, /* by the same number of bytes each time */
	VALUE_LOADED,    /* it is loaded from an address that does not depend on it */
	VALUE_CHASED,    /* it is loaded through itself */
	VALUE_OTHER,
};

struct address_walk {
	enum value_walk kind;
	int64_t step;    /* VALUE_INDUCTION: bytes; 0: not known */
	uint32_t load;   /* VALUE_CHASED: the instruction that loads the next one */
	uint32_t origin; /* the instruction that sets the value last, or UINT32_MAX: equal for equal
			    values */
};

/* ---- dominators and loops ---- */

/* Returns the nearest block that dominates both, by their numbers in reverse post-order. */
static uint32_t common_dominator(const uint32_t *idom, const uint32_t *number, uint32_t a,
				 uint32_t b)
{
	while (a != b) {
		while (number[a] > number[b])
			a = idom[a];
		while (number[b] > number[a])
			b = idom[b];
	}
	return a;
}

static void find_dominators(struct code_regions *regions)
{
	const struct cfg *code = regions->code;
	_cleanup_free_ uint32_t *number = xcalloc(code->block_count, sizeof(*number));
	bool changed = true;

	for (uint32_t i = 0; i < code->block_count; i++) {
		number[code->order[i]] = i;
		regions->idom[i] = UINT32_MAX;
	}
	regions->idom[0] = 0;
	while (changed) {
		changed = false;
		for (size_t i = 1; i < code->block_count; i++) {
			uint32_t block = code->order[i], found = UINT32_MAX;
			const struct basic_block *b = &code->blocks[block];

			for (uint32_t k = 0; k < b->predecessor_count && block; k++) {
				uint32_t from = code->edges[b->predecessor_first + k];

				if (regions->idom[from] == UINT32_MAX)
					continue;
				found = found == UINT32_MAX ? from
							    : common_dominator(regions->idom,
									       number, from, found);
			}
			if (block && found != regions->idom[block]) {
				regions->idom[block] = found;
				changed = true;
			}
		}
	}
}

/* Returns whether every way to `block` passes `above`. */
static bool dominates(const struct code_regions *regions, uint32_t above, uint32_t block)
{
	if (regions->idom[block] == UINT32_MAX)
		return false;
	while (block != above && block != regions->idom[block])
		block = regions->idom[block];
	return block == above;
}

/* Returns the loop with this header; a header has one loop, whichever back edges lead to it. */
static uint32_t loop_of_header(struct code_regions *regions, uint32_t header, size_t *capacity)
{
	for (uint32_t i = 0; i < regions->loop_count; i++)
		if (regions->loops[i].header == header)
			return i;
	if ((regions->loop_count + 1) * regions->code->block_count > MARKS_MAX)
		return REGION_NONE;
	array_reserve(regions->loops, regions->loop_count, *capacity);
	regions->member = xrealloc_array(regions->member, regions->loop_count + 1,
					 regions->code->block_count);
	memset(regions->member + regions->loop_count * regions->code->block_count, 0,
	       regions->code->block_count);
	regions->loops[regions->loop_count] = (struct code_loop){ .header = header };
	return (uint32_t)regions->loop_count++;
}

/* Adds the blocks from which `latch` is reached without passing the header. */
static void add_body(struct code_regions *regions, uint32_t loop, uint32_t latch)
{
	const struct cfg *code = regions->code;
	uint8_t *member = regions->member + (size_t)loop * code->block_count;
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	size_t depth = 0;

	member[regions->loops[loop].header] = 1;
	if (!member[latch]) {
		member[latch] = 1;
		stack[depth++] = latch;
	}
	while (depth) {
		const struct basic_block *block = &code->blocks[stack[--depth]];

		for (uint32_t i = 0; i < block->predecessor_count; i++) {
			uint32_t from = code->edges[block->predecessor_first + i];

			if (member[from])
				continue;
			member[from] = 1;
			stack[depth++] = from;
		}
	}
}

/*
 * Finds the loops of a function. `code` must outlive the regions. Functions with too many blocks
 * have no loops.
 */
static void code_regions_init(struct code_regions *regions, const struct cfg *code)
{
	size_t capacity = 0;

	*regions = (struct code_regions){
		.code = code,
		.loop_of = xcalloc(code->block_count, sizeof(uint32_t)),
		.idom = xcalloc(code->block_count, sizeof(uint32_t)),
	};
	for (size_t i = 0; i < code->block_count; i++)
		regions->loop_of[i] = REGION_NONE;
	if (!code->block_count || code->block_count > BLOCKS_MAX)
		return;
	find_dominators(regions);
	for (uint32_t block = 0; block < code->block_count; block++) {
		const struct basic_block *b = &code->blocks[block];

		for (uint32_t i = 0; i < b->successor_count; i++) {
			uint32_t header = code->edges[b->successor_first + i];
			uint32_t loop;

			if (!dominates(regions, header, block))
				continue;
			loop = loop_of_header(regions, header, &capacity);
			if (loop != REGION_NONE)
				add_body(regions, loop, block);
		}
	}
	for (uint32_t loop = 0; loop < regions->loop_count; loop++)
		for (uint32_t block = 0; block < code->block_count; block++)
			regions->loops[loop].blocks +=
				regions->member[loop * code->block_count + block];
	for (uint32_t loop = 0; loop < regions->loop_count; loop++) {
		for (uint32_t block = 0; block < code->block_count; block++) {
			uint32_t inner = regions->loop_of[block];

			if (regions->member[loop * code->block_count + block] &&
			    (inner == REGION_NONE ||
			     regions->loops[loop].blocks < regions->loops[inner].blocks))
				regions->loop_of[block] = loop;
		}
	}
}

static void code_regions_deinit(struct code_regions *regions)
{
	free(regions->loops);
	free(regions->loop_of);
	free(regions->member);
	free(regions->idom);
	*regions = (struct code_regions){ 0 };
}

static bool in_loop(const struct code_regions *regions, uint32_t loop, uint32_t block)
{
	return regions->member[(size_t)loop * regions->code->block_count + block];
}

/* ---- walks ---- */

/* The state of following one value back. */
struct follower {
	const struct code_regions *regions;
	uint32_t loop;
	/* definitions that are being followed, and the loads between the first one and each */
	uint32_t followed[DEPTH_MAX + 2];
	uint32_t loads[DEPTH_MAX + 2];
	uint32_t depth, load_count;
};

/*
 * Returns whether the instruction only adds a constant to the register, and sets *constant to it.
 */
static bool adds_constant(const struct insn *insn, uint8_t reg, int64_t *constant)
{
	const struct operand *to = &insn->operands[0], *by = &insn->operands[1];

	if (insn->operand_count < 2 || to->kind != OPERAND_REGISTER || to->reg != reg)
		return false;
	if ((insn->operation == OP_ADD || insn->operation == OP_SUB) &&
	    by->kind == OPERAND_IMMEDIATE) {
		*constant = insn->operation == OP_ADD ? by->value : -by->value;
		return true;
	}
	if (insn->operation == OP_LEA && by->base == reg && by->index == REG_NONE &&
	    !by->absolute) {
		*constant = by->value;
		return true;
	}
	return false;
}

/* All definitions of a register in the loop. */
struct register_writes {
	uint32_t count; /* that are no additions of constants */
	uint32_t last;  /* one of them */
	uint32_t additions;
	int64_t step; /* sum of the constants */
	bool called;  /* a call may have changed it */
};

/* Returns whether a call may change the register. */
static bool call_changes(const struct arch *arch, uint8_t reg)
{
	return reg >= REG_COUNT ||
	       !((arch->call.preserved | REG_BIT(arch->stack_pointer)) & REG_BIT(reg));
}

static struct register_writes find_definitions(const struct follower *follower, uint8_t reg)
{
	const struct cfg *code = follower->regions->code;
	struct register_writes found = { .last = UINT32_MAX };

	for (uint32_t block = 0; block < code->block_count; block++) {
		const struct basic_block *b = &code->blocks[block];

		for (uint32_t i = b->first;
		     in_loop(follower->regions, follower->loop, block) && i < b->first + b->count;
		     i++) {
			const struct insn *insn = &code->insns[i];
			int64_t constant;

			if (insn->operation == OP_CALL && call_changes(code->arch, reg))
				found.called = true;
			if (!(insn->written & REG_BIT(reg)))
				continue;
			if (adds_constant(insn, reg, &constant)) {
				found.additions++;
				found.step += constant;
				continue;
			}
			found.count++;
			found.last = i;
		}
	}
	return found;
}

/* Returns how the value that a register has before an instruction changes. */
static struct address_walk follow(struct follower *follower, uint8_t reg, uint32_t before,
				  int depth);

/* Returns the walk of the sum of two values, of which the second one is scaled. */
static struct address_walk sum_walks(struct address_walk a, struct address_walk b, int64_t scale)
{
	b.step *= scale;
	if (b.kind == VALUE_SAME)
		return a;
	if (a.kind == VALUE_SAME)
		return b;
	if (a.kind == VALUE_INDUCTION && b.kind == VALUE_INDUCTION) {
		a.step = a.step && b.step ? a.step + b.step : 0;
		return a;
	}
	return a.kind > b.kind ? a : b;
}

static struct address_walk follow_operand(struct follower *follower, const struct operand *operand,
					  uint32_t insn, int depth)
{
	struct address_walk same = { .kind = VALUE_SAME, .origin = insn };

	if (operand->kind == OPERAND_IMMEDIATE)
		return same;
	if (operand->kind == OPERAND_REGISTER)
		return follow(follower, operand->reg, insn, depth + 1);
	if (operand->kind == OPERAND_MEMORY) {
		struct address_walk base = same, index = same;

		if (operand->base != REG_NONE)
			base = follow(follower, operand->base, insn, depth + 1);
		if (operand->index != REG_NONE)
			index = follow(follower, operand->index, insn, depth + 1);
		return sum_walks(base, index, operand->scale ? operand->scale : 1);
	}
	return (struct address_walk){ .kind = VALUE_OTHER, .origin = insn };
}

/* Returns the walk of the value that an instruction makes of its operands. */
static struct address_walk follow_definition(struct follower *follower, uint32_t number, int depth)
{
	const struct insn *insn = &follower->regions->code->insns[number];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	struct address_walk result = { .kind = VALUE_OTHER, .origin = number };

	if (insn->operand_count < 1)
		return result;
	switch (insn->operation) {
	case OP_ZERO: result.kind = VALUE_SAME; break;
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		follower->load_count += from->kind == OPERAND_MEMORY;
		result = follow_operand(follower, from, number, depth);
		follower->load_count -= from->kind == OPERAND_MEMORY;
		if (from->kind != OPERAND_MEMORY)
			break;
		result.load = number;
		/* A load from an address that advances gives an unrelated value each time. */
		if (result.kind == VALUE_INDUCTION)
			result.kind = VALUE_LOADED;
		break;
	case OP_LEA: result = follow_operand(follower, from, number, depth); break;
	case OP_ADD:
		result = sum_walks(follow(follower, to->reg, number, depth + 1),
				   follow_operand(follower, from, number, depth), 1);
		break;
	case OP_SHIFT_LEFT:
		result = follow(follower, to->reg, number, depth + 1);
		result.step = from->kind == OPERAND_IMMEDIATE && from->value < 32
				      ? result.step << from->value
				      : 0;
		break;
	case OP_MULTIPLY:
		if (insn->operand_count == 3 && insn->operands[2].kind == OPERAND_IMMEDIATE) {
			result = follow_operand(follower, from, number, depth);
			result.step *= insn->operands[2].value;
		}
		break;
	default: break;
	}
	result.origin = number;
	return result;
}

/*
 * Returns the one definition in the loop whose value the register may have at the start of a block,
 * or UINT32_MAX if there are several, or if a call may be one. Additions of constants are none.
 */
static uint32_t reaching_definition(const struct follower *follower, uint8_t reg, uint32_t start)
{
	const struct cfg *code = follower->regions->code;
	_cleanup_free_ uint8_t *seen = xcalloc(code->block_count + 1, 1);
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	size_t count = 0;
	uint32_t found = UINT32_MAX;

	stack[count++] = start;
	while (count) {
		const struct basic_block *to = &code->blocks[stack[--count]];

		for (uint32_t i = 0; i < to->predecessor_count; i++) {
			uint32_t from = code->edges[to->predecessor_first + i];
			const struct basic_block *block = &code->blocks[from];
			bool defined = false;

			if (seen[from] || !in_loop(follower->regions, follower->loop, from))
				continue;
			seen[from] = 1;
			for (uint32_t k = block->first + block->count;
			     k-- > block->first && !defined;) {
				const struct insn *insn = &code->insns[k];
				int64_t constant;

				if (insn->operation == OP_CALL && call_changes(code->arch, reg))
					return UINT32_MAX;
				if (!(insn->written & REG_BIT(reg)) ||
				    adds_constant(insn, reg, &constant))
					continue;
				if (found != UINT32_MAX && found != k)
					return UINT32_MAX;
				found = k;
				defined = true;
			}
			if (!defined)
				stack[count++] = from;
		}
	}
	return found;
}

/* Returns the walk of the value that the definition gives, which may come from its last value. */
static struct address_walk follow_once(struct follower *follower, uint32_t number, int depth)
{
	struct address_walk result;

	for (uint32_t i = 0; i < follower->depth; i++) {
		if (follower->followed[i] != number)
			continue;
		/* without a load on the way it is a sum that grows by a number which is not known
		 */
		if (follower->load_count == follower->loads[i])
			return (struct address_walk){ .kind = VALUE_INDUCTION, .origin = number };
		return (struct address_walk){ .kind = VALUE_CHASED,
					      .load = number,
					      .origin = number };
	}
	if (follower->depth >= COUNT_OF(follower->followed))
		return (struct address_walk){ .kind = VALUE_OTHER, .origin = number };
	follower->followed[follower->depth] = number;
	follower->loads[follower->depth++] = follower->load_count;
	result = follow_definition(follower, number, depth);
	follower->depth--;
	return result;
}

static struct address_walk follow(struct follower *follower, uint8_t reg, uint32_t before,
				  int depth)
{
	const struct cfg *code = follower->regions->code;
	uint32_t block = cfg_block_of(code, before), first = code->blocks[block].first;
	struct address_walk other = { .kind = VALUE_OTHER, .origin = before };
	struct register_writes all;

	if (depth > DEPTH_MAX || !reg_is_general(reg))
		return other;
	/*
	 * The last definition before the use in its block. Additions of constants keep the object.
	 */
	for (uint32_t i = before; i-- > first;) {
		const struct insn *insn = &code->insns[i];
		int64_t constant;

		if (insn->operation == OP_CALL && call_changes(code->arch, reg))
			return (struct address_walk){ .kind = VALUE_OTHER, .origin = i };
		if ((insn->written & REG_BIT(reg)) && !adds_constant(insn, reg, &constant))
			return follow_once(follower, i, depth);
	}
	all = find_definitions(follower, reg);
	if (!all.count && !all.called)
		return (struct address_walk){ .kind = all.additions ? VALUE_INDUCTION : VALUE_SAME,
					      .step = all.additions ? all.step : 0,
					      .origin = UINT32_MAX };
	if (all.count > 1 || all.called)
		all.last = reaching_definition(follower, reg, block);
	if (all.last == UINT32_MAX)
		return other;
	return follow_once(follower, all.last, depth);
}

/* Returns how the address of the operand of instruction `insn` changes in the loop. */
static struct address_walk code_region_walk(const struct code_regions *regions, uint32_t loop,
					    uint32_t insn, const struct operand *memory)
{
	struct follower follower = { .regions = regions, .loop = loop };

	if (loop == REGION_NONE)
		return (struct address_walk){ .kind = VALUE_OTHER, .origin = UINT32_MAX };
	if (memory->base == REG_NONE && memory->index == REG_NONE)
		return (struct address_walk){ .kind = VALUE_SAME, .origin = UINT32_MAX };
	return follow_operand(&follower, memory, insn, 0);
}

/* Returns whether each iteration runs the block: it dominates all sources of back edges. */
static bool always_runs(const struct code_regions *regions, uint32_t loop, uint32_t block)
{
	const struct cfg *code = regions->code;
	const struct basic_block *header = &code->blocks[regions->loops[loop].header];

	for (uint32_t i = 0; i < header->predecessor_count; i++) {
		uint32_t from = code->edges[header->predecessor_first + i];

		if (in_loop(regions, loop, from) && !dominates(regions, block, from))
			return false;
	}
	return true;
}

/* Returns the innermost loop around a loop, or REGION_NONE. */
static uint32_t loop_around(const struct code_regions *regions, uint32_t loop)
{
	uint32_t found = REGION_NONE;

	for (uint32_t i = 0; i < regions->loop_count; i++)
		if (i != loop && in_loop(regions, i, regions->loops[loop].header) &&
		    regions->loops[i].blocks > regions->loops[loop].blocks &&
		    (found == REGION_NONE ||
		     regions->loops[i].blocks < regions->loops[found].blocks))
			found = i;
	return found;
}

/* ---- cycles ---- */

#define ITERATION_COUNT 40 /* simulated; the first half fills the pipeline */
#define ISSUE_WIDTH     5  /* instructions in a cycle: 4 (Skylake) to 6 (Zen 4, Golden Cove) */
#define LOAD_CYCLES     4  /* of a general register from L1; vectors take one or two more */
#define VECTOR_CYCLES                                                                              \
	3 /* of an addition or multiplication of floating point: 3 (Zen) or 4 (Intel) */
#define SLOW_CYCLES     13 /* of a division or a square root */
#define MULTIPLY_CYCLES 3

/* Returns the cycles from when an instruction's operands are ready until its result is. */
static double latency(const struct insn *insn)
{
	const struct operand *memory = insn_memory(insn, false);
	bool vector = insn->operand_count && insn->operands[0].kind == OPERAND_REGISTER &&
		      reg_is_vector(insn->operands[0].reg);
	double cycles = 1;

	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		/* A move between registers is done when it is renamed. */
		cycles = 0;
		break;
	case OP_OTHER: cycles = vector ? VECTOR_CYCLES : 1; break;
	case OP_MULTIPLY: cycles = MULTIPLY_CYCLES; break;
	default: break;
	}
	if (insn->own_time == OWN_TIME_DIVISION || insn->own_time == OWN_TIME_SQUARE_ROOT)
		cycles = SLOW_CYCLES;
	if (memory && memory->read && insn->operation != OP_LEA)
		cycles += LOAD_CYCLES + (vector ? 1 : 0);
	return cycles;
}

/*
 * Advances the times at which registers are ready over one instruction. Returns the time it is
 * done.
 */
static double advance_time(const struct insn *insn, double issued, double ready[REG_COUNT])
{
	const struct operand *memory = insn_memory(insn, false);
	double data = issued, address = issued, done;
	uint64_t through = 0;

	if (memory && memory->kind == OPERAND_MEMORY) {
		through |= memory->base != REG_NONE ? REG_BIT(memory->base) : 0;
		through |= memory->index != REG_NONE ? REG_BIT(memory->index) : 0;
	}
	for (int reg = 0; reg < REG_COUNT; reg++) {
		if (!(insn->read & REG_BIT(reg)))
			continue;
		if (through & REG_BIT(reg))
			address = ready[reg] > address ? ready[reg] : address;
		/* Other registers than those of the address are needed only after the load. */
		else
			data = ready[reg] > data ? ready[reg] : data;
	}
	double total = latency(insn);
	bool loads = memory && memory->read && insn->operation != OP_LEA;
	double load = loads ? LOAD_CYCLES + (total - LOAD_CYCLES >= 1 ? 1 : 0) : 0,
	       rest = total - load;

	if (rest < 0)
		rest = 0;
	done = address + load > data ? address + load : data;
	done += rest;
	for (int reg = 0; reg < REG_COUNT; reg++)
		if (insn->written & REG_BIT(reg))
			ready[reg] = done;
	return done;
}

/*
 * Returns the cycles that an iteration of the loop takes at least if all loads hit L1: by the chain
 * of dependent instructions from one iteration to the next, and by the number of instructions. Only
 * blocks that each iteration runs count.
 */
static double code_region_cycles(const struct code_regions *regions, uint32_t loop)
{
	const struct cfg *code = regions->code;
	double ready[REG_COUNT] = { 0 }, half = 0, last = 0;
	uint32_t *path = xcalloc(code->block_count, sizeof(*path)), count = 0;
	uint64_t issued = 0;

	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t block = code->order[i];

		if (in_loop(regions, loop, block) && always_runs(regions, loop, block))
			path[count++] = block;
	}
	for (int iteration = 0; iteration < ITERATION_COUNT; iteration++) {
		for (uint32_t i = 0; i < count; i++) {
			const struct basic_block *block = &code->blocks[path[i]];

			for (uint32_t k = block->first; k < block->first + block->count; k++) {
				double done = advance_time(&code->insns[k],
							   (double)issued++ / ISSUE_WIDTH, ready);

				last = done > last ? done : last;
			}
		}
		if (iteration == ITERATION_COUNT / 2 - 1)
			half = last;
	}
	free(path);
	return (last - half) / (ITERATION_COUNT - ITERATION_COUNT / 2);
}

/* Returns whether the loop calls a function. */
static bool code_region_calls(const struct code_regions *regions, uint32_t loop)
{
	const struct cfg *code = regions->code;

	for (uint32_t block = 0; block < code->block_count; block++) {
		const struct basic_block *b = &code->blocks[block];

		for (uint32_t i = b->first;
		     in_loop(regions, loop, block) && i < b->first + b->count; i++)
			if (code->insns[i].operation == OP_CALL)
				return true;
	}
	return false;
}

/* ---- the code of functions with samples ---- */

static int compare_addresses(const void *left, const void *right)
{
	const struct sampled_address *a = left, *b = right;

	if (a->dso != b->dso)
		return a->dso->id < b->dso->id ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void find_addresses(struct facts_collector *collector)
{
	const struct resolution *resolution = collector->resolution;

	collector->addresses = xcalloc(collector->counts->count + 1, sizeof(*collector->addresses));
	for (size_t i = 0; i < collector->counts->count; i++) {
		const struct resolved_place *place = &resolution->places[resolution->place_of[i]];

		if (!place->dso)
			continue;
		collector->addresses[collector->address_count++] = (struct sampled_address){
			place->dso, place->late ? place->sampled : place->shown.address,
			collector->counts->entries[i].samples
		};
	}
	if (collector->address_count)
		qsort(collector->addresses, collector->address_count, sizeof(*collector->addresses),
		      compare_addresses);
}

/* Returns the samples of [low, high) in the object. */
static uint64_t samples_between(const struct facts_collector *collector, const struct dso *dso,
				uint64_t low, uint64_t high)
{
	size_t begin = 0, end = collector->address_count;
	uint64_t sum = 0;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		const struct sampled_address *at = &collector->addresses[middle];

		if (at->dso->id < dso->id || (at->dso == dso && at->address < low))
			begin = middle + 1;
		else
			end = middle;
	}
	for (; begin < collector->address_count && collector->addresses[begin].dso == dso &&
	       collector->addresses[begin].address < high;
	     begin++)
		sum += collector->addresses[begin].samples;
	return sum;
}

/* One object's code while it is read. */
struct object_code {
	struct facts_collector *collector;
	struct dso *dso;
	const struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
	struct decoder *decoder;
	size_t first, end; /* its functions */
	struct access *accesses;
	uint64_t *addresses;
	size_t access_count, access_capacity;
};

static bool read_constant(void *image, uint64_t address, void *buffer, size_t size)
{
	return elf_image_read(image, address, buffer, size, true);
}

static struct error *decode(struct object_code *object, struct sampled_function *function)
{
	size_t most = function->function->range_count, count = 0;
	_cleanup_free_ struct cfg_range *ranges = xcalloc(most + 1, sizeof(*ranges));

	for (size_t i = 0; i < most; i++) {
		const struct address_range *range = &function->function->ranges[i];
		size_t available = 0;
		const uint8_t *bytes = elf_image_code(object->image, range->low, &available);

		if (!bytes || range->high <= range->low)
			continue;
		ranges[count].address = range->low;
		ranges[count].size =
			range->high - range->low < available ? range->high - range->low : available;
		ranges[count++].bytes = bytes;
	}
	if (!count)
		return NULL;
	return cfg_build(object->decoder,
			 &(struct cfg_request){ .ranges = ranges,
						.range_count = count,
						.read = read_constant,
						.data = (void *)object->image },
			 &function->code);
}

/* Adds the functions of the object that have enough samples. Its addresses are [first, end). */
static struct error *find_functions(struct object_code *object, size_t first, size_t end)
{
	struct facts_collector *collector = object->collector;
	struct hash_map by_entry = { 0 };

	object->first = collector->function_count;
	for (size_t i = first; i < end; i++) {
		uint64_t entry;
		uint32_t *index;
		bool created;

		if (!debug_reader_function_entry(object->reader, collector->addresses[i].address,
						 &entry))
			continue;
		index = hash_map_insert(&by_entry, entry, &created);
		if (created) {
			array_reserve(collector->functions, collector->function_count,
				      collector->function_capacity);
			*index = (uint32_t)collector->function_count;
			collector->functions[collector->function_count++] =
				(struct sampled_function){ .dso = object->dso, .entry = entry };
		}
		collector->functions[*index].samples += collector->addresses[i].samples;
	}
	hash_map_deinit(&by_entry);
	object->end = collector->function_count;
	return NULL;
}

static struct error *decode_functions(struct object_code *object)
{
	struct facts_collector *collector = object->collector;

	for (size_t i = object->first; i < object->end; i++) {
		struct sampled_function *function = &collector->functions[i];
		struct error *error;

		if ((double)function->samples < FUNCTION_SHARE * (double)collector->total)
			continue;
		RETURN_ERROR(debug_reader_function(object->reader, function->entry,
						   &function->function));
		if (!function->function)
			continue;
		/* a function that cannot be decoded has no regions, and its samples no type */
		error = decode(object, function);
		error_destroy(error);
		function->first_access = object->access_count;
		for (size_t k = 0; function->code && k < function->code->insn_count; k++) {
			array_reserve(object->addresses, object->access_count,
				      object->access_capacity);
			object->addresses[object->access_count++] =
				function->code->insns[k].address;
		}
	}
	return NULL;
}

/* ---- who uses which record in which region ---- */

static const char *line_text(struct object_code *object, uint64_t address)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *file, *slash;
	unsigned int line;

	if (!debug_reader_line(object->reader, address, &file, &line))
		return NULL;
	slash = strrchr(file, '/');
	strbuf_add_format(&text, "%s:%u", slash ? slash + 1 : file, line);
	return arena_strdup(&object->collector->advice->arena, text.data);
}

/* The regions of one function and the bases that they use. */
struct region_maker {
	struct object_code *object;
	const struct sampled_function *function;
	struct code_regions regions;
	uint64_t *samples; /* of each loop, and last of the code outside of loops */
	uint64_t *charged; /* the same, of those charged to accesses of any type */
	struct advice_region *
		*found;        /* for each wanted type: its regions by loop; NULL: none yet */
	struct hash_map bases; /* number of a base within its region */
};

/* Finds the samples of each region. */
static void count_regions(struct region_maker *maker)
{
	const struct cfg *code = maker->function->code;

	for (uint32_t i = 0; i < code->block_count; i++) {
		const struct basic_block *block = &code->blocks[i];
		const struct insn *last;
		uint32_t loop = maker->regions.loop_of[i];

		if (!block->count)
			continue;
		last = &code->insns[block->first + block->count - 1];
		maker->samples[loop == REGION_NONE ? maker->regions.loop_count : loop] +=
			samples_between(maker->object->collector, maker->object->dso,
					block->address, last->address + last->length);
	}
}

static struct advice_region *find_region(struct region_maker *maker, struct chosen_type *wanted,
					 uint32_t loop)
{
	struct facts_collector *collector = maker->object->collector;
	size_t number = (size_t)(wanted - collector->wanted),
	       slot = loop == REGION_NONE ? maker->regions.loop_count : loop;
	struct advice_region *all;

	if (!maker->found[number])
		maker->found[number] =
			xcalloc(maker->regions.loop_count + 1, sizeof(struct advice_region));
	all = maker->found[number];
	if (!all[slot].function) {
		const struct cfg *code = maker->function->code;
		const char *name = maker->function->function->name;
		uint64_t address =
			loop == REGION_NONE
				? maker->function->entry
				: code->blocks[maker->regions.loops[loop].header].address;

		all[slot] = (struct advice_region){
			.function =
				arena_strdup(&collector->advice->arena, name ? name : "(no name)"),
			.line = line_text(maker->object, address),
			.loop = loop != REGION_NONE,
			.samples = maker->samples[slot],
		};
		if (loop != REGION_NONE) {
			all[slot].cycles = code_region_cycles(&maker->regions, loop);
			all[slot].calls = code_region_calls(&maker->regions, loop);
		}
	}
	return &all[slot];
}

static enum advice_walk walk_of(const struct address_walk *walk, const struct access *access,
				uint64_t size)
{
	uint64_t step = (uint64_t)llabs(walk->step);

	if (access->memory == ACCESS_MEMORY_STACK ||
	    (access->memory == ACCESS_MEMORY_STATIC && !access->indexed))
		return WALK_SAME;
	switch (walk->kind) {
	case VALUE_SAME: return WALK_SAME;
	case VALUE_CHASED: return WALK_CHASE;
	case VALUE_INDUCTION:
		if (!step)
			return WALK_STREAM;
		/* a walk through an array inside of the record */
		if (step < size)
			return WALK_SAME;
		return step % size ? WALK_SCATTERED : WALK_STREAM;
	default: return WALK_SCATTERED;
	}
}

/*
 * Returns how an object that stays the same in a loop changes in the loops around it, or from one
 * call to the next; WALK_SAME if it is a variable.
 */
static enum advice_walk outer_walk(const struct region_maker *maker, uint32_t loop, uint32_t insn,
				   const struct operand *memory, const struct access *access,
				   uint64_t size)
{
	if (access->memory != ACCESS_MEMORY_ANY)
		return WALK_SAME;
	while ((loop = loop_around(&maker->regions, loop)) != REGION_NONE) {
		struct address_walk walk = code_region_walk(&maker->regions, loop, insn, memory);
		enum advice_walk found = walk_of(&walk, access, size);

		if (found != WALK_SAME)
			return found;
	}
	return WALK_SCATTERED;
}

/* Returns the field that the next object of a chase is loaded from, or NULL. */
static const char *chase_field(struct region_maker *maker, const struct address_walk *walk,
			       const struct chosen_type *self)
{
	const struct access *access =
		&maker->object->accesses[maker->function->first_access + walk->load];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t offset = 0;
	const struct type *type;
	const struct member *members;
	size_t count;
	int member;

	if (walk->kind != VALUE_CHASED || access->kind != ACCESS_TYPE)
		return NULL;
	type = layout_record_of(access, &offset);
	if (type == self->type) {
		member = advice_member_at(self->facts, offset);
		return member >= 0 ? self->facts->members[member].name : NULL;
	}
	/* the pointer lies in a record of its own: an element of an array in this one */
	members = type ? type_members(type_strip(type), &count) : NULL;
	for (size_t i = 0; members && i < count; i++) {
		if ((uint64_t)members[i].offset != offset || !members[i].name)
			continue;
		strbuf_add_format(&text, "%s.%s",
				  type_name_without_keyword(type_name_interned(type)),
				  members[i].name);
		return arena_strdup(&maker->object->collector->advice->arena, text.data);
	}
	return NULL;
}

/*
 * Narrows or widens [*offset, *offset + *size) to the bytes of the record that an access touches. A
 * walk within the record may touch all of the member.
 */
static void find_touched_bytes(const struct advice_type *facts, const struct access *access,
			       const struct address_walk *walk, uint64_t *offset, uint64_t *size)
{
	int number = advice_member_at(facts, *offset);
	const struct advice_member *member = number >= 0 ? &facts->members[number] : NULL;
	uint64_t room;

	if (access->indexed && member && (uint64_t)llabs(walk->step) < facts->size &&
	    walk->kind == VALUE_INDUCTION && walk->step) {
		*offset = member->offset;
		*size = member->size;
	}
	if (!*size)
		*size = member ? member->size : 1;
	/* a flexible array goes on behind the record's size */
	room = facts->size > *offset ? facts->size - *offset : *size;
	if (*size > room && !(member && member->flags & MEMBER_LAST))
		*size = room;
}

/* Returns the number of the pointer that an access goes through, among those of its region. */
static uint32_t base_number(struct region_maker *maker, const struct advice_region *region,
			    const struct chosen_type *wanted, const struct operand *memory,
			    uint32_t origin)
{
	uint64_t key = hash_combine(hash_combine(hash_combine((uintptr_t)region, memory->base),
						 hash_combine(memory->index, origin)),
				    (uintptr_t)wanted);
	bool created;
	uint32_t *base = hash_map_insert(&maker->bases, key, &created);

	if (created) {
		*base = 0;
		for (size_t i = 0; i < region->use_count; i++)
			if (region->uses[i].base >= *base)
				*base = region->uses[i].base + 1;
	}
	return *base;
}

/* Adds the use of a record at `offset` by an instruction to the instruction's region. */
static void add_use(struct region_maker *maker, uint32_t insn, const struct access *access,
		    struct chosen_type *wanted, uint64_t offset)
{
	struct facts_collector *collector = maker->object->collector;
	const struct cfg *code = maker->function->code;
	uint32_t loop = maker->regions.loop_of[cfg_block_of(code, insn)];
	struct advice_region *region = find_region(maker, wanted, loop);
	const struct operand *memory = insn_memory(&code->insns[insn], access->write);
	uint64_t size = access->size;
	struct address_walk walk;
	const uint32_t *charge;
	uint32_t base;

	if (!memory || memory->kind != OPERAND_MEMORY)
		return;
	walk = code_region_walk(&maker->regions, loop, insn, memory);
	find_touched_bytes(wanted->facts, access, &walk, &offset, &size);
	base = base_number(maker, region, wanted, memory, walk.origin);
	charge =
		hash_map_find(&collector->charged,
			      layout_charge_key(wanted->type, maker->object->dso, access->address));
	region->uses = xrealloc_array(region->uses, region->use_count + 1, sizeof(*region->uses));
	region->uses[region->use_count] = (struct advice_use){
		.base = base,
		.walk = walk_of(&walk, access, wanted->facts->size),
		.write = access->write,
		.step = walk.kind == VALUE_INDUCTION ? walk.step : 0,
		.offset = offset,
		.size = size,
		.samples = charge ? collector->charges[*charge] : 0,
		.next = chase_field(maker, &walk, wanted),
	};
	region->uses[region->use_count].sometimes =
		loop != REGION_NONE &&
		!always_runs(&maker->regions, loop, cfg_block_of(code, insn));
	if (region->uses[region->use_count].walk == WALK_SAME && loop != REGION_NONE)
		region->uses[region->use_count].outer =
			outer_walk(maker, loop, insn, memory, access, wanted->facts->size);
	region->charged += region->uses[region->use_count++].samples;
	wanted->facts->is_rust |= maker->function->function->language == LANGUAGE_RUST;
	wanted->facts->is_cxx |= maker->function->function->language == LANGUAGE_CXX;
}

/* Hands the regions of a type over to its facts. */
static void keep_regions(struct region_maker *maker, struct chosen_type *wanted,
			 struct advice_region *regions)
{
	struct arena *arena = &maker->object->collector->advice->arena;
	struct advice_type *facts = wanted->facts;

	for (size_t i = 0; i <= maker->regions.loop_count; i++) {
		struct advice_region *region = &regions[i];
		struct advice_use *uses = region->uses;

		region->others = maker->charged[i] > region->charged
					 ? maker->charged[i] - region->charged
					 : 0;
		if (region->use_count && region->samples) {
			region->uses = arena_copy(arena, uses, region->use_count * sizeof(*uses));
			array_reserve(facts->regions, facts->region_count, wanted->region_capacity);
			facts->regions[facts->region_count++] = *region;
		}
		free(uses);
	}
}

/* Adds the samples that are charged to the access of an instruction to those of its region. */
static void count_charge(struct region_maker *maker, uint32_t insn, uint64_t address)
{
	const struct facts_collector *collector = maker->object->collector;
	const uint32_t *charge = hash_map_find(
		&collector->charged, layout_charge_key(NULL, maker->object->dso, address));
	uint32_t loop = maker->regions.loop_of[cfg_block_of(maker->function->code, insn)];

	if (charge)
		maker->charged[loop == REGION_NONE ? maker->regions.loop_count : loop] +=
			collector->charges[*charge];
}

static void make_regions(struct object_code *object, const struct sampled_function *function)
{
	struct facts_collector *collector = object->collector;
	struct region_maker maker = { .object = object, .function = function };
	const struct cfg *code = function->code;

	code_regions_init(&maker.regions, code);
	maker.samples = xcalloc(maker.regions.loop_count + 1, sizeof(*maker.samples));
	maker.found = xcalloc(collector->wanted_count + 1, sizeof(*maker.found));
	maker.charged = xcalloc(maker.regions.loop_count + 1, sizeof(*maker.charged));
	count_regions(&maker);
	for (uint32_t i = 0; i < code->insn_count; i++) {
		const struct access *access = &object->accesses[function->first_access + i];
		uint64_t offset = 0;
		const struct type *type =
			access->kind == ACCESS_TYPE ? layout_record_of(access, &offset) : NULL;
		struct chosen_type *wanted = type ? layout_wanted_find(collector, type) : NULL;

		count_charge(&maker, i, access->address);
		if (wanted)
			add_use(&maker, i, access, wanted, offset);
	}
	for (size_t i = 0; i < collector->wanted_count; i++) {
		if (!maker.found[i])
			continue;
		keep_regions(&maker, &collector->wanted[i], maker.found[i]);
		free(maker.found[i]);
	}
	free(maker.found);
	free(maker.samples);
	free(maker.charged);
	hash_map_deinit(&maker.bases);
	code_regions_deinit(&maker.regions);
}

static struct error *resolve_accesses(struct object_code *object)
{
	const struct layout_facts_options *options = object->collector->options;
	struct type_resolver_options resolver_options = { .no_infer = options->no_infer,
							  .threads = options->threads };
	struct type_resolver *resolver;
	struct error *error;

	object->accesses = xcalloc(object->access_count + 1, sizeof(*object->accesses));
	RETURN_ERROR(
		type_resolver_create(object->image, object->debug, &resolver_options, &resolver));
	error = type_resolver_resolve(resolver, object->addresses, NULL, object->access_count,
				      object->accesses);
	type_resolver_destroy(resolver);
	return error;
}

static struct error *read_object(struct object_code *object, size_t first, size_t end)
{
	struct facts_collector *collector = object->collector;

	RETURN_ERROR(debug_reader_open(object->debug, &object->reader));
	RETURN_ERROR(decoder_create(abi_of_image(object->image)->arch, &object->decoder));
	RETURN_ERROR(find_functions(object, first, end));
	RETURN_ERROR(decode_functions(object));
	if (!object->access_count)
		return NULL;
	RETURN_ERROR(resolve_accesses(object));
	for (size_t i = object->first; i < object->end; i++)
		if (collector->functions[i].code)
			make_regions(object, &collector->functions[i]);
	return NULL;
}

struct error *layout_collect_code(struct facts_collector *collector)
{
	find_addresses(collector);
	for (size_t i = 0, end; i < collector->address_count; i = end) {
		const char *problem;
		struct object_code object = { .collector = collector,
					      .dso = collector->addresses[i].dso };
		struct error *error = NULL;

		for (end = i;
		     end < collector->address_count && collector->addresses[end].dso == object.dso;)
			end++;
		object.image = dso_image(object.dso, collector->options->dso, &problem);
		object.debug = dso_debug(object.dso, collector->options->dso, &problem);
		if (object.image && object.debug && elf_image_arch(object.image))
			error = read_object(&object, i, end);
		debug_reader_close(object.reader);
		decoder_destroy(object.decoder);
		free(object.accesses);
		free(object.addresses);
		if (error)
			return error_prefix(error, "%s", object.dso->long_name);
	}
	return NULL;
}
