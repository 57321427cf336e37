// SPDX-License-Identifier: GPL-2.0-or-later
/* System instructions: see system.h. Facts from the Intel SDM vol. 2 and the AMD APM vol. 3. */
#include "disasm/x86/system.h"

#include "disasm/x86/general_place.h"
#include "disasm/x86/operand.h"

#define RAX  REG_BIT(REG_RAX)
#define RDX  REG_BIT(REG_RDX)
#define RCX  REG_BIT(REG_RCX)
#define RBX  REG_BIT(REG_RBX)
#define ANY  (GENERAL_MASK & ~REG_BIT(REG_RSP))
#define EXIT UINT64_MAX /* control does not go on */

enum access { ACCESS_NONE, ACCESS_R, ACCESS_W, ACCESS_RW };

static void set_access(struct operand *operand, enum access access)
{
	operand->read = access == ACCESS_R || access == ACCESS_RW;
	operand->write = access == ACCESS_W || access == ACCESS_RW;
}

/* The one operand that ModRM's rm gives; size 0: not fixed, or more than 255 bytes. */
static void add_rm(const struct encoding *encoding, struct insn *insn, uint8_t size, enum access access)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	if (encoding->has_memory) {
		memory_operand(encoding, insn, operand);
	} else {
		*operand = (struct operand){ .base = REG_NONE,
					     .index = REG_NONE,
					     .reg = general_register(encoding->rm) };
		if (operand->reg == REG_NONE)
			return;
		operand->kind = OPERAND_REGISTER;
	}
	operand->size = size;
	set_access(operand, access);
}

static void add_reg(const struct encoding *encoding, struct insn *insn, uint8_t size, enum access access)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = (struct operand){ .base = REG_NONE,
				     .index = REG_NONE,
				     .reg = general_register(encoding->reg) };
	if (operand->reg == REG_NONE)
		return;
	operand->kind = OPERAND_REGISTER;
	operand->size = size;
	set_access(operand, access);
}

/* Memory that a general register points to (clzero, movdir64b). */
static void add_pointed(struct insn *insn, const struct encoding *encoding, uint8_t base, uint8_t size,
			enum access access)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	place_set_based(operand, base, 0, size);
	operand->segment = segment_of(encoding);
	set_access(operand, access);
}

/* 0F 01 with a register form: an instruction for each byte of ModRM. What is not listed may do anything. */
struct byte_effect {
	bool known;
	uint64_t read;
	uint64_t written;
};

static const struct byte_effect group7_effects[64] = {
	[0x04] = { true, 0, 0 },               /* vmxoff */
	[0x08] = { true, RAX | RCX | RDX, 0 }, /* monitor */
	[0x09] = { true, RAX | RCX, 0 },       /* mwait */
	[0x0a] = { true, 0, 0 },               /* clac */
	[0x0b] = { true, 0, 0 },               /* stac */
	[0x10] = { true, RCX, RAX | RDX },     /* xgetbv */
	[0x11] = { true, RAX | RCX | RDX, 0 }, /* xsetbv */
	[0x14] = { true, RAX | RCX, 0 },       /* vmfunc */
	[0x15] = { true, 0, 0 },               /* xend */
	[0x16] = { true, 0, 0 },               /* xtest */
	[0x1a] = { true, RAX, 0 },             /* vmload */
	[0x1b] = { true, RAX, 0 },             /* vmsave */
	[0x1c] = { true, 0, 0 },               /* stgi */
	[0x1d] = { true, 0, 0 },               /* clgi */
	[0x1f] = { true, RAX | RCX, 0 },       /* invlpga */
	[0x28] = { true, 0, 0 },               /* serialize, xsusldtrk, setssbsy */
	[0x29] = { true, 0, 0 },               /* xresldtrk */
	[0x2a] = { true, 0, 0 },               /* saveprevssp */
	[0x2c] = { true, 0, EXIT },            /* uiret */
	[0x2d] = { true, 0, 0 },               /* testui */
	[0x2e] = { true, RCX, RAX | RDX },     /* rdpkru; clui */
	[0x2f] = { true, RAX | RCX | RDX, 0 }, /* wrpkru; stui */
	[0x38] = { true, 0, 0 },               /* swapgs */
	[0x39] = { true, 0, RAX | RCX | RDX }, /* rdtscp */
	[0x3a] = { true, RAX | RCX | RDX, 0 }, /* monitorx; mcommit */
	[0x3b] = { true, RAX | RBX | RCX, 0 }, /* mwaitx */
	[0x3c] = { true, RAX, 0 },             /* clzero */
	[0x3d] = { true, RCX, RAX | RDX },     /* rdpru */
	[0x3e] = { true, RAX | RCX | RDX, 0 }, /* invlpgb */
	[0x3f] = { true, 0, 0 },               /* tlbsync */
};

static void decode_group7_register(const struct encoding *encoding, struct insn *insn)
{
	uint8_t number = (encoding->reg & 7) << 3 | (encoding->rm & 7);
	const struct byte_effect *effect = &group7_effects[number];

	if ((encoding->reg & 7) == 4) { /* smsw */
		add_rm(encoding, insn, encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4, ACCESS_W);
	} else if ((encoding->reg & 7) == 6) { /* lmsw */
		add_rm(encoding, insn, 2, ACCESS_R);
	} else if (!effect->known) {
		insn->read |= GENERAL_MASK;
		insn->written |= ANY;
	} else {
		insn->read |= effect->read;
		if (effect->written == EXIT)
			insn->operation = OP_TRAP;
		else
			insn->written |= effect->written;
		if (number == 0x3c) /* clzero: the line that rax points into */
			add_pointed(insn, encoding, REG_RAX, 64, ACCESS_W);
	}
}

static bool decode_group7(const struct encoding *encoding, struct insn *insn)
{
	if (!encoding->has_memory) {
		decode_group7_register(encoding, insn);
		return true;
	}
	switch (encoding->reg & 7) {
	case 0:
	case 1: add_rm(encoding, insn, 10, ACCESS_W); return true; /* sgdt, sidt */
	case 2:
	case 3: add_rm(encoding, insn, 10, ACCESS_R); return true;                     /* lgdt, lidt */
	case 4: add_rm(encoding, insn, 2, ACCESS_W); return true;                      /* smsw */
	case 5: add_rm(encoding, insn, 8, ACCESS_RW); return encoding->repeat == 0xf3; /* rstorssp */
	case 6: add_rm(encoding, insn, 2, ACCESS_R); return true;                      /* lmsw */
	default: add_rm(encoding, insn, 0, ACCESS_NONE); return true;                  /* invlpg */
	}
}

static void decode_group15_memory(const struct encoding *encoding, struct insn *insn)
{
	uint8_t word = encoding->wide ? 8 : 4;

	switch (encoding->reg & 7) {
	case 0: add_rm(encoding, insn, 0, ACCESS_W); return; /* fxsave: 512 bytes */
	case 1: add_rm(encoding, insn, 0, ACCESS_R); return;
	case 2: add_rm(encoding, insn, 4, ACCESS_R); return; /* ldmxcsr */
	case 3: add_rm(encoding, insn, 4, ACCESS_W); return;
	case 4:
		if (encoding->repeat == 0xf3) { /* ptwrite */
			add_rm(encoding, insn, word, ACCESS_R);
			return;
		}
		insn->read |= RAX | RDX;
		add_rm(encoding, insn, 0, ACCESS_RW); /* xsave: merges into the header */
		return;
	case 5:
		insn->read |= RAX | RDX;
		insn->written |= VECTOR_MASK;
		add_rm(encoding, insn, 0, ACCESS_R); /* xrstor */
		return;
	case 6:
		if (encoding->repeat == 0xf3) { /* clrssbsy */
			add_rm(encoding, insn, 8, ACCESS_RW);
		} else if (encoding->operand_size_prefix) { /* clwb */
			insn->operation = OP_NOP;
			add_rm(encoding, insn, 0, ACCESS_NONE);
		} else {
			insn->read |= RAX | RDX;
			add_rm(encoding, insn, 0, ACCESS_RW); /* xsaveopt */
		}
		return;
	default:
		insn->operation = OP_NOP; /* clflush, clflushopt */
		add_rm(encoding, insn, 0, ACCESS_NONE);
		return;
	}
}

static bool decode_group15(const struct encoding *encoding, struct insn *insn)
{
	uint8_t number = encoding->reg & 7;
	uint8_t size = encoding->wide ? 8 : 4;

	if (encoding->has_memory) {
		decode_group15_memory(encoding, insn);
		if (number == 1)
			insn->written |= VECTOR_MASK; /* fxrstor */
		return true;
	}
	if (encoding->repeat == 0xf3) {
		/* rdfsbase, rdgsbase, wrfsbase, wrgsbase, ptwrite, incssp, umonitor */
		add_rm(encoding, insn, size, number <= 1 ? ACCESS_W : ACCESS_R);
		return number != 7;
	}
	if (number == 6 && (encoding->operand_size_prefix || encoding->repeat == 0xf2)) {
		insn->read |= RAX | RDX;
		add_rm(encoding, insn, 4, ACCESS_R); /* tpause, umwait */
		return true;
	}
	insn->operation = OP_NOP; /* lfence, mfence, sfence */
	return number >= 5;
}

static bool decode_group9(const struct encoding *encoding, struct insn *insn)
{
	uint8_t number = encoding->reg & 7;
	uint8_t size = encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;

	if (!encoding->has_memory) {
		if (number < 6)
			return false;
		if (encoding->repeat == 0xf3) /* senduipi, rdpid */
			add_rm(encoding, insn, 8, number == 6 ? ACCESS_R : ACCESS_W);
		else /* rdrand, rdseed */
			add_rm(encoding, insn, size, ACCESS_W);
		return true;
	}
	switch (number) {
	case 3:
		insn->written |= VECTOR_MASK;
		insn->read |= RAX | RDX;
		add_rm(encoding, insn, 0, ACCESS_R); /* xrstors */
		return true;
	case 4:
	case 5:
		insn->read |= RAX | RDX;
		add_rm(encoding, insn, 0, ACCESS_RW); /* xsavec, xsaves */
		return true;
	case 6: add_rm(encoding, insn, 8, ACCESS_R); return true; /* vmptrld, vmclear, vmxon */
	case 7: add_rm(encoding, insn, 8, ACCESS_W); return true; /* vmptrst */
	default: return false;
	}
}

#define KEY_LOCKER_VECTORS (UINT64_C(0x7f) << REG_XMM0)

/* movbe; with F2 crc32, of which F0 takes a byte */
static bool decode_movbe(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = encoding->wide ? 8 : encoding->operand_size_prefix ? 2 : 4;

	if (encoding->repeat == 0xf2) {
		if (!encoding->has_memory && encoding->opcode == 0xf0)
			return false; /* of ah to dh or sil to dil: capstone knows */
		add_reg(encoding, insn, encoding->wide ? 8 : 4, ACCESS_RW);
		add_rm(encoding, insn, encoding->opcode == 0xf0 ? 1 : size, ACCESS_R);
	} else if (encoding->opcode == 0xf0) {
		add_reg(encoding, insn, size, ACCESS_W);
		add_rm(encoding, insn, size, ACCESS_R);
	} else {
		add_rm(encoding, insn, size, ACCESS_W);
		add_reg(encoding, insn, size, ACCESS_R);
	}
	return encoding->has_memory || encoding->repeat == 0xf2;
}

/* 0F 38 F0 to FC, beside adcx and adox */
static bool decode_map_0f38(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = encoding->wide ? 8 : 4;

	switch (encoding->opcode) {
	case 0x80:
	case 0x81:
	case 0x82: /* invept, invvpid, invpcid */
		add_reg(encoding, insn, 8, ACCESS_R);
		add_rm(encoding, insn, 16, ACCESS_R);
		return encoding->operand_size_prefix;
	case 0xf0:
	case 0xf1: return decode_movbe(encoding, insn);
	case 0xf5: /* wruss */
	case 0xf6: /* wrss; with other prefixes adcx and adox */
		add_rm(encoding, insn, size, ACCESS_W);
		add_reg(encoding, insn, size, ACCESS_R);
		return encoding->has_memory && !encoding->repeat &&
		       encoding->operand_size_prefix == (encoding->opcode == 0xf5);
	case 0xf8: /* movdir64b, enqcmd, enqcmds: 64 bytes to where the register points */
		add_pointed(insn, encoding, general_register(encoding->reg), 64, ACCESS_W);
		add_rm(encoding, insn, 64, ACCESS_R);
		insn->operands[0].segment = SEGMENT_NONE;
		return encoding->has_memory && (encoding->operand_size_prefix || encoding->repeat);
	case 0xf9: /* movdiri */
		add_rm(encoding, insn, size, ACCESS_W);
		add_reg(encoding, insn, size, ACCESS_R);
		if (insn->operands[1].kind == OPERAND_REGISTER)
			insn->operation = OP_MOVE;
		return encoding->has_memory && !encoding->operand_size_prefix && !encoding->repeat;
	case 0xfa:
	case 0xfb: /* encodekey128, encodekey256 */
		add_reg(encoding, insn, 4, ACCESS_W);
		add_rm(encoding, insn, 4, ACCESS_R);
		insn->read |= KEY_LOCKER_VECTORS;
		insn->written |= KEY_LOCKER_VECTORS;
		return !encoding->has_memory && encoding->repeat == 0xf3;
	case 0xfc: /* aadd, aand, aor, axor */
		add_rm(encoding, insn, size, ACCESS_RW);
		add_reg(encoding, insn, size, ACCESS_R);
		return encoding->has_memory;
	default: return false;
	}
}

static bool decode_by_opcode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->map == MAP_0F38)
		return decode_map_0f38(encoding, insn);
	switch (encoding->opcode) {
	case 0x01: return decode_group7(encoding, insn);
	case 0xae: return decode_group15(encoding, insn);
	case 0xc7: return decode_group9(encoding, insn);
	/* mov to and from control and debug registers */
	case 0x20:
	case 0x21: add_rm(encoding, insn, 8, ACCESS_W); return true;
	case 0x22:
	case 0x23: add_rm(encoding, insn, 8, ACCESS_R); return true;
	default: return false;
	}
}

bool system_decode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->kind > ENCODING_REX2 || (encoding->map != MAP_0F && encoding->map != MAP_0F38))
		return false;
	if (!decode_by_opcode(encoding, insn))
		return false;
	insn->flags |= FLAG_WRITES_FLAGS;
	insn_add_operands(insn);
	return true;
}
