// SPDX-License-Identifier: GPL-2.0-or-later
/* Operands of x86-64 instructions, for all decoders: see decoders.h. */
#include "base/memory.h"
#include "disasm/x86/decoders.h"

/* SDM vol. 2, table 2-2: the order of the encoding is not the order of DWARF. */
const uint8_t general_registers[32] = {
	REG_RAX,  REG_RCX,  REG_RDX,  REG_RBX,  REG_RSP,  REG_RBP,  REG_RSI,  REG_RDI,
	REG_R8,   REG_R9,   REG_R10,  REG_R11,  REG_R12,  REG_R13,  REG_R14,  REG_R15,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
	REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE, REG_NONE,
};

/* True if the address has an unknown part: r16 to r31, or an unknown displacement. */
static bool has_unknown_part(const struct encoding *encoding, uint8_t base, uint8_t index)
{
	return encoding->displacement_scaled ||
	       (base == REG_NONE && encoding->base != ENCODING_NONE) ||
	       (index == REG_NONE && encoding->index != ENCODING_NONE);
}

void memory_operand(const struct encoding *encoding, const struct insn *insn,
		    struct operand *operand)
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
		.pc_relative = encoding->rip_relative,
		.value = encoding->displacement,
	};
	if (encoding->rip_relative)
		operand->value += (int64_t)(insn->address + insn->length);
	if (encoding->address_size_prefix && operand->absolute)
		operand->value = (uint32_t)operand->value;
	if (has_unknown_part(encoding, base, index)) {
		operand->base = REG_NONE;
		operand->index = REG_NONE;
		operand->scale = 1;
		operand->absolute = false;
		operand->value = 0;
	}
}

void insn_add_operands(struct insn *insn)
{
	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		if (operand->kind == OPERAND_REGISTER) {
			insn->read |= (uint64_t)operand->read << operand->reg;
			insn->written |= (uint64_t)operand->write << operand->reg;
		} else if (operand->kind == OPERAND_MEMORY) {
			insn_add_address(insn, operand);
		}
	}
}
