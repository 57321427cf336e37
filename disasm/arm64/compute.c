// SPDX-License-Identifier: GPL-2.0-or-later
/* Computations in general registers of arm64 (ARM C4.1.92 and C4.1.95): see parts.h. */
#include "disasm/arm64/parts.h"

#include "base/memory.h"

/* The largest shift that the scale of an address has room for. */
#define SHIFT_MAX 7

enum shift { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };

static const uint8_t shift_operations[] = { OP_SHIFT_LEFT, OP_SHIFT_RIGHT, OP_SHIFT_ARITHMETIC,
					    OP_ROTATE_RIGHT };

/* Returns the bytes of the registers. */
static unsigned int width(const struct parts *parts)
{
	return bit(parts, 31) ? 8 : 4;
}

static bool same_register(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_REGISTER && b->kind == OPERAND_REGISTER && a->reg == b->reg;
}

static bool is_zero(const struct operand *operand)
{
	return operand->kind == OPERAND_IMMEDIATE && !operand->value;
}

/* Adds "d = a op b" in the shortest form: d = d op b if that is the same. */
static void add_computation(struct parts *parts, enum operation operation, struct operand to,
			    struct operand a, struct operand b)
{
	bool commutes = operation != OP_SUB && operation != OP_SHIFT_LEFT &&
			operation != OP_SHIFT_RIGHT && operation != OP_SHIFT_ARITHMETIC &&
			operation != OP_ROTATE_RIGHT && operation != OP_AND_NOT;

	if (same_register(&to, &a) && operation != OP_AND_NOT) {
		add_part(parts, operation, to, b, NO_OPERAND);
	} else if (commutes && same_register(&to, &b)) {
		add_part(parts, operation, to, a, NO_OPERAND);
	} else if (a.kind == OPERAND_IMMEDIATE) {
		/* the zero register: three operands have a register first */
		if (is_zero(&a) &&
		    (operation == OP_OR || operation == OP_XOR || operation == OP_ADD)) {
			add_part(parts, OP_MOVE, to, b, NO_OPERAND);
		} else if (is_zero(&a) && operation == OP_SUB && b.kind == OPERAND_REGISTER) {
			if (!same_register(&to, &b))
				add_part(parts, OP_MOVE, to, b, NO_OPERAND);
			add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
		} else if (is_zero(&a) && operation != OP_SUB && operation != OP_AND_NOT) {
			add_part(parts, OP_MOVE, to, immediate(0, to.size), NO_OPERAND);
		} else {
			add_other(parts, to, b.kind == OPERAND_REGISTER ? REG_BIT(b.reg) : 0);
		}
	} else {
		add_part(parts, operation, to, a, b);
	}
}

/* Adds "d = a + b * 2^shift", or the address of memory that is given so. */
static void add_sum(struct parts *parts, struct operand to, struct operand sum)
{
	sum.size = to.size;
	add_part(parts, OP_LEA, to, sum, NO_OPERAND);
}

/* ---- immediates */

static void address_of_label(struct parts *parts)
{
	int64_t distance =
		(int64_t)((uint64_t)signed_field(parts, 5, 19) << 2 | field(parts, 29, 2));
	uint64_t address = bit(parts, 31)
				   ? (parts->address & ~UINT64_C(0xfff)) + (uint64_t)distance * 4096
				   : parts->address + (uint64_t)distance;

	add_part(parts, OP_LEA, general(field_d(parts), 8), absolute(address, 8), NO_OPERAND);
}

/* add, sub, adds, subs with a constant. */
static void sum_with_immediate(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts);
	bool subtracts = bit(parts, 30), flags = bit(parts, 29);
	int64_t value = (int64_t)field(parts, 10, 12) << (bit(parts, 22) ? 12 : 0);
	struct operand from = general_or_sp(n, size);
	struct operand to = flags ? general(d, size) : general_or_sp(d, size);

	if (flags)
		add_test(parts, OP_COMPARE, from, immediate(subtracts ? value : -value, size));
	if (flags && d == NUMBER_31)
		return;
	if (!value && !subtracts)
		add_part(parts, OP_MOVE, to, from, NO_OPERAND);
	else if (d == n)
		add_part(parts, subtracts ? OP_SUB : OP_ADD, to, immediate(value, size),
			 NO_OPERAND);
	else
		add_sum(parts, to, memory(n, subtracts ? -value : value, size));
}

/* Returns the constant of a logical instruction (ARM, DecodeBitMasks()). */
static bool bit_mask(const struct parts *parts, unsigned int size, uint64_t *mask)
{
	unsigned int s = field(parts, 10, 6), r = field(parts, 16, 6), n = bit(parts, 22);
	unsigned int key = n << 6 | (~s & 0x3f);

	if (!key || (n && size == 4))
		return false;
	unsigned int length = 31 - (unsigned int)__builtin_clz(key), element = 1U << length;

	if (!length || (s & (element - 1)) == element - 1)
		return false;
	unsigned int ones = (s & (element - 1)) + 1, turn = r & (element - 1);
	uint64_t whole = low_bits(element), value = low_bits(ones);

	if (turn)
		value = (value >> turn | value << (element - turn)) & whole;
	for (unsigned int i = element; i < 64; i *= 2)
		value |= value << i;
	*mask = size == 4 ? (uint32_t)value : value;
	return true;
}

static void logical_immediate(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), opc = field(parts, 29, 2);
	static const uint8_t operations[] = { OP_AND, OP_OR, OP_XOR, OP_AND };
	struct operand from = general(field_n(parts), size);
	struct operand to = opc == 3 ? general(d, size) : general_or_sp(d, size), by;
	uint64_t mask;

	if (!bit_mask(parts, size, &mask))
		return;
	by = immediate(size == 4 ? (int32_t)mask : (int64_t)mask, size);
	if (opc == 3)
		add_test(parts, OP_TEST, from, by);
	if (opc == 3 && d == NUMBER_31)
		return;
	add_computation(parts, operations[opc], to, from, by);
}

static void move_wide(struct parts *parts)
{
	unsigned int size = width(parts), shift = 16 * field(parts, 21, 2);
	uint64_t value = (uint64_t)field(parts, 5, 16) << shift;
	uint64_t all = size == 4 ? UINT32_MAX : UINT64_MAX;
	struct operand to = general(field_d(parts), size);

	if (size == 4 && shift > 16)
		return;
	switch (field(parts, 29, 2)) {
	case 0: value = ~value & all; break;
	case 2: break;
	case 3:
		add_part(parts, OP_AND, to, immediate((int64_t) ~(UINT64_C(0xffff) << shift), size),
			 NO_OPERAND);
		add_part(parts, OP_OR, to, immediate((int64_t)value, size), NO_OPERAND);
		return;
	default: return;
	}
	add_part(parts, OP_MOVE, to, immediate(size == 4 ? (int32_t)value : (int64_t)value, size),
		 NO_OPERAND);
}

/* Adds the extension of the low `bits` bits of a register, then a shift to the left. */
static void add_extension(struct parts *parts, struct operand to, struct operand from,
			  unsigned int bits, bool sign, unsigned int left)
{
	unsigned int size = to.size;

	if (bits == 8 || bits == 16 || (bits == 32 && size == 8)) {
		from.size = (uint8_t)(bits / 8);
		if (bits == 32 && !sign)
			to.size = 4;
		add_part(parts,
			 sign         ? OP_MOVE_SIGN
			 : bits == 32 ? OP_MOVE
				      : OP_MOVE_ZERO,
			 to, from, NO_OPERAND);
		to.size = (uint8_t)size;
		if (left)
			add_part(parts, OP_SHIFT_LEFT, to, immediate(left, 1), NO_OPERAND);
	} else if (sign) {
		add_computation(parts, OP_SHIFT_LEFT, to, from, immediate(8 * size - bits, 1));
		add_part(parts, OP_SHIFT_ARITHMETIC, to, immediate(8 * size - bits - left, 1),
			 NO_OPERAND);
	} else {
		add_computation(parts, OP_AND, to, from, immediate((int64_t)low_bits(bits), size));
		if (left)
			add_part(parts, OP_SHIFT_LEFT, to, immediate(left, 1), NO_OPERAND);
	}
}

/* sbfm, bfm and ubfm: shifts by constants, extensions, and moves of fields of bits. */
static void bit_field(struct parts *parts)
{
	unsigned int size = width(parts), bits = 8 * size, opc = field(parts, 29, 2);
	unsigned int r = field(parts, 16, 6), s = field(parts, 10, 6);
	struct operand to = general(field_d(parts), size), from = general(field_n(parts), size);
	bool sign = !opc;

	if (opc == 3 || (size == 4 && (r | s) & 0x20))
		return;
	if (opc == 1 || from.kind == OPERAND_IMMEDIATE || to.kind == OPERAND_IMMEDIATE) {
		add_other(parts, to,
			  (to.kind == OPERAND_REGISTER ? REG_BIT(to.reg) : 0) |
				  (from.kind == OPERAND_REGISTER ? REG_BIT(from.reg) : 0));
	} else if (s == bits - 1 && (r || sign)) {
		add_computation(parts, sign ? OP_SHIFT_ARITHMETIC : OP_SHIFT_RIGHT, to, from,
				immediate(r, 1));
	} else if (!sign && s + 1 == r) {
		add_computation(parts, OP_SHIFT_LEFT, to, from, immediate(bits - r, 1));
	} else if (s < r) {
		add_extension(parts, to, from, s + 1, sign, bits - r);
	} else if (!r) {
		if (s == bits - 1)
			add_part(parts, OP_MOVE, to, from, NO_OPERAND);
		else
			add_extension(parts, to, from, s + 1, sign, 0);
	} else if (sign) {
		add_computation(parts, OP_SHIFT_LEFT, to, from, immediate(bits - 1 - s, 1));
		add_part(parts, OP_SHIFT_ARITHMETIC, to, immediate(bits - 1 - s + r, 1),
			 NO_OPERAND);
	} else {
		add_computation(parts, OP_SHIFT_RIGHT, to, from, immediate(r, 1));
		add_part(parts, OP_AND, to,
			 immediate((int64_t)((UINT64_C(1) << (s - r + 1)) - 1), size), NO_OPERAND);
	}
}

static void extract(struct parts *parts)
{
	unsigned int size = width(parts), n = field_n(parts), m = field_m(parts);
	struct operand to = general(field_d(parts), size);

	if (n == m && n != NUMBER_31)
		add_computation(parts, OP_ROTATE_RIGHT, to, general(n, size),
				immediate(field(parts, 10, 6), 1));
	else
		add_other(parts, to,
			  (n == NUMBER_31 ? 0 : REG_BIT(n)) | (m == NUMBER_31 ? 0 : REG_BIT(m)));
}

void decode_immediate(struct parts *parts)
{
	switch (field(parts, 23, 3)) {
	case 0:
	case 1: address_of_label(parts); break;
	case 2: sum_with_immediate(parts); break;
	case 3: /* with tags of memory (MTE): the tag is not part of an address */
		add_sum(parts, general_or_sp(field_d(parts), 8),
			memory(field_n(parts),
			       (int64_t)field(parts, 16, 6) * (bit(parts, 30) ? -16 : 16), 8));
		break;
	case 4: logical_immediate(parts); break;
	case 5: move_wide(parts); break;
	case 6: bit_field(parts); break;
	default: extract(parts); break;
	}
}

/* ---- registers */

/* Returns the bits of the registers in the places of n and m. */
static uint64_t read_n_m(const struct parts *parts)
{
	unsigned int n = field_n(parts), m = field_m(parts);

	return (n == NUMBER_31 ? 0 : REG_BIT(n)) | (m == NUMBER_31 ? 0 : REG_BIT(m));
}

/* Adds "d = shifted m", which needs a register of its own: false if d is n, too. */
static bool add_shifted(struct parts *parts, struct operand to, unsigned int n, unsigned int m,
			unsigned int shift, unsigned int amount)
{
	if (to.kind != OPERAND_REGISTER || to.reg == n)
		return false;
	add_computation(parts, (enum operation)shift_operations[shift], to, general(m, to.size),
			immediate(amount, 1));
	return true;
}

static void logical_registers(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts),
		     m = field_m(parts);
	unsigned int opc = field(parts, 29, 2), amount = field(parts, 10, 6);
	bool negated = bit(parts, 21);
	static const uint8_t operations[] = { OP_AND, OP_OR, OP_XOR, OP_AND };
	enum operation operation = (enum operation)operations[opc];
	struct operand to = general(d, size), a = general(n, size), b = general(m, size);

	if (opc == 3 && d == NUMBER_31 && !negated && !amount) {
		add_test(parts, OP_TEST, a, b);
		return;
	}
	if (opc == 3 && !negated && !amount)
		add_test(parts, OP_TEST, a, b);
	if (negated && opc == 0 && !amount && m != NUMBER_31 && n != NUMBER_31) {
		add_part(parts, OP_AND_NOT, to, b, a);
	} else if (negated && opc == 1 && n == NUMBER_31 && m != NUMBER_31) {
		add_computation(parts,
				amount ? (enum operation)shift_operations[field(parts, 22, 2)]
				       : OP_OR,
				to, amount ? b : a, amount ? immediate(amount, 1) : b);
		add_part(parts, OP_COMPLEMENT, to, NO_OPERAND, NO_OPERAND);
	} else if (!negated && opc == 2 && n == m && !amount) {
		add_part(parts, OP_ZERO, to, NO_OPERAND, NO_OPERAND);
	} else if (!negated && !amount) {
		add_computation(parts, operation, to, a, b);
	} else if (!negated && opc < 3 && m != NUMBER_31 &&
		   add_shifted(parts, to, n, m, field(parts, 22, 2), amount)) {
		if (n != NUMBER_31)
			add_part(parts, operation, to, a, NO_OPERAND);
	} else {
		struct insn *insn = add_other(parts, to, read_n_m(parts));

		insn->flags |= opc == 3 ? FLAG_WRITES_FLAGS : 0;
	}
}

/* add, sub, adds, subs with a shifted register. */
static void sum_shifted(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts),
		     m = field_m(parts);
	unsigned int shift = field(parts, 22, 2), amount = field(parts, 10, 6);
	bool subtracts = bit(parts, 30), flags = bit(parts, 29);
	struct operand to = general(d, size), a = general(n, size), b = general(m, size);

	if (flags && subtracts && !amount)
		add_test(parts, OP_COMPARE, a, b);
	else if (flags)
		add_other(parts, NO_OPERAND, read_n_m(parts))->flags |= FLAG_WRITES_FLAGS;
	if (d == NUMBER_31)
		return;
	if (!amount && subtracts && d == m && n != NUMBER_31 && d != n) {
		add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
		add_part(parts, OP_ADD, to, a, NO_OPERAND);
	} else if (!amount && (subtracts || d == n || d == m || n == NUMBER_31 || m == NUMBER_31)) {
		add_computation(parts, subtracts ? OP_SUB : OP_ADD, to, a, b);
	} else if (!subtracts && shift == SHIFT_LSL && amount <= SHIFT_MAX && n != NUMBER_31 &&
		   m != NUMBER_31) {
		struct operand sum = memory(n, 0, size);

		set_index(&sum, m, 3, amount);
		add_sum(parts, to, sum);
	} else if (add_shifted(parts, to, n, m, shift, amount)) {
		if (subtracts)
			add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
		if (n != NUMBER_31)
			add_part(parts, OP_ADD, to, a, NO_OPERAND);
	} else {
		add_other(parts, to, read_n_m(parts));
	}
}

/* The same with an extended register; the stack pointer may be the first one, and the result. */
static void sum_extended(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts),
		     m = field_m(parts);
	unsigned int option = field(parts, 13, 3), amount = field(parts, 10, 3);
	bool subtracts = bit(parts, 30), flags = bit(parts, 29), whole = 1U << (option & 3) >= size;
	struct operand to = flags ? general(d, size) : general_or_sp(d, size);
	struct operand a = general_or_sp(n, size), b = general(m, size), sum = memory(n, 0, size);

	if (amount > 4)
		return;
	if (flags && subtracts && whole && !amount)
		add_test(parts, OP_COMPARE, a, b);
	else if (flags)
		add_other(parts, NO_OPERAND, REG_BIT(n) | read_n_m(parts))->flags |=
			FLAG_WRITES_FLAGS;
	if (flags && d == NUMBER_31)
		return;
	if (whole && !amount && (subtracts || d == n)) {
		add_computation(parts, subtracts ? OP_SUB : OP_ADD, to, a, b);
	} else if (!subtracts && m != NUMBER_31) {
		set_index(&sum, m, whole ? 3 : option, amount);
		add_sum(parts, to, sum);
	} else if (d != n && m != NUMBER_31 && !flags) {
		unsigned int bits = whole ? 8 * size : 8U << (option & 3);

		add_extension(parts, to, b, bits == 64 ? 32 : bits, option & 4, amount);
		add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
		add_part(parts, OP_ADD, to, a, NO_OPERAND);
	} else {
		add_other(parts, to, REG_BIT(n) | read_n_m(parts));
	}
}

static void sum_with_carry(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts),
		     m = field_m(parts);
	struct operand to = general(d, size);
	bool subtracts = bit(parts, 30), flags = bit(parts, 29);
	struct insn *insn;

	if (to.kind == OPERAND_REGISTER && d == n && !field(parts, 10, 6)) {
		insn = add_part(parts, subtracts ? OP_SUB_BORROW : OP_ADD_CARRY, to,
				general(m, size), NO_OPERAND);
	} else if (to.kind == OPERAND_REGISTER && d != m && !field(parts, 10, 6)) {
		add_part(parts, OP_MOVE, to, general(n, size), NO_OPERAND);
		insn = add_part(parts, subtracts ? OP_SUB_BORROW : OP_ADD_CARRY, to,
				general(m, size), NO_OPERAND);
	} else {
		/* rmif, setf8 and setf16 have their own fields where these have m */
		insn = add_other(parts, field(parts, 10, 6) ? NO_OPERAND : to, read_n_m(parts));
		flags = true;
	}
	insn->flags |= flags ? FLAG_WRITES_FLAGS : 0;
}

/* ccmp and ccmn: the flags are those of a comparison, or constants. */
static void conditional_compare(struct parts *parts)
{
	unsigned int n = field_n(parts), m = field_m(parts);
	struct insn *insn = add_other(parts, NO_OPERAND, 0);

	insn->read = (n == NUMBER_31 ? 0 : REG_BIT(n)) |
		     (bit(parts, 11) || m == NUMBER_31 ? 0 : REG_BIT(m));
	insn->flags |= FLAG_WRITES_FLAGS;
}

/* Adds "d = condition ? a : d". */
static void add_choice(struct parts *parts, uint8_t condition, struct operand to, struct operand a)
{
	add_part(parts, OP_CONDITIONAL, to, a, NO_OPERAND)->condition = condition;
}

/* csel, csinc, csinv, csneg: d = condition ? n : m, or m + 1, ~m, -m. */
static void conditional_select(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), n = field_n(parts),
		     m = field_m(parts);
	bool inverts = bit(parts, 30), increments = bit(parts, 10);
	uint8_t condition = condition_of(field(parts, 12, 4));
	struct operand to = general(d, size), a = general(n, size), b = general(m, size);

	if (to.kind != OPERAND_REGISTER || condition == CONDITION_NONE || bit(parts, 11)) {
		add_other(parts, to, read_n_m(parts));
	} else if (!inverts && !increments) {
		if (d == n) {
			add_choice(parts, condition ^ 1, to, b);
			return;
		}
		if (d != m)
			add_part(parts, OP_MOVE, to, b, NO_OPERAND);
		add_choice(parts, condition, to, a);
	} else if (n == NUMBER_31 && m == NUMBER_31) {
		/* cset and csetm */
		add_part(parts, OP_MOVE, to, immediate(0, size), NO_OPERAND);
		to.size = 1;
		add_part(parts, OP_SET_CONDITION, to, NO_OPERAND, NO_OPERAND)->condition =
			condition ^ 1;
		to.size = (uint8_t)size;
		if (inverts)
			add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
	} else if (d != n && m != NUMBER_31 && inverts) {
		if (d != m)
			add_part(parts, OP_MOVE, to, b, NO_OPERAND);
		add_part(parts, increments ? OP_NEGATE : OP_COMPLEMENT, to, NO_OPERAND, NO_OPERAND);
		add_choice(parts, condition, to, a);
	} else if (d != n && m != NUMBER_31) {
		if (d == m)
			add_part(parts, OP_ADD, to, immediate(1, size), NO_OPERAND);
		else
			add_sum(parts, to, memory(m, 1, size));
		add_choice(parts, condition, to, a);
	} else {
		add_other(parts, to, read_n_m(parts));
	}
}

/* Multiplications: d = a + n * m, or a - n * m. */
static void three_sources(struct parts *parts)
{
	unsigned int size = width(parts), d = field_d(parts), op = field(parts, 21, 3);
	unsigned int n = field_n(parts), m = field_m(parts), a = field(parts, 10, 5);
	unsigned int from = op ? 4 : size;
	bool subtracts = bit(parts, 15);
	struct operand to = general(d, size);

	if (to.kind != OPERAND_REGISTER || n == NUMBER_31 || m == NUMBER_31 || op == 2 || op == 6) {
		/* smulh and umulh */
		add_other(parts, to, read_n_m(parts));
		return;
	}
	if (a == d && !subtracts) {
		struct insn *insn =
			add_part(parts, OP_MULTIPLY, to, general(n, from), general(m, from));

		insn->operands[insn->operand_count] = general(a, size);
		insn->operands[insn->operand_count++].read = true;
		insn->read |= REG_BIT(a);
	} else if (a == d) {
		add_other(parts, to, read_n_m(parts) | REG_BIT(a));
	} else {
		add_part(parts, OP_MULTIPLY, to, general(n, from), general(m, from));
		if (subtracts)
			add_part(parts, OP_NEGATE, to, NO_OPERAND, NO_OPERAND);
		if (a != NUMBER_31)
			add_part(parts, OP_ADD, to, general(a, size), NO_OPERAND);
	}
}

static void two_sources(struct parts *parts)
{
	unsigned int size = width(parts), opcode = field(parts, 10, 6);
	struct operand to = general(field_d(parts), size), from = general(field_n(parts), size),
		       by = general(field_m(parts), size);

	if (opcode >= 8 && opcode <= 10 && by.kind == OPERAND_REGISTER) {
		by.size = 1;
		if (!same_register(&to, &by) || same_register(&to, &from)) {
			add_computation(parts, (enum operation)shift_operations[opcode - 8], to,
					from, by);
			return;
		}
	}
	if (opcode == 0 && bit(parts, 29)) { /* subps: subtracts addresses without tags (MTE) */
		add_computation(parts, OP_SUB, to, from, by);
		return;
	}
	struct insn *insn = add_other(parts, to, read_n_m(parts));

	if (opcode == 2 || opcode == 3)
		insn->own_time = OWN_TIME_DIVISION;
}

/* rbit, rev, clz, and pointer authentication, which leaves the address that a pointer has. */
static void one_source(struct parts *parts)
{
	unsigned int size = width(parts), opcode = field(parts, 10, 6);
	struct operand to = general(field_d(parts), size), from = general(field_n(parts), size);

	if (field_m(parts) == 1) {
		add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
	} else if (opcode == (size == 8 ? 3U : 2U)) {
		if (!same_register(&to, &from))
			add_part(parts, OP_MOVE, to, from, NO_OPERAND);
		add_part(parts, OP_SWAP_BYTES, to, NO_OPERAND, NO_OPERAND);
	} else {
		add_other(parts, to, from.kind == OPERAND_REGISTER ? REG_BIT(from.reg) : 0);
	}
}

void decode_registers(struct parts *parts)
{
	unsigned int op = field(parts, 21, 4);

	if (!bit(parts, 28)) {
		if (!bit(parts, 24))
			logical_registers(parts);
		else if (!bit(parts, 21))
			sum_shifted(parts);
		else
			sum_extended(parts);
	} else if (bit(parts, 24)) {
		three_sources(parts);
	} else if (op == 0) {
		sum_with_carry(parts);
	} else if (op == 2) {
		conditional_compare(parts);
	} else if (op == 4) {
		conditional_select(parts);
	} else if (op == 6) {
		bit(parts, 30) ? one_source(parts) : two_sources(parts);
	}
}
