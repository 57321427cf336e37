// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf/expression.h"

#include <dwarf.h>
#include <string.h>

#include "profiler/base/cursor.h"

static int64_t add(int64_t left, int64_t right)
{
	return (int64_t)((uint64_t)left + (uint64_t)right);
}

static struct symbolic_value symbolic_plus(struct symbolic_value value, int64_t constant)
{
	switch (value.kind) {
	case SYMBOLIC_CONSTANT:
	case SYMBOLIC_ADDRESS:
	case SYMBOLIC_TLS:
	case SYMBOLIC_REGISTER:
	case SYMBOLIC_FRAME:
	case SYMBOLIC_CFA:
	case SYMBOLIC_SUM:
	case SYMBOLIC_ENTRY: value.offset = add(value.offset, constant); break;
	case SYMBOLIC_MEMORY:
	case SYMBOLIC_FRAME_MEMORY: value.offset2 = add(value.offset2, constant); break;
	case SYMBOLIC_QUOTIENT:
		if (constant)
			value = (struct symbolic_value){ .kind = SYMBOLIC_SCALED, .reg = value.reg };
		break;
	case SYMBOLIC_MULTIPLE: value.kind = constant ? SYMBOLIC_SCALED : value.kind; break;
	}
	return value;
}

/* What any arithmetic with `value` alone gives of which no more is known. */
static struct symbolic_value symbolic_computed(struct symbolic_value value)
{
	bool of_register = value.kind == SYMBOLIC_REGISTER || value.kind == SYMBOLIC_MULTIPLE ||
			   value.kind == SYMBOLIC_UPPER || value.kind == SYMBOLIC_NARROW ||
			   value.kind == SYMBOLIC_SCALED || value.kind == SYMBOLIC_QUOTIENT;

	return (struct symbolic_value){ .kind = of_register ? SYMBOLIC_SCALED : SYMBOLIC_OTHER,
					.reg = value.reg };
}

static bool constant_result(unsigned int operation, uint64_t left, uint64_t right, int64_t *result)
{
	switch (operation) {
	case DW_OP_and: *result = (int64_t)(left & right); return true;
	case DW_OP_or: *result = (int64_t)(left | right); return true;
	case DW_OP_xor: *result = (int64_t)(left ^ right); return true;
	case DW_OP_mul: *result = (int64_t)(left * right); return true;
	case DW_OP_shl: *result = right < 64 ? (int64_t)(left << right) : 0; return true;
	case DW_OP_shr: *result = right < 64 ? (int64_t)(left >> right) : 0; return true;
	}
	return false;
}

/* A register times a constant; other products are only computed from it. */
static bool multiple(unsigned int operation, struct symbolic_value value, uint64_t constant,
		     struct symbolic_value *result)
{
	if (operation == DW_OP_shl)
		constant = constant < 7 ? UINT64_C(1) << constant : 0;
	else if (operation != DW_OP_mul)
		return false;
	if ((value.kind != SYMBOLIC_REGISTER && value.kind != SYMBOLIC_NARROW) || value.offset || !constant ||
	    constant > UINT8_MAX)
		return false;
	*result = (struct symbolic_value){ .kind = SYMBOLIC_MULTIPLE,
					   .reg = value.reg,
					   .scale = (uint8_t)constant };
	return true;
}

/* Compilers sign-extend an int in a register by shifting it up and down; false: that is not done here. */
static bool extension(unsigned int operation, struct symbolic_value value, uint64_t constant,
		      struct symbolic_value *result)
{
	bool up = operation == DW_OP_shl && value.kind == SYMBOLIC_REGISTER && !value.offset;
	bool down = (operation == DW_OP_shra || operation == DW_OP_shr) && value.kind == SYMBOLIC_UPPER;

	if (constant != 32 || (!up && !down))
		return false;
	*result = (struct symbolic_value){ .kind = up ? SYMBOLIC_UPPER : SYMBOLIC_NARROW, .reg = value.reg };
	return true;
}

/*
 * clang counts an index in bytes where the loop does, and says of all[i] that it is at all + r / 24 * 24:
 * that is all + r, for the register goes from element to element.
 */
static bool whole_multiple(unsigned int operation, struct symbolic_value value, int64_t constant,
			   struct symbolic_value *result)
{
	if (operation == DW_OP_div && value.kind == SYMBOLIC_REGISTER && !value.offset && constant > 0) {
		*result = (struct symbolic_value){ .kind = SYMBOLIC_QUOTIENT,
						   .reg = value.reg,
						   .offset = constant };
		return true;
	}
	if (operation != DW_OP_mul || value.kind != SYMBOLIC_QUOTIENT || value.offset != constant)
		return false;
	*result = (struct symbolic_value){ .kind = SYMBOLIC_REGISTER, .reg = value.reg };
	return true;
}

static bool is_index(const struct symbolic_value *value)
{
	return value->kind == SYMBOLIC_MULTIPLE || value->kind == SYMBOLIC_NARROW;
}

/* What two values give neither of which is constant. */
static struct symbolic_value combine_unknown(unsigned int operation, struct symbolic_value left,
					     struct symbolic_value right)
{
	struct symbolic_value of_left = symbolic_computed(left), of_right = symbolic_computed(right);

	if (operation == DW_OP_plus && is_index(&left) && right.kind == SYMBOLIC_REGISTER)
		return combine_unknown(operation, right, left);
	if (operation == DW_OP_plus && left.kind == SYMBOLIC_REGISTER &&
	    (right.kind == SYMBOLIC_REGISTER || is_index(&right)) && left.reg != right.reg)
		return (struct symbolic_value){
			.kind = SYMBOLIC_SUM,
			.reg = left.reg,
			.reg2 = right.reg,
			.scale = right.kind == SYMBOLIC_MULTIPLE ? right.scale : 1,
			.offset = is_index(&right) ? left.offset : add(left.offset, right.offset),
		};
	if (of_left.kind == SYMBOLIC_SCALED && of_right.kind == SYMBOLIC_SCALED &&
	    of_left.reg == of_right.reg)
		return of_left;
	return (struct symbolic_value){ .kind = SYMBOLIC_OTHER };
}

/* DW_OP_plus to DW_OP_ge, by their number, of two operands. */
static struct symbolic_value symbolic_binary(unsigned int operation, struct symbolic_value left,
					     struct symbolic_value right)
{
	struct symbolic_value product;
	int64_t result;

	if (operation == DW_OP_plus && right.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(left, right.offset);
	if (operation == DW_OP_plus && left.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(right, left.offset);
	if (operation == DW_OP_minus && right.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(left, (int64_t)(0 - (uint64_t)right.offset));
	if (left.kind == SYMBOLIC_CONSTANT && right.kind == SYMBOLIC_CONSTANT &&
	    constant_result(operation, (uint64_t)left.offset, (uint64_t)right.offset, &result))
		return (struct symbolic_value){ .kind = SYMBOLIC_CONSTANT, .offset = result };
	if (right.kind == SYMBOLIC_CONSTANT && whole_multiple(operation, left, right.offset, &product))
		return product;
	if (right.kind == SYMBOLIC_CONSTANT && extension(operation, left, (uint64_t)right.offset, &product))
		return product;
	if (right.kind == SYMBOLIC_CONSTANT)
		return multiple(operation, left, (uint64_t)right.offset, &product) ? product
										   : symbolic_computed(left);
	if (left.kind == SYMBOLIC_CONSTANT)
		return operation == DW_OP_mul && multiple(operation, right, (uint64_t)left.offset, &product)
			       ? product
			       : symbolic_computed(right);
	return combine_unknown(operation, left, right);
}

/* DW_OP_neg, DW_OP_not, DW_OP_abs. */
static struct symbolic_value symbolic_unary(unsigned int operation, struct symbolic_value value)
{
	if (value.kind != SYMBOLIC_CONSTANT || (operation != DW_OP_neg && operation != DW_OP_not))
		return symbolic_computed(value);
	value.offset = operation == DW_OP_neg ? (int64_t)(0 - (uint64_t)value.offset) : ~value.offset;
	return value;
}

/* What is in memory at the address `value`. */
static struct symbolic_value symbolic_load(struct symbolic_value value)
{
	if (value.kind == SYMBOLIC_REGISTER)
		value.kind = SYMBOLIC_MEMORY;
	else if (value.kind == SYMBOLIC_FRAME)
		value.kind = SYMBOLIC_FRAME_MEMORY;
	else
		value.kind = SYMBOLIC_OTHER;
	return value;
}

static enum location_kind place_kind(enum symbolic_kind kind)
{
	switch (kind) {
	case SYMBOLIC_ADDRESS: return LOCATION_ADDRESS;
	case SYMBOLIC_TLS: return LOCATION_TLS;
	case SYMBOLIC_REGISTER: return LOCATION_MEMORY;
	case SYMBOLIC_FRAME: return LOCATION_FRAME;
	case SYMBOLIC_CFA: return LOCATION_CFA;
	case SYMBOLIC_MEMORY: return LOCATION_INDIRECT;
	case SYMBOLIC_FRAME_MEMORY: return LOCATION_FRAME_INDIRECT;
	case SYMBOLIC_SUM: return LOCATION_SUM_MEMORY;
	case SYMBOLIC_CONSTANT:
	case SYMBOLIC_ENTRY:
	case SYMBOLIC_UPPER:
	case SYMBOLIC_NARROW:
	case SYMBOLIC_MULTIPLE:
	case SYMBOLIC_QUOTIENT:
	case SYMBOLIC_SCALED:
	case SYMBOLIC_OTHER: break;
	}
	return LOCATION_OTHER;
}

static enum location_kind value_kind(enum symbolic_kind kind)
{
	switch (kind) {
	case SYMBOLIC_CONSTANT: return LOCATION_CONSTANT;
	case SYMBOLIC_ADDRESS: return LOCATION_ADDRESS_VALUE;
	case SYMBOLIC_REGISTER: return LOCATION_REGISTER_VALUE;
	case SYMBOLIC_FRAME: return LOCATION_FRAME_VALUE;
	case SYMBOLIC_CFA: return LOCATION_CFA_VALUE;
	case SYMBOLIC_MEMORY: return LOCATION_MEMORY_VALUE;
	case SYMBOLIC_ENTRY: return LOCATION_ENTRY_VALUE;
	case SYMBOLIC_SUM: return LOCATION_SUM;
	case SYMBOLIC_UPPER:
	case SYMBOLIC_NARROW:
	case SYMBOLIC_MULTIPLE:
	case SYMBOLIC_QUOTIENT:
	case SYMBOLIC_SCALED: return LOCATION_SCALED;
	case SYMBOLIC_TLS:
	case SYMBOLIC_FRAME_MEMORY:
	case SYMBOLIC_OTHER: break;
	}
	return LOCATION_OTHER;
}

static bool is_of_register(enum symbolic_kind kind)
{
	switch (kind) {
	case SYMBOLIC_REGISTER:
	case SYMBOLIC_MEMORY:
	case SYMBOLIC_ENTRY:
	case SYMBOLIC_UPPER:
	case SYMBOLIC_NARROW:
	case SYMBOLIC_MULTIPLE:
	case SYMBOLIC_SUM:
	case SYMBOLIC_QUOTIENT:
	case SYMBOLIC_SCALED: return true;
	case SYMBOLIC_OTHER:
	case SYMBOLIC_CONSTANT:
	case SYMBOLIC_ADDRESS:
	case SYMBOLIC_TLS:
	case SYMBOLIC_FRAME:
	case SYMBOLIC_CFA:
	case SYMBOLIC_FRAME_MEMORY: break;
	}
	return false;
}

/*
 * Of a variable: that it is at the address `value`, or, where `is_value`, that `value` is its value.
 * LOCATION_OTHER where a struct location has no form for that. Ranges and pieces are left zero.
 */
static struct location symbolic_location(const struct symbolic_value *value, bool is_value)
{
	enum location_kind kind = is_value ? value_kind(value->kind) : place_kind(value->kind);
	bool of_register = is_of_register(value->kind);
	bool sum = value->kind == SYMBOLIC_SUM;

	/* a register that we have no number for */
	if (kind == LOCATION_OTHER || (of_register && value->reg == 0xff) || (sum && value->reg2 == 0xff))
		return (struct location){ .kind = LOCATION_OTHER, .reg = 0xff, .variable = -1 };
	return (struct location){
		.kind = (uint8_t)kind,
		.reg = of_register ? value->reg : 0xff,
		.reg2 = sum ? value->reg2 : 0,
		.scale = sum ? value->scale : 0,
		.variable = -1,
		.offset = value->kind == SYMBOLIC_QUOTIENT ? 0 : value->offset,
		.offset2 = value->offset2,
	};
}

static uint8_t register_number(uint64_t number)
{
	return number < 0xff ? (uint8_t)number : 0xff;
}

static void push(struct expression *expression, enum symbolic_kind kind, uint8_t reg, int64_t offset)
{
	if (expression->depth >= EXPRESSION_STACK) {
		expression->lost = true;
		return;
	}
	expression->stack[expression->depth++] =
		(struct symbolic_value){ .kind = (uint8_t)kind, .reg = reg, .offset = offset };
}

static void push_value(struct expression *expression, struct symbolic_value value)
{
	push(expression, SYMBOLIC_OTHER, 0, 0);
	if (!expression->lost)
		expression->stack[expression->depth - 1] = value;
}

static struct symbolic_value pop(struct expression *expression)
{
	if (!expression->depth) {
		expression->lost = true;
		return (struct symbolic_value){ .kind = SYMBOLIC_OTHER };
	}
	return expression->stack[--expression->depth];
}

static void binary(struct expression *expression, unsigned int operation)
{
	struct symbolic_value right = pop(expression), left = pop(expression);

	push_value(expression, symbolic_binary(operation, left, right));
}

static void dereference(struct expression *expression, uint64_t size)
{
	struct symbolic_value value = pop(expression);

	/* a part of a pointer is no address */
	if (size == expression->unit->address_size)
		value = symbolic_load(value);
	else
		value.kind = SYMBOLIC_OTHER;
	push_value(expression, value);
}

static void pick(struct expression *expression, size_t index)
{
	if (index >= expression->depth)
		expression->lost = true;
	else
		push_value(expression, expression->stack[expression->depth - 1 - index]);
}

/* The top `count` entries, the topmost going below the others. */
static void rotate(struct expression *expression, size_t count)
{
	if (expression->depth < count) {
		expression->lost = true;
		return;
	}

	struct symbolic_value *values = &expression->stack[expression->depth - count];
	struct symbolic_value top = values[count - 1];

	memmove(values + 1, values, (count - 1) * sizeof(*values));
	values[0] = top;
}

static void direct(struct expression *expression, enum location_kind kind, uint8_t reg, int64_t offset)
{
	expression->direct = true;
	expression->location =
		(struct location){ .kind = (uint8_t)kind, .reg = reg, .variable = -1, .offset = offset };
}

static int64_t little_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return (int64_t)value;
}

static void implicit_value(struct expression *expression)
{
	uint64_t size = cursor_uleb(&expression->cursor);
	const uint8_t *bytes = cursor_bytes(&expression->cursor, size);

	if (bytes && size <= 8)
		direct(expression, LOCATION_CONSTANT, 0xff, little_endian(bytes, size));
	else
		direct(expression, LOCATION_OTHER, 0xff, 0);
}

static void implicit_pointer(struct expression *expression)
{
	const struct unit *unit = expression->unit;
	uint64_t target =
		cursor_word(&expression->cursor, unit->version <= 2 ? unit->address_size : unit->offset_size);

	direct(expression, LOCATION_IMPLICIT_POINTER, 0xff, cursor_sleb(&expression->cursor));
	if (target <= REFERENCE_OFFSET_MASK)
		expression->location.offset2 =
			(int64_t)((uint64_t)unit->file->index << REFERENCE_FILE_SHIFT | target);
}

/* DW_OP_entry_value: a block whose expression is one register in all that compilers write. */
static void entry_value(struct expression *expression)
{
	uint64_t size = cursor_uleb(&expression->cursor);
	const uint8_t *bytes = cursor_bytes(&expression->cursor, size);
	struct cursor block = cursor_of(bytes, bytes ? size : 0, false);
	unsigned int operation = cursor_u8(&block);
	uint64_t reg = UINT64_MAX;

	if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31)
		reg = operation - DW_OP_reg0;
	else if (operation == DW_OP_regx)
		reg = cursor_uleb(&block);
	if (block.failed || cursor_left(&block) || reg == UINT64_MAX)
		push(expression, SYMBOLIC_OTHER, 0xff, 0);
	else
		push(expression, SYMBOLIC_ENTRY, register_number(reg), 0);
}

static void const_type(struct expression *expression)
{
	cursor_uleb(&expression->cursor);

	uint8_t size = cursor_u8(&expression->cursor);
	const uint8_t *bytes = cursor_bytes(&expression->cursor, size);

	if (bytes && size <= 8)
		push(expression, SYMBOLIC_CONSTANT, 0xff, little_endian(bytes, size));
	else
		push(expression, SYMBOLIC_OTHER, 0xff, 0);
}

static void indexed_address(struct expression *expression, enum symbolic_kind kind)
{
	uint64_t address;

	if (unit_indexed_address(expression->unit, cursor_uleb(&expression->cursor), &address))
		push(expression, kind, 0xff, (int64_t)address);
	else
		push(expression, SYMBOLIC_OTHER, 0xff, 0);
}

/* gcc up to 12 at least puts whole addresses, not offsets in the block, into a split program's .debug_addr.
 */
static int64_t tls_offset(const struct expression *expression, int64_t operand)
{
	const struct dwarf_files *files = expression->unit->file->files;
	uint64_t offset = (uint64_t)operand;

	if (files && offset >= files->tls_size && offset - files->tls_address < files->tls_size)
		offset -= files->tls_address;
	return (int64_t)offset;
}

static void tls_address(struct expression *expression)
{
	struct symbolic_value value = pop(expression);

	value.kind = value.kind == SYMBOLIC_CONSTANT || value.kind == SYMBOLIC_ADDRESS ? SYMBOLIC_TLS
										       : SYMBOLIC_OTHER;
	value.offset = tls_offset(expression, value.offset);
	push_value(expression, value);
}

static void convert(struct expression *expression)
{
	cursor_uleb(&expression->cursor);
	push_value(expression, symbolic_computed(pop(expression)));
}

bool expression_run_operation(struct expression *expression, unsigned int operation)
{
	struct cursor *cursor = &expression->cursor;
	const struct unit *unit = expression->unit;

	if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
		push(expression, SYMBOLIC_CONSTANT, 0xff, operation - DW_OP_lit0);
		return true;
	}
	if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31) {
		direct(expression, LOCATION_REGISTER, register_number(operation - DW_OP_reg0), 0);
		return true;
	}
	if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
		push(expression, SYMBOLIC_REGISTER, register_number(operation - DW_OP_breg0),
		     cursor_sleb(cursor));
		return true;
	}
	switch (operation) {
	case DW_OP_addr:
		push(expression, SYMBOLIC_ADDRESS, 0xff, (int64_t)cursor_word(cursor, unit->address_size));
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index: indexed_address(expression, SYMBOLIC_ADDRESS); break;
	case DW_OP_constx:
	case DW_OP_GNU_const_index: indexed_address(expression, SYMBOLIC_CONSTANT); break;
	case DW_OP_const1u: push(expression, SYMBOLIC_CONSTANT, 0xff, cursor_u8(cursor)); break;
	case DW_OP_const1s: push(expression, SYMBOLIC_CONSTANT, 0xff, (int8_t)cursor_u8(cursor)); break;
	case DW_OP_const2u: push(expression, SYMBOLIC_CONSTANT, 0xff, cursor_u16(cursor)); break;
	case DW_OP_const2s: push(expression, SYMBOLIC_CONSTANT, 0xff, (int16_t)cursor_u16(cursor)); break;
	case DW_OP_const4u: push(expression, SYMBOLIC_CONSTANT, 0xff, cursor_u32(cursor)); break;
	case DW_OP_const4s: push(expression, SYMBOLIC_CONSTANT, 0xff, (int32_t)cursor_u32(cursor)); break;
	case DW_OP_const8u:
	case DW_OP_const8s: push(expression, SYMBOLIC_CONSTANT, 0xff, (int64_t)cursor_u64(cursor)); break;
	case DW_OP_constu: push(expression, SYMBOLIC_CONSTANT, 0xff, (int64_t)cursor_uleb(cursor)); break;
	case DW_OP_consts: push(expression, SYMBOLIC_CONSTANT, 0xff, cursor_sleb(cursor)); break;
	case DW_OP_fbreg: push(expression, SYMBOLIC_FRAME, 0xff, cursor_sleb(cursor)); break;
	case DW_OP_call_frame_cfa: push(expression, SYMBOLIC_CFA, 0xff, 0); break;
	case DW_OP_regx:
		direct(expression, LOCATION_REGISTER, register_number(cursor_uleb(cursor)), 0);
		break;
	case DW_OP_bregx: {
		uint8_t reg = register_number(cursor_uleb(cursor));

		push(expression, SYMBOLIC_REGISTER, reg, cursor_sleb(cursor));
		break;
	}
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		push(expression, SYMBOLIC_SCALED, register_number(cursor_uleb(cursor)), 0);
		cursor_uleb(cursor);
		break;
	case DW_OP_deref: dereference(expression, unit->address_size); break;
	case DW_OP_deref_size: dereference(expression, cursor_u8(cursor)); break;
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		dereference(expression, cursor_u8(cursor));
		cursor_uleb(cursor);
		break;
	case DW_OP_plus_uconst: {
		int64_t constant = (int64_t)cursor_uleb(cursor);

		push_value(expression, symbolic_plus(pop(expression), constant));
		break;
	}
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_div:
	case DW_OP_mod:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_eq:
	case DW_OP_ne:
	case DW_OP_lt:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_ge: binary(expression, operation); break;
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_abs: push_value(expression, symbolic_unary(operation, pop(expression))); break;
	case DW_OP_dup: pick(expression, 0); break;
	case DW_OP_over: pick(expression, 1); break;
	case DW_OP_pick: pick(expression, cursor_u8(cursor)); break;
	case DW_OP_drop: pop(expression); break;
	case DW_OP_swap: rotate(expression, 2); break;
	case DW_OP_rot: rotate(expression, 3); break;
	case DW_OP_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_convert:
	case DW_OP_GNU_reinterpret: convert(expression); break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type: const_type(expression); break;
	case DW_OP_implicit_value: implicit_value(expression); break;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: implicit_pointer(expression); break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value: entry_value(expression); break;
	case DW_OP_GNU_parameter_ref:
		cursor_skip(cursor, 4);
		push(expression, SYMBOLIC_OTHER, 0xff, 0);
		break;
	case DW_OP_GNU_variable_value:
		cursor_skip(cursor, unit->offset_size);
		push(expression, SYMBOLIC_OTHER, 0xff, 0);
		break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address: tls_address(expression); break;
	case DW_OP_stack_value: expression->stack_value = true; break;
	case DW_OP_nop:
	case DW_OP_GNU_uninit: break;
	default: /* branches, calls, address spaces, vendors' own */ return false;
	}
	return true;
}

struct location expression_location(const struct expression *expression)
{
	if (!expression->lost && expression->direct)
		return expression->location;
	if (expression->lost || !expression->depth)
		return (struct location){ .kind = LOCATION_OTHER, .reg = 0xff, .variable = -1 };
	return symbolic_location(&expression->stack[expression->depth - 1], expression->stack_value);
}

/* See frame_expression.h; the operations are those of DWARF 5, section 2.5.1, that section 6.4.2 allows. */

#define STACK_SIZE 64
#define STEPS_MAX  1024 /* expressions may jump back */

struct evaluation {
	const struct frame_expression *expression;
	struct cursor cursor;
	uint64_t stack[STACK_SIZE];
	size_t depth;
	bool failed;
};

static void frame_push(struct evaluation *evaluation, uint64_t value)
{
	if (evaluation->depth >= STACK_SIZE)
		evaluation->failed = true;
	else
		evaluation->stack[evaluation->depth++] = value;
}

static uint64_t frame_pop(struct evaluation *evaluation)
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
	frame_push(evaluation, value + (uint64_t)offset);
}

static void frame_dereference(struct evaluation *evaluation, unsigned int size)
{
	const struct unwind_memory *memory = evaluation->expression->memory;
	uint64_t address = frame_pop(evaluation), value = 0;

	/* of this machine's byte order, as the stack is */
	if (evaluation->failed || !size || size > sizeof(value) ||
	    !memory->read(memory->data, address, &value, size))
		evaluation->failed = true;
	frame_push(evaluation, value);
}

static void frame_pick(struct evaluation *evaluation, size_t index)
{
	if (index < evaluation->depth)
		frame_push(evaluation, evaluation->stack[evaluation->depth - 1 - index]);
	else
		evaluation->failed = true;
}

/* The topmost of `count` goes below the others. */
static void frame_rotate(struct evaluation *evaluation, size_t count)
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

/* Operations with operands in the expression, that frame_push one value. False: it is none. */
static bool run_constant(struct evaluation *evaluation, unsigned int operation)
{
	struct cursor *cursor = &evaluation->cursor;
	uint64_t number;

	if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
		frame_push(evaluation, operation - DW_OP_lit0);
		return true;
	}
	if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
		push_register(evaluation, operation - DW_OP_breg0, cursor_sleb(cursor));
		return true;
	}
	switch (operation) {
	case DW_OP_addr:
		frame_push(evaluation, cursor_u64(cursor) + evaluation->expression->bias);
		return true;
	case DW_OP_const1u: frame_push(evaluation, cursor_u8(cursor)); return true;
	case DW_OP_const1s: frame_push(evaluation, (uint64_t)(int8_t)cursor_u8(cursor)); return true;
	case DW_OP_const2u: frame_push(evaluation, cursor_u16(cursor)); return true;
	case DW_OP_const2s: frame_push(evaluation, (uint64_t)(int16_t)cursor_u16(cursor)); return true;
	case DW_OP_const4u: frame_push(evaluation, cursor_u32(cursor)); return true;
	case DW_OP_const4s: frame_push(evaluation, (uint64_t)(int32_t)cursor_u32(cursor)); return true;
	case DW_OP_const8u:
	case DW_OP_const8s: frame_push(evaluation, cursor_u64(cursor)); return true;
	case DW_OP_constu: frame_push(evaluation, cursor_uleb(cursor)); return true;
	case DW_OP_consts: frame_push(evaluation, (uint64_t)cursor_sleb(cursor)); return true;
	case DW_OP_bregx:
		number = cursor_uleb(cursor);
		push_register(evaluation, number, cursor_sleb(cursor));
		return true;
	}
	return false;
}

static void run_unary(struct evaluation *evaluation, unsigned int operation)
{
	uint64_t value = frame_pop(evaluation);

	switch (operation) {
	case DW_OP_abs: value = (int64_t)value < 0 ? 0 - value : value; break;
	case DW_OP_neg: value = 0 - value; break;
	case DW_OP_not: value = ~value; break;
	case DW_OP_plus_uconst: value += cursor_uleb(&evaluation->cursor); break;
	}
	frame_push(evaluation, value);
}

static void run_operation(struct evaluation *evaluation, unsigned int operation)
{
	uint64_t right, left, result = 0;

	switch (operation) {
	case DW_OP_nop: return;
	case DW_OP_deref: frame_dereference(evaluation, 8); return;
	case DW_OP_deref_size: frame_dereference(evaluation, cursor_u8(&evaluation->cursor)); return;
	case DW_OP_dup: frame_pick(evaluation, 0); return;
	case DW_OP_over: frame_pick(evaluation, 1); return;
	case DW_OP_pick: frame_pick(evaluation, cursor_u8(&evaluation->cursor)); return;
	case DW_OP_drop: frame_pop(evaluation); return;
	case DW_OP_swap: frame_rotate(evaluation, 2); return;
	case DW_OP_rot: frame_rotate(evaluation, 3); return;
	case DW_OP_skip: jump(evaluation, true); return;
	case DW_OP_bra: jump(evaluation, frame_pop(evaluation)); return;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst: run_unary(evaluation, operation); return;
	}
	right = frame_pop(evaluation);
	left = frame_pop(evaluation);
	if (!combine(operation, left, right, &result))
		evaluation->failed = true;
	frame_push(evaluation, result);
}

bool frame_expression_value(const struct frame_expression *expression, uint64_t *value)
{
	struct evaluation evaluation = { .expression = expression };

	evaluation.cursor = cursor_of(expression->bytes, expression->size, false);
	if (expression->cfa)
		frame_push(&evaluation, *expression->cfa);
	for (int steps = 0; cursor_left(&evaluation.cursor) && !evaluation.failed; steps++) {
		unsigned int operation = cursor_u8(&evaluation.cursor);

		if (steps == STEPS_MAX)
			return false;
		if (!run_constant(&evaluation, operation))
			run_operation(&evaluation, operation);
	}
	*value = frame_pop(&evaluation);
	return !evaluation.failed && !evaluation.cursor.failed;
}
