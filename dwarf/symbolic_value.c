// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/symbolic_value.h"

#include <dwarf.h>

static int64_t add(int64_t left, int64_t right)
{
	return (int64_t)((uint64_t)left + (uint64_t)right);
}

struct symbolic_value symbolic_plus(struct symbolic_value value, int64_t constant)
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

struct symbolic_value symbolic_computed(struct symbolic_value value)
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

struct symbolic_value symbolic_binary(unsigned int operation, struct symbolic_value left,
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

struct symbolic_value symbolic_unary(unsigned int operation, struct symbolic_value value)
{
	if (value.kind != SYMBOLIC_CONSTANT || (operation != DW_OP_neg && operation != DW_OP_not))
		return symbolic_computed(value);
	value.offset = operation == DW_OP_neg ? (int64_t)(0 - (uint64_t)value.offset) : ~value.offset;
	return value;
}

struct symbolic_value symbolic_load(struct symbolic_value value)
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

struct location symbolic_location(const struct symbolic_value *value, bool is_value)
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
