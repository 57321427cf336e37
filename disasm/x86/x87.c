// SPDX-License-Identifier: GPL-2.0-or-later
/* x87 instructions (D8 to DF), of which only the memory matters here: see system.h. SDM vol. 2, tables A-7 to
 * */
#include "disasm/x86/operand.h"
#include "disasm/x86/system.h"

#define STORE 0x80

/* Bytes of the memory operand by opcode and ModRM's reg; STORE: it is written. 0: no such instruction. */
static const uint8_t x87_memory[8][8] = {
	/* d8 */ { 4, 4, 4, 4, 4, 4, 4, 4 },
	/* d9 */ { 4, 0, STORE | 4, STORE | 4, 28, 2, STORE | 28, STORE | 2 },
	/* da */ { 4, 4, 4, 4, 4, 4, 4, 4 },
	/* db */ { 4, STORE | 4, STORE | 4, STORE | 4, 0, 10, 0, STORE | 10 },
	/* dc */ { 8, 8, 8, 8, 8, 8, 8, 8 },
	/* dd */ { 8, STORE | 8, STORE | 8, STORE | 8, 108, 0, STORE | 108, STORE | 2 },
	/* de */ { 2, 2, 2, 2, 2, 2, 2, 2 },
	/* df */ { 2, STORE | 2, STORE | 2, STORE | 2, 10, 8, STORE | 10, STORE | 8 },
};

bool x87_decode(const struct encoding *encoding, struct insn *insn)
{
	if (encoding->kind > ENCODING_REX2 || encoding->map != MAP_PRIMARY ||
	    (encoding->opcode & 0xf8) != 0xd8)
		return false;
	insn->flags |= FLAG_WRITES_FLAGS;
	if (encoding->has_memory) {
		uint8_t entry = x87_memory[encoding->opcode & 7][encoding->reg & 7];
		struct operand *operand = &insn->operands[0];

		if (!entry)
			return false;
		memory_operand(encoding, insn, operand);
		operand->size = entry & ~STORE;
		/* environment and state in their 16-bit layout */
		if (encoding->operand_size_prefix && operand->size >= 28)
			operand->size -= 14;
		operand->write = entry & STORE;
		operand->read = !operand->write;
		insn->operand_count = 1;
	} else if (encoding->opcode == 0xdf && (encoding->reg & 7) == 4 && (encoding->rm & 7) == 0) {
		insn->written |= REG_BIT(REG_RAX); /* fnstsw %ax */
	}
	insn_add_operands(insn);
	return true;
}
