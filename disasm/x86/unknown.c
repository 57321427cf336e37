// SPDX-License-Identifier: GPL-2.0-or-later
/* Conservative effects of instructions that no table knows: see unknown.h. */
#include "disasm/x86/unknown.h"

#include "disasm/x86/operand.h"

static uint64_t general_bit(uint8_t number)
{
	uint8_t reg = general_register(number);

	return reg == REG_NONE ? 0 : REG_BIT(reg);
}

/*
 * Opcodes of the vector maps that write general registers: moves and conversions out of vector and mask
 * registers, bit manipulation, conditional compare-and-add. All others of these maps write vector, mask or
 * tile registers, or memory (SDM vol. 2, appendix A; AVX10.2 specification).
 */
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

/* Conditional compare-and-add, bit manipulation: general registers only */
static bool is_general_operation(const struct encoding *encoding)
{
	return encoding->map == MAP_0F38 && encoding->opcode >= 0xe0 && encoding->opcode <= 0xf7;
}

/* New legacy encodings are in maps 0F38 and 0F3A: all below F0 are for vectors; key locker's write xmm0 to
 * xmm7. */
static uint64_t writable_legacy(const struct encoding *encoding)
{
	bool vector = encoding->kind == ENCODING_LEGACY && encoding->opcode < 0xf0 &&
		      (encoding->map == MAP_0F38 || (encoding->map == MAP_0F3A && !writes_general(encoding)));

	if (!vector)
		return (GENERAL_MASK & ~REG_BIT(REG_RSP)) | VECTOR_MASK;
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
		written |= REG_BIT(vector_register(encoding->reg)) | REG_BIT(vector_register(encoding->vvvv));
		if (!encoding->has_memory)
			written |= REG_BIT(vector_register(encoding->rm));
	}
	if (writes_general(encoding)) {
		written |= general_bit(encoding->reg) | general_bit(encoding->vvvv);
		if (!encoding->has_memory)
			written |= general_bit(encoding->rm);
	}
	/* vpcmpestri and its three neighbours write rcx or xmm0; with EVEX.W or VEX.W set not every
	 * disassembler knows them */
	if (encoding->map == MAP_0F3A && encoding->opcode >= 0x60 && encoding->opcode <= 0x63)
		written |= REG_BIT(REG_RCX) | REG_BIT(REG_XMM0);
	/* map 4 has mul and div, which write rax and rdx, and pushes and pops of pairs */
	if (encoding->map == MAP_APX)
		written |= REG_BIT(REG_RAX) | REG_BIT(REG_RDX) | REG_BIT(REG_RCX) |
			   (encoding->opcode == 0xff || encoding->opcode == 0x8f ? REG_BIT(REG_RSP) : 0);
	return written;
}

/* Gathers and scatters (SDM vol. 2, 2.3.12): the index is a vector, of which ModRM's form alone does not have
 * all bits. */
static bool has_vector_index(const struct encoding *encoding)
{
	return encoding->map == MAP_0F38 && encoding->kind >= ENCODING_VEX &&
	       ((encoding->opcode >= 0x90 && encoding->opcode <= 0x93) ||
		(encoding->opcode >= 0xa0 && encoding->opcode <= 0xa3) || encoding->opcode == 0xc6 ||
		encoding->opcode == 0xc7);
}

void unknown_decode(const struct encoding *encoding, struct insn *insn)
{
	insn->operation = OP_OTHER;
	insn->flags |= FLAG_UNKNOWN | FLAG_WRITES_FLAGS;
	insn->read = GENERAL_MASK | VECTOR_MASK;
	if (!encoding) {
		insn->length = 1;
		insn->written = GENERAL_MASK | VECTOR_MASK;
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
			operand->rip_relative = false;
		}
	}
	insn_add_operands(insn);
}
