// SPDX-License-Identifier: GPL-2.0-or-later
/* SSE, SSE2 and the x87 from their encoding: see decoders.h. In order: vectors, the x87. */
#include "disasm/x86/decoders.h"

/* The place of an operand. */
enum sse_place {
	AT_REG, /* the vector register in ModRM's reg field */
	AT_RM,  /* the vector register, or the memory, that ModRM names */
	AT_GENERAL_REG,
	AT_GENERAL_RM,
};

/* Sizes of operands that are no numbers of bytes. */
#define SIZE_ROW  0    /* that of the row */
#define SIZE_RM   0xfe /* a register has 16 bytes, and memory as many as the row says */
#define SIZE_WORD 0xff /* 4 bytes, with REX.W 8 */

struct sse_operand {
	uint8_t place, size;
	bool read, write;
};

/* An instruction with two operands and perhaps a constant. */
struct sse_shape {
	uint8_t operation;
	struct sse_operand to, from;
	bool constant, one_operand;
	uint16_t flags;
};

enum sse_shape_number {
	NO_SHAPE,
	LOAD, /* all bytes */
	STORE,
	MERGE, /* the low bytes; the others stay */
	MERGE_RM,
	EXTEND, /* the low bytes; the others become 0 */
	EXTEND_RM,
	SAVE, /* the low bytes, to memory */
	COMPUTE,
	EXCLUSIVE, /* a register is cleared if it is both operands */
	CONVERT,   /* the destination is not read */
	COMPARE,
	COMPARE_TO_MASK, /* the constant is one of the eight comparisons */
	UNPACK,
	HIGH,
	SAVE_HIGH,
	CONVERT_FROM_GENERAL,
	CONVERT_TO_GENERAL,
	FROM_GENERAL,
	TO_GENERAL,
	TO_MASK,
	SHUFFLE,
	SHUFFLE_BOTH,
	SHIFT,
};

/* clang-format off */
#define R(place, size)  { place, size, true, false }
#define W(place, size)  { place, size, false, true }
#define RW(place, size) { place, size, true, true }

static const struct sse_shape shapes[] = {
	[LOAD]                 = { OP_MOVE,          W(AT_REG, 16),                R(AT_RM, 16) },
	[STORE]                = { OP_MOVE,          W(AT_RM, 16),                 R(AT_REG, 16) },
	[MERGE]                = { OP_MOVE,          RW(AT_REG, SIZE_ROW),         R(AT_RM, SIZE_ROW) },
	[MERGE_RM]             = { OP_MOVE,          RW(AT_RM, SIZE_ROW),          R(AT_REG, SIZE_ROW) },
	[EXTEND]               = { OP_MOVE_ZERO,     W(AT_REG, 16),                R(AT_RM, SIZE_ROW) },
	[EXTEND_RM]            = { OP_MOVE_ZERO,     W(AT_RM, 16),                 R(AT_REG, SIZE_ROW) },
	[SAVE]                 = { OP_MOVE,          W(AT_RM, SIZE_ROW),           R(AT_REG, SIZE_ROW) },
	[COMPUTE]              = { OP_OTHER,         RW(AT_REG, 16),               R(AT_RM, SIZE_RM) },
	[EXCLUSIVE]            = { OP_OTHER,         RW(AT_REG, 16),               R(AT_RM, 16) },
	[CONVERT]              = { OP_OTHER,         W(AT_REG, 16),                R(AT_RM, SIZE_RM) },
	[COMPARE]              = { OP_OTHER,         R(AT_REG, 16),                R(AT_RM, SIZE_RM), .flags = FLAG_WRITES_FLAGS },
	/* capstone says that the flags are written */
	[COMPARE_TO_MASK]      = { OP_OTHER,         RW(AT_REG, 16),               R(AT_RM, SIZE_RM), .flags = FLAG_WRITES_FLAGS },
	[UNPACK]               = { OP_VECTOR_UNPACK, RW(AT_REG, 16),               R(AT_RM, 16) },
	[HIGH]                 = { OP_VECTOR_HIGH,   RW(AT_REG, 16),               R(AT_RM, 8) },
	[SAVE_HIGH]            = { OP_STORE_HIGH,    W(AT_RM, 8),                  R(AT_REG, 16) },
	[CONVERT_FROM_GENERAL] = { OP_OTHER,         W(AT_REG, 16),                R(AT_GENERAL_RM, SIZE_WORD) },
	[CONVERT_TO_GENERAL]   = { OP_OTHER,         W(AT_GENERAL_REG, SIZE_WORD), R(AT_RM, SIZE_RM) },
	[FROM_GENERAL]         = { OP_MOVE_ZERO,     W(AT_REG, 16),                R(AT_GENERAL_RM, SIZE_WORD) },
	[TO_GENERAL]           = { OP_MOVE,          W(AT_GENERAL_RM, SIZE_WORD),  R(AT_REG, SIZE_WORD) },
	[TO_MASK]              = { OP_OTHER,         W(AT_GENERAL_REG, 4),         R(AT_RM, 16) },
	[SHUFFLE]              = { OP_OTHER,         W(AT_REG, 16),                R(AT_RM, 16), .constant = true },
	[SHUFFLE_BOTH]         = { OP_OTHER,         RW(AT_REG, 16),               R(AT_RM, 16), .constant = true },
	[SHIFT]                = { OP_OTHER,         RW(AT_RM, 16), .constant = true, .one_operand = true },
};

/* ---- the opcodes after 0F, by prefix: Intel SDM vol. 2, appendix A */

struct sse_row {
	uint8_t of_register, of_memory; /* enum sse_shape_number */
	uint8_t size;
};

#define BOTH(shape, size)     { shape, shape, size }
#define TWO(shape, memory, size) { shape, memory, size }
#define MEMORY(shape, size)   { NO_SHAPE, shape, size }
#define REGISTER(shape, size) { shape, NO_SHAPE, size }

/* add, mul; sub, min, div, max */
#define ARITHMETIC(size)                       \
	[0x58 ... 0x59] = BOTH(COMPUTE, size), \
	[0x5c ... 0x5f] = BOTH(COMPUTE, size)
/* whole registers */
#define WHOLE(size)                                \
	[0x10]          = BOTH(LOAD, 16),          \
	[0x11]          = BOTH(STORE, 16),         \
	[0x13]          = MEMORY(SAVE, 8),         \
	[0x17]          = MEMORY(SAVE_HIGH, 8),    \
	[0x28]          = BOTH(LOAD, 16),          \
	[0x29]          = BOTH(STORE, 16),         \
	[0x2b]          = MEMORY(STORE, 16),       \
	[0x2e ... 0x2f] = BOTH(COMPARE, size),     \
	[0x50]          = REGISTER(TO_MASK, 16),   \
	[0x51]          = BOTH(CONVERT, 16),       \
	[0x54 ... 0x56] = BOTH(COMPUTE, 16),       \
	[0x57]          = BOTH(EXCLUSIVE, 16),     \
	ARITHMETIC(16),                            \
	[0xc2]          = BOTH(COMPARE_TO_MASK, 16), \
	[0xc6]          = BOTH(SHUFFLE_BOTH, 16)
/* one number */
#define SCALAR(size)                                                        \
	[0x10]          = TWO(MERGE, EXTEND, size),                         \
	[0x11]          = TWO(MERGE_RM, SAVE, size),                        \
	[0x2a]          = BOTH(CONVERT_FROM_GENERAL, size),                 \
	[0x2c ... 0x2d] = BOTH(CONVERT_TO_GENERAL, size),                   \
	[0x51]          = BOTH(CONVERT, size),                              \
	[0x5a]          = BOTH(CONVERT, size),                              \
	ARITHMETIC(size),                                                   \
	[0xc2]          = BOTH(COMPARE_TO_MASK, size)

enum sse_prefix { WITH_NONE, WITH_66, WITH_F3, WITH_F2, WITH_COUNT };

static const struct sse_row rows[WITH_COUNT][256] = {
	[WITH_NONE] = {
		WHOLE(4),
		[0x12] = TWO(COMPUTE, MERGE, 8),
		[0x14] = BOTH(COMPUTE, 16),
		[0x16] = TWO(UNPACK, HIGH, 8),
		[0x5a] = BOTH(CONVERT, 8),
		[0x5b] = BOTH(CONVERT, 16),
	},
	[WITH_66] = {
		WHOLE(8),
		[0x12]          = MEMORY(MERGE, 8),
		[0x14]          = BOTH(UNPACK, 16),
		[0x16]          = MEMORY(HIGH, 8),
		[0x5a ... 0x5b] = BOTH(CONVERT, 16),
		[0x60 ... 0x6b] = BOTH(COMPUTE, 16),
		[0x6c]          = BOTH(UNPACK, 16),
		[0x6d]          = BOTH(COMPUTE, 16),
		[0x6e]          = BOTH(FROM_GENERAL, 0),
		[0x6f]          = BOTH(LOAD, 16),
		[0x70]          = BOTH(SHUFFLE, 16),
		[0x71 ... 0x73] = REGISTER(SHIFT, 16),
		[0x74 ... 0x76] = BOTH(COMPUTE, 16),
		[0x7e]          = BOTH(TO_GENERAL, 0),
		[0x7f]          = BOTH(STORE, 16),
		[0xd1 ... 0xd5] = BOTH(COMPUTE, 16),
		[0xd6]          = TWO(EXTEND_RM, SAVE, 8),
		[0xd7]          = REGISTER(TO_MASK, 16),
		[0xd8 ... 0xe5] = BOTH(COMPUTE, 16),
		[0xe7]          = MEMORY(STORE, 16),
		[0xe8 ... 0xee] = BOTH(COMPUTE, 16),
		[0xef]          = BOTH(EXCLUSIVE, 16),
		[0xf1 ... 0xf6] = BOTH(COMPUTE, 16),
		[0xf8 ... 0xfe] = BOTH(COMPUTE, 16),
	},
	[WITH_F3] = {
		SCALAR(4),
		[0x5b] = BOTH(CONVERT, 16),
		[0x6f] = BOTH(LOAD, 16),
		[0x70] = BOTH(SHUFFLE, 16),
		[0x7e] = BOTH(EXTEND, 8),
		[0x7f] = BOTH(STORE, 16),
		[0xe6] = BOTH(CONVERT, 8),
	},
	[WITH_F2] = {
		SCALAR(8),
		[0x70] = BOTH(SHUFFLE, 16),
		[0xe6] = BOTH(CONVERT, 16),
	},
};
/* clang-format on */

/* 66 0F 38, from pshufb to pmulhrsw */
#define SHUFFLE_LAST 0x0b
static const struct sse_row shuffle_row = BOTH(COMPUTE, 16);

/* Returns the row of an opcode; NULL: there is none. */
static const struct sse_row *row_of(const struct encoding *encoding)
{
	const uint8_t prefix = encoding->repeat == 0xf3        ? WITH_F3
			       : encoding->repeat              ? WITH_F2
			       : encoding->operand_size_prefix ? WITH_66
							       : WITH_NONE;

	if (encoding->map == MAP_0F)
		return &rows[prefix][encoding->opcode];
	return encoding->map == MAP_0F38 && prefix == WITH_66 && encoding->opcode <= SHUFFLE_LAST
		       ? &shuffle_row
		       : NULL;
}

/* True for the shifts of whole registers by a constant: opcodes 71 to 73, by ModRM's reg field. */
static bool is_shift(const struct encoding *encoding)
{
	static const uint8_t shifts[] = { 0x54, 0x54, 0xcc };

	return shifts[encoding->opcode - 0x71] >> (encoding->reg & 7) & 1;
}

static void sse_set_operand(const struct encoding *encoding, const struct sse_operand *source,
			    uint8_t row_size, struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];
	uint8_t place = source->place, size = source->size;
	bool memory = encoding->has_memory && (place == AT_RM || place == AT_GENERAL_RM);
	bool general = place == AT_GENERAL_REG || place == AT_GENERAL_RM;
	uint8_t number = place == AT_RM || place == AT_GENERAL_RM ? encoding->rm : encoding->reg;

	if (memory)
		memory_operand(encoding, insn, operand);
	else
		*operand = register_operand(
			general ? general_register(number) : vector_register(number), 0, true);
	operand->size = size == SIZE_WORD  ? (encoding->wide ? 8 : 4)
			: size == SIZE_RM  ? (memory ? row_size : 16)
			: size == SIZE_ROW ? row_size
					   : size;
	operand->read = source->read;
	operand->write = source->write;
}

static void float_add_constant(const struct encoding *encoding, struct insn *insn)
{
	struct operand *constant = &insn->operands[insn->operand_count++];

	*constant = no_operand;
	constant->kind = OPERAND_IMMEDIATE;
	constant->read = true;
	constant->size = 1;
	constant->value = encoding->immediate;
}

static bool vector_decode(const struct encoding *encoding, struct insn *insn)
{
	const struct sse_row *row = row_of(encoding);
	const uint8_t number = !row                   ? NO_SHAPE
			       : encoding->has_memory ? row->of_memory
						      : row->of_register;
	const struct sse_shape *shape = &shapes[number];

	/* movq with REX.W: see is_wide_movq() */
	if (number == NO_SHAPE ||
	    (number == EXTEND && encoding->opcode == 0x7e && encoding->wide) ||
	    (number == COMPARE_TO_MASK && (encoding->immediate & 0xff) > 7) ||
	    (number == SHIFT && !is_shift(encoding)))
		return false;
	insn->operation = shape->operation;
	insn->flags |= shape->flags;
	sse_set_operand(encoding, &shape->to, row->size, insn);
	if (!shape->one_operand)
		sse_set_operand(encoding, &shape->from, row->size, insn);
	if (shape->constant)
		float_add_constant(encoding, insn);
	if (number == EXCLUSIVE &&
	    operands_are_same_register(&insn->operands[0], &insn->operands[1])) {
		insn->operation = OP_ZERO;
		insn->operand_count = 1;
		insn->operands[0].read = false;
		insn->operands[1] = no_operand;
	}
	insn_add_operands(insn);
	return true;
}

/* ---- the x87, whose registers are not tracked */

#define STORES 0x80 /* the memory is written, not read */

/* The bytes in memory, by opcode (from D8 on) and ModRM's reg field; 0: no such instruction, or one
 * of newer.c. */
static const uint8_t memory_of_float[8][8] = {
	{ 4, 4, 4, 4, 4, 4, 4, 4 },
	{ 4, 0, 4 | STORES, 4 | STORES, 28, 2, 28 | STORES, 2 | STORES },
	{ 4, 4, 4, 4, 4, 4, 4, 4 },
	{ 0, 4 | STORES, 4 | STORES, 4 | STORES, 0, 10, 0, 10 | STORES },
	{ 8, 8, 8, 8, 8, 8, 8, 8 },
	{ 8, 8 | STORES, 8 | STORES, 8 | STORES, 108, 0, 108 | STORES, 2 | STORES },
	{ 2, 2, 2, 2, 2, 2, 2, 2 },
	{ 2, 2 | STORES, 2 | STORES, 2 | STORES, 10, 8, 10 | STORES, 8 | STORES },
};

/* The rows of ModRM's reg field, as bits, in which all values of the rm field name an x87 register,
 * by opcode; newer.c and fast.c have the rest. */
static const uint8_t registers_of_float[8] = { 0xff, 0x03, 0x0f, 0x0f, 0xf3, 0x3d, 0xf3, 0x60 };

/* True if the opcode has an instruction without memory for these fields of ModRM. */
static bool has_float_form(const struct encoding *encoding)
{
	/* D9: fnop, fchs, fabs, ftst, fxam, constants, functions; DA: fucompp; DE: fcompp */
	static const uint8_t others[8] = { 0, 0, 0x01, 0, 0x33, 0x7f, 0xff, 0xff };
	const unsigned int extension = encoding->reg & 7, rm = encoding->rm & 7;

	if (registers_of_float[encoding->opcode & 7] >> extension & 1)
		return true;
	return encoding->opcode == 0xd9   ? others[extension] >> rm & 1
	       : encoding->opcode == 0xda ? extension == 5 && rm == 1
					  : encoding->opcode == 0xde && extension == 3 && rm == 1;
}

static bool x87_decode(const struct encoding *encoding, struct insn *insn)
{
	const uint8_t memory = memory_of_float[encoding->opcode & 7][encoding->reg & 7];

	insn->operation = OP_OTHER;
	if (!encoding->has_memory) {
		/* fucomip, fcomip */
		if (encoding->opcode == 0xdf)
			insn->flags |= FLAG_WRITES_FLAGS;
		return has_float_form(encoding);
	}
	insn->operand_count = 1;
	memory_operand(encoding, insn, &insn->operands[0]);
	insn->operands[0].size = memory & ~STORES;
	insn->operands[0].read = !(memory & STORES);
	insn->operands[0].write = (memory & STORES) != 0;
	insn_add_operands(insn);
	return memory;
}

bool float_decode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->kind != ENCODING_LEGACY || encoding->lock || encoding->address_size_prefix ||
	    (encoding->repeat && encoding->operand_size_prefix))
		return false;
	if (encoding->map != MAP_PRIMARY)
		return vector_decode(encoding, insn);
	return (encoding->opcode & 0xf8) == 0xd8 && x87_decode(encoding, insn);
}
