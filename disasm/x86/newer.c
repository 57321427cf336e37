// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions that the installed capstone may not know: see decoders.h. Facts from the Intel SDM
 * vol. 2 and the AMD APM vol. 3.
 */
#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* encodekey128 and its relatives read and write xmm0 to xmm6 */
#define KEY_LOCKER (UINT64_C(0x7f) << REG_XMM0)

/* ---- legacy encodings */

/* The place of an operand. */
enum newer_place {
	WHERE_NONE,
	WHERE_RM,
	WHERE_REG,
	WHERE_POINTED, /* memory at the register in ModRM's reg */
	WHERE_RAX,     /* memory at rax */
};

enum newer_access { ACCESS_NONE, ACCESS_R, ACCESS_W, ACCESS_RW };

#define SIZE_WORD 0xff /* 4 bytes, with REX.W 8 */

struct newer_operand {
	uint8_t where;
	uint8_t size; /* bytes, SIZE_WORD, or 0: not fixed, or not accessed */
	uint8_t access;
};

struct newer_row {
	struct pattern pattern;
	uint8_t operation; /* enum operation */
	struct newer_operand operands[2];
	uint64_t read, written;
};

/* clang-format off */
#define MEM(map, opcode, prefix, reg) { map, opcode, opcode, reg, ANY_RM, PATTERN_MEMORY, prefix }
#define REG(map, opcode, prefix, reg) { map, opcode, opcode, reg, ANY_RM, PATTERN_REGISTER, prefix }
#define BYTE(prefix, reg, rm)         { MAP_0F, 0x01, 0x01, reg, rm, PATTERN_REGISTER, prefix }
#define RM(size, access)              { WHERE_RM, size, ACCESS_##access }
#define R(size, access)               { WHERE_REG, size, ACCESS_##access }

static const struct newer_row rows[] = {
	/* group 7 (0F 01) */
	{ MEM(MAP_0F, 0x01, 0xf3, 5), OP_OTHER, { RM(8, RW) }, 0, 0 },                       /* rstorssp */
	{ BYTE(PREFIX_NONE, 0, 6), OP_OTHER, { { 0 } }, RAX | RCX | RDX, 0 },                          /* wrmsrns */
	{ BYTE(0, 5, 0), OP_OTHER, { { 0 } }, 0, 0 },                                        /* serialize */
	{ BYTE(0xf2, 5, ANY_RM), OP_OTHER, { { 0 } }, 0, 0 },                                /* xsusldtrk ... */
	{ BYTE(0xf3, 5, 4), OP_TRAP, { { 0 } }, 0, 0 },                                      /* uiret */
	{ BYTE(0xf3, 5, ANY_RM), OP_OTHER, { { 0 } }, 0, 0 },                                /* setssbsy, testui ... */
	{ BYTE(0, 5, 6), OP_OTHER, { { 0 } }, RCX, RAX | RDX },                              /* rdpkru */
	{ BYTE(0, 5, 7), OP_OTHER, { { 0 } }, RAX | RCX | RDX, 0 },                          /* wrpkru */
	{ BYTE(ANY_PREFIX, 7, 2), OP_OTHER, { { 0 } }, RAX | RCX | RDX, 0 },                 /* monitorx, mcommit */
	{ BYTE(0, 7, 3), OP_OTHER, { { 0 } }, RAX | RBX | RCX, 0 },                          /* mwaitx */
	{ BYTE(0, 7, 4), OP_OTHER, { { WHERE_RAX, 64, ACCESS_W } }, RAX, 0 },                /* clzero */
	{ BYTE(0, 7, 5), OP_OTHER, { { 0 } }, RCX, RAX | RDX },                              /* rdpru */
	{ BYTE(ANY_PREFIX, 7, 6), OP_OTHER, { { 0 } }, RAX | RCX | RDX, 0 },                 /* invlpgb */
	{ BYTE(ANY_PREFIX, 7, 7), OP_OTHER, { { 0 } }, 0, 0 },                               /* tlbsync */
	/* prefetches: capstone 4 knows two of the group, and takes others for nop */
	{ MEM(MAP_0F, 0x0d, ANY_PREFIX, ANY_EXTENSION), OP_NOP, { RM(0, NONE) }, 0, 0 },
	{ MEM(MAP_0F, 0x18, ANY_PREFIX, 6), OP_NOP, { RM(0, NONE) }, 0, 0 },
	{ MEM(MAP_0F, 0x18, ANY_PREFIX, 7), OP_NOP, { RM(0, NONE) }, 0, 0 },
	/* rdssp: the register keeps its value without a shadow stack. capstone 4 says nop */
	{ REG(MAP_0F, 0x1e, 0xf3, 1), OP_OTHER, { RM(SIZE_WORD, RW) }, 0, 0 },
	/* group 15; capstone 4 does not see the prefixes: it says xsave, fences and others */
	{ MEM(MAP_0F, 0xae, 0xf3, 4), OP_OTHER, { RM(SIZE_WORD, R) }, 0, 0 },                /* ptwrite */
	{ REG(MAP_0F, 0xae, 0xf3, 4), OP_OTHER, { RM(SIZE_WORD, R) }, 0, 0 },
	{ REG(MAP_0F, 0xae, 0xf3, 5), OP_OTHER, { RM(SIZE_WORD, R) }, 0, 0 },                /* incssp */
	{ MEM(MAP_0F, 0xae, 0xf3, 6), OP_OTHER, { RM(8, RW) }, 0, 0 },                       /* clrssbsy */
	{ MEM(MAP_0F, 0xae, 0x66, 6), OP_NOP, { RM(0, NONE) }, 0, 0 },                       /* clwb */
	{ REG(MAP_0F, 0xae, 0xf3, 6), OP_OTHER, { RM(8, R) }, 0, 0 },                        /* umonitor */
	{ REG(MAP_0F, 0xae, 0x66, 6), OP_OTHER, { RM(4, R) }, RAX | RDX, 0 },                /* tpause */
	{ REG(MAP_0F, 0xae, 0xf2, 6), OP_OTHER, { RM(4, R) }, RAX | RDX, 0 },                /* umwait */
	/* group 9 */
	{ REG(MAP_0F, 0xc7, 0xf3, 6), OP_OTHER, { RM(8, R) }, 0, 0 },                        /* senduipi */
	{ REG(MAP_0F, 0xc7, 0xf3, 7), OP_OTHER, { RM(8, W) }, 0, 0 },                        /* rdpid */
	/* ud0 has ModRM */
	{ { MAP_0F, 0xff, 0xff, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OP_TRAP, { { 0 } }, 0, 0 },
	/* 0F 38 */
	{ MEM(MAP_0F38, 0xf5, 0x66, ANY_EXTENSION), OP_OTHER, { RM(SIZE_WORD, W), R(SIZE_WORD, R) }, 0, 0 }, /* wruss */
	{ MEM(MAP_0F38, 0xf6, PREFIX_NONE, ANY_EXTENSION), OP_OTHER, { RM(SIZE_WORD, W), R(SIZE_WORD, R) }, 0, 0 },    /* wrss */
	/* movdir64b, enqcmd, enqcmds: 64 bytes to where the register points */
	{ MEM(MAP_0F38, 0xf8, 0x66, ANY_EXTENSION), OP_OTHER, { { WHERE_POINTED, 64, ACCESS_W }, RM(64, R) }, 0, 0 },
	{ MEM(MAP_0F38, 0xf8, 0xf2, ANY_EXTENSION), OP_OTHER, { { WHERE_POINTED, 64, ACCESS_W }, RM(64, R) }, 0, 0 },
	{ MEM(MAP_0F38, 0xf8, 0xf3, ANY_EXTENSION), OP_OTHER, { { WHERE_POINTED, 64, ACCESS_W }, RM(64, R) }, 0, 0 },
	{ MEM(MAP_0F38, 0xf9, PREFIX_NONE, ANY_EXTENSION), OP_MOVE, { RM(SIZE_WORD, W), R(SIZE_WORD, R) }, 0, 0 },     /* movdiri */
	{ REG(MAP_0F38, 0xfa, 0xf3, ANY_EXTENSION), OP_OTHER, { R(4, W), RM(4, R) }, KEY_LOCKER, KEY_LOCKER }, /* encodekey128 */
	{ REG(MAP_0F38, 0xfb, 0xf3, ANY_EXTENSION), OP_OTHER, { R(4, W), RM(4, R) }, KEY_LOCKER, KEY_LOCKER }, /* encodekey256 */
	{ MEM(MAP_0F38, 0xfc, ANY_PREFIX, ANY_EXTENSION), OP_OTHER, { RM(SIZE_WORD, RW), R(SIZE_WORD, R) }, 0, 0 }, /* aadd ... */
	/* of kernels; every capstone knows them, and tests/disasm/test_fast.c compares */
	{ BYTE(PREFIX_NONE, 2, 0), OP_OTHER, { { 0 } }, RCX, RAX | RDX },                    /* xgetbv */
	{ BYTE(PREFIX_NONE, 7, 0), OP_OTHER, { { 0 } }, 0, 0 },                              /* swapgs */
	{ MEM(MAP_0F, 0x01, PREFIX_NONE, 7), OP_OTHER, { RM(0, NONE) }, 0, 0 },              /* invlpg */
	{ MEM(MAP_0F38, 0x82, 0x66, ANY_EXTENSION), OP_OTHER, { R(8, R), RM(16, R) }, 0, 0 }, /* invpcid */
	{ MEM(MAP_0F, 0xae, PREFIX_NONE, 0), OP_OTHER, { RM(0, W) }, 0, 0 },                 /* fxsave */
	{ MEM(MAP_0F, 0xae, PREFIX_NONE, 1), OP_OTHER, { RM(0, R) }, 0, VECTOR_MASK },       /* fxrstor */
	{ MEM(MAP_0F, 0xae, PREFIX_NONE, 4), OP_OTHER, { RM(0, RW) }, RAX | RDX, 0 },        /* xsave */
	{ MEM(MAP_0F, 0xae, PREFIX_NONE, 5), OP_OTHER, { RM(0, R) }, RAX | RDX, VECTOR_MASK }, /* xrstor */
	{ MEM(MAP_0F, 0xae, PREFIX_NONE, 6), OP_OTHER, { RM(0, RW) }, RAX | RDX, 0 },        /* xsaveopt */
	{ MEM(MAP_0F, 0xc7, PREFIX_NONE, 3), OP_OTHER, { RM(0, R) }, RAX | RDX, VECTOR_MASK }, /* xrstors */
	{ MEM(MAP_0F, 0xc7, PREFIX_NONE, 4), OP_OTHER, { RM(0, RW) }, RAX | RDX, 0 },        /* xsavec */
	{ MEM(MAP_0F, 0xc7, PREFIX_NONE, 5), OP_OTHER, { RM(0, RW) }, RAX | RDX, 0 },        /* xsaves */
	{ REG(MAP_0F, 0xae, PREFIX_NONE, 5), OP_NOP, { { 0 } }, 0, 0 },                      /* lfence */
	{ REG(MAP_0F, 0xae, PREFIX_NONE, 6), OP_NOP, { { 0 } }, 0, 0 },                      /* mfence */
	{ REG(MAP_0F, 0xae, PREFIX_NONE, 7), OP_NOP, { { 0 } }, 0, 0 },                      /* sfence */
	{ REG(MAP_0F, 0xae, 0xf3, 0), OP_OTHER, { RM(SIZE_WORD, W) }, 0, 0 },                /* rdfsbase */
	{ REG(MAP_0F, 0xae, 0xf3, 1), OP_OTHER, { RM(SIZE_WORD, W) }, 0, 0 },                /* rdgsbase */
	{ REG(MAP_0F, 0xae, 0xf3, 2), OP_OTHER, { RM(SIZE_WORD, R) }, 0, 0 },                /* wrfsbase */
	{ REG(MAP_0F, 0xae, 0xf3, 3), OP_OTHER, { RM(SIZE_WORD, R) }, 0, 0 },                /* wrgsbase */
	{ MEM(MAP_PRIMARY, 0xdb, ANY_PREFIX, 0), OP_OTHER, { RM(4, R) }, 0, 0 },             /* fild */
	{ { MAP_PRIMARY, 0xdb, 0xdb, 4, 2, PATTERN_REGISTER, ANY_PREFIX }, OP_OTHER, { { 0 } }, 0, 0 }, /* fnclex */
};
/* clang-format on */

static void set_access(struct operand *operand, enum newer_access access)
{
	operand->read = access == ACCESS_R || access == ACCESS_RW;
	operand->write = access == ACCESS_W || access == ACCESS_RW;
}

static void set_pointed(uint8_t base, struct operand *operand)
{
	operand->kind = OPERAND_MEMORY;
	operand->base = base;
	operand->scale = 1;
}

static void set_register(uint8_t reg, struct operand *operand)
{
	operand->reg = reg;
	operand->kind = reg == REG_NONE ? OPERAND_NONE : OPERAND_REGISTER;
}

static void add_row_operand(const struct encoding *encoding, const struct newer_operand *source,
			    struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = (struct operand){ .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };
	switch ((enum newer_place)source->where) {
	case WHERE_RM:
		if (encoding->has_memory)
			memory_operand(encoding, insn, operand);
		else
			set_register(general_register(encoding->rm), operand);
		break;
	case WHERE_REG: set_register(general_register(encoding->reg), operand); break;
	case WHERE_POINTED: set_pointed(general_register(encoding->reg), operand); break;
	default:
		set_pointed(REG_RAX, operand);
		operand->segment = segment_of(encoding);
		break;
	}
	/* REX2 can name a register that is not tracked */
	if (operand->kind == OPERAND_NONE) {
		if (insn->operation != OP_NOP)
			insn->operation = OP_OTHER;
		return;
	}
	operand->size = source->size == SIZE_WORD ? (encoding->wide ? 8 : 4) : source->size;
	set_access(operand, source->access);
}

static bool legacy_decode(const struct encoding *encoding, struct insn *insn)
{
	array_each (const struct newer_row, row, rows, COUNT_OF(rows)) {
		if (!pattern_matches(&row->pattern, encoding))
			continue;
		insn->operation = row->operation;
		insn->read |= row->read;
		insn->written |= row->written;
		for (unsigned int j = 0; j < 2 && row->operands[j].where != WHERE_NONE; j++)
			add_row_operand(encoding, &row->operands[j], insn);
		insn_add_operands(insn);
		return true;
	}
	return false;
}

/* ---- mask registers (AVX-512) */

/* True for logic, shifts and tests of masks. Only moves of masks touch memory and general
 * registers. capstone 4 knows those of 16 bits alone. SDM vol. 2, KMOVW/KMOVB/KMOVQ/KMOVD. */
static bool is_logic(uint8_t opcode)
{
	return (opcode >= 0x41 && opcode <= 0x4b) || opcode == 0x98 || opcode == 0x99;
}

/* Returns the bytes of a mask, from the implied prefix and VEX.W. */
static uint8_t mask_size(const struct encoding *encoding)
{
	if (encoding->implied_prefix == 0x66)
		return encoding->wide ? 4 : 1;
	return encoding->wide ? 8 : 2;
}

/* Decodes kmov from (92) and to (93) a general register, whose size has a prefix of its own. */
static void move_general(const struct encoding *encoding, struct insn *insn)
{
	bool to_general = encoding->opcode == 0x93;
	struct operand *operand = &insn->operands[!to_general];

	insn->operand_count = 2;
	*operand = (struct operand){
		.kind = OPERAND_REGISTER,
		.size = encoding->implied_prefix == 0xf2 && encoding->wide ? 8 : 4,
		.read = !to_general,
		.write = to_general,
		.reg = general_register(to_general ? encoding->reg : encoding->rm),
		.base = REG_NONE,
		.index = REG_NONE,
	};
}

static void move_memory(const struct encoding *encoding, struct insn *insn)
{
	bool store = encoding->opcode == 0x91;
	struct operand *operand = &insn->operands[!store];

	insn->operand_count = 2;
	memory_operand(encoding, insn, operand);
	operand->size = mask_size(encoding);
	operand->read = !store;
	operand->write = store;
}

static bool mask_decode(const struct encoding *encoding, struct insn *insn)
{
	uint8_t opcode = encoding->opcode;

	if (encoding->kind != ENCODING_VEX || !encoding->has_modrm)
		return false;
	insn->operation = OP_OTHER;
	if (encoding->map == MAP_0F3A && opcode >= 0x30 && opcode <= 0x33 && !encoding->has_memory)
		return true;
	if (encoding->map != MAP_0F)
		return false;
	if (is_logic(opcode) && !encoding->has_memory) {
		insn->flags |= FLAG_WRITES_FLAGS; /* kortest and ktest */
		return true;
	}
	if (opcode == 0x90 && !encoding->has_memory)
		return true;
	if ((opcode == 0x90 || opcode == 0x91) && encoding->has_memory)
		move_memory(encoding, insn);
	else if ((opcode == 0x92 || opcode == 0x93) && !encoding->has_memory)
		move_general(encoding, insn);
	else
		return false;
	insn_add_operands(insn);
	return true;
}

/* ---- what no table knows */

static uint64_t general_bit(uint8_t number)
{
	uint8_t reg = general_register(number);

	return reg == REG_NONE ? 0 : REG_BIT(reg);
}

/* True for opcodes of the vector maps that write general registers: moves and conversions out of
 * vector and mask registers, bit manipulation, conditional compare-and-add. Others write vector,
 * mask or tile registers, or memory (SDM vol. 2, appendix A; AVX10.2 specification). */
static bool writes_general(const struct encoding *encoding)
{
	uint8_t opcode = encoding->opcode;

	switch (encoding->map) {
	case MAP_0F:
	case MAP_5:
		return opcode == 0x2c || opcode == 0x2d || opcode == 0x50 || opcode == 0x68 ||
		       opcode == 0x69 || opcode == 0x6c || opcode == 0x6d || opcode == 0x6e ||
		       opcode == 0x78 || opcode == 0x79 || opcode == 0x7e || opcode == 0x92 ||
		       opcode == 0x93 || opcode == 0xc5 || opcode == 0xd7;
	case MAP_0F38: return opcode >= 0xe0 && opcode <= 0xf7;
	case MAP_0F3A: return (opcode >= 0x14 && opcode <= 0x17) || opcode == 0xf0;
	case MAP_6: return false;
	default: return true;
	}
}

/* True for conditional compare-and-add and bit manipulation, which have general registers only. */
static bool is_general_operation(const struct encoding *encoding)
{
	return encoding->map == MAP_0F38 && encoding->opcode >= 0xe0 && encoding->opcode <= 0xf7;
}

/* Returns the registers that a new legacy encoding may write. New ones are in maps 0F38 and 0F3A,
 * where all opcodes below F0 are for vectors; those of key locker write xmm0 to xmm7. */
static uint64_t writable_legacy(const struct encoding *encoding)
{
	bool vector = encoding->kind == ENCODING_LEGACY && encoding->opcode < 0xf0 &&
		      (encoding->map == MAP_0F38 ||
		       (encoding->map == MAP_0F3A && !writes_general(encoding)));

	if (!vector)
		return (X86_GENERAL & ~REG_BIT(REG_RSP)) | VECTOR_MASK;
	return REG_BIT(vector_register(encoding->reg)) |
	       (encoding->map == MAP_0F38 && encoding->opcode >= 0xd8 && encoding->opcode <= 0xdf
			? UINT64_C(0xff) << REG_XMM0
			: 0);
}

static uint64_t writable(const struct encoding *encoding)
{
	uint64_t written = 0;

	if (encoding->kind != ENCODING_VEX && encoding->kind != ENCODING_EVEX)
		return writable_legacy(encoding);
	if (encoding->map != MAP_APX && encoding->map != MAP_7 && !is_general_operation(encoding)) {
		written |= REG_BIT(vector_register(encoding->reg)) |
			   REG_BIT(vector_register(encoding->vvvv));
		if (!encoding->has_memory)
			written |= REG_BIT(vector_register(encoding->rm));
	}
	if (writes_general(encoding)) {
		written |= general_bit(encoding->reg) | general_bit(encoding->vvvv);
		if (!encoding->has_memory)
			written |= general_bit(encoding->rm);
	}
	/* vpcmpestri and the like write rcx or xmm0; some disassemblers lack EVEX.W and VEX.W */
	if (encoding->map == MAP_0F3A && encoding->opcode >= 0x60 && encoding->opcode <= 0x63)
		written |= REG_BIT(REG_RCX) | REG_BIT(REG_XMM0);
	/* map 4 has mul and div, which write rax and rdx, and pushes and pops of pairs */
	if (encoding->map == MAP_APX)
		written |= REG_BIT(REG_RAX) | REG_BIT(REG_RDX) | REG_BIT(REG_RCX) |
			   (encoding->opcode == 0xff || encoding->opcode == 0x8f ? REG_BIT(REG_RSP)
										 : 0);
	return written;
}

/* True for gathers and scatters (SDM vol. 2, 2.3.12): vector indexes, wider than SIB's. */
static bool has_vector_index(const struct encoding *encoding)
{
	return encoding->map == MAP_0F38 && encoding->kind >= ENCODING_VEX &&
	       ((encoding->opcode >= 0x90 && encoding->opcode <= 0x93) ||
		(encoding->opcode >= 0xa0 && encoding->opcode <= 0xa3) ||
		encoding->opcode == 0xc6 || encoding->opcode == 0xc7);
}

void unknown_decode(const struct encoding *encoding, struct insn *insn)
{
	insn->operation = OP_OTHER;
	insn->flags |= FLAG_UNKNOWN | FLAG_WRITES_FLAGS;
	insn->read = X86_GENERAL | VECTOR_MASK;
	if (!encoding) {
		insn->length = 1;
		insn->written = X86_GENERAL | VECTOR_MASK;
		return;
	}
	insn->written = writable(encoding);
	if (encoding->has_memory) {
		struct operand *operand = &insn->operands[insn->operand_count++];

		memory_operand(encoding, insn, operand);
		operand->read = true;
		operand->write = true;
		if (has_vector_index(encoding)) {
			operand->base = REG_NONE;
			operand->index = REG_NONE;
			operand->absolute = false;
			operand->pc_relative = false;
		}
	}
	insn_add_operands(insn);
}

bool newer_decode(const struct encoding *encoding, struct insn *insn)
{
	switch (encoding->kind) {
	case ENCODING_LEGACY:
	case ENCODING_REX2:
		return (encoding->map == MAP_0F || encoding->map == MAP_0F38 ||
			(encoding->map == MAP_PRIMARY && encoding->opcode == 0xdb)) &&
		       legacy_decode(encoding, insn);
	case ENCODING_VEX: return mask_decode(encoding, insn) || newer_vex_decode(encoding, insn);
	case ENCODING_EVEX: return evex_decode(encoding, insn);
	default: return false;
	}
}
