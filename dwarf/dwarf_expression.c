// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_expression.h"

#include <dwarf.h>
#include <string.h>

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
	struct cursor block = bytes_cursor(bytes, bytes ? size : 0);
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
