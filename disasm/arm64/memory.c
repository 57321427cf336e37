// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads and stores of arm64 (ARM C4.1.94): see parts.h. */
#include "disasm/arm64/parts.h"

/* A load or store of one register. */
struct transfer {
	bool store;
	bool is_vector;
	bool sign;         /* the value is sign-extended */
	unsigned int size; /* bytes of memory */
	unsigned int held; /* bytes of the register that are written, or that hold the value */
};

/* Adds the part that moves a register from or to memory. */
static struct insn *add_move(struct parts *parts, const struct transfer *moved, unsigned int reg,
			     struct operand place)
{
	struct operand value = moved->is_vector ? vector(reg, moved->store ? moved->size : 16)
						: general(reg, moved->held);

	place.size = (uint8_t)moved->size;
	if (moved->store) {
		value.size = place.size;
		return add_part(parts, OP_MOVE, place, value, NO_OPERAND);
	}
	if (moved->sign)
		return add_part(parts, OP_MOVE_SIGN, value, place, NO_OPERAND);
	if (moved->is_vector ? moved->size < 16 : moved->size < 4)
		return add_part(parts, OP_MOVE_ZERO, value, place, NO_OPERAND);
	return add_part(parts, OP_MOVE, value, place, NO_OPERAND);
}

static void add_writeback(struct parts *parts, unsigned int base, int64_t change)
{
	add_part(parts, OP_ADD, general_or_sp(base, 8), immediate(change, 8), NO_OPERAND);
}

/* Finds what size, V and opc of a single register mean (ARM C4.1.94.29 and others). False: it is a
 * prefetch, or no instruction. */
static bool find_transfer(const struct parts *parts, struct transfer *moved)
{
	unsigned int size = field(parts, 30, 2), opc = field(parts, 22, 2);

	*moved = (struct transfer){ .is_vector = bit(parts, 26) };
	if (moved->is_vector) {
		moved->size = opc & 2 ? 16 : 1U << size;
		moved->held = moved->size;
		moved->store = !(opc & 1);
		return !(opc & 2) || !size;
	}
	moved->size = 1U << size;
	moved->store = !opc;
	moved->sign = opc >= 2;
	moved->held = moved->sign ? (opc == 2 ? 8 : 4) : (size == 3 ? 8 : 4);
	return !(moved->sign && (size == 3 || (size == 2 && opc == 3)));
}

/* Loads and stores of one register, in all forms of addresses. */
static void single_register(struct parts *parts)
{
	unsigned int t = field_d(parts), n = field_n(parts), mode = field(parts, 10, 2);
	struct transfer access;

	if (!find_transfer(parts, &access)) {
		if (field(parts, 30, 2) == 3 && !bit(parts, 26))
			add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
		return;
	}
	if (bit(parts, 24)) { /* an unsigned, scaled offset */
		add_move(parts, &access, t,
			 memory(n, (int64_t)field(parts, 10, 12) * access.size, 0));
		return;
	}
	int64_t offset = signed_field(parts, 12, 9);

	if (bit(parts, 21) && mode == 2) {
		struct operand place = memory(n, 0, 0);
		unsigned int shift = 0;

		while (bit(parts, 12) && 1U << shift < access.size)
			shift++;
		set_index(&place, field_m(parts), field(parts, 13, 3), shift);
		add_move(parts, &access, t, place);
		return;
	}
	add_move(parts, &access, t, memory(n, mode == 1 && !bit(parts, 21) ? 0 : offset, 0));
	if (mode & 1 && !bit(parts, 21))
		add_writeback(parts, n, offset);
}

/* Atomic operations on memory, and loads with pointer authentication or weaker ordering. */
static void atomic(struct parts *parts)
{
	unsigned int size = 1U << field(parts, 30, 2), held = size < 4 ? 4 : size;
	unsigned int s = field_m(parts), t = field_d(parts), n = field_n(parts);
	unsigned int operation = field(parts, 12, 4);
	struct transfer load = { .size = size, .held = held },
			store = { .size = size, .held = held, .store = true };
	struct operand place = memory(n, 0, size);
	/* ldadd, ldclr, ldeor, ldset; others and those of minimum and maximum have no name here */
	static const uint8_t operations[] = { OP_ADD, OP_OTHER, OP_XOR, OP_OR };

	if (operation == 0xc) { /* ldapr */
		add_move(parts, &load, t, place);
		return;
	}
	if (s == t && (operation == 0 || operation == 8)) {
		struct insn *insn = add_part(parts, operation ? OP_EXCHANGE : OP_EXCHANGE_ADD,
					     place, general(t, size), NO_OPERAND);

		insn->operands[0].read = true;
		if (insn->operands[1].kind == OPERAND_REGISTER) {
			insn->operands[1].write = true;
			insn->written |= REG_BIT(t);
		}
		insn->flags |= FLAG_LOCK;
		return;
	}
	if (t != NUMBER_31 && (t == n || t == s)) {
		struct insn *insn = add_other(parts, general(t, held), 0);

		place.read = place.write = true;
		insn->operands[insn->operand_count++] = place;
		insn->read |= REG_BIT(n) | (s != NUMBER_31 ? REG_BIT(s) : 0);
		insn->flags |= FLAG_LOCK;
		return;
	}
	if (t != NUMBER_31)
		add_move(parts, &load, t, place)->flags |= FLAG_LOCK;
	if (operation == 8) {
		add_move(parts, &store, s, place)->flags |= FLAG_LOCK;
		return;
	}
	struct insn *insn = add_part(parts, operation < 4 ? operations[operation] : OP_OTHER, place,
				     general(s, size), NO_OPERAND);

	insn->operands[0].read = true;
	insn->flags |= FLAG_LOCK;
}

/* Adds the loads or stores of two registers at neighbouring places. */
static void add_pair(struct parts *parts, const struct transfer *moved, unsigned int t,
		     unsigned int t2, struct operand place)
{
	struct operand second = place;

	second.value += moved->size;
	if (moved->store || moved->is_vector || t != place.base) {
		add_move(parts, moved, t, place);
		add_move(parts, moved, t2, second);
		return;
	}
	/* the first load changes the base: what it reads is named first, and it is loaded last */
	add_move(parts, moved, NUMBER_31, place);
	add_move(parts, moved, t2, second);
	add_move(parts, moved, t, place);
}

static void pair(struct parts *parts)
{
	unsigned int opc = field(parts, 30, 2), mode = field(parts, 23, 2), n = field_n(parts);
	struct transfer access = { .store = !bit(parts, 22), .is_vector = bit(parts, 26) };

	access.size = access.is_vector ? 4U << opc : opc & 2 ? 8 : 4;
	access.sign = !access.is_vector && opc == 1;
	access.held = access.sign ? 8 : access.size;
	if (opc == 3 || (access.sign && access.store))
		return;
	int64_t offset = signed_field(parts, 15, 7) * access.size;

	add_pair(parts, &access, field_d(parts), field(parts, 10, 5),
		 memory(n, mode == 1 ? 0 : offset, 0));
	if (mode & 1)
		add_writeback(parts, n, offset);
}

/* ldr of a constant that is near the instruction. */
static void literal(struct parts *parts)
{
	unsigned int opc = field(parts, 30, 2);
	struct transfer access = { .is_vector = bit(parts, 26) };

	access.size = access.is_vector ? 4U << opc : opc == 1 ? 8 : 4;
	access.sign = !access.is_vector && opc == 2;
	access.held = access.sign ? 8 : access.size;
	if (opc == 3) {
		if (!access.is_vector)
			add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
		return;
	}
	add_move(parts, &access, field_d(parts),
		 absolute(parts->address + (uint64_t)signed_field(parts, 5, 19) * 4, 0));
}

/* Compare and swap: xs gets the old value, and the memory xt if it was equal to xs. */
static void compare_and_swap(struct parts *parts, bool two)
{
	unsigned int size = two ? (bit(parts, 30) ? 8 : 4) : 1U << field(parts, 30, 2);
	unsigned int s = field_m(parts), t = field_d(parts), n = field_n(parts);
	struct transfer load = { .size = size, .held = size < 4 ? 4 : size },
			store = { .size = size, .held = load.held, .store = true };
	struct operand place = memory(n, 0, size);
	uint64_t used = (s != NUMBER_31 ? REG_BIT(s) : 0) | (t != NUMBER_31 ? REG_BIT(t) : 0);

	if (two || s == t || s == n) {
		struct insn *insn = add_other(parts, NO_OPERAND, used | REG_BIT(n));

		place.read = place.write = true;
		place.size = (uint8_t)(two ? 2 * size : size);
		insn->operands[insn->operand_count++] = place;
		insn->written = s == NUMBER_31 ? 0 : REG_BIT(s) | (two ? REG_BIT(s + 1) : 0);
		insn->flags |= FLAG_LOCK;
		return;
	}
	struct insn *insn = add_move(parts, &load, s, place);

	insn->flags |= FLAG_LOCK;
	insn->read |= used;
	add_move(parts, &store, t, place)->flags |= FLAG_LOCK;
}

/* Exclusive accesses, and those that acquire or release. */
static void exclusive(struct parts *parts)
{
	unsigned int size = 1U << field(parts, 30, 2), t = field_d(parts), n = field_n(parts);
	bool ordered = bit(parts, 23), is_load = bit(parts, 22), two = bit(parts, 21);
	struct transfer access = { .size = size, .held = size < 4 ? 4 : size, .store = !is_load };
	struct operand place = memory(n, 0, size);

	if (two && (ordered || !bit(parts, 31))) {
		compare_and_swap(parts, !ordered);
		return;
	}
	if (two) {
		add_pair(parts, &access, t, field(parts, 10, 5), place);
	} else {
		add_move(parts, &access, t, place);
	}
	/* whether the store was made */
	if (!ordered && !is_load)
		add_other(parts, general(field_m(parts), 4), 0);
}

/* ldapur and stlur. */
static void ordered_unscaled(struct parts *parts)
{
	struct transfer access;

	if (find_transfer(parts, &access))
		add_move(parts, &access, field_d(parts),
			 memory(field_n(parts), signed_field(parts, 12, 9), 0));
}

/* Adds an access to several vector registers, or to parts of them, as one. */
static void add_structure(struct parts *parts, bool is_load, unsigned int registers,
			  struct operand place, bool whole)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < registers; i++)
		mask |= REG_BIT(REG_V0 + (field_d(parts) + i) % 32);
	struct insn *insn = add_other(parts, NO_OPERAND, REG_BIT(place.base));

	place.read = is_load;
	place.write = !is_load;
	insn->operands[insn->operand_count++] = place;
	insn->written = is_load ? mask : 0;
	insn->read |= is_load && whole ? 0 : mask;
}

/* Adds what the access makes of its base, if it does: a register or its size is added. */
static void add_structure_writeback(struct parts *parts, unsigned int size)
{
	if (bit(parts, 23) && field_m(parts) != NUMBER_31)
		add_part(parts, OP_ADD, general_or_sp(field_n(parts), 8),
			 general(field_m(parts), 8), NO_OPERAND);
	else if (bit(parts, 23))
		add_writeback(parts, field_n(parts), size);
}

/* ld1 to ld4 and st1 to st4 of whole registers. */
static void multiple_structures(struct parts *parts)
{
	static const uint8_t counts[16] = {
		[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2
	};
	unsigned int registers = counts[field(parts, 12, 4)], size = bit(parts, 30) ? 16 : 8;
	struct transfer access = { .is_vector = true, .size = size, .store = !bit(parts, 22) };
	struct operand place = memory(field_n(parts), 0, size * registers);

	if (!registers)
		return;
	if (registers == 1)
		add_move(parts, &access, field_d(parts), place);
	else
		add_structure(parts, !access.store, registers, place, true);
	add_structure_writeback(parts, size * registers);
}

/* The same of one element of each register, or of one that goes to all elements. */
static void single_structure(struct parts *parts)
{
	unsigned int opcode = field(parts, 13, 3), scale = opcode >> 1;
	unsigned int registers = 1 + bit(parts, 21) + 2 * (opcode & 1), element;
	bool is_load = bit(parts, 22), replicates = scale == 3;

	element = 1U << (replicates                     ? field(parts, 10, 2)
			 : scale == 2 && bit(parts, 10) ? 3
							: scale);
	struct operand place = memory(field_n(parts), 0, element * registers);
	struct operand first = vector(field_d(parts), 16);

	if (registers == 1 && element == 8 && !replicates && bit(parts, 30)) {
		if (is_load)
			add_part(parts, OP_VECTOR_HIGH, first, place, NO_OPERAND);
		else
			add_part(parts, OP_STORE_HIGH, place, first, NO_OPERAND);
	} else if (registers == 1 && !is_load && element == 8) {
		add_part(parts, OP_MOVE, place, vector(field_d(parts), 8), NO_OPERAND);
	} else {
		add_structure(parts, is_load, registers, place, replicates);
	}
	add_structure_writeback(parts, element * registers);
}

/* Copies and sets of memory (MOPS: cpyp ... sete), three instructions with the same registers.
 * Those of the addresses belong to the next one until the last leaves the ends in them. */
static void memory_copy(struct parts *parts)
{
	struct operand to = memory(field_d(parts), 0, 0), from = memory(field_m(parts), 0, 0);
	bool sets = field(parts, 22, 2) == 3, last = field(parts, sets ? 14 : 22, 2) == 2;
	struct insn *insn = add_other(parts, NO_OPERAND, REG_BIT(field_n(parts)));

	to.write = from.read = true;
	insn->operands[insn->operand_count++] = to;
	if (!sets)
		insn->operands[insn->operand_count++] = from;
	insn->read |= REG_BIT(field_d(parts)) | REG_BIT(field_m(parts));
	insn->written = REG_BIT(field_n(parts));
	if (last)
		insn->written |= REG_BIT(field_d(parts)) | (sets ? 0 : REG_BIT(field_m(parts)));
	insn->flags |= FLAG_WRITES_FLAGS;
}

/* ldraa, ldrab: a load through a pointer that is authenticated. */
static void authenticated(struct parts *parts)
{
	struct transfer load = { .size = 8, .held = 8 };
	int64_t offset =
		(int64_t)(((uint64_t)bit(parts, 22) << 9 | field(parts, 12, 9)) << 54) >> 54;

	add_move(parts, &load, field_d(parts), memory(field_n(parts), offset * 8, 8));
	if (bit(parts, 11))
		add_writeback(parts, field_n(parts), offset * 8);
}

/* Tags of memory (MTE): the data stays, unless stzg clears it. */
static void memory_tags(struct parts *parts)
{
	unsigned int low = field(parts, 10, 2);

	if (!low && field(parts, 22, 2) == 1) /* ldg */
		add_other(parts, general(field_d(parts), 8), REG_BIT(field_n(parts)));
	else
		add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
	if (low & 1)
		add_writeback(parts, field_n(parts), signed_field(parts, 12, 9) * 16);
}

/* Loads and stores with bits 29 to 27 equal to 7. */
static void one_register(struct parts *parts)
{
	bool registers = !bit(parts, 24) && bit(parts, 21) && !bit(parts, 26);

	if (registers && !field(parts, 10, 2))
		atomic(parts);
	else if (registers && bit(parts, 10))
		authenticated(parts);
	else
		single_register(parts);
}

/* Those with bits 29 to 27 equal to 3. */
static void constants_and_order(struct parts *parts)
{
	if (!bit(parts, 24))
		literal(parts);
	else if (bit(parts, 21))
		memory_tags(parts);
	else if (field(parts, 10, 2) == 1 && !field(parts, 30, 2))
		memory_copy(parts);
	else if (!field(parts, 10, 2) && !bit(parts, 26))
		ordered_unscaled(parts);
}

void decode_memory(struct parts *parts)
{
	switch (field(parts, 27, 3)) {
	case 1:
		if (bit(parts, 26) && !bit(parts, 31))
			bit(parts, 24) ? single_structure(parts) : multiple_structures(parts);
		else if (!bit(parts, 26) && !bit(parts, 24))
			exclusive(parts);
		break;
	case 3: constants_and_order(parts); break;
	case 5: pair(parts); break;
	case 7: one_register(parts); break;
	default: break;
	}
}
