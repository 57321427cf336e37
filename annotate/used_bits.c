// SPDX-License-Identifier: GPL-2.0-or-later
/* The bits of a memory operand that the code uses: see solver.h. A loaded value is followed in its
 * register until it is overwritten or the block ends. `live` is what is left of it: a bit of the
 * memory is at bit + shift of the register. Each use adds the bits that it can see to `seen`. A use
 * that is not understood sees all bits that are left. */
#include "annotate/solver.h"

#include <string.h>

#include "profiler/base/memory.h"

/* How many instructions are looked at in either direction: compilers keep these together, and
 * blocks may be very long. */
#define REACH_MAX 64

struct follow {
	const struct cfg *code;
	const struct operand *place; /* the memory operand of the value */
	uint32_t next;               /* the next instruction */
	uint32_t end;                /* of the block */
	uint8_t reg;
	int shift;
	uint64_t all;     /* all bits of the access */
	uint64_t live;    /* the bits that the register still has */
	uint64_t seen;    /* the bits that some use has seen */
	uint64_t changed; /* bits that were cleared or set, in case the value is stored again */
	bool combined;    /* other bits were put in; they go where bits were cleared */
	bool place_moved; /* the registers of its address were written since the load */
	uint32_t store;   /* the instruction that stores it again; 0: none */
};

/* Converts bits of the register to bits of the memory. */
static uint64_t from_register(const struct follow *follow, uint64_t bits)
{
	int shift = follow->shift;

	return shift >= 64 || shift <= -64 ? 0 : shift >= 0 ? bits >> shift : bits << -shift;
}

static bool is_value(const struct follow *follow, const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && operand->reg == follow->reg &&
	       !operand->high_byte;
}

static bool same_place(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_MEMORY && a->size == b->size && a->base == b->base &&
	       a->index == b->index && a->scale == b->scale && a->segment == b->segment &&
	       a->value == b->value && a->absolute == b->absolute;
}

static bool writes_place_registers(const struct operand *place, const struct insn *insn)
{
	return (place->base != REG_NONE && insn->written & REG_BIT(place->base)) ||
	       (place->index != REG_NONE && insn->written & REG_BIT(place->index));
}

/* Returns the bits that an operand of this size can see. */
static uint64_t visible_bits(const struct follow *follow, const struct operand *operand)
{
	return follow->live & from_register(follow, low_bits(operand->size * 8U));
}

/* Returns a constant at the width of the operand that it goes with. */
static uint64_t constant_bits(const struct operand *immediate, const struct operand *operand)
{
	return (uint64_t)immediate->value & low_bits(operand->size * 8U);
}

/* Keeps these bits, and the part of the register above a narrow operand. */
static void keep_bits(struct follow *follow, const struct operand *operand, uint64_t register_bits)
{
	uint64_t above = operand->size >= 4 ? 0 : ~low_bits(operand->size * 8U);

	follow->live &= from_register(follow, register_bits | above);
}

static void follow_shift(struct follow *follow, const struct insn *insn)
{
	const struct operand *value = &insn->operands[0];
	unsigned int width = value->size * 8U,
		     count = (unsigned int)insn->operands[1].value & (width - 1);

	/* a part of the register was shifted: the rest is no part of the value any more */
	if (value->size < 4 && follow->live & ~from_register(follow, low_bits(width)))
		follow->live &= from_register(follow, low_bits(width));
	if (insn->operation == OP_SHIFT_LEFT) {
		follow->live &= from_register(follow, low_bits(width - count));
		follow->shift += (int)count;
	} else {
		follow->live &= from_register(follow, ~low_bits(count) & low_bits(width));
		follow->shift -= (int)count;
	}
}

/* Notes that other bits are combined with the value. A constant's bits are known; those of a
 * register go where bits were cleared. */
static void follow_combination(struct follow *follow, const struct insn *insn)
{
	const struct operand *other = &insn->operands[is_value(follow, &insn->operands[0]) ? 1 : 0];

	if (other->kind == OPERAND_IMMEDIATE)
		follow->changed |= from_register(follow, constant_bits(other, &insn->operands[0])) &
				   follow->all;
	else
		follow->combined = true;
	/* or %value, %other: the value is in the other register now */
	follow->reg = insn->operands[0].reg;
}

/* Follows an instruction that has the value as an operand, and after which a register still has it
 * or a part of it. False if it is no such instruction. */
static bool follow_operation(struct follow *follow, const struct insn *insn)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	bool in_place = insn->operand_count == 2 && is_value(follow, first);

	switch (insn->operation) {
	case OP_AND:
		if (!in_place || second->kind != OPERAND_IMMEDIATE)
			return false;
		follow->changed |= visible_bits(follow, first) &
				   ~from_register(follow, constant_bits(second, first));
		keep_bits(follow, first, constant_bits(second, first));
		return true;
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
	case OP_SHIFT_ARITHMETIC:
		if (!in_place || second->kind != OPERAND_IMMEDIATE)
			return false;
		follow_shift(follow, insn);
		return true;
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
	case OP_MOVE:
		/* movzbl %al, %eax */
		if (!in_place || !is_value(follow, second) || first->size < 4)
			return false;
		follow->live = visible_bits(follow, second);
		return true;
	case OP_LEA:
		/* value + other * 8, after bits were cleared for it, is an or */
		if (second->base != follow->reg || second->index == REG_NONE || second->value ||
		    second->index == follow->reg || !follow->changed || first->size < 4)
			return false;
		follow->combined = true;
		follow->reg = first->reg;
		return true;
	case OP_ADD:
		if (!follow->changed)
			return false;
		/* fall through */
	case OP_OR:
	case OP_XOR:
		if (insn->operand_count != 2 || first->kind != OPERAND_REGISTER ||
		    (first->reg != follow->reg && !is_value(follow, second)))
			return false;
		follow_combination(follow, insn);
		return true;
	}
	return false;
}

/* True for an instruction that looks at the value and leaves it as it is. */
static bool look_at(struct follow *follow, const struct insn *insn)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];

	if (insn->operand_count != 2 || !is_value(follow, first))
		return false;
	if (insn->operation == OP_TEST && second->kind == OPERAND_IMMEDIATE) {
		uint64_t bits =
			insn->flags & FLAG_BIT_NUMBER
				? UINT64_C(1) << ((uint64_t)second->value & (first->size * 8U - 1))
				: constant_bits(second, first);

		follow->seen |= follow->live & from_register(follow, bits);
		return true;
	}
	if ((insn->operation == OP_TEST && !(insn->flags & FLAG_BIT_NUMBER) &&
	     is_value(follow, second)) ||
	    (insn->operation == OP_COMPARE && second->kind == OPERAND_IMMEDIATE)) {
		follow->seen |= visible_bits(follow, first);
		return true;
	}
	return false;
}

static bool is_stored_again(const struct follow *follow, const struct insn *insn)
{
	return insn->operation == OP_MOVE && insn->operand_count == 2 && !follow->place_moved &&
	       !follow->shift && same_place(&insn->operands[0], follow->place) &&
	       is_value(follow, &insn->operands[1]);
}

/* Follows one instruction; false: there is nothing more to follow. */
static bool follow_insn(struct follow *follow)
{
	const struct insn *insn = &follow->code->insns[follow->next];
	uint64_t reg = REG_BIT(follow->reg);

	if (is_stored_again(follow, insn)) {
		follow->store = follow->next;
		return false;
	}
	if (!(insn->read & reg)) {
		/* a narrow write overwrites only a part */
		if (insn->written & reg) {
			if (insn->operands[0].size < follow->code->arch->whole_write ||
			    !is_value(follow, &insn->operands[0]))
				follow->seen |= follow->live;
			return false;
		}
		return true;
	}
	if (look_at(follow, insn) || follow_operation(follow, insn))
		return true;
	follow->seen |= follow->live;
	return false;
}

/* True if nothing reads the value after the block: it returns, and the value is not in a result
 * register. */
static bool is_dead_at_end(const struct follow *follow)
{
	const struct insn *last = &follow->code->insns[follow->end - 1];
	const uint8_t *results = follow->code->arch->call.results;

	return last->operation == OP_RETURN && follow->reg != results[0] &&
	       follow->reg != results[1];
}

static void follow_to_end(struct follow *follow)
{
	for (; follow->next < follow->end; follow->next++) {
		if (!follow_insn(follow))
			return;
		if (writes_place_registers(follow->place, &follow->code->insns[follow->next]))
			follow->place_moved = true;
	}
	if (!is_dead_at_end(follow))
		follow->seen |= follow->live;
}

static uint32_t block_end(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	uint32_t end = block->first + block->count;

	return end - index > REACH_MAX ? index + REACH_MAX : end;
}

/* Returns the first instruction of the block that is in reach. */
static uint32_t block_start(const struct cfg *code, uint32_t index)
{
	uint32_t first = code->blocks[cfg_block_of(code, index)].first;

	return index - first > REACH_MAX ? index - REACH_MAX : first;
}

/* Finds the constant that a register holds before an instruction, within the block. */
static bool known_constant(const struct cfg *code, uint32_t index, uint8_t reg, uint64_t *value)
{
	uint32_t first = block_start(code, index);

	while (index-- > first) {
		const struct insn *insn = &code->insns[index];

		if (!(insn->written & REG_BIT(reg)))
			continue;
		*value = (uint64_t)insn->operands[1].value;
		return insn->operation == OP_MOVE && insn->operand_count == 2 &&
		       insn->operands[0].kind == OPERAND_REGISTER && insn->operands[0].size >= 4 &&
		       insn->operands[1].kind == OPERAND_IMMEDIATE;
	}
	return false;
}

/* Begins to follow a load of `operand` into a register: a mov, or an `and` with a constant. False
 * if it is no such load. */
static bool follow_start(struct follow *follow, const struct cfg *code, uint32_t index,
			 const struct operand *operand)
{
	const struct insn *insn = &code->insns[index];
	const struct operand *target = &insn->operands[0];
	uint64_t mask = UINT64_MAX;

	if (insn->operand_count != 2 || operand != &insn->operands[1] ||
	    target->kind != OPERAND_REGISTER || !reg_is_general(target->reg) || target->high_byte ||
	    target->size < 4)
		return false;
	if (insn->operation == OP_AND) {
		if (!known_constant(code, index, target->reg, &mask))
			return false;
	} else if (insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO &&
		   insn->operation != OP_MOVE_SIGN) {
		return false;
	}
	*follow = (struct follow){ .code = code,
				   .place = operand,
				   .next = index + 1,
				   .end = block_end(code, index),
				   .reg = target->reg,
				   .all = low_bits(operand->size * 8U),
				   .live = low_bits(operand->size * 8U) & mask,
				   .changed = low_bits(operand->size * 8U) & ~mask,
				   .place_moved = writes_place_registers(operand, insn) };
	return true;
}

/* Returns the bits in which a value that is stored again differs. */
static uint64_t changed_bits(const struct follow *follow)
{
	/* nothing was cleared: the combined bits may be anywhere */
	if (follow->combined && !follow->changed)
		return follow->all;
	return follow->changed & follow->all;
}

static uint64_t of_load(const struct cfg *code, uint32_t index, const struct operand *operand)
{
	struct follow follow;

	if (!follow_start(&follow, code, index, operand))
		return 0;
	follow_to_end(&follow);
	return follow.seen | (follow.store ? changed_bits(&follow) : 0);
}

/* Looks back for the load of the value that is stored. */
static uint64_t of_store(const struct cfg *code, uint32_t index, const struct operand *operand)
{
	uint32_t first = block_start(code, index);
	struct follow follow;

	for (uint32_t load = index; load-- > first;) {
		const struct insn *insn = &code->insns[load];

		if (insn->operand_count != 2 || !same_place(&insn->operands[1], operand) ||
		    !follow_start(&follow, code, load, &insn->operands[1]))
			continue;
		follow_to_end(&follow);
		return follow.store == index ? changed_bits(&follow) : 0;
	}
	return 0;
}

/* and, or, xor and test with memory and a constant */
static uint64_t of_constant(const struct insn *insn, const struct operand *operand)
{
	const struct operand *other = &insn->operands[1];

	if (insn->operand_count != 2 || operand != &insn->operands[0] ||
	    other->kind != OPERAND_IMMEDIATE)
		return 0;
	switch (insn->operation) {
	case OP_AND: return ~constant_bits(other, operand);
	case OP_OR:
	case OP_XOR: return constant_bits(other, operand);
	case OP_TEST:
		return insn->flags & FLAG_BIT_NUMBER
			       ? UINT64_C(1) << ((uint64_t)other->value & (operand->size * 8U - 1))
			       : constant_bits(other, operand);
	default: return 0;
	}
}

uint64_t used_bits(const struct cfg *code, uint32_t index, const struct operand *operand)
{
	const struct insn *insn = &code->insns[index];
	uint64_t all, bits;

	if (!operand || !operand->size || operand->size > 8)
		return 0;
	all = low_bits(operand->size * 8U);
	bits = of_constant(insn, operand);
	if (!bits && operand->read && !operand->write)
		bits = of_load(code, index, operand);
	if (!bits && operand->write && !operand->read && insn->operation == OP_MOVE)
		bits = of_store(code, index, operand);
	bits &= all;
	return bits == all ? 0 : bits;
}
