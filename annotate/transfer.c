// SPDX-License-Identifier: GPL-2.0-or-later
/* What one instruction does to a state. */
#include "annotate/solver.h"

#include <string.h>

#include "annotate/place.h"

/* One instruction at work. */
struct step {
	struct solver *solver;
	struct state *state;
	const struct insn *insn;
	uint32_t index; /* of the instruction */
};

/* What nothing is known of is what this instruction made. */
static void make_known(const struct step *step, unsigned int index, struct value *value)
{
	if (value->kind != VALUE_BOTTOM && (value->kind != VALUE_UNKNOWN || value->origin))
		return;
	struct value named = origins_value(&step->solver->origins, origin_key_insn(step->index, index));

	if (named.kind == VALUE_UNKNOWN && value->kind == VALUE_UNKNOWN) {
		named.stride = value->stride;
		named.type = value->type;
		named.conflict = value->conflict;
	}
	*value = named;
}

/*
 * The low bytes of a value. Where the program is not position-independent, the addresses of its own objects
 * fit into four of them, and "mov $object, %eax" is how compilers make such an address (psABI, small code
 * model).
 */
static inline void take_low_part(const struct step *step, struct value *value, unsigned int size)
{
	if (size >= 8)
		return;
	bool number = size == 4 && value->kind == VALUE_NUMBER && value->stride;
	bool address = size == 4 && step->solver->image_is_fixed && value->kind == VALUE_ADDRESS &&
		       value->offset >= 0 && value->offset <= UINT32_MAX;

	if (!number && !address)
		*value = value_truncate(*value, size);
}

static void set_general(const struct step *step, uint8_t reg, unsigned int size, const struct value *from)
{
	struct value *value = &step->state->values[reg];

	/* %eax clears the upper half of %rax, %ax and %al leave the rest (Intel SDM vol. 1, 3.4.1.1) */
	if (size < 4) {
		*value = value_any_number();
	} else {
		*value = *from;
		take_low_part(step, value, size);
	}
	switch (value->kind) {
	case VALUE_POINTER:
		if (value->how == HOW_VARIABLE)
			value->how = HOW_TRACKED;
		break;
	case VALUE_NUMBER:
		/* some number: the one that this instruction made, should it be multiplied */
		if (value->stride && !value->origin)
			value->origin = origins_id(&step->solver->origins, origin_key_insn(step->index, reg));
		break;
	default: make_known(step, reg, value); break;
	}
}

static void set_vector(const struct step *step, uint8_t reg, struct value low, struct value high)
{
	state_set_vector(step->state, reg, low, high);
}

static void forget_register(const struct step *step, unsigned int reg)
{
	if (reg == REG_RIP)
		return;
	if (reg_is_vector((uint8_t)reg))
		set_vector(step, (uint8_t)reg, value_unknown(0), value_unknown(0));
	else
		step->state->values[reg] =
			origins_value(&step->solver->origins, origin_key_insn(step->index, reg));
}

/* Everything that the instruction may have written and that is not modelled. */
static void forget_written(const struct step *step)
{
	const struct value unknown = value_unknown(0);

	for (uint64_t left = step->insn->written; left; left &= left - 1)
		forget_register(step, (unsigned int)__builtin_ctzll(left));
	for (unsigned int i = 0; i < step->insn->operand_count; i++) {
		const struct operand *operand = &step->insn->operands[i];

		if (operand->kind == OPERAND_MEMORY && operand->write)
			solver_store(step->solver, step->state, operand, step->insn->address, 0,
				     operand->size, &unknown);
		/* a general register of 4 bytes or less holds no pointer, whatever was computed */
		if (i == 0 && operand->kind == OPERAND_REGISTER && operand->write && operand->size <= 4 &&
		    reg_is_general(operand->reg))
			step->state->values[operand->reg] = value_any_number();
	}
}

static struct value immediate(const struct step *step, const struct operand *operand)
{
	if (operand->size >= 4 && solver_is_image_address(step->solver, operand->value))
		return value_address(operand->value);
	return value_number(operand->value);
}

/* The low eight bytes of an operand's value. */
static struct value read_operand(const struct step *step, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_IMMEDIATE: return immediate(step, operand);
	case OPERAND_REGISTER:
		if (operand->high_byte || operand->reg >= REG_COUNT)
			return value_any_number();
		if (reg_is_general(operand->reg)) {
			struct value value = step->state->values[operand->reg];

			take_low_part(step, &value, operand->size);
			return value;
		}
		return state_value(step->state, operand->reg);
	case OPERAND_MEMORY: {
		unsigned int to =
			step->insn->operands[0].kind == OPERAND_REGISTER ? step->insn->operands[0].reg : 0;

		if (operand->size > 8)
			return solver_load_part(step->solver, step->state, operand, 0, 8, step->index, to);
		return solver_load(step->solver, step->state, operand, step->index, to);
	}
	default: return value_unknown(0);
	}
}

static struct value read_high(const struct step *step, const struct operand *operand)
{
	if (operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg))
		return state_value(step->state, STATE_HIGH(operand->reg));
	if (operand->kind == OPERAND_MEMORY && operand->size >= 16) {
		unsigned int to = step->insn->operands[0].kind == OPERAND_REGISTER &&
						  reg_is_vector(step->insn->operands[0].reg)
					  ? STATE_HIGH(step->insn->operands[0].reg)
					  : 0;

		return solver_load_part(step->solver, step->state, operand, 8, 8, step->index, to);
	}
	return value_unknown(0);
}

static void write_operand(const struct step *step, const struct operand *operand, struct value value)
{
	if (operand->kind == OPERAND_MEMORY) {
		solver_store(step->solver, step->state, operand, step->insn->address, 0, operand->size,
			     &value);
	} else if (operand->kind == OPERAND_REGISTER && operand->reg < REG_COUNT) {
		if (reg_is_vector(operand->reg))
			set_vector(step, operand->reg, value, value_unknown(0));
		else
			set_general(step, operand->reg, operand->size, &value);
	}
}

static bool is_vector(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg);
}

/* A copy, of 16 bytes and more as two halves. */
static void move(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0];
	const struct operand *from = &step->insn->operands[1];

	if (to->kind == OPERAND_MEMORY && to->size >= 16) {
		struct value low = read_operand(step, from), high = read_high(step, from);

		const struct value rest = value_unknown(0);

		solver_store(step->solver, step->state, to, step->insn->address, 0, 8, &low);
		solver_store(step->solver, step->state, to, step->insn->address, 8, 8, &high);
		if (to->size > 16)
			solver_store(step->solver, step->state, to, step->insn->address, 16, to->size - 16U,
				     &rest);
		return;
	}
	if (is_vector(to)) {
		struct value low = read_operand(step, from);
		bool pair = from->size >= 16;

		if (from->size < 8 && from->kind == OPERAND_MEMORY)
			low = value_unknown(0);
		set_vector(step, to->reg, low, pair ? read_high(step, from) : value_number(0));
		return;
	}
	if (to->kind == OPERAND_REGISTER && to->high_byte) {
		step->state->values[to->reg] = value_any_number();
		return;
	}
	write_operand(step, to, read_operand(step, from));
}

static struct value arithmetic(const struct step *step, struct value a, struct value b)
{
	const struct operand *to = &step->insn->operands[0];

	switch (step->insn->operation) {
	case OP_ADD: return value_add(a, b);
	case OP_SUB: return value_subtract(a, b);
	case OP_OR: return value_or(a, b);
	case OP_AND:
		/* a stack that is aligned at run time: what lies below is a frame of its own */
		if (a.kind == VALUE_FRAME && a.frame == FRAME_CFA && value_is_constant(&b) && b.offset < 0 &&
		    to->kind == OPERAND_REGISTER)
			/* at a distance that is not known, and no stack pointer: memory of alloca() */
			return a.stride && to->reg != REG_RSP ? value_unknown(0)
							      : value_frame(FRAME_FIRST_OTHER, 0);
		if (value_is_constant(&b) && b.offset < -1 && b.offset >= -64 &&
		    solver_untag(step->solver, &a))
			return a;
		return value_and(a, b);
	case OP_SHIFT_LEFT:
		if (value_is_constant(&b) && b.offset >= 0 && b.offset < 31)
			return value_scale(a, 1U << b.offset);
		return value_any_number();
	default: return value_any_number();
	}
}

static void two_operands(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0];
	struct value a = read_operand(step, to);
	struct value b = read_operand(step, &step->insn->operands[1]);

	if (step->insn->operand_count > 2 && step->insn->operands[2].kind != OPERAND_NONE) {
		/* three operands: d = s op t (BMI, AVX on general registers, APX) */
		a = b;
		b = read_operand(step, &step->insn->operands[2]);
	}
	if (is_vector(to)) {
		forget_written(step);
		return;
	}
	/* x + x is even, whatever x is */
	if (step->insn->operation == OP_ADD && to->kind == OPERAND_REGISTER &&
	    step->insn->operand_count == 2 && step->insn->operands[1].kind == OPERAND_REGISTER &&
	    step->insn->operands[1].reg == to->reg)
		write_operand(step, to, value_scale(a, 2));
	else
		write_operand(step, to, arithmetic(step, a, b));
}

static void conditional_move(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0];
	struct value old = read_operand(step, to), new = read_operand(step, &step->insn->operands[1]);
	uint64_t key = origin_key_insn(step->index, to->reg);
	uint32_t phi = origins_id(&step->solver->origins, key);
	struct value joined = value_join(&old, &new, phi);

	if (joined.kind == VALUE_UNKNOWN && joined.origin == phi) {
		if (step->solver->gather) {
			origins_flow(&step->solver->origins, phi, &old);
			origins_flow(&step->solver->origins, phi, &new);
		}
		struct value inferred = origins_value(&step->solver->origins, key);

		if (inferred.kind == VALUE_POINTER)
			joined = inferred;
	}
	write_operand(step, to, joined);
}

static void push(const struct step *step)
{
	const struct operand *slot = &step->insn->operands[0];
	struct value value = read_operand(step, &step->insn->operands[1]);

	solver_store(step->solver, step->state, slot, step->insn->address, 0, slot->size, &value);
	step->state->values[REG_RSP] = value_subtract(step->state->values[REG_RSP], value_number(slot->size));
}

static void pop(const struct step *step)
{
	const struct operand *slot = &step->insn->operands[1];
	struct value value = read_operand(step, slot);

	step->state->values[REG_RSP] = value_add(step->state->values[REG_RSP], value_number(slot->size));
	write_operand(step, &step->insn->operands[0], value);
}

static void leave(const struct step *step)
{
	struct value base = step->state->values[REG_RBP];
	struct value saved = read_operand(step, &step->insn->operands[1]);

	step->state->values[REG_RSP] = value_add(base, value_number(8));
	set_general(step, REG_RBP, 8, &saved);
}

static void exchange(const struct step *step)
{
	const struct operand *a = &step->insn->operands[0], *b = &step->insn->operands[1];
	struct value old_a = read_operand(step, a), old_b = read_operand(step, b);

	write_operand(step, a, old_b);
	write_operand(step, b, old_a);
}

static void exchange_add(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0], *from = &step->insn->operands[1];
	struct value old = read_operand(step, to);

	write_operand(step, to, value_any_number());
	write_operand(step, from, old);
}

static void compare_exchange(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0], *from = &step->insn->operands[1];
	struct value old = read_operand(step, to);
	struct value stored = read_operand(step, from);
	struct operand rax = { .kind = OPERAND_REGISTER, .reg = REG_RAX, .size = to->size };

	if (to->kind == OPERAND_MEMORY)
		write_operand(step, to, stored);
	else
		write_operand(step, to, value_unknown(0));
	write_operand(step, &rax, old);
}

/* rdi and rsi move on by the element, or by some number of them. */
static void string(const struct step *step)
{
	unsigned int size = 0;
	bool repeat = step->insn->flags & FLAG_REPEAT;

	for (unsigned int i = 0; i < step->insn->operand_count; i++)
		if (step->insn->operands[i].kind == OPERAND_MEMORY)
			size = step->insn->operands[i].size;
	struct value advance = value_number(size);

	if (repeat) {
		advance = value_any_number();
		advance.stride = size ? size : 1;
	}
	const struct value unknown = value_unknown(0);
	struct value *values = step->state->values;
	struct value rdi = values[REG_RDI], rsi = values[REG_RSI];

	for (unsigned int i = 0; i < step->insn->operand_count; i++) {
		const struct operand *operand = &step->insn->operands[i];

		if (operand->kind == OPERAND_MEMORY && operand->write)
			solver_store(step->solver, step->state, operand, step->insn->address, 0,
				     repeat ? 0 : operand->size, &unknown);
	}
	for (uint64_t left = step->insn->written; left; left &= left - 1)
		forget_register(step, (unsigned int)__builtin_ctzll(left));
	if (step->insn->written & REG_BIT(REG_RDI)) {
		values[REG_RDI] = value_add(rdi, advance);
		make_known(step, REG_RDI, &values[REG_RDI]);
	}
	if (step->insn->written & REG_BIT(REG_RSI)) {
		values[REG_RSI] = value_add(rsi, advance);
		make_known(step, REG_RSI, &values[REG_RSI]);
	}
	if (repeat)
		values[REG_RCX] = value_any_number();
}

static void vector_halves(const struct step *step)
{
	const struct operand *to = &step->insn->operands[0], *s = &step->insn->operands[1];
	bool three = step->insn->operand_count > 2;
	const struct operand *t = three ? &step->insn->operands[2] : s;
	struct value low, high;

	if (!is_vector(to)) {
		forget_written(step);
		return;
	}
	low = three ? read_operand(step, s) : state_value(step->state, to->reg);
	if (t->kind == OPERAND_MEMORY)
		high = solver_load_part(step->solver, step->state, t, 0, 8, step->index, STATE_HIGH(to->reg));
	else
		high = read_operand(step, t);
	set_vector(step, to->reg, low, high);
}

static void system_call(const struct step *step)
{
	forget_register(step, REG_RAX);
	forget_register(step, REG_RCX);
	forget_register(step, REG_R11);
}

/* An instruction that gives something. */
static void give(const struct step *step)
{
	struct solver *solver = step->solver;
	struct state *state = step->state;
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operands[0];

	switch (insn->operation) {
	case OP_LEA: write_operand(step, to, solver_address(solver, state, &insn->operands[1])); break;
	case OP_ADD:
	case OP_SUB:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
	case OP_SHIFT_ARITHMETIC: two_operands(step); break;
	case OP_ZERO:
		if (is_vector(to))
			set_vector(step, to->reg, value_number(0), value_number(0));
		else
			write_operand(step, to, value_number(0));
		break;
	case OP_MULTIPLY:
		write_operand(step, to,
			      value_multiply(read_operand(step, &insn->operands[1]),
					     read_operand(step, &insn->operands[2])));
		break;
	case OP_NEGATE:
	case OP_COMPLEMENT:
		if (is_vector(to))
			forget_written(step);
		else
			write_operand(step, to, value_any_number());
		break;
	case OP_CONDITIONAL: conditional_move(step); break;
	case OP_SET_CONDITION: write_operand(step, to, value_any_number()); break;
	case OP_EXCHANGE: exchange(step); break;
	case OP_EXCHANGE_ADD: exchange_add(step); break;
	case OP_COMPARE_EXCHANGE: compare_exchange(step); break;
	case OP_PUSH: push(step); break;
	case OP_POP: pop(step); break;
	case OP_LEAVE: leave(step); break;
	case OP_MOVE_STRING:
	case OP_STORE_STRING:
	case OP_LOAD_STRING:
	case OP_COMPARE_STRING:
	case OP_SCAN_STRING: string(step); break;
	case OP_VECTOR_HIGH:
	case OP_VECTOR_UNPACK: vector_halves(step); break;
	case OP_STORE_HIGH: write_operand(step, to, read_high(step, &insn->operands[1])); break;
	case OP_SYSTEM_CALL: system_call(step); break;
	default: forget_written(step); break;
	}
}

void solver_transfer(struct solver *solver, struct state *state, uint32_t index)
{
	const struct step step = { solver, state, &solver->code->insns[index], index };

	switch (step.insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN: move(&step); break;
	case OP_CALL: solver_call(solver, state, index, false); break;
	case OP_RETURN: solver_return(solver, state); break;
	default: give(&step); break;
	}
}
