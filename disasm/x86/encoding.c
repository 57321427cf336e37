// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses the form of an instruction: see encoding.h. Fields are read without checks, because there
 * are always READ_AHEAD bytes: near the end of the input they are a copy with zeros after it. The
 * length is compared with the input afterwards.
 */
#include "disasm/x86/encoding.h"

#include <string.h>

/* ---- the bytes after each opcode */

/* The parts of an instruction after its opcode. */
enum field {
	FIELD_NONE = 0,
	FIELD_MODRM = 1,
	FIELD_BYTE = 2,      /* an immediate byte */
	FIELD_FULL = 4,      /* an immediate of 2 or 4 bytes, by the operand size */
	FIELD_WORD = 8,      /* two bytes */
	FIELD_WIDE = 16,     /* 2, 4 or 8 bytes (mov r64, imm64) */
	FIELD_ADDRESS = 32,  /* a whole address (A0 to A3) */
	FIELD_RELATIVE = 64, /* four bytes whatever the prefixes say: near branches */
	FIELD_INVALID = 128,
};

/* The fields that follow each opcode. The entries of prefixes and escapes are not used. If only
 * some instructions of a group have an immediate, the entry has it. */
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
#define MW (M | W)
#define WB (W | B)

/* SDM vol. 2, table A-2. */
/* clang-format off */
static const uint8_t encoding_primary[256] = {
	/*         0    1    2    3    4    5    6    7    8    9    a    b    c    d    e    f */
	/* 0 */    M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   X,
	/* 1 */    M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   X,
	/* 2 */    M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   X,
	/* 3 */    M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   X,
	/* 4 */    X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,   X,
	/* 5 */    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
	/* 6 */    X,   X,   X,   M,   X,   X,   X,   X,   Z,   MZ,  B,   MB,  0,   0,   0,   0,
	/* 7 */    B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,
	/* 8 */    MB,  MZ,  X,   MB,  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 9 */    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   X,   0,   0,   0,   0,   0,
	/* a */    A,   A,   A,   A,   0,   0,   0,   0,   B,   Z,   0,   0,   0,   0,   0,   0,
	/* b */    B,   B,   B,   B,   B,   B,   B,   B,   V,   V,   V,   V,   V,   V,   V,   V,
	/* c */    MB,  MB,  W,   0,   X,   X,   MB,  MZ,  WB,  0,   W,   0,   0,   B,   X,   0,
	/* d */    M,   M,   M,   M,   X,   X,   X,   0,   M,   M,   M,   M,   M,   M,   M,   M,
	/* e */    B,   B,   B,   B,   B,   B,   B,   B,   R,   R,   X,   B,   0,   0,   0,   0,
	/* f */    X,   0,   X,   X,   0,   0,   MB,  MZ,  0,   0,   0,   0,   0,   0,   M,   M,
};
/* clang-format on */

/* SDM vol. 2, table A-3. */
/* clang-format off */
static const uint8_t encoding_map_0f[256] = {
	/*         0    1    2    3    4    5    6    7    8    9    a    b    c    d    e    f */
	/* 0 */    M,   M,   M,   M,   X,   0,   0,   0,   0,   0,   X,   0,   X,   M,   0,   MB,
	/* 1 */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 2 */    M,   M,   M,   M,   X,   X,   X,   X,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 3 */    0,   0,   0,   0,   0,   0,   X,   0,   X,   X,   X,   X,   X,   X,   X,   X,
	/* 4 */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 5 */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 6 */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 7 */    MB,  MB,  MB,  MB,  M,   M,   M,   0,   MW,  M,   X,   X,   M,   M,   M,   M,
	/* 8 */    R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,   R,
	/* 9 */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* a */    0,   0,   0,   M,   MB,  M,   X,   X,   0,   0,   0,   M,   MB,  M,   M,   M,
	/* b */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   MB,  M,   M,   M,   M,   M,
	/* c */    M,   M,   MB,  M,   MB,  MB,  MB,  M,   0,   0,   0,   0,   0,   0,   0,   0,
	/* d */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* e */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* f */    M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
};
/* clang-format on */

#undef WB
#undef M
#undef B
#undef Z
#undef W
#undef V
#undef A
#undef R
#undef X

/* ---- reading */

/* The bytes that may be read before the length is compared with the input: 15 up to the first that
 * is no prefix, 4 more of prefix and opcode, ModRM, SIB, 4 of displacement, and then an immediate
 * of 4, or, with an opcode of one byte, of 8. */
#define READ_AHEAD 32

struct reader {
	const uint8_t *next;
	const uint8_t *end; /* of what may be part of the instruction; `next` may pass it */
};

static inline uint8_t take_byte(struct reader *reader)
{
	return *reader->next++;
}

/* Takes `count` bytes (1, 2, 4, 8), little-endian as this machine is, and sign-extends them. */
static inline int64_t take_signed(struct reader *reader, unsigned int count)
{
	const uint8_t *bytes = reader->next;
	int16_t word;
	int32_t half;
	int64_t whole;

	reader->next += count;
	switch (count) {
	case 1: return (int8_t)*bytes;
	case 2: memcpy(&word, bytes, sizeof(word)); return word;
	case 4: memcpy(&half, bytes, sizeof(half)); return half;
	default: memcpy(&whole, bytes, sizeof(whole)); return whole;
	}
}

/* The upper bits that prefixes add to the register fields of ModRM and SIB. */
struct extension {
	uint8_t reg, index, base;
	uint8_t vector_index; /* EVEX: for the index of a gather */
	uint8_t vector_rm;    /* EVEX: the same for a vector register in rm, where X is bit 4 */
};

/* The meaning of a byte in a place where an opcode could be. */
enum lead {
	LEAD_OPCODE,
	LEAD_PREFIX,
	LEAD_REX,
	LEAD_REX2,
	LEAD_VEX2,
	LEAD_VEX3,
	LEAD_EVEX,
	LEAD_XOP
};

static const uint8_t leads[256] = {
	[0x26] = LEAD_PREFIX,
	[0x2e] = LEAD_PREFIX,
	[0x36] = LEAD_PREFIX,
	[0x3e] = LEAD_PREFIX,
	[0x40 ... 0x4f] = LEAD_REX,
	[0x62] = LEAD_EVEX,
	[0x64 ... 0x67] = LEAD_PREFIX,
	[0x8f] = LEAD_XOP,
	[0xc4] = LEAD_VEX3,
	[0xc5] = LEAD_VEX2,
	[0xd5] = LEAD_REX2,
	[0xf0] = LEAD_PREFIX,
	[0xf2 ... 0xf3] = LEAD_PREFIX,
};

/* Notes a legacy prefix (groups 1 to 4). */
static void note_prefix(uint8_t byte, struct encoding *encoding)
{
	switch (byte) {
	case 0x66: encoding->operand_size_prefix = true; break;
	case 0x67: encoding->address_size_prefix = true; break;
	case 0xf0: encoding->lock = true; break;
	case 0xf2:
	case 0xf3: encoding->repeat = byte; break;
	case 0x64:
	case 0x65: encoding->segment = byte; break;
	/* 26, 2e, 36, 3e have no effect in 64-bit mode, and do not cancel fs or gs before them */
	default: break;
	}
}

static void take_rex(uint8_t rex, struct encoding *encoding, struct extension *extension)
{
	encoding->rex = true;
	encoding->wide = rex & 8;
	extension->reg = (rex & 4) << 1;
	extension->index = (rex & 2) << 2;
	extension->base = (rex & 1) << 3;
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

/* Takes a VEX prefix of three bytes, or XOP, which has the same layout. */
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
	/* APX: bit 3 of the first byte is B4, bit 2 of the second is X4 inverted. Before APX both
	 * were reserved, with the values that stand for 0 here */
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

/* Takes the rest of a prefix with the map, and the opcode. False: there is no such form. */
static bool take_mapped(enum lead lead, struct reader *reader, struct encoding *encoding,
			struct extension *extension)
{
	bool valid = true;

	switch (lead) {
	case LEAD_REX2: take_rex2(reader, encoding, extension); break;
	case LEAD_VEX2: take_vex2(reader, encoding, extension); break;
	case LEAD_VEX3:
		encoding->kind = ENCODING_VEX;
		take_vex3(reader, encoding, extension);
		valid = encoding->map >= MAP_0F && encoding->map <= MAP_7 &&
			encoding->map != MAP_APX;
		break;
	case LEAD_EVEX:
		take_evex(reader, encoding, extension);
		valid = encoding->map != MAP_PRIMARY;
		break;
	default:
		encoding->kind = ENCODING_XOP;
		take_vex3(reader, encoding, extension);
		valid = encoding->map <= MAP_XOP_A;
		break;
	}
	encoding->opcode = take_byte(reader);
	return valid;
}

/* Parses everything up to the opcode. Returns false if there is no such form. */
static bool take_opcode(struct reader *reader, struct encoding *encoding,
			struct extension *extension)
{
	uint8_t byte = take_byte(reader);
	uint8_t rex = 0;

	/* a REX prefix counts only right before the opcode (SDM vol. 2, 2.2.1) */
	while (leads[byte] == LEAD_PREFIX || leads[byte] == LEAD_REX) {
		if (leads[byte] == LEAD_PREFIX)
			note_prefix(byte, encoding);
		rex = leads[byte] == LEAD_REX ? byte : 0;
		if (reader->next >= reader->end)
			return false;
		byte = take_byte(reader);
	}
	enum lead lead = leads[byte];

	/* 8f is pop, unless the next byte gives a map that only XOP has */
	if (lead == LEAD_XOP && (*reader->next & 0x1f) < MAP_XOP_8)
		lead = LEAD_OPCODE;
	if (lead != LEAD_OPCODE)
		return take_mapped(lead, reader, encoding, extension);
	if (rex)
		take_rex(rex, encoding, extension);
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

/* Returns the fields of an EVEX map 4 opcode, with its original's immediates (APX 3.1.3). */
static uint8_t apx_fields(uint8_t opcode)
{
	switch (opcode) {
	case 0x24: /* shld, shrd */
	case 0x2c:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0:
	case 0xc1:
	case 0xf6: return FIELD_MODRM | FIELD_BYTE;
	case 0x69:
	case 0x81:
	case 0xf7: return FIELD_MODRM | FIELD_FULL;
	default: return FIELD_MODRM;
	}
}

static uint8_t fields_of_vector(const struct encoding *encoding)
{
	switch (encoding->map) {
	case MAP_0F:
		if (encoding->opcode == 0x77)
			return encoding->kind == ENCODING_VEX ? FIELD_NONE : FIELD_INVALID;
		/* shuffles, shifts by a constant, compares; everything else has no immediate */
		if ((encoding->opcode >= 0x70 && encoding->opcode <= 0x73) ||
		    encoding->opcode == 0xc2 ||
		    (encoding->opcode >= 0xc4 && encoding->opcode <= 0xc6))
			return FIELD_MODRM | FIELD_BYTE;
		return FIELD_MODRM;
	case MAP_0F3A:
	case MAP_XOP_8: return FIELD_MODRM | FIELD_BYTE;
	case MAP_APX: return apx_fields(encoding->opcode);
	/* urdmsr, uwrmsr, rdmsr and wrmsrns (f6, f8) with a number of 32 bits */
	case MAP_7:
	case MAP_XOP_A: return FIELD_MODRM | FIELD_FULL;
	default: return FIELD_MODRM;
	}
}

static uint8_t fields_of(const struct encoding *encoding)
{
	if (encoding->kind > ENCODING_REX2)
		return fields_of_vector(encoding);
	switch (encoding->map) {
	case MAP_PRIMARY: return encoding_primary[encoding->opcode];
	case MAP_0F: return encoding_map_0f[encoding->opcode];
	case MAP_0F38: return FIELD_MODRM;
	default: return FIELD_MODRM | FIELD_BYTE;
	}
}

static void take_memory(struct reader *reader, struct encoding *encoding,
			const struct extension *extension, uint8_t low)
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
			(sib >> 3 & 7) + (encoding->kind == ENCODING_EVEX ? extension->vector_index
									  : extension->index);
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
		encoding->displacement_scaled =
			encoding->kind == ENCODING_EVEX && encoding->map != MAP_APX;
	} else if (encoding->mod == 2 || encoding->base == ENCODING_NONE) {
		encoding->displacement = take_signed(reader, 4);
	}
}

static void take_modrm(struct reader *reader, struct encoding *encoding,
		       const struct extension *extension)
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
		return narrow && !encoding->wide && encoding->map != MAP_XOP_A &&
				       encoding->map != MAP_7
			       ? 2
			       : 4;
	if (fields & FIELD_RELATIVE)
		return 4;
	if (fields & FIELD_WIDE)
		return encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;
	if (fields & FIELD_WORD)
		return 2;
	return fields & FIELD_BYTE ? 1 : 0;
}

/* Returns false for the members of group F6/F7 other than test, the only one with an immediate. */
static bool has_immediate(const struct encoding *encoding)
{
	return (encoding->opcode & 0xfe) != 0xf6 || (encoding->reg & 7) <= 1 ||
	       (encoding->map != MAP_PRIMARY && encoding->map != MAP_APX);
}

static void take_immediate(struct reader *reader, struct encoding *encoding, uint8_t fields)
{
	/* SSE4a extrq and insertq take two immediate bytes (AMD APM vol. 4), vmread none */
	if (fields == (FIELD_MODRM | FIELD_WORD)) {
		if (encoding->operand_size_prefix || encoding->repeat == 0xf2)
			take_signed(reader, 2);
		return;
	}
	if (!has_immediate(encoding))
		return;
	if (fields & FIELD_ADDRESS) {
		encoding->displacement = take_signed(reader, encoding->address_size_prefix ? 4 : 8);
		if (encoding->address_size_prefix)
			encoding->displacement = (uint32_t)encoding->displacement;
		return;
	}
	encoding->immediate_size = immediate_size(encoding, fields);
	encoding->immediate = take_signed(reader, encoding->immediate_size);
	/* enter imm16, imm8 */
	if ((fields & FIELD_WORD) && (fields & FIELD_BYTE))
		take_byte(reader);
}

bool encoding_parse(const uint8_t *bytes, size_t size, struct encoding *encoding)
{
	uint8_t copy[READ_AHEAD];
	struct extension extension = { 0 };
	size_t limit = size < INSN_LENGTH_MAX ? size : INSN_LENGTH_MAX;

	*encoding = (struct encoding){ 0 };
	if (size < READ_AHEAD) {
		memset(copy, 0, sizeof(copy));
		memcpy(copy, bytes, limit);
		bytes = copy;
	}

	struct reader reader = { .next = bytes, .end = bytes + limit };

	if (!take_opcode(&reader, encoding, &extension) || reader.next > reader.end)
		return false;
	uint8_t fields = fields_of(encoding);

	if (fields & FIELD_INVALID) {
		encoding->invalid =
			encoding->kind == ENCODING_LEGACY && encoding->map == MAP_PRIMARY;
		return false;
	}
	if (fields & FIELD_MODRM)
		take_modrm(&reader, encoding, &extension);
	else
		encoding->opcode_register = (encoding->opcode & 7) + extension.base;
	if (fields & ~FIELD_MODRM)
		take_immediate(&reader, encoding, fields);
	if (reader.next > reader.end) {
		encoding->immediate = 0; /* not all of it is there */
		return false;
	}
	encoding->length = reader.next - bytes;
	return true;
}

bool pattern_matches(const struct pattern *pattern, const struct encoding *encoding)
{
	if (pattern->map != encoding->map || encoding->opcode < pattern->first ||
	    encoding->opcode > pattern->last)
		return false;
	if (pattern->extension != ANY_EXTENSION &&
	    (!encoding->has_modrm || (encoding->reg & 7) != pattern->extension))
		return false;
	if (pattern->rm != ANY_RM && (encoding->rm & 7) != pattern->rm)
		return false;
	if (pattern->form == PATTERN_REGISTER && (!encoding->has_modrm || encoding->has_memory))
		return false;
	if (pattern->form == PATTERN_MEMORY && !encoding->has_memory)
		return false;
	if (pattern->prefix == 0x66)
		return encoding->operand_size_prefix && !encoding->repeat;
	if (pattern->prefix == PREFIX_NONE)
		return !encoding->operand_size_prefix && !encoding->repeat;
	return pattern->prefix == ANY_PREFIX || pattern->prefix == encoding->repeat;
}

bool encoding_is_invalid(const struct encoding *encoding)
{
	unsigned int extension = encoding->reg & 7;

	if (encoding->invalid)
		return true;
	if (encoding->kind != ENCODING_LEGACY || encoding->map != MAP_PRIMARY)
		return false;
	switch (encoding->opcode) {
	case 0xc6: /* mov; xabort and xbegin */
	case 0xc7: return extension && !(extension == 7 && encoding->mod == 3);
	case 0xfe: return extension > 1;
	case 0xff: return extension == 7;
	default: return false;
	}
}
