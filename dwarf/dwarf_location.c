/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_location.h"

#include <dwarf.h>
#include <string.h>

#include "profiler/base/memory.h"

#define STACK_SIZE 32

/* What a stack entry stands for. */
enum symbol {
	SYMBOL_OTHER,
	SYMBOL_CONSTANT,     /* offset */
	SYMBOL_ADDRESS,      /* a relocated address: offset */
	SYMBOL_TLS,          /* offset in the TLS block */
	SYMBOL_REGISTER,     /* reg + offset */
	SYMBOL_FRAME,        /* frame base + offset */
	SYMBOL_CFA,          /* CFA + offset */
	SYMBOL_MEMORY,       /* *(reg + offset) + offset2 */
	SYMBOL_FRAME_MEMORY, /* *(frame base + offset) + offset2 */
	SYMBOL_ENTRY,        /* reg at entry + offset */
	SYMBOL_UPPER,        /* reg << 32 */
	SYMBOL_NARROW,       /* the low half of reg, extended: an index that is an int */
	SYMBOL_MULTIPLE,     /* reg * scale */
	SYMBOL_SUM,          /* reg + reg2 * scale + offset */
	SYMBOL_QUOTIENT,     /* reg / offset */
	SYMBOL_SCALED,       /* computed from reg alone */
};

struct value {
	uint8_t symbol;
	uint8_t reg;
	uint8_t reg2;
	uint8_t scale;
	int64_t offset;
	int64_t offset2;
};

struct machine {
	const struct unit *unit;
	struct cursor cursor;
	struct value stack[STACK_SIZE];
	size_t depth;
	bool lost; /* the stack overflowed, underflowed, or an operation is not known: nothing is known any
		      more */
	/* the location so far, if it is not the stack's top */
	bool direct; /* DW_OP_regN, implicit_value, implicit_pointer: `location` holds it */
	bool stack_value;
	bool any; /* an operation since the last piece */
	struct location location;
};

static uint8_t register_number(uint64_t number)
{
	return number < 0xff ? (uint8_t)number : 0xff;
}

static int64_t add(int64_t left, int64_t right)
{
	return (int64_t)((uint64_t)left + (uint64_t)right);
}

static void push(struct machine *machine, enum symbol symbol, uint8_t reg, int64_t offset)
{
	if (machine->depth >= STACK_SIZE) {
		machine->lost = true;
		return;
	}
	machine->stack[machine->depth++] =
		(struct value){ .symbol = (uint8_t)symbol, .reg = reg, .offset = offset };
}

static void push_value(struct machine *machine, struct value value)
{
	push(machine, SYMBOL_OTHER, 0, 0);
	if (!machine->lost)
		machine->stack[machine->depth - 1] = value;
}

static struct value pop(struct machine *machine)
{
	if (!machine->depth) {
		machine->lost = true;
		return (struct value){ .symbol = SYMBOL_OTHER };
	}
	return machine->stack[--machine->depth];
}

static struct value plus_constant(struct value value, int64_t constant)
{
	switch (value.symbol) {
	case SYMBOL_CONSTANT:
	case SYMBOL_ADDRESS:
	case SYMBOL_TLS:
	case SYMBOL_REGISTER:
	case SYMBOL_FRAME:
	case SYMBOL_CFA:
	case SYMBOL_SUM:
	case SYMBOL_ENTRY: value.offset = add(value.offset, constant); break;
	case SYMBOL_MEMORY:
	case SYMBOL_FRAME_MEMORY: value.offset2 = add(value.offset2, constant); break;
	case SYMBOL_QUOTIENT:
		if (constant)
			value = (struct value){ .symbol = SYMBOL_SCALED, .reg = value.reg };
		break;
	case SYMBOL_MULTIPLE: value.symbol = constant ? SYMBOL_SCALED : value.symbol; break;
	}
	return value;
}

/* What comes of any other arithmetic with `value`. */
static struct value computed(struct value value)
{
	bool of_register = value.symbol == SYMBOL_REGISTER || value.symbol == SYMBOL_MULTIPLE ||
			   value.symbol == SYMBOL_UPPER || value.symbol == SYMBOL_NARROW ||
			   value.symbol == SYMBOL_SCALED || value.symbol == SYMBOL_QUOTIENT;

	return (struct value){ .symbol = of_register ? SYMBOL_SCALED : SYMBOL_OTHER, .reg = value.reg };
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
static bool multiple(unsigned int operation, struct value value, uint64_t constant, struct value *result)
{
	if (operation == DW_OP_shl)
		constant = constant < 7 ? UINT64_C(1) << constant : 0;
	else if (operation != DW_OP_mul)
		return false;
	if ((value.symbol != SYMBOL_REGISTER && value.symbol != SYMBOL_NARROW) || value.offset || !constant ||
	    constant > UINT8_MAX)
		return false;
	*result = (struct value){ .symbol = SYMBOL_MULTIPLE, .reg = value.reg, .scale = (uint8_t)constant };
	return true;
}

/* Compilers sign-extend an int in a register by shifting it up and down; false: that is not done here. */
static bool extension(unsigned int operation, struct value value, uint64_t constant, struct value *result)
{
	bool up = operation == DW_OP_shl && value.symbol == SYMBOL_REGISTER && !value.offset;
	bool down = (operation == DW_OP_shra || operation == DW_OP_shr) && value.symbol == SYMBOL_UPPER;

	if (constant != 32 || (!up && !down))
		return false;
	*result = (struct value){ .symbol = up ? SYMBOL_UPPER : SYMBOL_NARROW, .reg = value.reg };
	return true;
}

/*
 * clang counts an index in bytes where the loop does, and says of all[i] that it is at all + r / 24 * 24:
 * that is all + r, for the register goes from element to element.
 */
static bool whole_multiple(unsigned int operation, struct value value, int64_t constant, struct value *result)
{
	if (operation == DW_OP_div && value.symbol == SYMBOL_REGISTER && !value.offset && constant > 0) {
		*result = (struct value){ .symbol = SYMBOL_QUOTIENT, .reg = value.reg, .offset = constant };
		return true;
	}
	if (operation != DW_OP_mul || value.symbol != SYMBOL_QUOTIENT || value.offset != constant)
		return false;
	*result = (struct value){ .symbol = SYMBOL_REGISTER, .reg = value.reg };
	return true;
}

static bool is_index(const struct value *value)
{
	return value->symbol == SYMBOL_MULTIPLE || value->symbol == SYMBOL_NARROW;
}

/* What two values that are both not constant give. */
static struct value combine_symbols(unsigned int operation, struct value left, struct value right)
{
	struct value of_left = computed(left), of_right = computed(right);

	if (operation == DW_OP_plus && is_index(&left) && right.symbol == SYMBOL_REGISTER)
		return combine_symbols(operation, right, left);
	if (operation == DW_OP_plus && left.symbol == SYMBOL_REGISTER &&
	    (right.symbol == SYMBOL_REGISTER || is_index(&right)) && left.reg != right.reg)
		return (struct value){
			.symbol = SYMBOL_SUM,
			.reg = left.reg,
			.reg2 = right.reg,
			.scale = right.symbol == SYMBOL_MULTIPLE ? right.scale : 1,
			.offset = is_index(&right) ? left.offset : add(left.offset, right.offset),
		};
	if (of_left.symbol == SYMBOL_SCALED && of_right.symbol == SYMBOL_SCALED &&
	    of_left.reg == of_right.reg)
		return of_left;
	return (struct value){ .symbol = SYMBOL_OTHER };
}

static struct value combine(unsigned int operation, struct value left, struct value right)
{
	struct value product;
	int64_t result;

	if (operation == DW_OP_plus && right.symbol == SYMBOL_CONSTANT)
		return plus_constant(left, right.offset);
	if (operation == DW_OP_plus && left.symbol == SYMBOL_CONSTANT)
		return plus_constant(right, left.offset);
	if (operation == DW_OP_minus && right.symbol == SYMBOL_CONSTANT)
		return plus_constant(left, (int64_t)(0 - (uint64_t)right.offset));
	if (left.symbol == SYMBOL_CONSTANT && right.symbol == SYMBOL_CONSTANT &&
	    constant_result(operation, (uint64_t)left.offset, (uint64_t)right.offset, &result))
		return (struct value){ .symbol = SYMBOL_CONSTANT, .offset = result };
	if (right.symbol == SYMBOL_CONSTANT && whole_multiple(operation, left, right.offset, &product))
		return product;
	if (right.symbol == SYMBOL_CONSTANT && extension(operation, left, (uint64_t)right.offset, &product))
		return product;
	if (right.symbol == SYMBOL_CONSTANT)
		return multiple(operation, left, (uint64_t)right.offset, &product) ? product : computed(left);
	if (left.symbol == SYMBOL_CONSTANT)
		return operation == DW_OP_mul && multiple(operation, right, (uint64_t)left.offset, &product)
			       ? product
			       : computed(right);
	return combine_symbols(operation, left, right);
}

static void binary(struct machine *machine, unsigned int operation)
{
	struct value right = pop(machine), left = pop(machine);

	push_value(machine, combine(operation, left, right));
}

static void unary(struct machine *machine, unsigned int operation)
{
	struct value value = pop(machine);

	if (value.symbol == SYMBOL_CONSTANT && operation == DW_OP_neg)
		value.offset = (int64_t)(0 - (uint64_t)value.offset);
	else if (value.symbol == SYMBOL_CONSTANT && operation == DW_OP_not)
		value.offset = ~value.offset;
	else
		value = computed(value);
	push_value(machine, value);
}

static void dereference(struct machine *machine, uint64_t size)
{
	struct value value = pop(machine);

	/* a part of a pointer is no address */
	if (size != machine->unit->address_size)
		value.symbol = SYMBOL_OTHER;
	else if (value.symbol == SYMBOL_REGISTER)
		value.symbol = SYMBOL_MEMORY;
	else if (value.symbol == SYMBOL_FRAME)
		value.symbol = SYMBOL_FRAME_MEMORY;
	else
		value.symbol = SYMBOL_OTHER;
	push_value(machine, value);
}

static void pick(struct machine *machine, size_t index)
{
	if (index >= machine->depth)
		machine->lost = true;
	else
		push_value(machine, machine->stack[machine->depth - 1 - index]);
}

/* The top `count` entries, the topmost going below the others. */
static void rotate(struct machine *machine, size_t count)
{
	if (machine->depth < count) {
		machine->lost = true;
		return;
	}

	struct value *values = &machine->stack[machine->depth - count];
	struct value top = values[count - 1];

	memmove(values + 1, values, (count - 1) * sizeof(*values));
	values[0] = top;
}

static void direct(struct machine *machine, enum location_kind kind, uint8_t reg, int64_t offset)
{
	machine->direct = true;
	machine->location =
		(struct location){ .kind = (uint8_t)kind, .reg = reg, .variable = -1, .offset = offset };
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
		direct(machine, LOCATION_CONSTANT, 0xff, little_endian(bytes, size));
	else
		direct(machine, LOCATION_OTHER, 0xff, 0);
}

static void implicit_pointer(struct machine *machine)
{
	const struct unit *unit = machine->unit;
	uint64_t target =
		cursor_word(&machine->cursor, unit->version <= 2 ? unit->address_size : unit->offset_size);

	direct(machine, LOCATION_IMPLICIT_POINTER, 0xff, cursor_sleb(&machine->cursor));
	if (target <= REFERENCE_OFFSET_MASK)
		machine->location.offset2 =
			(int64_t)((uint64_t)unit->file->index << REFERENCE_FILE_SHIFT | target);
}

/* DW_OP_entry_value: a block whose expression is one register in all that compilers write. */
static void entry_value(struct machine *machine)
{
	uint64_t size = cursor_uleb(&machine->cursor);
	const uint8_t *bytes = cursor_bytes(&machine->cursor, size);
	struct cursor block = bytes_cursor(bytes, bytes ? size : 0);
	unsigned int operation = cursor_u8(&block);
	uint64_t reg = UINT64_MAX;

	if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31)
		reg = operation - DW_OP_reg0;
	else if (operation == DW_OP_regx)
		reg = cursor_uleb(&block);
	if (block.failed || cursor_left(&block) || reg == UINT64_MAX)
		push(machine, SYMBOL_OTHER, 0xff, 0);
	else
		push(machine, SYMBOL_ENTRY, register_number(reg), 0);
}

static void const_type(struct machine *machine)
{
	cursor_uleb(&machine->cursor);

	uint8_t size = cursor_u8(&machine->cursor);
	const uint8_t *bytes = cursor_bytes(&machine->cursor, size);

	if (bytes && size <= 8)
		push(machine, SYMBOL_CONSTANT, 0xff, little_endian(bytes, size));
	else
		push(machine, SYMBOL_OTHER, 0xff, 0);
}

static void indexed_address(struct machine *machine, enum symbol symbol)
{
	uint64_t address;

	if (unit_indexed_address(machine->unit, cursor_uleb(&machine->cursor), &address))
		push(machine, symbol, 0xff, (int64_t)address);
	else
		push(machine, SYMBOL_OTHER, 0xff, 0);
}

/* gcc up to 12 at least puts whole addresses, not offsets in the block, into a split program's .debug_addr.
 */
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
	struct value value = pop(machine);

	value.symbol =
		value.symbol == SYMBOL_CONSTANT || value.symbol == SYMBOL_ADDRESS ? SYMBOL_TLS : SYMBOL_OTHER;
	value.offset = tls_offset(machine, value.offset);
	push_value(machine, value);
}

static void convert(struct machine *machine)
{
	cursor_uleb(&machine->cursor);
	push_value(machine, computed(pop(machine)));
}

static enum location_kind place_kind(enum symbol symbol)
{
	switch (symbol) {
	case SYMBOL_ADDRESS: return LOCATION_ADDRESS;
	case SYMBOL_TLS: return LOCATION_TLS;
	case SYMBOL_REGISTER: return LOCATION_MEMORY;
	case SYMBOL_FRAME: return LOCATION_FRAME;
	case SYMBOL_CFA: return LOCATION_CFA;
	case SYMBOL_MEMORY: return LOCATION_INDIRECT;
	case SYMBOL_FRAME_MEMORY: return LOCATION_FRAME_INDIRECT;
	case SYMBOL_SUM: return LOCATION_SUM_MEMORY;
	case SYMBOL_CONSTANT:
	case SYMBOL_ENTRY:
	case SYMBOL_UPPER:
	case SYMBOL_NARROW:
	case SYMBOL_MULTIPLE:
	case SYMBOL_QUOTIENT:
	case SYMBOL_SCALED:
	case SYMBOL_OTHER: break;
	}
	return LOCATION_OTHER;
}

static enum location_kind value_kind(enum symbol symbol)
{
	switch (symbol) {
	case SYMBOL_CONSTANT: return LOCATION_CONSTANT;
	case SYMBOL_ADDRESS: return LOCATION_ADDRESS_VALUE;
	case SYMBOL_REGISTER: return LOCATION_REGISTER_VALUE;
	case SYMBOL_FRAME: return LOCATION_FRAME_VALUE;
	case SYMBOL_CFA: return LOCATION_CFA_VALUE;
	case SYMBOL_MEMORY: return LOCATION_MEMORY_VALUE;
	case SYMBOL_ENTRY: return LOCATION_ENTRY_VALUE;
	case SYMBOL_SUM: return LOCATION_SUM;
	case SYMBOL_UPPER:
	case SYMBOL_NARROW:
	case SYMBOL_MULTIPLE:
	case SYMBOL_QUOTIENT:
	case SYMBOL_SCALED: return LOCATION_SCALED;
	case SYMBOL_TLS:
	case SYMBOL_FRAME_MEMORY:
	case SYMBOL_OTHER: break;
	}
	return LOCATION_OTHER;
}

/* The location that the operations so far describe. */
static struct location describe(const struct machine *machine)
{
	struct location other = { .kind = LOCATION_OTHER, .reg = 0xff, .variable = -1 };

	if (machine->lost)
		return other;
	if (machine->direct)
		return machine->location;
	if (!machine->depth)
		return other;

	const struct value *top = &machine->stack[machine->depth - 1];
	enum location_kind kind = machine->stack_value ? value_kind(top->symbol) : place_kind(top->symbol);
	bool has_register = top->symbol == SYMBOL_REGISTER || top->symbol == SYMBOL_MEMORY ||
			    top->symbol == SYMBOL_ENTRY || top->symbol == SYMBOL_SCALED ||
			    top->symbol == SYMBOL_UPPER || top->symbol == SYMBOL_NARROW ||
			    top->symbol == SYMBOL_MULTIPLE || top->symbol == SYMBOL_QUOTIENT ||
			    top->symbol == SYMBOL_SUM;
	bool sum = top->symbol == SYMBOL_SUM;

	/* a register that we have no number for */
	if (kind == LOCATION_OTHER || (has_register && top->reg == 0xff) || (sum && top->reg2 == 0xff))
		return other;
	return (struct location){
		.kind = (uint8_t)kind,
		.reg = has_register ? top->reg : 0xff,
		.reg2 = sum ? top->reg2 : 0,
		.scale = sum ? top->scale : 0,
		.variable = -1,
		.offset = top->symbol == SYMBOL_QUOTIENT ? 0 : top->offset,
		.offset2 = top->offset2,
	};
}

static void start_over(struct machine *machine)
{
	machine->depth = 0;
	machine->lost = machine->direct = machine->stack_value = machine->any = false;
}

/* One operation (DWARF 5, section 7.7.1; the GNU ones: gcc's dwarf2.def). False: where it ends is not known.
 */
static bool run_operation(struct machine *machine, unsigned int operation)
{
	struct cursor *cursor = &machine->cursor;
	const struct unit *unit = machine->unit;

	if (operation >= DW_OP_lit0 && operation <= DW_OP_lit31) {
		push(machine, SYMBOL_CONSTANT, 0xff, operation - DW_OP_lit0);
		return true;
	}
	if (operation >= DW_OP_reg0 && operation <= DW_OP_reg31) {
		direct(machine, LOCATION_REGISTER, register_number(operation - DW_OP_reg0), 0);
		return true;
	}
	if (operation >= DW_OP_breg0 && operation <= DW_OP_breg31) {
		push(machine, SYMBOL_REGISTER, register_number(operation - DW_OP_breg0), cursor_sleb(cursor));
		return true;
	}
	switch (operation) {
	case DW_OP_addr:
		push(machine, SYMBOL_ADDRESS, 0xff, (int64_t)cursor_word(cursor, unit->address_size));
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index: indexed_address(machine, SYMBOL_ADDRESS); break;
	case DW_OP_constx:
	case DW_OP_GNU_const_index: indexed_address(machine, SYMBOL_CONSTANT); break;
	case DW_OP_const1u: push(machine, SYMBOL_CONSTANT, 0xff, cursor_u8(cursor)); break;
	case DW_OP_const1s: push(machine, SYMBOL_CONSTANT, 0xff, (int8_t)cursor_u8(cursor)); break;
	case DW_OP_const2u: push(machine, SYMBOL_CONSTANT, 0xff, cursor_u16(cursor)); break;
	case DW_OP_const2s: push(machine, SYMBOL_CONSTANT, 0xff, (int16_t)cursor_u16(cursor)); break;
	case DW_OP_const4u: push(machine, SYMBOL_CONSTANT, 0xff, cursor_u32(cursor)); break;
	case DW_OP_const4s: push(machine, SYMBOL_CONSTANT, 0xff, (int32_t)cursor_u32(cursor)); break;
	case DW_OP_const8u:
	case DW_OP_const8s: push(machine, SYMBOL_CONSTANT, 0xff, (int64_t)cursor_u64(cursor)); break;
	case DW_OP_constu: push(machine, SYMBOL_CONSTANT, 0xff, (int64_t)cursor_uleb(cursor)); break;
	case DW_OP_consts: push(machine, SYMBOL_CONSTANT, 0xff, cursor_sleb(cursor)); break;
	case DW_OP_fbreg: push(machine, SYMBOL_FRAME, 0xff, cursor_sleb(cursor)); break;
	case DW_OP_call_frame_cfa: push(machine, SYMBOL_CFA, 0xff, 0); break;
	case DW_OP_regx: direct(machine, LOCATION_REGISTER, register_number(cursor_uleb(cursor)), 0); break;
	case DW_OP_bregx: {
		uint8_t reg = register_number(cursor_uleb(cursor));

		push(machine, SYMBOL_REGISTER, reg, cursor_sleb(cursor));
		break;
	}
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		push(machine, SYMBOL_SCALED, register_number(cursor_uleb(cursor)), 0);
		cursor_uleb(cursor);
		break;
	case DW_OP_deref: dereference(machine, unit->address_size); break;
	case DW_OP_deref_size: dereference(machine, cursor_u8(cursor)); break;
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		dereference(machine, cursor_u8(cursor));
		cursor_uleb(cursor);
		break;
	case DW_OP_plus_uconst: {
		int64_t constant = (int64_t)cursor_uleb(cursor);

		push_value(machine, plus_constant(pop(machine), constant));
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
	case DW_OP_ge: binary(machine, operation); break;
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_abs: unary(machine, operation); break;
	case DW_OP_dup: pick(machine, 0); break;
	case DW_OP_over: pick(machine, 1); break;
	case DW_OP_pick: pick(machine, cursor_u8(cursor)); break;
	case DW_OP_drop: pop(machine); break;
	case DW_OP_swap: rotate(machine, 2); break;
	case DW_OP_rot: rotate(machine, 3); break;
	case DW_OP_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_convert:
	case DW_OP_GNU_reinterpret: convert(machine); break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type: const_type(machine); break;
	case DW_OP_implicit_value: implicit_value(machine); break;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer: implicit_pointer(machine); break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value: entry_value(machine); break;
	case DW_OP_GNU_parameter_ref:
		cursor_skip(cursor, 4);
		push(machine, SYMBOL_OTHER, 0xff, 0);
		break;
	case DW_OP_GNU_variable_value:
		cursor_skip(cursor, unit->offset_size);
		push(machine, SYMBOL_OTHER, 0xff, 0);
		break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address: tls_address(machine); break;
	case DW_OP_stack_value: machine->stack_value = true; break;
	case DW_OP_nop:
	case DW_OP_GNU_uninit: break;
	default: /* branches, calls, address spaces, vendors' own */ return false;
	}
	return true;
}

static void append(struct machine *machine, uint64_t low, uint64_t high, uint64_t piece_offset,
		   uint64_t piece_size, struct location_list *list)
{
	if (list->count >= list->limit)
		return;

	struct location location = describe(machine);

	location.low = low;
	location.high = high;
	location.piece_offset = (uint32_t)piece_offset;
	location.piece_size = (uint32_t)piece_size;
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = location;
}

/* Pieces that are not whole bytes are passed over. */
static void end_piece(struct machine *machine, uint64_t bits, uint64_t inner_bits, uint64_t *position,
		      uint64_t low, uint64_t high, struct location_list *list)
{
	if (machine->any && bits && !((bits | inner_bits | *position) & 7) && bits <= UINT32_MAX &&
	    *position <= UINT32_MAX) {
		/* a piece that begins inside of a register is not what is at its begin */
		if (inner_bits)
			machine->lost = true;
		append(machine, low, high, *position / 8, bits / 8, list);
	}
	*position += bits;
	start_over(machine);
}

void location_of_expression(const struct unit *unit, const uint8_t *expression, size_t size, uint64_t low,
			    uint64_t high, struct location_list *list)
{
	struct machine machine;
	uint64_t position = 0; /* bits */
	bool pieces = false;

	/* the stack is written before it is read */
	machine.unit = unit;
	machine.cursor = bytes_cursor(expression, size);
	start_over(&machine);
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
	if (machine.cursor.failed)
		machine.lost = true;
	if (machine.any && !pieces)
		append(&machine, low, high, 0, 0, list);
}

bool location_is_static(const struct unit *unit, const uint8_t *expression, size_t size,
			struct location *location)
{
	struct location item;
	struct location_list list = { .items = &item, .capacity = 1, .limit = 1 };

	/* Only these begin a static place; the others need not be run. */
	if (!size ||
	    (*expression != DW_OP_addr && *expression != DW_OP_addrx && *expression != DW_OP_GNU_addr_index &&
	     *expression != DW_OP_constx && *expression != DW_OP_GNU_const_index &&
	     *expression != DW_OP_const4u && *expression != DW_OP_const8u && *expression != DW_OP_constu))
		return false;
	location_of_expression(unit, expression, size, 0, UINT64_MAX, &list);
	if (list.count != 1 || item.piece_size ||
	    (item.kind != LOCATION_ADDRESS && item.kind != LOCATION_TLS))
		return false;
	*location = item;
	return true;
}
