// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions on mask registers (AVX-512): logic, shifts and tests of masks, of which only moves touch
 * memory and general registers. capstone 4 knows those of 16 bits alone. SDM vol. 2, KMOVW/KMOVB/KMOVQ/KMOVD.
 */
#include "disasm/x86/evex.h"
#include "disasm/x86/operand.h"

static bool is_logic(uint8_t opcode)
{
	return (opcode >= 0x41 && opcode <= 0x4b) || opcode == 0x98 || opcode == 0x99;
}

/* Bytes of a mask: by the implied prefix and VEX.W */
static uint8_t mask_size(const struct encoding *encoding)
{
	if (encoding->implied_prefix == 0x66)
		return encoding->wide ? 4 : 1;
	return encoding->wide ? 8 : 2;
}

/* kmov from (92) and to (93) a general register, whose size has a prefix of its own */
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

bool mask_decode(const struct encoding *encoding, struct insn *insn)
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
