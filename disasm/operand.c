// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands from an encoding: see operand.h. */
#include "disasm/operand.h"

/* SDM vol. 2, table 2-2: the order of the encoding is not the order of DWARF. */
static const uint8_t general_registers[32] = {
	REG_RAX,  REG_RCX,  REG_RDX,  REG_RBX,  REG_RSP,  REG_RBP,  REG_RSI,  REG_RDI,
	REG_R8,   REG_R9,   REG_R10,  REG_R11,  REG_R12,  REG_R13,  REG_R14,  REG_R15,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
};

uint8_t general_register(uint8_t number)
{
	return general_registers[number & 31];
}

uint8_t vector_register(uint8_t number)
{
	return REG_XMM0 + (number & 31);
}

void memory_operand(const struct encoding *encoding, const struct insn *insn, struct operand *operand)
{
	uint8_t base = encoding->base == ENCODING_NONE ? REG_NONE : general_register(encoding->base);
	uint8_t index = encoding->index == ENCODING_NONE ? REG_NONE : general_register(encoding->index);
	bool untold = encoding->displacement_scaled ||
		      (encoding->base != ENCODING_NONE && base == REG_NONE) ||
		      (encoding->index != ENCODING_NONE && index == REG_NONE);

	*operand = (struct operand){
		.kind = OPERAND_MEMORY,
		.reg = REG_NONE,
		.base = base,
		.index = index,
		.scale = encoding->scale,
		.segment = !encoding->segment          ? SEGMENT_NONE
			   : encoding->segment == 0x64 ? SEGMENT_FS
						       : SEGMENT_GS,
		.absolute = encoding->base == ENCODING_NONE,
		.rip_relative = encoding->rip_relative,
		.value = encoding->displacement,
	};
	if (encoding->rip_relative)
		operand->value += (int64_t)(insn->address + insn->length);
	if (encoding->address_size_prefix && operand->absolute)
		operand->value = (uint32_t)operand->value;
	if (untold) {
		operand->base = REG_NONE;
		operand->index = REG_NONE;
		operand->scale = 1;
		operand->absolute = false;
		operand->value = 0;
	}
}

void insn_add_operands(struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_REGISTER) {
			if (operand->read)
				insn->read |= REG_BIT(operand->reg);
			if (operand->write)
				insn->written |= REG_BIT(operand->reg);
		} else if (operand->kind == OPERAND_MEMORY) {
			if (operand->base != REG_NONE)
				insn->read |= REG_BIT(operand->base);
			if (operand->index != REG_NONE)
				insn->read |= REG_BIT(operand->index);
		}
	}
}
