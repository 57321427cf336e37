// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions that Zydis does not know: see decoders.h. Facts from the Intel SDM vol. 2. */
#include "disasm/x86/decoders.h"
#include "base/memory.h"

/* ---- younger than Zydis 4.0 */

/* VEX instructions of three vector registers, the first of which accumulates: AVX-VNNI-INT8 and
 * -INT16, AVX-IFMA. */
static bool accumulates_vectors(const struct encoding *encoding)
{
	uint8_t opcode = encoding->opcode;

	return encoding->kind == ENCODING_VEX && encoding->map == MAP_0F38 &&
	       ((opcode >= 0x50 && opcode <= 0x53) || opcode == 0xb4 || opcode == 0xb5 ||
		opcode == 0xd2 || opcode == 0xd3);
}

bool newer_decode(const struct encoding *encoding, struct insn *insn)
{
	struct operand *operands = insn->operands;
	uint8_t size = encoding->length_bits ? 32 : 16;
	/* aadd, aand, aor, axor */
	bool adds = encoding->kind <= ENCODING_REX2 && encoding->map == MAP_0F38 &&
		    encoding->opcode == 0xfc && encoding->has_memory &&
		    general_register(encoding->reg) != REG_NONE;

	if (!adds && !accumulates_vectors(encoding))
		return false;
	insn->operation = OP_OTHER;
	if (adds) {
		memory_operand(encoding, insn, &operands[0]);
		operands[0].size = encoding->wide ? 8 : 4;
		operands[0].read = operands[0].write = true;
		operands[1] =
			register_operand(general_register(encoding->reg), operands[0].size, true);
		insn->operand_count = 2;
	} else {
		operands[0] = register_operand(vector_register(encoding->reg), size, false);
		operands[0].read = true;
		operands[1] = register_operand(vector_register(encoding->vvvv), size, true);
		operands[2] = register_operand(vector_register(encoding->rm), size, true);
		if (encoding->has_memory) {
			memory_operand(encoding, insn, &operands[2]);
			operands[2].size = size;
			operands[2].read = true;
		}
		insn->operand_count = 3;
	}
	insn_add_operands(insn);
	return true;
}

/* ---- what nobody knows */

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
