// SPDX-License-Identifier: GPL-2.0-or-later
/* See frame_expression.h; the operations are those of DWARF 5, section 2.5.1, that section 6.4.2 allows. */
#include "dwarf/frame_expression.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/leb128.h"

#define STACK_SIZE 64
#define STEPS_MAX  1024 /* expressions may jump back */

struct evaluation {
	const struct frame_expression *expression;
	struct cursor cursor;
	uint64_t stack[STACK_SIZE];
	size_t depth;
	bool failed;
};

static void push(struct evaluation *evaluation, uint64_t value)
{
	if (evaluation->depth >= STACK_SIZE)
		evaluation->failed = true;
	else
		evaluation->stack[evaluation->depth++] = value;
}

static uint64_t pop(struct evaluation *evaluation)
{
	if (evaluation->depth)
		return evaluation->stack[--evaluation->depth];
	evaluation->failed = true;
	return 0;
}

static void push_register(struct evaluation *evaluation, uint64_t number, int64_t offset)
{
	uint64_t value = 0;

	if (number > UINT32_MAX ||
	    !unwind_register(evaluation->expression->frame, (unsigned int)number, &value))
		evaluation->failed = true;
	push(evaluation, value + (uint64_t)offset);
}

static void dereference(struct evaluation *evaluation, unsigned int size)
{
	const struct unwind_memory *memory = evaluation->expression->memory;
	uint64_t address = pop(evaluation), value = 0;

	/* of this machine's byte order, as the stack is */
	if (evaluation->failed || !size || size > sizeof(value) ||
	    !memory->read(memory->data, address, &value, size))
		evaluation->failed = true;
	push(evaluation, value);
}

static void pick(struct evaluation *evaluation, size_t index)
{
	if (index < evaluation->depth)
		push(evaluation, evaluation->stack[evaluation->depth - 1 - index]);
	else
		evaluation->failed = true;
}

/* The topmost of `count` goes below the others. */
static void rotate(struct evaluation *evaluation, size_t count)
{
	if (evaluation->depth < count) {
		evaluation->failed = true;
		return;
	}

	uint64_t *values = &evaluation->stack[evaluation->depth - count], top = values[count - 1];

	memmove(values + 1, values, (count - 1) * sizeof(*values));
	values[0] = top;
}

static void jump(struct evaluation *evaluation, bool taken)
{
	int16_t distance = (int16_t)cursor_u16(&evaluation->cursor);
	int64_t target = (int64_t)evaluation->cursor.position + distance;

	if (!taken)
		return;
	if (target < 0 || (uint64_t)target > evaluation->cursor.size)
		evaluation->failed = true;
	else
		evaluation->cursor.position = (size_t)target;
}

static bool divide(unsigned int operation, uint64_t left, uint64_t right, uint64_t *result)
{
	if (!right)
		return false;
	if (operation == DW_OP_mod)
		*result = left % right;
	else if (right == UINT64_MAX)
		*result = 0 - left; /* by -1: the smallest number has no counterpart */
	else
		*result = (uint64_t)((int64_t)left / (int64_t)right);
	return true;
}

static uint64_t shift_right(uint64_t left, uint64_t right, bool arithmetic)
{
	if (arithmetic)
		return (uint64_t)((int64_t)left >> (right < 64 ? right : 63));
	return right < 64 ? left >> right : 0;
}

/* False: it is no operation of two values, or has no result. */
static bool combine(unsigned int operation, uint64_t left, uint64_t right, uint64_t *result)
{
	switch (operation) {
	case DW_OP_and: *result = left & right; return true;
	case DW_OP_or: *result = left | right; return true;
	case DW_OP_xor: *result = left ^ right; return true;
	case DW_OP_plus: *result = left + right; return true;
	case DW_OP_minus: *result = left - right; return true;
	case DW_OP_mul: *result = left * right; return true;
	case DW_OP_div:
	case DW_OP_mod: return divide(operation, left, right, result);
	case DW_OP_shl: *result = right < 64 ? left << right : 0; return true;
	case DW_OP_shr: *result = shift_right(left, right, false); return true;
	case DW_OP_shra: *result = shift_right(left, right, true); return true;
	case DW_OP_eq: *result = left == right; return true;
	case DW_OP_ne: *result = left != right; return true;
	case DW_OP_lt: *result = (int64_t)left < (int64_t)right; return true;
	case DW_OP_le: *result = (int64_t)left <= (int64_t)right; return true;
	case DW_OP_gt: *result = (int64_t)left > (int64_t)right; return true;
	case DW_OP_ge: *result = (int64_t)left >= (int64_t)right; return true;
	}
	return false;
}

/* Operations with operands in the expression, that push one value. False: it is none. */
static bool run_constant(struct evaluation *evaluation, unsigned int operation)
{
	struct cursor *cursor = &evaluation->cursor;
	uint64_t number;

	if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
		push(evaluation, operation - DW_OP_lit0);
		return true;
	}
	if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
		push_register(evaluation, operation - DW_OP_breg0, cursor_sleb(cursor));
		return true;
	}
	switch (operation) {
	case DW_OP_addr: push(evaluation, cursor_u64(cursor) + evaluation->expression->bias); return true;
	case DW_OP_const1u: push(evaluation, cursor_u8(cursor)); return true;
	case DW_OP_const1s: push(evaluation, (uint64_t)(int8_t)cursor_u8(cursor)); return true;
	case DW_OP_const2u: push(evaluation, cursor_u16(cursor)); return true;
	case DW_OP_const2s: push(evaluation, (uint64_t)(int16_t)cursor_u16(cursor)); return true;
	case DW_OP_const4u: push(evaluation, cursor_u32(cursor)); return true;
	case DW_OP_const4s: push(evaluation, (uint64_t)(int32_t)cursor_u32(cursor)); return true;
	case DW_OP_const8u:
	case DW_OP_const8s: push(evaluation, cursor_u64(cursor)); return true;
	case DW_OP_constu: push(evaluation, cursor_uleb(cursor)); return true;
	case DW_OP_consts: push(evaluation, (uint64_t)cursor_sleb(cursor)); return true;
	case DW_OP_bregx:
		number = cursor_uleb(cursor);
		push_register(evaluation, number, cursor_sleb(cursor));
		return true;
	}
	return false;
}

static void run_unary(struct evaluation *evaluation, unsigned int operation)
{
	uint64_t value = pop(evaluation);

	switch (operation) {
	case DW_OP_abs: value = (int64_t)value < 0 ? 0 - value : value; break;
	case DW_OP_neg: value = 0 - value; break;
	case DW_OP_not: value = ~value; break;
	case DW_OP_plus_uconst: value += cursor_uleb(&evaluation->cursor); break;
	}
	push(evaluation, value);
}

static void run_operation(struct evaluation *evaluation, unsigned int operation)
{
	uint64_t right, left, result = 0;

	switch (operation) {
	case DW_OP_nop: return;
	case DW_OP_deref: dereference(evaluation, 8); return;
	case DW_OP_deref_size: dereference(evaluation, cursor_u8(&evaluation->cursor)); return;
	case DW_OP_dup: pick(evaluation, 0); return;
	case DW_OP_over: pick(evaluation, 1); return;
	case DW_OP_pick: pick(evaluation, cursor_u8(&evaluation->cursor)); return;
	case DW_OP_drop: pop(evaluation); return;
	case DW_OP_swap: rotate(evaluation, 2); return;
	case DW_OP_rot: rotate(evaluation, 3); return;
	case DW_OP_skip: jump(evaluation, true); return;
	case DW_OP_bra: jump(evaluation, pop(evaluation)); return;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst: run_unary(evaluation, operation); return;
	}
	right = pop(evaluation);
	left = pop(evaluation);
	if (!combine(operation, left, right, &result))
		evaluation->failed = true;
	push(evaluation, result);
}

bool frame_expression_value(const struct frame_expression *expression, uint64_t *value)
{
	struct evaluation evaluation = { .expression = expression };

	evaluation.cursor = bytes_cursor(expression->bytes, expression->size);
	if (expression->cfa)
		push(&evaluation, *expression->cfa);
	for (int steps = 0; cursor_left(&evaluation.cursor) && !evaluation.failed; steps++) {
		unsigned int operation = cursor_u8(&evaluation.cursor);

		if (steps == STEPS_MAX)
			return false;
		if (!run_constant(&evaluation, operation))
			run_operation(&evaluation, operation);
	}
	*value = pop(&evaluation);
	return !evaluation.failed && !evaluation.cursor.failed;
}
