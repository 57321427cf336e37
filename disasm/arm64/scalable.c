// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scalable vectors and matrices of arm64: SVE, SVE2 and SME (ARM DDI 0487, chapters C4.1.35 to
 * C4.1.37).
 *
 * Computations are not followed in vectors. The general registers that they write are known, as
 * pointers and counters are moved by multiples of the vector's length. The number of bytes of an
 * access, and a distance in vectors, are known to the processor alone: the size of such an operand
 * is 0, and its index is a vector register.
 */
#include "disasm/arm64/parts.h"

#include "base/memory.h"

/* Returns an operand whose value is not known: a number of bytes, words or active elements. */
static struct operand some_number(unsigned int reg)
{
	struct operand operand = general_or_sp(reg, 1);

	operand.high_byte = true; /* which tells nothing, whatever the register holds */
	return operand;
}

/* Computations that write a general register. */
enum general_kind {
	GENERAL_NONE,
	GENERAL_VALUE,   /* of an element, or a number of them */
	GENERAL_VECTORS, /* a number of whole vectors, in bytes */
	GENERAL_COUNT,   /* a number of a vector's elements */
	GENERAL_ADD,     /* such a number is added */
	GENERAL_ADD_TO,  /* and the sum is written to another register */
};

static const struct general_form {
	uint32_t mask, bits;
	uint8_t kind; /* enum general_kind */
} general_forms[] = {
	{ 0xffa0f000, 0x04205000, GENERAL_ADD_TO },  /* addvl, addpl, addsvl, addspl */
	{ 0xfffff000, 0x04bf5000, GENERAL_VECTORS }, /* rdvl, rdsvl */
	{ 0xff30f800, 0x0420e000, GENERAL_COUNT },   /* cntb ... cntd */
	{ 0xff30f800, 0x0430e000, GENERAL_ADD },     /* incb ... decd */
	{ 0xff20f000, 0x0420f000, GENERAL_ADD },     /* sqincb ... uqdecd */
	{ 0xff3ee000, 0x0520a000, GENERAL_VALUE },   /* lasta, lastb */
	{ 0xff3ee000, 0x0530a000, GENERAL_VALUE },   /* clasta, clastb */
	{ 0xff38c000, 0x25208000, GENERAL_VALUE },   /* cntp, firstp, lastp */
	{ 0xff38f800, 0x25288800, GENERAL_ADD },     /* sqincp ... decp */
};

static enum general_kind general_kind_of(uint32_t word)
{
	for (unsigned int i = 0; i < COUNT_OF(general_forms); i++)
		if ((word & general_forms[i].mask) == general_forms[i].bits)
			return general_forms[i].kind;
	return GENERAL_NONE;
}

/* Adds the two parts of an unknown multiple of 2 to the power of `shift`, times `factor`. */
static void add_multiple(struct parts *parts, unsigned int shift, unsigned int factor)
{
	struct operand to = general(field_d(parts), 8);

	add_other(parts, to, 0);
	if (factor)
		add_part(parts, OP_SHIFT_LEFT, to,
			 immediate(shift + (unsigned int)__builtin_ctz(factor), 8), NO_OPERAND);
}

static void computation(struct parts *parts)
{
	unsigned int d = field_d(parts), n = field_n(parts), m = field_m(parts);
	enum general_kind kind = general_kind_of(parts->word);
	struct insn *insn;

	if (kind != GENERAL_NONE && d == NUMBER_31 && kind != GENERAL_ADD_TO)
		kind = GENERAL_VALUE;
	switch (kind) {
	case GENERAL_NONE:
		insn = add_other(parts, vector(d, 16), VECTOR_MASK);
		insn->read |= (n == NUMBER_31 ? 0 : REG_BIT(n)) | (m == NUMBER_31 ? 0 : REG_BIT(m));
		insn->flags |= FLAG_WRITES_FLAGS;
		break;
	case GENERAL_VALUE:
		add_other(parts, general(d, 8), VECTOR_MASK | (d == NUMBER_31 ? 0 : REG_BIT(d)));
		break;
	/* vectors have 16 bytes, or a multiple */
	case GENERAL_VECTORS: add_multiple(parts, 4, field(parts, 5, 6)); break;
	case GENERAL_COUNT:
		add_multiple(parts, 4 - field(parts, 22, 2), field(parts, 16, 4) + 1);
		break;
	case GENERAL_ADD_TO:
		if (m != d)
			add_part(parts, OP_MOVE, general_or_sp(d, 8), general_or_sp(m, 8),
				 NO_OPERAND);
		add_part(parts, OP_ADD, general_or_sp(d, 8), some_number(d), NO_OPERAND);
		break;
	case GENERAL_ADD: add_part(parts, OP_ADD, general(d, 8), some_number(d), NO_OPERAND); break;
	}
}

/* ---- accesses */

/* The bytes of an element in memory as a power of 2, by the type of a contiguous load (dtype). */
static const uint8_t element_shifts[16] = { 0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3 };

/* Adds a load or store of vectors. A load writes `registers` of them. */
static void add_access(struct parts *parts, struct operand place, bool is_store,
		       unsigned int registers)
{
	struct insn *insn = add_other(parts, NO_OPERAND, is_store ? VECTOR_MASK : 0);

	place.read = !is_store;
	place.write = is_store;
	insn->operands[insn->operand_count++] = place;
	insn->read |= operand_registers(&place);
	for (unsigned int i = 0; !is_store && i < registers; i++)
		insn->written |= REG_BIT(REG_V0 + (field_d(parts) + i) % 32);
}

/* Returns the place at a base register, and so many elements from it as a general register says. */
static struct operand by_register(const struct parts *parts, unsigned int shift)
{
	struct operand place = memory(field_n(parts), 0, 0);

	if (field_m(parts) != NUMBER_31) {
		place.index = (uint8_t)field_m(parts);
		place.scale = (uint8_t)(1U << shift);
	}
	return place;
}

/* Returns the place at a base register and a distance in vectors, which is as unknown as the index
 * of a gather unless it is 0. */
static struct operand by_vectors(const struct parts *parts, unsigned int distance)
{
	struct operand place = memory(field_n(parts), 0, 0);

	if (distance) {
		place.index = (uint8_t)(REG_V0 + field_d(parts));
		place.scale = 16;
	}
	return place;
}

/* Returns the places of a gather or scatter: a base register with a vector of distances, in
 * elements of `shift` or in bytes. */
static struct operand by_distances(const struct parts *parts, unsigned int shift, bool scaled)
{
	struct operand place = memory(field_n(parts), 0, 1U << shift);

	place.index = (uint8_t)(REG_V0 + field_m(parts));
	place.scale = (uint8_t)(scaled ? 1U << shift : 1);
	return place;
}

/* Returns the places of a gather or scatter whose addresses are in a vector. */
static struct operand by_addresses(unsigned int shift)
{
	return memory(REG_NONE, 0, 1U << shift);
}

/* Loads with bits 29 to 31 equal to 4 or 6 (`wide`): gathers, ld1r, ldr. */
static void gather(struct parts *parts, bool wide)
{
	unsigned int op = field(parts, 21, 2), form = field(parts, 13, 3),
		     shift = field(parts, 23, 2);
	bool hint = !bit(parts, 4);

	if (hint && ((!shift && op & 1 && form < 4) || (!op && form == 7) ||
		     (wide ? !shift && op == 3 && form >= 4
			   : (shift == 3 && op & 2 && form < 4) || (!op && form == 6)))) {
		add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND); /* prefetch */
	} else if (!wide && shift == 3 && !(op & 2) && (form == 0 || form == 2)) {
		add_access(parts, by_vectors(parts, field(parts, 16, 6) | field(parts, 10, 3)),
			   false, form == 2);      /* ldr */
	} else if (!wide && op & 2 && form >= 4) { /* ld1r: one element for all */
		shift = element_shifts[shift << 2 | (form & 3)];
		add_access(
			parts,
			memory(field_n(parts), (int64_t)field(parts, 16, 6) << shift, 1U << shift),
			false, 1);
	} else {
		bool distances = form < 4 || (wide && op & 2);

		add_access(parts,
			   distances ? by_distances(parts, shift, op & 1) : by_addresses(shift),
			   false, 1);
	}
}

/* Contiguous loads, with bits 29 to 31 equal to 5: a register, or a distance in vectors. */
static void contiguous_load(struct parts *parts)
{
	unsigned int op = field(parts, 21, 2), form = field(parts, 13, 3),
		     shift = field(parts, 23, 2);
	unsigned int distance = field(parts, 16, 4), registers = form >= 6 ? op + 1 : 1;

	switch (form) {
	case 0: /* ld1rq, ld1ro */
	case 6: add_access(parts, by_register(parts, shift), false, registers); break;
	case 2:
	case 3: /* ld1, ldff1 */
		add_access(parts, by_register(parts, element_shifts[field(parts, 21, 4)]), false,
			   1);
		break;
	case 4: /* of 16 bytes: ld2q ... ld4q, and ld1w and ld1d */
		add_access(parts, by_register(parts, op & 1 ? 4 : shift == 3 ? 3 : 2), false, 4);
		break;
	default: add_access(parts, by_vectors(parts, distance), false, registers); break;
	}
}

/* Stores, with bits 29 to 31 equal to 7. */
static void store(struct parts *parts)
{
	unsigned int op = field(parts, 21, 2), form = field(parts, 13, 3),
		     shift = field(parts, 23, 2);
	struct operand place;

	if (form == 1 || (form == 5 && op & 2))
		place = by_addresses(shift);
	else if (form >= 4 && form < 7)
		place = by_distances(parts, shift, op & 1);
	else if (form == 7)
		place = by_vectors(parts, field(parts, 16, 4));
	else if (form != 3 && field(parts, 22, 3) == 6) /* str */
		place = by_vectors(parts, field(parts, 16, 6) | field(parts, 10, 3));
	else if (!form && shift < 2 && op & 2 && !(op & 1)) /* st2q ... st4q */
		place = by_vectors(parts, field(parts, 16, 4));
	else
		place = by_register(parts, !form && shift < 2 && op & 2 ? 4 : shift);
	add_access(parts, place, true, 0);
}

/* Loads and stores of SME's matrix, and of several vectors at once. */
static void matrix(struct parts *parts, bool several)
{
	if (several)
		add_access(parts,
			   bit(parts, 22) ? by_vectors(parts, field(parts, 16, 4))
					  : by_register(parts, field(parts, 13, 2)),
			   bit(parts, 21), 32);              /* or registers 4 or 8 apart */
	else if (bit(parts, 24) && field(parts, 22, 3) == 4) /* ldr, str */
		add_access(parts, by_vectors(parts, field(parts, 0, 4)), bit(parts, 21), 0);
	else
		add_access(parts, by_register(parts, bit(parts, 24) ? 4 : field(parts, 22, 2)),
			   bit(parts, 21), 0);
}

void decode_scalable(struct parts *parts)
{
	unsigned int kind = field(parts, 29, 3);

	if (!field(parts, 25, 4))
		kind == 7 || (kind == 5 && !bit(parts, 23)) ? matrix(parts, kind == 5)
							    : computation(parts);
	else if (kind == 4 || kind == 6)
		gather(parts, kind == 6);
	else if (kind == 5)
		contiguous_load(parts);
	else if (kind == 7)
		store(parts);
	else
		computation(parts);
}
