// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine that runs DWARF expressions. Locations of variables are run without branches, so the
 * work is bounded by the length. Expressions of call frame information may branch, and take a
 * limited number of steps.
 */
#include "dwarf/dwarf/expression.h"

#include <dwarf.h>

#include "base/memory.h"

/* ---- symbols ---- */

enum symbolic_kind {
	SYMBOLIC_OTHER,        /* nothing is known */
	SYMBOLIC_CONSTANT,     /* offset */
	SYMBOLIC_ADDRESS,      /* a relocated address: offset */
	SYMBOLIC_TLS,          /* offset in the TLS block */
	SYMBOLIC_REGISTER,     /* reg + offset */
	SYMBOLIC_FRAME,        /* frame base + offset */
	SYMBOLIC_CFA,          /* CFA + offset */
	SYMBOLIC_MEMORY,       /* *(reg + offset) + offset2 */
	SYMBOLIC_FRAME_MEMORY, /* *(frame base + offset) + offset2 */
	SYMBOLIC_ENTRY,        /* reg at entry + offset */
	SYMBOLIC_UPPER,        /* reg << 32 */
	SYMBOLIC_NARROW,       /* the low half of reg, extended: an index of type int */
	SYMBOLIC_MULTIPLE,     /* reg * scale */
	SYMBOLIC_SUM,          /* reg + reg2 * scale + offset */
	SYMBOLIC_QUOTIENT,     /* reg / offset */
	SYMBOLIC_SCALED,       /* computed from reg alone */
	SYMBOLIC_KINDS,
};

#define NO_REGISTER 0xff

struct symbolic_value {
	uint8_t kind; /* enum symbolic_kind */
	uint8_t reg;  /* NO_REGISTER: none, or a number above 254 */
	uint8_t reg2;
	uint8_t scale;
	int64_t offset, offset2;
};

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
			value = (struct symbolic_value){ .kind = SYMBOLIC_SCALED,
							 .reg = value.reg };
		break;
	case SYMBOLIC_MULTIPLE: value.kind = constant ? SYMBOLIC_SCALED : value.kind; break;
	}
	return value;
}

/* Returns the result of arithmetic with `value` alone: only what it was computed from is known. */
static struct symbolic_value symbolic_computed(struct symbolic_value value)
{
	bool of_register = value.kind == SYMBOLIC_REGISTER || value.kind == SYMBOLIC_MULTIPLE ||
			   value.kind == SYMBOLIC_UPPER || value.kind == SYMBOLIC_NARROW ||
			   value.kind == SYMBOLIC_SCALED || value.kind == SYMBOLIC_QUOTIENT;

	return (struct symbolic_value){ .kind = of_register ? SYMBOLIC_SCALED : SYMBOLIC_OTHER,
					.reg = value.reg };
}

static bool divide(unsigned int operation, uint64_t left, uint64_t right, uint64_t *result)
{
	if (!right)
		return false;
	if (operation == DW_OP_mod)
		*result = left % right;
	else if (right == UINT64_MAX)
		*result = 0 - left; /* by -1: the smallest number would overflow */
	else
		*result = (uint64_t)((int64_t)left / (int64_t)right);
	return true;
}

static uint64_t shift_right(uint64_t left, uint64_t right, bool arithmetic)
{
	if (arithmetic)
		// cppcheck-suppress shiftTooManyBitsSigned ; gcc and clang shift the sign in
		return (uint64_t)((int64_t)left >> (right < 64 ? right : 63));
	return right < 64 ? left >> right : 0;
}

/* Computes a binary operation on constants. False: there is no result (a division by 0). */
static bool constant_binary(unsigned int operation, uint64_t left, uint64_t right, uint64_t *result)
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

/* Multiplies a register by a constant. False: another product, of a register at most. */
static bool multiple(unsigned int operation, struct symbolic_value value, uint64_t constant,
		     struct symbolic_value *result)
{
	if (operation == DW_OP_shl)
		constant = constant < 7 ? UINT64_C(1) << constant : 0;
	else if (operation != DW_OP_mul)
		return false;
	if ((value.kind != SYMBOLIC_REGISTER && value.kind != SYMBOLIC_NARROW) || value.offset ||
	    !constant || constant > UINT8_MAX)
		return false;
	*result = (struct symbolic_value){ .kind = SYMBOLIC_MULTIPLE,
					   .reg = value.reg,
					   .scale = (uint8_t)constant };
	return true;
}

/* Recognizes an int that shifts sign-extend, as compilers write it. False: else. */
static bool extension(unsigned int operation, struct symbolic_value value, uint64_t constant,
		      struct symbolic_value *result)
{
	bool up = operation == DW_OP_shl && value.kind == SYMBOLIC_REGISTER && !value.offset;
	bool down =
		(operation == DW_OP_shra || operation == DW_OP_shr) && value.kind == SYMBOLIC_UPPER;

	if (constant != 32 || (!up && !down))
		return false;
	*result = (struct symbolic_value){ .kind = up ? SYMBOLIC_UPPER : SYMBOLIC_NARROW,
					   .reg = value.reg };
	return true;
}

/* Recognizes r / 24 * 24 as r. If a loop counts an index in bytes, clang puts all[i] at all + r /
 * 24 * 24, which is all + r because the register goes from element to element. */
static bool whole_multiple(unsigned int operation, struct symbolic_value value, int64_t constant,
			   struct symbolic_value *result)
{
	if (operation == DW_OP_div && value.kind == SYMBOLIC_REGISTER && !value.offset &&
	    constant > 0) {
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

/* Takes a register or a loaded word whose lowest bits are cleared for the value itself: it is a
 * pointer that has marks in these bits until it is used, such as the file in the result of the
 * kernel's fdget(). */
static bool without_marks(unsigned int operation, struct symbolic_value value, int64_t mask,
			  struct symbolic_value *result)
{
	*result = value;
	return operation == DW_OP_and && (mask == -2 || mask == -4 || mask == -8) &&
	       ((value.kind == SYMBOLIC_REGISTER && !value.offset) ||
		(value.kind == SYMBOLIC_MEMORY && !value.offset2));
}

static bool is_index(const struct symbolic_value *value)
{
	return value->kind == SYMBOLIC_MULTIPLE || value->kind == SYMBOLIC_NARROW;
}

/* Combines two values, neither of which is constant. */
static struct symbolic_value combine_unknown(unsigned int operation, struct symbolic_value left,
					     struct symbolic_value right)
{
	struct symbolic_value of_left = symbolic_computed(left),
			      of_right = symbolic_computed(right);

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

static struct symbolic_value symbolic_binary(unsigned int operation, struct symbolic_value left,
					     struct symbolic_value right)
{
	struct symbolic_value product;
	uint64_t result;

	if (left.kind == SYMBOLIC_CONSTANT && right.kind == SYMBOLIC_CONSTANT) {
		if (!constant_binary(operation, (uint64_t)left.offset, (uint64_t)right.offset,
				     &result))
			return (struct symbolic_value){ .kind = SYMBOLIC_OTHER };
		return (struct symbolic_value){ .kind = SYMBOLIC_CONSTANT,
						.offset = (int64_t)result };
	}
	if (operation == DW_OP_plus && right.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(left, right.offset);
	if (operation == DW_OP_plus && left.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(right, left.offset);
	if (operation == DW_OP_minus && right.kind == SYMBOLIC_CONSTANT)
		return symbolic_plus(left, (int64_t)(0 - (uint64_t)right.offset));
	if (right.kind == SYMBOLIC_CONSTANT)
		return whole_multiple(operation, left, right.offset, &product) ||
				       without_marks(operation, left, right.offset, &product) ||
				       extension(operation, left, (uint64_t)right.offset,
						 &product) ||
				       multiple(operation, left, (uint64_t)right.offset, &product)
			       ? product
			       : symbolic_computed(left);
	if (left.kind == SYMBOLIC_CONSTANT)
		return operation == DW_OP_mul &&
				       multiple(operation, right, (uint64_t)left.offset, &product)
			       ? product
			       : symbolic_computed(right);
	return combine_unknown(operation, left, right);
}

static struct symbolic_value symbolic_unary(unsigned int operation, struct symbolic_value value)
{
	uint64_t number = (uint64_t)value.offset;

	if (value.kind != SYMBOLIC_CONSTANT)
		return symbolic_computed(value);
	if (operation == DW_OP_not)
		value.offset = (int64_t)~number;
	else if (operation == DW_OP_neg || value.offset < 0)
		value.offset = (int64_t)(0 - number);
	return value;
}

/* The two meanings of a symbol that remains: the variable is at this address, or has this value. */
static const struct {
	uint8_t place, value; /* enum location_kind */
	bool of_register;
} meanings[SYMBOLIC_KINDS] = {
	[SYMBOLIC_OTHER] = { LOCATION_OTHER, LOCATION_OTHER, false },
	[SYMBOLIC_CONSTANT] = { LOCATION_OTHER, LOCATION_CONSTANT, false },
	[SYMBOLIC_ADDRESS] = { LOCATION_ADDRESS, LOCATION_ADDRESS_VALUE, false },
	[SYMBOLIC_TLS] = { LOCATION_TLS, LOCATION_OTHER, false },
	[SYMBOLIC_REGISTER] = { LOCATION_MEMORY, LOCATION_REGISTER_VALUE, true },
	[SYMBOLIC_FRAME] = { LOCATION_FRAME, LOCATION_FRAME_VALUE, false },
	[SYMBOLIC_CFA] = { LOCATION_CFA, LOCATION_CFA_VALUE, false },
	[SYMBOLIC_MEMORY] = { LOCATION_INDIRECT, LOCATION_MEMORY_VALUE, true },
	[SYMBOLIC_FRAME_MEMORY] = { LOCATION_FRAME_INDIRECT, LOCATION_OTHER, false },
	[SYMBOLIC_ENTRY] = { LOCATION_OTHER, LOCATION_ENTRY_VALUE, true },
	[SYMBOLIC_UPPER] = { LOCATION_OTHER, LOCATION_SCALED, true },
	[SYMBOLIC_NARROW] = { LOCATION_OTHER, LOCATION_SCALED, true },
	[SYMBOLIC_MULTIPLE] = { LOCATION_OTHER, LOCATION_SCALED, true },
	[SYMBOLIC_SUM] = { LOCATION_SUM_MEMORY, LOCATION_SUM, true },
	[SYMBOLIC_QUOTIENT] = { LOCATION_OTHER, LOCATION_SCALED, true },
	[SYMBOLIC_SCALED] = { LOCATION_OTHER, LOCATION_SCALED, true },
};

/* Returns the location that the symbol describes. Ranges and pieces are left zero. */
static struct location symbolic_location(const struct symbolic_value *value, bool is_value)
{
	uint8_t kind = is_value ? meanings[value->kind].value : meanings[value->kind].place;
	bool of_register = meanings[value->kind].of_register, sum = value->kind == SYMBOLIC_SUM;

	if (kind == LOCATION_OTHER || (of_register && value->reg == NO_REGISTER) ||
	    (sum && value->reg2 == NO_REGISTER))
		return (struct location){ .kind = LOCATION_OTHER, .reg = NO_REGISTER };
	return (struct location){
		.kind = kind,
		.reg = of_register ? value->reg : NO_REGISTER,
		.reg2 = sum ? value->reg2 : 0,
		.scale = sum ? value->scale : 0,
		.offset = value->kind == SYMBOLIC_QUOTIENT ? 0 : value->offset,
		.offset2 = value->offset2,
	};
}

/* ---- the machine ---- */

#define STACK_MAX 64
#define STEPS_MAX 1024 /* expressions of call frame information may jump back */

struct machine {
	const struct unit *unit;              /* NULL if there is a frame */
	const struct expression_frame *frame; /* NULL: registers and memory are symbols */
	struct cursor cursor;                 /* at the next operation */
	uint8_t address_size;
	struct symbolic_value stack[STACK_MAX];
	size_t depth;
	/* the stack overflowed or underflowed, or an operation is unknown: no known result */
	bool lost;
	/* the location so far, if it is not the stack's top */
	bool direct; /* DW_OP_regN, implicit_value, implicit_pointer: `location` holds it */
	bool stack_value;
	bool any; /* an operation since the last piece */
	struct location location;
};

/* Forgets what was computed: at the beginning, and after a piece. */
static void start_over(struct machine *machine)
{
	machine->depth = 0;
	machine->lost = machine->direct = machine->stack_value = machine->any = false;
}

/* Prepares a machine. The stack is not cleared, because it is written before it is read. */
static void machine_init(struct machine *machine, const struct unit *unit,
			 const uint8_t *expression, size_t size)
{
	machine->unit = unit;
	machine->frame = NULL;
	machine->address_size = unit ? unit->address_size : 8;
	machine->cursor = cursor_of(expression, size, false);
	start_over(machine);
}

static uint8_t register_number(uint64_t number)
{
	return number < NO_REGISTER ? (uint8_t)number : NO_REGISTER;
}

static void push_value(struct machine *machine, struct symbolic_value value)
{
	if (machine->depth >= STACK_MAX)
		machine->lost = true;
	else
		machine->stack[machine->depth++] = value;
}

static void expression_push(struct machine *machine, enum symbolic_kind kind, uint8_t reg,
			    int64_t offset)
{
	push_value(machine,
		   (struct symbolic_value){ .kind = (uint8_t)kind, .reg = reg, .offset = offset });
}

static void push_constant(struct machine *machine, uint64_t value)
{
	expression_push(machine, SYMBOLIC_CONSTANT, NO_REGISTER, (int64_t)value);
}

static void push_unknown(struct machine *machine)
{
	expression_push(machine, SYMBOLIC_OTHER, NO_REGISTER, 0);
}

static struct symbolic_value pop(struct machine *machine)
{
	if (!machine->depth) {
		machine->lost = true;
		return (struct symbolic_value){ .kind = SYMBOLIC_OTHER };
	}
	return machine->stack[--machine->depth];
}

static void push_register(struct machine *machine, uint64_t number, int64_t offset)
{
	const struct expression_frame *frame = machine->frame;
	uint64_t value = 0;

	if (!frame) {
		expression_push(machine, SYMBOLIC_REGISTER, register_number(number), offset);
		return;
	}
	machine->lost |= !frame->read_register(frame->data, number, &value);
	push_constant(machine, value + (uint64_t)offset);
}

static void push_address(struct machine *machine)
{
	uint64_t address = cursor_word(&machine->cursor, machine->address_size);

	if (machine->frame)
		push_constant(machine, address + machine->frame->bias);
	else
		expression_push(machine, SYMBOLIC_ADDRESS, NO_REGISTER, (int64_t)address);
}

/* Loads from the memory of the frame, whose byte order is that of this machine. */
static void expression_load(struct machine *machine, uint64_t size)
{
	const struct expression_frame *frame = machine->frame;
	uint64_t address = (uint64_t)pop(machine).offset, value = 0;

	if (machine->lost || !size || size > sizeof(value) ||
	    !frame->read_memory(frame->data, address, &value, size))
		machine->lost = true;
	push_constant(machine, value);
}

static void dereference(struct machine *machine, uint64_t size)
{
	if (machine->frame) {
		expression_load(machine, size);
		return;
	}

	struct symbolic_value value = pop(machine);

	/* a part of a pointer is no address */
	if (value.kind == SYMBOLIC_REGISTER && size == machine->address_size)
		value.kind = SYMBOLIC_MEMORY;
	else if (value.kind == SYMBOLIC_FRAME && size == machine->address_size)
		value.kind = SYMBOLIC_FRAME_MEMORY;
	else
		value.kind = SYMBOLIC_OTHER;
	push_value(machine, value);
}

static void binary(struct machine *machine, unsigned int operation)
{
	struct symbolic_value right = pop(machine), left = pop(machine);
	struct symbolic_value result = symbolic_binary(operation, left, right);

	machine->lost |= machine->frame && result.kind != SYMBOLIC_CONSTANT;
	push_value(machine, result);
}

static void pick(struct machine *machine, size_t index)
{
	if (index >= machine->depth)
		machine->lost = true;
	else
		push_value(machine, machine->stack[machine->depth - 1 - index]);
}

/* Moves the topmost of `count` entries below the others. */
static void rotate(struct machine *machine, size_t count)
{
	if (machine->depth < count) {
		machine->lost = true;
		return;
	}

	struct symbolic_value *values = &machine->stack[machine->depth - count];
	struct symbolic_value top = values[count - 1];

	memmove(values + 1, values, (count - 1) * sizeof(*values));
	values[0] = top;
}

static void jump(struct machine *machine, bool taken)
{
	int16_t distance = (int16_t)cursor_u16(&machine->cursor);
	int64_t target = (int64_t)machine->cursor.position + distance;

	if (!taken)
		return;
	if (target < 0 || (uint64_t)target > machine->cursor.size)
		machine->lost = true;
	else
		machine->cursor.position = (size_t)target;
}

/* ---- operations that only locations of variables have ---- */

static void set_direct(struct machine *machine, enum location_kind kind, uint8_t reg,
		       int64_t offset)
{
	machine->direct = true;
	machine->location =
		(struct location){ .kind = (uint8_t)kind, .reg = reg, .offset = offset };
}

static int64_t little_endian(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return (int64_t)value;
}

static void implicit_value(struct machine *machine)
{
	uint64_t size = cursor_uleb(&machine->cursor);
	const uint8_t *bytes = cursor_bytes(&machine->cursor, size);

	if (bytes && size <= 8)
		set_direct(machine, LOCATION_CONSTANT, NO_REGISTER, little_endian(bytes, size));
	else
		set_direct(machine, LOCATION_OTHER, NO_REGISTER, 0);
}

static void implicit_pointer(struct machine *machine)
{
	const struct unit *unit = machine->unit;

	/* the DIE of what it points to */
	cursor_skip(&machine->cursor, unit->version <= 2 ? unit->address_size : unit->offset_size);
	set_direct(machine, LOCATION_IMPLICIT_POINTER, NO_REGISTER, cursor_sleb(&machine->cursor));
}

/* Runs DW_OP_entry_value, whose operand is a block. Compilers write only blocks of one register. */
static void entry_value(struct machine *machine)
{
	uint64_t size = cursor_uleb(&machine->cursor);
	const uint8_t *bytes = cursor_bytes(&machine->cursor, size);
	struct cursor block = cursor_of(bytes, bytes ? size : 0, false);
	unsigned int operation = cursor_u8(&block);
	uint64_t reg = UINT64_MAX;

	if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31)
		reg = operation - DW_OP_reg0;
	else if (operation == DW_OP_regx)
		reg = cursor_uleb(&block);
	if (block.failed || cursor_left(&block) || reg == UINT64_MAX)
		push_unknown(machine);
	else
		expression_push(machine, SYMBOLIC_ENTRY, register_number(reg), 0);
}

static void const_type(struct machine *machine)
{
	cursor_uleb(&machine->cursor);

	uint8_t size = cursor_u8(&machine->cursor);
	const uint8_t *bytes = cursor_bytes(&machine->cursor, size);

	if (bytes && size <= 8)
		expression_push(machine, SYMBOLIC_CONSTANT, NO_REGISTER,
				little_endian(bytes, size));
	else
		push_unknown(machine);
}

static void indexed_address(struct machine *machine, enum symbolic_kind kind)
{
	uint64_t address;

	if (unit_indexed_address(machine->unit, cursor_uleb(&machine->cursor), &address))
		expression_push(machine, kind, NO_REGISTER, (int64_t)address);
	else
		push_unknown(machine);
}

/* Returns an offset in the TLS block. gcc (up to 12 at least) puts whole addresses, not offsets in
 * the block, into a split program's .debug_addr. */
static int64_t tls_offset(const struct machine *machine, int64_t operand)
{
	const struct dwarf_files *files = machine->unit->file->files;
	uint64_t offset = (uint64_t)operand;

	if (files && offset >= files->tls_size && offset - files->tls_address < files->tls_size)
		offset -= files->tls_address;
	return (int64_t)offset;
}

static void tls_address(struct machine *machine)
{
	struct symbolic_value value = pop(machine);

	value.kind = value.kind == SYMBOLIC_CONSTANT || value.kind == SYMBOLIC_ADDRESS
			     ? SYMBOLIC_TLS
			     : SYMBOLIC_OTHER;
	value.offset = tls_offset(machine, value.offset);
	push_value(machine, value);
}

/* Runs an operation that only locations have. False: its length is unknown (calls ...). */
static bool run_location_operation(struct machine *machine, unsigned int operation)
{
	struct cursor *cursor = &machine->cursor;

	switch (operation) {
	case DW_OP_reg0 ... DW_OP_reg31:
		set_direct(machine, LOCATION_REGISTER, register_number(operation - DW_OP_reg0), 0);
		break;
	case DW_OP_regx:
		set_direct(machine, LOCATION_REGISTER, register_number(cursor_uleb(cursor)), 0);
		break;
	case DW_OP_fbreg:
		expression_push(machine, SYMBOLIC_FRAME, NO_REGISTER, cursor_sleb(cursor));
		break;
	case DW_OP_call_frame_cfa: expression_push(machine, SYMBOLIC_CFA, NO_REGISTER, 0); break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index: indexed_address(machine, SYMBOLIC_ADDRESS); break;
	case DW_OP_constx:
	case DW_OP_GNU_const_index: indexed_address(machine, SYMBOLIC_CONSTANT); break;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		expression_push(machine, SYMBOLIC_SCALED, register_number(cursor_uleb(cursor)), 0);
		cursor_uleb(cursor);
		break;
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		dereference(machine, cursor_u8(cursor));
		cursor_uleb(cursor);
		break;
	case DW_OP_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_convert:
	case DW_OP_GNU_reinterpret:
		cursor_uleb(cursor);
		push_value(machine, symbolic_computed(pop(machine)));
		break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type: const_type(machine); break;
	case DW_OP_implicit_value: implicit_value(machine); break;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: implicit_pointer(machine); break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value: entry_value(machine); break;
	case DW_OP_GNU_parameter_ref:
		cursor_skip(cursor, 4);
		push_unknown(machine);
		break;
	case DW_OP_GNU_variable_value:
		cursor_skip(cursor, machine->unit->offset_size);
		push_unknown(machine);
		break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address: tls_address(machine); break;
	case DW_OP_stack_value: machine->stack_value = true; break;
	case DW_OP_GNU_uninit: break;
	default: return false;
	}
	return true;
}

/* ---- operations ---- */

/* Runs one operation whose number has been read (DWARF 5, section 7.7.1), except pieces. False: its
 * length is not known, or it is not allowed here (DWARF 5, section 6.4.2). */
static bool run_operation(struct machine *machine, unsigned int operation)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t number;

	switch (operation) {
	case DW_OP_lit0 ... DW_OP_lit31:
		push_constant(machine, operation - DW_OP_lit0);
		return true;
	case DW_OP_breg0 ... DW_OP_breg31:
		push_register(machine, operation - DW_OP_breg0, cursor_sleb(cursor));
		return true;
	case DW_OP_bregx:
		number = cursor_uleb(cursor);
		push_register(machine, number, cursor_sleb(cursor));
		return true;
	case DW_OP_addr: push_address(machine); return true;
	case DW_OP_const1u: push_constant(machine, cursor_u8(cursor)); return true;
	case DW_OP_const1s:
		push_constant(machine, (uint64_t)(int8_t)cursor_u8(cursor));
		return true;
	case DW_OP_const2u: push_constant(machine, cursor_u16(cursor)); return true;
	case DW_OP_const2s:
		push_constant(machine, (uint64_t)(int16_t)cursor_u16(cursor));
		return true;
	case DW_OP_const4u: push_constant(machine, cursor_u32(cursor)); return true;
	case DW_OP_const4s:
		push_constant(machine, (uint64_t)(int32_t)cursor_u32(cursor));
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s: push_constant(machine, cursor_u64(cursor)); return true;
	case DW_OP_constu: push_constant(machine, cursor_uleb(cursor)); return true;
	case DW_OP_consts: push_constant(machine, (uint64_t)cursor_sleb(cursor)); return true;
	case DW_OP_deref: dereference(machine, machine->address_size); return true;
	case DW_OP_deref_size: dereference(machine, cursor_u8(cursor)); return true;
	case DW_OP_plus_uconst:
		number = cursor_uleb(cursor);
		push_value(machine, symbolic_plus(pop(machine), (int64_t)number));
		return true;
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
	case DW_OP_ge: binary(machine, operation); return true;
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_abs: push_value(machine, symbolic_unary(operation, pop(machine))); return true;
	case DW_OP_dup: pick(machine, 0); return true;
	case DW_OP_over: pick(machine, 1); return true;
	case DW_OP_pick: pick(machine, cursor_u8(cursor)); return true;
	case DW_OP_drop: pop(machine); return true;
	case DW_OP_swap: rotate(machine, 2); return true;
	case DW_OP_rot: rotate(machine, 3); return true;
	case DW_OP_nop: return true;
	}
	if (machine->unit)
		return run_location_operation(machine, operation);
	if (operation != DW_OP_skip && operation != DW_OP_bra)
		return false;
	jump(machine, operation == DW_OP_skip || pop(machine).offset);
	return true;
}

/* Runs a whole expression that has no pieces. */
static void run(struct machine *machine)
{
	for (int steps = 0; cursor_left(&machine->cursor) && !machine->lost; steps++)
		if (steps == STEPS_MAX || !run_operation(machine, cursor_u8(&machine->cursor)))
			machine->lost = true;
}

/* Finds the constant that an expression has computed. False: it has computed something else. */
static bool constant_result(struct machine *machine, int64_t *constant)
{
	struct symbolic_value value = pop(machine);

	*constant = value.offset;
	return !machine->lost && !machine->cursor.failed && !machine->direct &&
	       !machine->stack_value && value.kind == SYMBOLIC_CONSTANT;
}

bool expression_member_offset(const struct unit *unit, const uint8_t *expression, size_t size,
			      int64_t *offset)
{
	struct machine machine;

	machine_init(&machine, unit, expression, size);
	push_constant(&machine, 0);
	run(&machine);
	return constant_result(&machine, offset);
}

bool expression_value(const uint8_t *expression, size_t size, const uint64_t *cfa,
		      const struct expression_frame *frame, uint64_t *value)
{
	struct machine machine;

	machine_init(&machine, NULL, expression, size);
	machine.frame = frame;
	if (cfa)
		push_constant(&machine, *cfa);
	run(&machine);
	return constant_result(&machine, (int64_t *)value);
}

/* ---- locations ---- */

/* Returns the next location, whose fields the caller fills in; NULL: there are enough. */
static struct location *add_location(struct location_list *list)
{
	if (list->count >= list->limit)
		return NULL;
	array_reserve(list->items, list->count, list->capacity);
	return &list->items[list->count++];
}

/* Returns the location that the operations so far describe; ranges and pieces are left zero. */
static struct location location_so_far(const struct machine *machine)
{
	if (!machine->lost && machine->direct)
		return machine->location;
	if (machine->lost || !machine->depth)
		return (struct location){ .kind = LOCATION_OTHER, .reg = NO_REGISTER };
	return symbolic_location(&machine->stack[machine->depth - 1], machine->stack_value);
}

static void append(const struct machine *machine, uint64_t low, uint64_t high,
		   uint64_t piece_offset, uint64_t piece_size, struct location_list *list)
{
	struct location *location = add_location(list);

	if (!location)
		return;
	*location = location_so_far(machine);
	location->low = low;
	location->high = high;
	location->piece_offset = (uint32_t)piece_offset;
	location->piece_size = (uint32_t)piece_size;
}

/* Ends a piece. Pieces that are not whole bytes are passed over. */
static void end_piece(struct machine *machine, uint64_t bits, uint64_t inner_bits,
		      uint64_t *position, uint64_t low, uint64_t high, struct location_list *list)
{
	if (machine->any && bits && !((bits | inner_bits | *position) & 7) && bits <= UINT32_MAX &&
	    *position <= UINT32_MAX) {
		/* the beginning of the register is not the beginning of the piece */
		machine->lost |= inner_bits != 0;
		append(machine, low, high, *position / 8, bits / 8, list);
	}
	*position += bits;
	start_over(machine);
}

void location_of_expression(const struct unit *unit, const uint8_t *expression, size_t size,
			    uint64_t low, uint64_t high, struct location_list *list)
{
	struct machine machine;
	uint64_t position = 0; /* bits */
	bool pieces = false;

	machine_init(&machine, unit, expression, size);
	/* most variables are in registers */
	if (size == 1 && *expression >= DW_OP_reg0 && *expression <= DW_OP_reg31) {
		set_direct(&machine, LOCATION_REGISTER, *expression - DW_OP_reg0, 0);
		append(&machine, low, high, 0, 0, list);
		return;
	}
	while (cursor_left(&machine.cursor)) {
		unsigned int operation = cursor_u8(&machine.cursor);

		if (operation == DW_OP_piece || operation == DW_OP_bit_piece) {
			uint64_t bits = cursor_uleb(&machine.cursor), inner_bits = 0;

			if (operation == DW_OP_bit_piece)
				inner_bits = cursor_uleb(&machine.cursor);
			else
				bits = bits > UINT32_MAX ? 0 : bits * 8;
			if (machine.cursor.failed)
				return;
			end_piece(&machine, bits, inner_bits, &position, low, high, list);
			pieces = true;
			continue;
		}
		machine.any = true;
		if (!run_operation(&machine, operation)) {
			machine.lost = true;
			break;
		}
	}
	machine.lost |= machine.cursor.failed;
	if (machine.any && !pieces)
		append(&machine, low, high, 0, 0, list);
}

/* True if only this operation can begin the expression of a fixed place. */
static bool begins_place(uint8_t operation)
{
	return operation == DW_OP_addr || operation == DW_OP_addrx ||
	       operation == DW_OP_GNU_addr_index || operation == DW_OP_constx ||
	       operation == DW_OP_GNU_const_index || operation == DW_OP_const4u ||
	       operation == DW_OP_const8u || operation == DW_OP_constu;
}

/* Returns how many bytes of the expression are the address of a place that only stands for the
 * variable's value, and sets *held to the bytes there; 0: the expression is another one. LLVM keeps
 * a variable that has but two values in one byte (GlobalOpt.cpp): addr, deref_size 1, lit5, mul,
 * lit0, plus, stack_value. */
static size_t address_of_value(const uint8_t *expression, size_t size, const struct unit *unit,
			       uint32_t *held)
{
	struct cursor cursor = cursor_of(expression, size, false);
	uint8_t operation = cursor_u8(&cursor);

	if (operation == DW_OP_addr)
		cursor_skip(&cursor, unit->address_size);
	else if (operation == DW_OP_addrx || operation == DW_OP_GNU_addr_index)
		cursor_uleb(&cursor);
	else
		return 0;
	size_t length = (size_t)cursor.position;

	if (cursor_u8(&cursor) != DW_OP_deref_size || expression[size - 1] != DW_OP_stack_value)
		return 0;
	*held = cursor_u8(&cursor);
	return cursor.failed ? 0 : length;
}

void location_static_places(const struct unit *unit, const uint8_t *expression, size_t size,
			    struct location_list *list)
{
	size_t kept = list->count, length;
	uint32_t held;

	if (size && (length = address_of_value(expression, size, unit, &held))) {
		location_of_expression(unit, expression, length, 0, UINT64_MAX, list);
		if (list->count > kept)
			list->items[kept].piece_size = held;
		return;
	}
	/* no other expression need be run; the first of several pieces may be a constant */
	if (!size || (!begins_place(*expression) && !memchr(expression, DW_OP_piece, size)))
		return;
	location_of_expression(unit, expression, size, 0, UINT64_MAX, list);
	for (size_t i = kept; i < list->count; i++)
		if (list->items[i].kind == LOCATION_ADDRESS || list->items[i].kind == LOCATION_TLS)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

/* ---- words of the object ---- */

size_t expression_object_words(const uint8_t *expression, size_t size, struct object_word *words,
			       size_t capacity)
{
	const uint8_t *at = expression, *end = expression + size;
	size_t count = 0;

	/* other operations than these few do not matter, and their operands rarely look like
	 * DW_OP_push_object_address before a DW_OP_deref */
	while (at < end) {
		uint64_t offset = 0;

		if (*at++ != DW_OP_push_object_address)
			continue;
		if (at < end && *at == DW_OP_plus_uconst) {
			struct uleb operand = uleb_read(at + 1, end);

			offset = operand.value;
			at = operand.next;
		}
		if (at >= end || (*at != DW_OP_deref && *at != DW_OP_deref_size))
			continue;
		if (count < capacity)
			words[count].offset = offset;
		count++;
	}
	return count;
}
