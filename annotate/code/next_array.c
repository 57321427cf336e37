// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two arrays side by side in a record, and an access whose address is some elements into the first
 * one, plus an index: first[i + 97] and second[i - 3] of 100 elements are the same code. See
 * code.h.
 *
 * Loops that run down from the last element (for (i = count - 1; i >= 0; i--)) and unrolled ones
 * have such constants. The code around tells which array is meant: the direction in which the index
 * moves, and the other elements that are accessed by the same registers. Nobody accesses the end of
 * the first array without the elements before it, or those before the second without those after.
 *
 * In order: the elements; the direction; the answer.
 */
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* The most ways through blocks, and instructions, around an access that are looked at. */
#define WAYS_MAX  128
#define INSNS_MAX 1500

/* Without other accesses, an index is taken to be less by at most FIELD_ELEMENTS_BEFORE_MAX, if
 * this many times more elements of the first array lie before the address. */
#define FARTHER 2

/* A way through a block, on from its first instruction or back from its last one. */
struct way_on {
	uint32_t block;
	bool back;
	uint64_t registers; /* that the address is computed from there; 0: those of the operand */
	int64_t moved;      /* the address of the operand there, less that at the access */
};

struct neighbourhood {
	const struct cfg *code;
	const struct operand *operand;
	const struct array_pair *pair;
	int64_t offset;
	/* the elements that are accessed: of the first array, from its start; and before the second
	 * one, from its start down */
	uint64_t from_first, before_second;
	/* the first instructions that access the first element, and the last one of the array */
	uint64_t at_first, at_last;
	bool indexed;     /* the address has an index that is no constant at first */
	int64_t up, down; /* the largest steps of the index, in bytes */
	uint32_t insns, way_count;
	struct way_on ways[WAYS_MAX];
};

/* Adds the way in another block. */
static void next_array_add_way(struct neighbourhood *around, const struct way_on *way,
			       uint32_t block)
{
	array_each (struct way_on, known, around->ways, around->way_count)
		if (known->block == block && known->back == way->back &&
		    !(way->registers & ~known->registers) && !known->registers == !way->registers)
			return;
	if (around->way_count == WAYS_MAX)
		return;
	around->ways[around->way_count] = *way;
	around->ways[around->way_count++].block = block;
}

/* Adds the ways on from the end of a block, or back from its start. */
static void leave_block(struct neighbourhood *around, const struct way_on *way)
{
	const struct cfg *code = around->code;
	const struct basic_block *block = &code->blocks[way->block];

	if (way->back)
		each_predecessor (from, code, block)
			next_array_add_way(around, way, from);
	else
		each_successor (to, code, block)
			next_array_add_way(around, way, to);
}

/* ---- the elements that are accessed by the same registers */

static void note_elements(struct neighbourhood *around, const struct insn *insn, int64_t moved)
{
	const struct array_pair *pair = around->pair;
	const struct operand *asked = around->operand, *memory = insn_memory(insn, false);
	const int64_t length = (pair->second - pair->first) / pair->size;

	if (!memory || memory->base != asked->base || memory->index != asked->index ||
	    memory->scale != asked->scale || memory->segment != asked->segment)
		return;
	int64_t offset = around->offset + moved + memory->value - asked->value - pair->first;

	for (int64_t end = offset + memory->size; offset < end; offset += pair->size) {
		const int64_t element = offset / pair->size;

		if (offset < 0 || element >= length)
			continue;
		if (!element && insn->address < around->at_first)
			around->at_first = insn->address;
		if (element == length - 1 && insn->address < around->at_last)
			around->at_last = insn->address;
		around->from_first |= element < 64 ? UINT64_C(1) << element : 0;
		around->before_second |=
			length - element <= 64 ? UINT64_C(1) << (length - element - 1) : 0;
	}
}

/* Sets *by to what an instruction adds to the address by changing a register of the operand. False:
 * it is not known, and the way ends there. */
static bool moves_by(const struct neighbourhood *around, const struct insn *insn, int64_t *by)
{
	const struct operand *asked = around->operand;
	const uint64_t index = REG_BIT(asked->index);

	*by = 0;
	if (!(insn->written & operand_registers(asked)))
		return true;
	if (!insn_adds_constant(insn, insn->written & index ? asked->index : asked->base, by))
		return false;
	if (insn->written & index)
		*by *= asked->scale;
	return true;
}

/* Notes the elements that an instruction accesses. False: the way ends there. */
static bool step_over(struct neighbourhood *around, const struct insn *insn, struct way_on *way)
{
	int64_t by;

	if (!way->back)
		note_elements(around, insn, way->moved);
	if (!moves_by(around, insn, &by))
		return false;
	way->moved += way->back ? -by : by;
	if (way->back)
		note_elements(around, insn, way->moved);
	return true;
}

/* ---- the direction of the index */

static uint64_t general_bits(const struct operand *operand)
{
	return GENERAL_MASK & (operand->kind == OPERAND_MEMORY     ? operand_registers(operand)
			       : operand->kind == OPERAND_REGISTER ? REG_BIT(operand->reg)
								   : 0);
}

/* Notes what sets a register from which the index is computed, or the base with it. Returns the
 * registers that are computed from others: they are followed. */
static uint64_t note_index(struct neighbourhood *around, const struct insn *insn)
{
	const struct operand *from = &insn->operands[1];
	const bool copies = insn->operation == OP_MOVE || insn->operation == OP_MOVE_SIGN ||
			    insn->operation == OP_MOVE_ZERO,
		   adds = insn->operation == OP_ADD || insn->operation == OP_SUB;

	if (insn->operation == OP_ZERO || (copies && from->kind == OPERAND_IMMEDIATE))
		return 0;
	if (copies && from->kind == OPERAND_REGISTER)
		return general_bits(from);
	if (insn->operation == OP_LEA) {
		around->indexed |= from->index != REG_NONE;
		return general_bits(from);
	}
	around->indexed |=
		around->operand->index != REG_NONE || (adds && from->kind == OPERAND_REGISTER);
	return adds ? general_bits(&insn->operands[0]) | general_bits(from) : 0;
}

/* Notes the constant that an instruction adds to a register from which the address is computed.
 * False: none of these registers is left. */
static bool step_before(struct neighbourhood *around, const struct insn *insn, struct way_on *way)
{
	const uint8_t scale = around->operand->index == REG_NONE ? 1 : around->operand->scale;
	const struct operand *to = &insn->operands[0];
	int64_t by;

	if (!(insn->written & way->registers) || !operand_is_general(to))
		return true;
	if (insn_adds_constant(insn, to->reg, &by)) {
		around->up = by * scale > around->up ? by * scale : around->up;
		around->down = -by * scale > around->down ? -by * scale : around->down;
		return true;
	}
	way->registers &= ~REG_BIT(to->reg);
	way->registers |= note_index(around, insn);
	return way->registers;
}

/* ---- the answer */

/* Goes on, or back, through a block from an instruction. */
static void walk_block(struct neighbourhood *around, uint32_t at, struct way_on way)
{
	const struct basic_block *block = &around->code->blocks[way.block];
	const bool before = way.registers;

	for (; at - block->first < block->count; at += way.back ? UINT32_MAX : 1) {
		const struct insn *insn = &around->code->insns[at];

		if (around->insns++ > INSNS_MAX ||
		    !(before ? step_before(around, insn, &way) : step_over(around, insn, &way)))
			return;
	}
	/* an index that is an argument */
	around->indexed |= before && !way.block && around->operand->index != REG_NONE;
	leave_block(around, &way);
}

/* Follows all ways on from the access and back, or with `registers` only back. */
static void next_array_walk(struct neighbourhood *around, uint32_t current, uint64_t registers)
{
	const struct cfg *code = around->code;
	struct way_on way = { .block = cfg_block_of(code, current), .registers = registers };

	around->way_count = around->insns = 0;
	if (!registers)
		walk_block(around, current, way);
	way.back = true;
	walk_block(around, current - 1, way);
	for (uint32_t i = 0; i < around->way_count; i++) {
		const struct basic_block *block = &code->blocks[around->ways[i].block];

		way = around->ways[i];
		walk_block(around, block->first + (way.back ? block->count - 1 : 0), way);
	}
}

static bool next_array_has_all(uint64_t elements, int64_t count)
{
	return count <= 64 && !(low_bits((unsigned int)count) & ~elements);
}

bool next_array_is_meant(const struct solver *solver, const struct operand *operand, int64_t offset,
			 const struct array_pair *pair, bool from_base)
{
	const int64_t element = (offset - pair->first) / pair->size;
	const int64_t before = (pair->second - pair->first) / pair->size - element;
	struct neighbourhood around = {
		.code = solver->code,
		.operand = operand,
		.pair = pair,
		.offset = offset,
		.at_first = UINT64_MAX,
		.at_last = UINT64_MAX,
		.indexed = from_base,
	};

	if (operand->base == REG_NONE)
		return false;
	next_array_walk(&around, solver->pass.current,
			REG_BIT(operand->index == REG_NONE ? operand->base : operand->index));
	const bool rises = around.up > around.down, falls = around.down > around.up;

	/* s->list[i - 1] has the constant in its offset, and nobody accesses s->before[i + 63] of
	 * 64 elements, unless the index goes down from 0 */
	if (!around.indexed)
		return offset == operand->value && before == 1 && !pair->alone && !falls;

	/* a step down from the place that the loop begins at, and another one from there */
	if (falls &&
	    before * pair->size <= 2 * around.down + FIELD_ELEMENTS_BEFORE_MAX * pair->size)
		return true;
	if (from_base)
		return false;
	next_array_walk(&around, solver->pass.current, 0);
	/* all elements may be accessed, as by a loop that was unrolled: up or down */
	if (!falls && !pair->alone && next_array_has_all(around.from_first, element + 1) &&
	    (rises || around.at_first <= around.at_last))
		return false;
	/* one element before an array may be anything, as nothing else is accessed */
	return (next_array_has_all(around.before_second, before) && before > pair->alone) ||
	       (!pair->alone && before <= FIELD_ELEMENTS_BEFORE_MAX && element > FARTHER * before);
}
