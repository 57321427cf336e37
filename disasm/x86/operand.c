// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands from an encoding: see operand.h. */
#include "disasm/x86/operand.h"

/* SDM vol. 2, table 2-2: the order of the encoding is not the order of DWARF. */
const uint8_t general_registers[32] = {
	REG_RAX,  REG_RCX,  REG_RDX,  REG_RBX,  REG_RSP,  REG_RBP,  REG_RSI,  REG_RDI,
	REG_R8,   REG_R9,   REG_R10,  REG_R11,  REG_R12,  REG_R13,  REG_R14,  REG_R15,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
};

/* Returns true if the address has a part in r16 to r31, or one that depends on the instruction. */
static bool is_untold(const struct encoding *encoding, uint8_t base, uint8_t index)
{
	return encoding->displacement_scaled || (base == REG_NONE && encoding->base != ENCODING_NONE) ||
	       (index == REG_NONE && encoding->index != ENCODING_NONE);
}

void memory_operand(const struct encoding *encoding, const struct insn *insn, struct operand *operand)
{
	uint8_t base = general_register(encoding->base);
	uint8_t index = general_register(encoding->index);

	*operand = (struct operand){
		.kind = OPERAND_MEMORY,
		.reg = REG_NONE,
		.base = base,
		.index = index,
		.scale = encoding->scale,
		.segment = segment_of(encoding),
		.absolute = encoding->base == ENCODING_NONE,
		.rip_relative = encoding->rip_relative,
		.value = encoding->displacement,
	};
	if (encoding->rip_relative)
		operand->value += (int64_t)(insn->address + insn->length);
	if (encoding->address_size_prefix && operand->absolute)
		operand->value = (uint32_t)operand->value;
	if (is_untold(encoding, base, index)) {
		operand->base = REG_NONE;
		operand->index = REG_NONE;
		operand->scale = 1;
		operand->absolute = false;
		operand->value = 0;
	}
}

void insn_add_operands(struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++)
		insn_add_operand(insn, &insn->operands[i]);
}
