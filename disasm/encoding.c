// SPDX-License-Identifier: GPL-2.0-or-later
/* The form of an instruction: see encoding.h. A reader that cannot pass its end, prefix by prefix, field by
 * field. */
#include "disasm/encoding.h"

#include <string.h>

/* What follows an opcode. */
enum field {
	FIELD_NONE = 0,
	FIELD_MODRM = 1,
	FIELD_BYTE = 2,      /* an immediate byte */
	FIELD_FULL = 4,      /* an immediate of 2 or 4 bytes, as the operand size has it */
	FIELD_WORD = 8,      /* two bytes */
	FIELD_WIDE = 16,     /* 2, 4 or 8 bytes (mov r64, imm64) */
	FIELD_ADDRESS = 32,  /* a whole address (A0 to A3) */
	FIELD_RELATIVE = 64, /* four bytes whatever the prefixes say: near branches */
	FIELD_INVALID = 128,
};

#define M  FIELD_MODRM
#define B  FIELD_BYTE
#define Z  FIELD_FULL
#define W  FIELD_WORD
#define V  FIELD_WIDE
#define A  FIELD_ADDRESS
#define R  FIELD_RELATIVE
#define X  FIELD_INVALID
#define MB (M | B)
#define MZ (M | Z)

/* SDM vol. 2, table A-2. Prefixes and escapes never get here. */
static const uint8_t primary_fields[256] = {
	/*        0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	/* 0 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 1 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 2 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 3 */ M,  M,  M, M,  B, Z, X,  X,  M,     M,  M, M,  B, Z, X, X,
	/* 4 */ X,  X,  X, X,  X, X, X,  X,  X,     X,  X, X,  X, X, X, X,
	/* 5 */ 0,  0,  0, 0,  0, 0, 0,  0,  0,     0,  0, 0,  0, 0, 0, 0,
	/* 6 */ X,  X,  X, M,  X, X, X,  X,  Z,     MZ, B, MB, 0, 0, 0, 0,
	/* 7 */ B,  B,  B, B,  B, B, B,  B,  B,     B,  B, B,  B, B, B, B,
	/* 8 */ MB, MZ, X, MB, M, M, M,  M,  M,     M,  M, M,  M, M, M, M,
	/* 9 */ 0,  0,  0, 0,  0, 0, 0,  0,  0,     0,  X, 0,  0, 0, 0, 0,
	/* a */ A,  A,  A, A,  0, 0, 0,  0,  B,     Z,  0, 0,  0, 0, 0, 0,
	/* b */ B,  B,  B, B,  B, B, B,  B,  V,     V,  V, V,  V, V, V, V,
	/* c */ MB, MB, W, 0,  X, X, MB, MZ, W | B, 0,  W, 0,  0, B, X, 0,
	/* d */ M,  M,  M, M,  X, X, X,  0,  M,     M,  M, M,  M, M, M, M,
	/* e */ B,  B,  B, B,  B, B, B,  B,  R,     R,  X, B,  0, 0, 0, 0,
	/* f */ X,  0,  X, X,  0, 0, M,  M,  0,     0,  0, 0,  0, 0, M, M,
};

/* SDM vol. 2, table A-3. */
static const uint8_t map_0f_fields[256] = {
	/*        0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f */
	/* 0 */ M,  M,  M,  M,  X,  0,  0,  0, 0, 0, X,  0, X,  M, 0, MB,
	/* 1 */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* 2 */ M,  M,  M,  M,  X,  X,  X,  X, M, M, M,  M, M,  M, M, M,
	/* 3 */ 0,  0,  0,  0,  0,  0,  X,  0, X, X, X,  X, X,  X, X, X,
	/* 4 */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* 5 */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* 6 */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* 7 */ MB, MB, MB, MB, M,  M,  M,  0, M, M, X,  X, M,  M, M, M,
	/* 8 */ R,  R,  R,  R,  R,  R,  R,  R, R, R, R,  R, R,  R, R, R,
	/* 9 */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* a */ 0,  0,  0,  M,  MB, M,  X,  X, 0, 0, 0,  M, MB, M, M, M,
	/* b */ M,  M,  M,  M,  M,  M,  M,  M, M, M, MB, M, M,  M, M, M,
	/* c */ M,  M,  MB, M,  MB, MB, MB, M, 0, 0, 0,  0, 0,  0, 0, 0,
	/* d */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* e */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
	/* f */ M,  M,  M,  M,  M,  M,  M,  M, M, M, M,  M, M,  M, M, M,
};

#undef M
#undef B
#undef Z
#undef W
#undef V
#undef A
#undef R
#undef X
#undef MB
#undef MZ

struct reader {
	const uint8_t *bytes;
	size_t size; /* at most INSN_LENGTH_MAX */
	size_t position;
	bool failed;
};

static inline uint8_t take_byte(struct reader *reader)
{
	if (reader->position >= reader->size) {
		reader->failed = true;
		return 0;
	}
	return reader->bytes[reader->position++];
}

/* `count` bytes (1, 2, 4, 8), little-endian as this machine is, sign-extended */
static inline int64_t take_signed(struct reader *reader, unsigned int count)
{
	const uint8_t *bytes = reader->bytes + reader->position;
	int16_t word;
	int32_t half;
	int64_t whole;

	if (count > reader->size - reader->position) {
		reader->failed = true;
		return 0;
	}
	reader->position += count;
	switch (count) {
	case 1: return (int8_t)*bytes;
	case 2: memcpy(&word, bytes, sizeof(word)); return word;
	case 4: memcpy(&half, bytes, sizeof(half)); return half;
	default: memcpy(&whole, bytes, sizeof(whole)); return whole;
	}
}

/* The upper bits that prefixes add to the register fields of ModRM and SIB. */
struct extension {
	uint8_t reg;
	uint8_t index;
	uint8_t base;
	uint8_t vector_index; /* EVEX: and of a vector index */
	uint8_t vector_rm;    /* EVEX: the same for a vector register in rm, where X is bit 4 */
};

/* Legacy prefixes (group 1 to 4); gives the byte after them. */
static uint8_t take_prefixes(struct reader *reader, struct encoding *encoding)
{
	for (;;) {
		uint8_t byte = take_byte(reader);

		switch (byte) {
		case 0x66: encoding->operand_size_prefix = true; break;
		case 0x67: encoding->address_size_prefix = true; break;
		case 0xf0: encoding->lock = true; break;
		case 0xf2:
		case 0xf3: encoding->repeat = byte; break;
		case 0x64:
		case 0x65: encoding->segment = byte; break;
		/* no effect in 64-bit mode; one of them after fs or gs does not take that back */
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: break;
		default: return byte;
		}
		if (reader->failed)
			return 0;
	}
}

static const uint8_t implied_prefixes[4] = { 0, 0x66, 0xf3, 0xf2 };

static void take_vex2(struct reader *reader, struct encoding *encoding, struct extension *extension)
{
	uint8_t payload = take_byte(reader);

	encoding->kind = ENCODING_VEX;
	encoding->map = MAP_0F;
	extension->reg = payload & 0x80 ? 0 : 8;
	encoding->vvvv = ~payload >> 3 & 0xf;
	encoding->length_bits = payload >> 2 & 1;
	encoding->implied_prefix = implied_prefixes[payload & 3];
}

/* VEX of three bytes, and XOP, which has the same layout. */
static void take_vex3(struct reader *reader, struct encoding *encoding, struct extension *extension)
{
	uint8_t first = take_byte(reader);
	uint8_t second = take_byte(reader);

	encoding->map = first & 0x1f;
	extension->reg = first & 0x80 ? 0 : 8;
	extension->index = first & 0x40 ? 0 : 8;
	extension->base = first & 0x20 ? 0 : 8;
	encoding->wide = second & 0x80;
	encoding->vvvv = ~second >> 3 & 0xf;
	encoding->length_bits = second >> 2 & 1;
	encoding->implied_prefix = implied_prefixes[second & 3];
}

static void take_evex(struct reader *reader, struct encoding *encoding, struct extension *extension)
{
	uint8_t first = take_byte(reader);
	uint8_t second = take_byte(reader);
	uint8_t third = take_byte(reader);

	encoding->kind = ENCODING_EVEX;
	encoding->map = first & 7;
	extension->reg = (first & 0x80 ? 0 : 8) + (first & 0x10 ? 0 : 16);
	/* APX: bit 3 of the first byte is B4, bit 2 of the second is X4 inverted; both are reserved at these
	 * values before */
	extension->index = (first & 0x40 ? 0 : 8) + (second & 4 ? 0 : 16);
	extension->base = (first & 0x20 ? 0 : 8) + (first & 8 ? 16 : 0);
	extension->vector_rm = (first & 0x20 ? 0 : 8) + (first & 0x40 ? 0 : 16);
	encoding->wide = second & 0x80;
	encoding->vvvv = (~second >> 3 & 0xf) + (third & 8 ? 0 : 16);
	encoding->implied_prefix = implied_prefixes[second & 3];
	extension->vector_index = (first & 0x40 ? 0 : 8) + (third & 8 ? 0 : 16);
	encoding->length_bits = third >> 5 & 3;
	encoding->mask = third & 7;
	encoding->broadcast = third & 0x10;
}

static void take_rex2(struct reader *reader, struct encoding *encoding, struct extension *extension)
{
	uint8_t payload = take_byte(reader);

	encoding->kind = ENCODING_REX2;
	encoding->map = payload & 0x80 ? MAP_0F : MAP_PRIMARY;
	encoding->rex = true;
	encoding->wide = payload & 8;
	extension->reg = (payload & 4 ? 8 : 0) + (payload & 0x40 ? 16 : 0);
	extension->index = (payload & 2 ? 8 : 0) + (payload & 0x20 ? 16 : 0);
	extension->base = (payload & 1 ? 8 : 0) + (payload & 0x10 ? 16 : 0);
}

/* Everything before the opcode; false if there is no such form. */
static bool take_opcode(struct reader *reader, struct encoding *encoding, struct extension *extension)
{
	uint8_t byte = take_prefixes(reader, encoding);

	if ((byte & 0xf0) == 0x40) {
		encoding->rex = true;
		encoding->wide = byte & 8;
		extension->reg = byte & 4 ? 8 : 0;
		extension->index = byte & 2 ? 8 : 0;
		extension->base = byte & 1 ? 8 : 0;
		byte = take_byte(reader);
		/* a REX prefix that is not the last prefix is ignored; compilers do not write it, and it is
		 * not taken here */
	} else if (byte == 0xd5) {
		take_rex2(reader, encoding, extension);
		encoding->opcode = take_byte(reader);
		return true;
	} else if (byte == 0xc5) {
		take_vex2(reader, encoding, extension);
		encoding->opcode = take_byte(reader);
		return true;
	} else if (byte == 0xc4) {
		encoding->kind = ENCODING_VEX;
		take_vex3(reader, encoding, extension);
		encoding->opcode = take_byte(reader);
		return encoding->map >= MAP_0F && encoding->map <= MAP_7 && encoding->map != MAP_APX;
	} else if (byte == 0x62) {
		take_evex(reader, encoding, extension);
		encoding->opcode = take_byte(reader);
		return encoding->map != MAP_PRIMARY;
	} else if (byte == 0x8f && reader->position < reader->size &&
		   (reader->bytes[reader->position] & 0x1f) >= 8) {
		encoding->kind = ENCODING_XOP;
		take_vex3(reader, encoding, extension);
		encoding->opcode = take_byte(reader);
		return encoding->map <= MAP_XOP_A;
	}
	if (byte == 0x0f) {
		byte = take_byte(reader);
		encoding->map = MAP_0F;
		if (byte == 0x38 || byte == 0x3a) {
			encoding->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
			byte = take_byte(reader);
		}
	}
	encoding->opcode = byte;
	return true;
}

/* The immediates of EVEX map 4 are those of the opcode that it promotes (APX specification, 3.1.3). */
static uint8_t apx_fields(uint8_t opcode)
{
	switch (opcode) {
	case 0x24: /* shld, shrd */
	case 0x2c:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1: return FIELD_MODRM | FIELD_BYTE;
	case 0x69:
	case 0x81: return FIELD_MODRM | FIELD_FULL;
	default: return FIELD_MODRM;
	}
}

static uint8_t fields_of(const struct encoding *encoding)
{
	bool vector = encoding->kind == ENCODING_VEX || encoding->kind == ENCODING_EVEX;

	switch (encoding->map) {
	case MAP_PRIMARY: return primary_fields[encoding->opcode];
	case MAP_0F:
		if (!vector)
			return map_0f_fields[encoding->opcode];
		if (encoding->opcode == 0x77)
			return encoding->kind == ENCODING_VEX ? FIELD_NONE : FIELD_INVALID;
		/* shuffles, shifts by a constant, compares; everything else has no immediate */
		if ((encoding->opcode >= 0x70 && encoding->opcode <= 0x73) || encoding->opcode == 0xc2 ||
		    (encoding->opcode >= 0xc4 && encoding->opcode <= 0xc6))
			return FIELD_MODRM | FIELD_BYTE;
		return FIELD_MODRM;
	case MAP_0F3A:
	case MAP_XOP_8: return FIELD_MODRM | FIELD_BYTE;
	case MAP_APX: return apx_fields(encoding->opcode);
	case MAP_7: /* urdmsr, uwrmsr, rdmsr and wrmsrns with an immediate number: opcodes f6 and f8, 32 bits
		     */
	case MAP_XOP_A: return FIELD_MODRM | FIELD_FULL;
	default: return FIELD_MODRM;
	}
}

static void take_memory(struct reader *reader, struct encoding *encoding, const struct extension *extension,
			uint8_t low)
{
	encoding->has_memory = true;
	encoding->base = low + extension->base;
	encoding->index = ENCODING_NONE;
	encoding->scale = 1;
	if (low == 4) {
		uint8_t sib = take_byte(reader);

		low = sib & 7;
		encoding->base = low + extension->base;
		encoding->scale = 1 << (sib >> 6);
		encoding->index = (sib >> 3 & 7) + extension->index;
		encoding->vector_index =
			(sib >> 3 & 7) +
			(encoding->kind == ENCODING_EVEX ? extension->vector_index : extension->index);
		if (encoding->index == 4)
			encoding->index = ENCODING_NONE;
		if (low == 5 && encoding->mod == 0)
			encoding->base = ENCODING_NONE;
	} else if (low == 5 && encoding->mod == 0) {
		encoding->base = ENCODING_NONE;
		encoding->rip_relative = true;
	}
	if (encoding->mod == 1) {
		encoding->displacement = take_signed(reader, 1);
		encoding->displacement_scaled = encoding->kind == ENCODING_EVEX && encoding->map != MAP_APX;
	} else if (encoding->mod == 2 || encoding->base == ENCODING_NONE) {
		encoding->displacement = take_signed(reader, 4);
	}
}

static void take_modrm(struct reader *reader, struct encoding *encoding, const struct extension *extension)
{
	uint8_t modrm = take_byte(reader);
	uint8_t low = modrm & 7;

	encoding->has_modrm = true;
	encoding->mod = modrm >> 6;
	encoding->reg = (modrm >> 3 & 7) + extension->reg;
	encoding->rm = low + extension->base;
	/* control and debug registers (0F 20 to 23) have no memory form, whatever mod says */
	bool always_register = encoding->map == MAP_0F && encoding->kind <= ENCODING_REX2 &&
			       encoding->opcode >= 0x20 && encoding->opcode <= 0x23;

	if (encoding->mod != 3 && !always_register)
		take_memory(reader, encoding, extension, low);
	else if (encoding->kind == ENCODING_EVEX && encoding->map != MAP_APX)
		encoding->rm = low + extension->vector_rm;
}

static unsigned int immediate_size(const struct encoding *encoding, uint8_t fields)
{
	bool narrow = encoding->operand_size_prefix ||
		      (encoding->map == MAP_APX && encoding->implied_prefix == 0x66);

	if (fields & FIELD_FULL)
		return narrow && !encoding->wide && encoding->map != MAP_XOP_A && encoding->map != MAP_7 ? 2
													 : 4;
	if (fields & FIELD_RELATIVE)
		return 4;
	if (fields & FIELD_WIDE)
		return encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;
	if (fields & FIELD_WORD)
		return 2;
	return fields & FIELD_BYTE ? 1 : 0;
}

static void take_immediate(struct reader *reader, struct encoding *encoding, uint8_t fields)
{
	bool apx = encoding->map == MAP_APX;

	/* test rm, imm: the only two of their group that have an immediate */
	if ((encoding->map == MAP_PRIMARY || apx) && (encoding->reg & 7) <= 1) {
		if (encoding->opcode == 0xf6)
			fields |= FIELD_BYTE;
		else if (encoding->opcode == 0xf7)
			fields |= FIELD_FULL;
	}
	if (fields & FIELD_ADDRESS) {
		encoding->displacement = take_signed(reader, encoding->address_size_prefix ? 4 : 8);
		if (encoding->address_size_prefix)
			encoding->displacement = (uint32_t)encoding->displacement;
		return;
	}
	encoding->immediate_size = immediate_size(encoding, fields);
	if (encoding->immediate_size)
		encoding->immediate = take_signed(reader, encoding->immediate_size);
	/* enter imm16, imm8 */
	if ((fields & FIELD_WORD) && (fields & FIELD_BYTE))
		take_byte(reader);
	/* SSE4a extrq and insertq take two immediate bytes (AMD APM vol. 4) */
	if (encoding->kind <= ENCODING_REX2 && encoding->map == MAP_0F && encoding->opcode == 0x78 &&
	    (encoding->operand_size_prefix || encoding->repeat == 0xf2))
		take_signed(reader, 2);
}

bool encoding_parse(const uint8_t *bytes, size_t size, struct encoding *encoding)
{
	struct reader reader = { .bytes = bytes, .size = size < INSN_LENGTH_MAX ? size : INSN_LENGTH_MAX };
	struct extension extension = { 0 };

	memset(encoding, 0, sizeof(*encoding));
	if (!take_opcode(&reader, encoding, &extension) || reader.failed)
		return false;
	uint8_t fields = fields_of(encoding);

	if (fields & FIELD_INVALID)
		return false;
	encoding->opcode_register = (encoding->opcode & 7) + extension.base;
	if (fields & FIELD_MODRM)
		take_modrm(&reader, encoding, &extension);
	take_immediate(&reader, encoding, fields);
	encoding->length = reader.position;
	return !reader.failed;
}
