// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bound of a jump table's index: the comparison that the compiler put before the jump, looked for
 * backward along blocks with one predecessor, while the value is followed through copies, extensions, spills
 * and scalings. See value_trace.h.
 */
#include "disasm/value_trace.h"

#define STEPS_MAX  400
#define CHECKS_MAX 8
/* larger than any table that a compiler writes */
#define COUNT_MAX UINT64_C(65536)

/* A comparison with a constant that the flow has passed the right way. */
struct check {
	uint32_t insn;
	uint64_t count; /* values that pass */
};

struct walk {
	const struct code *code;
	/* where the value is: a register, or memory as the operand of an instruction names it */
	struct operand where;
	struct check checks[CHECKS_MAX];
	unsigned int check_count;
	struct index_bound bound;
	uint64_t limit; /* values that fit what the value was cut to; 0: no such limit */
};

static bool same_memory(const struct operand *one, const struct operand *other)
{
	return one->kind == OPERAND_MEMORY && other->kind == OPERAND_MEMORY && one->base == other->base &&
	       one->index == other->index && one->scale == other->scale && one->segment == other->segment &&
	       one->value == other->value && one->absolute == other->absolute;
}

static bool same_place(const struct operand *one, const struct operand *other)
{
	if (one->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER)
		return one->reg == other->reg && one->high_byte == other->high_byte;
	return same_memory(one, other);
}

static void set_limit(struct walk *walk, uint64_t count)
{
	if (!walk->limit || count < walk->limit)
		walk->limit = count;
}

/* How many values of an unsigned comparison with `value` go on, for the condition and whether it was taken.
 */
static uint64_t passing(uint8_t condition, bool taken, uint64_t value)
{
	if (!taken)
		condition ^= 1; /* the lowest bit of a condition negates it (SDM vol. 2, B.1.4.7) */
	if (value >= COUNT_MAX)
		return 0;
	if (condition == CONDITION_BELOW_EQUAL)
		return value + 1;
	return condition == CONDITION_BELOW ? value : 0;
}

static uint64_t unsigned_immediate(const struct operand *operand)
{
	if (operand->size >= 8)
		return (uint64_t)operand->value;
	return (uint64_t)operand->value & ((UINT64_C(1) << 8 * operand->size) - 1);
}

/* The comparison whose flags the branch at the end of `block` uses, if coming from it to `next` bounds
 * something. */
static void add_check(struct walk *walk, const struct block *block, uint32_t next)
{
	const struct code *code = walk->code;
	uint32_t last = block->first + block->count - 1;
	const struct insn *branch = &code->insns[last];

	if (branch->operation != OP_BRANCH || branch->condition == CONDITION_NONE ||
	    walk->check_count == CHECKS_MAX)
		return;
	/* the other way may lead out of the function */
	bool taken = (uint64_t)branch->operands[0].value == code->blocks[next].address;
	bool passed = branch->address + branch->length == code->blocks[next].address;

	if (taken == passed)
		return;
	for (uint32_t i = last; i-- > block->first;) {
		const struct insn *insn = &code->insns[i];

		if (!(insn->flags & FLAG_WRITES_FLAGS))
			continue;
		if ((insn->operation == OP_COMPARE || insn->operation == OP_SUB) &&
		    insn->operands[1].kind == OPERAND_IMMEDIATE) {
			uint64_t count =
				passing(branch->condition, taken, unsigned_immediate(&insn->operands[1]));

			if (count)
				walk->checks[walk->check_count++] =
					(struct check){ .insn = i, .count = count };
		}
		return;
	}
}

/* Returns true if no instruction in [first, end) changes `operand`. */
static bool is_kept(const struct code *code, const struct operand *operand, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct insn *insn = &code->insns[i];

		if (operand->kind == OPERAND_REGISTER && (insn->written & REG_BIT(operand->reg)))
			return false;
		if (operand->kind == OPERAND_MEMORY && insn->operation == OP_CALL)
			return false;
	}
	return true;
}

/* The value was found to be at walk->where before `insn`: is that what a check already passed has compared?
 */
static bool match_checks(struct walk *walk, uint32_t insn)
{
	for (unsigned int i = 0; i < walk->check_count; i++) {
		const struct check *check = &walk->checks[i];
		const struct operand *compared = &walk->code->insns[check->insn].operands[0];

		/* from one block to the next the order of instructions says nothing: such copies are not
		 * followed */
		if (insn <= check->insn &&
		    code_block_of(walk->code, insn) == code_block_of(walk->code, check->insn) &&
		    same_place(compared, &walk->where) &&
		    is_kept(walk->code, &walk->where, insn, check->insn)) {
			walk->bound.count = check->count;
			walk->bound.exact = true;
			return true;
		}
	}
	return false;
}

/* A constant mask, shift, or scaling of the value in place; false ends the walk. */
static bool pass_arithmetic(struct walk *walk, const struct insn *insn)
{
	const struct operand *by = &insn->operands[1];

	if (by->kind != OPERAND_IMMEDIATE)
		return false;
	switch (insn->operation) {
	case OP_AND:
		if (unsigned_immediate(by) < COUNT_MAX)
			set_limit(walk, unsigned_immediate(by) + 1);
		return false;
	case OP_SHIFT_LEFT:
		if (by->value < 0 || by->value > 3 || walk->bound.scale << by->value > 8)
			return false;
		walk->bound.scale <<= by->value;
		return true;
	case OP_SHIFT_RIGHT:
		if (by->value > 0 && by->value < 8 * insn->operands[0].size &&
		    8 * insn->operands[0].size - by->value <= 16)
			set_limit(walk, UINT64_C(1) << (8 * insn->operands[0].size - by->value));
		return false;
	default: return false;
	}
}

/* The instruction writes the register that the value is in: where was it before? False ends the walk. */
static bool pass_write(struct walk *walk, const struct insn *insn)
{
	const struct operand *destination = &insn->operands[0];
	const struct operand *source = &insn->operands[1];

	if (destination->kind != OPERAND_REGISTER || destination->reg != walk->where.reg)
		return false;
	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		if (source->kind == OPERAND_IMMEDIATE ||
		    (source->kind == OPERAND_REGISTER && !reg_is_general(source->reg)))
			return false;
		if (insn->operation == OP_MOVE_ZERO && source->size <= 2)
			set_limit(walk, UINT64_C(1) << 8 * source->size);
		walk->where = *source;
		return true;
	case OP_LEA:
		/* lea 0(,%reg,scale) */
		if (!source->absolute || source->value || source->index == REG_NONE ||
		    walk->bound.scale * source->scale > 8)
			return false;
		walk->bound.scale *= source->scale;
		walk->where = (struct operand){ .kind = OPERAND_REGISTER, .size = 8, .reg = source->index };
		return true;
	default: return pass_arithmetic(walk, insn);
	}
}

/* The value is in memory: does the instruction store it there, or make the place another one? False ends the
 * walk. */
static bool pass_store(struct walk *walk, const struct insn *insn)
{
	const struct operand *where = &walk->where;

	if (insn->operation == OP_MOVE && same_memory(&insn->operands[0], where)) {
		if (insn->operands[1].kind != OPERAND_REGISTER || !reg_is_general(insn->operands[1].reg))
			return false;
		walk->where = insn->operands[1];
		return true;
	}
	if (insn->operation == OP_CALL)
		return false;
	return !((where->base != REG_NONE && (insn->written & REG_BIT(where->base))) ||
		 (where->index != REG_NONE && (insn->written & REG_BIT(where->index))));
}

/* One instruction backward; false ends the walk. */
static bool step(struct walk *walk, uint32_t index)
{
	const struct insn *insn = &walk->code->insns[index];
	bool moved = false;

	if (walk->where.kind == OPERAND_REGISTER) {
		if (insn->written & REG_BIT(walk->where.reg)) {
			if (!pass_write(walk, insn))
				return false;
			moved = true;
		}
	} else {
		struct operand before = walk->where;

		if (!pass_store(walk, insn))
			return false;
		moved = !same_place(&before, &walk->where);
	}
	bool is_check = false;

	for (unsigned int i = 0; i < walk->check_count; i++)
		is_check |= walk->checks[i].insn == index;
	return !((moved || is_check) && match_checks(walk, index));
}

struct index_bound value_trace_bound(struct value_trace *trace, uint32_t insn, uint8_t reg)
{
	const struct code *code = trace->code;
	uint32_t block = code_block_of(code, insn);
	uint32_t index = insn;
	struct walk walk = {
		.code = code,
		.where = { .kind = OPERAND_REGISTER, .size = 8, .reg = reg },
		.bound = { .scale = 1 },
	};

	for (unsigned int steps = 0; steps < STEPS_MAX && trace->budget; steps++) {
		const struct block *current = &code->blocks[block];

		if (index > current->first) {
			if (!step(&walk, --index))
				break;
			continue;
		}
		if (current->predecessor_count != 1 || (current->flags & BLOCK_LEADER) || block == 0)
			break;
		uint32_t next = block;

		trace->budget--;
		block = code->edges[current->predecessor_first];
		index = code->blocks[block].first + code->blocks[block].count;
		add_check(&walk, &code->blocks[block], next);
	}
	if (!walk.bound.exact && walk.limit)
		walk.bound.count = walk.limit;
	return walk.bound;
}
