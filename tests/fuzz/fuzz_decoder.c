// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are code: each must decode to something of a length that fits, with operands that make sense. */
#include <stdint.h>
#include <stdlib.h>

#include "disasm/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct insn *insn, size_t left)
{
	if (insn->length == 0 || insn->length > 15 || insn->length > left ||
	    insn->operand_count > INSN_OPERANDS)
		abort();
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_REGISTER && operand->reg >= REG_COUNT)
			abort();
		if (operand->kind == OPERAND_MEMORY && operand->base >= REG_COUNT &&
		    operand->base != REG_NONE)
			abort();
	}
	(void)insn_memory(insn, false);
	(void)insn_memory(insn, true);
	(void)operation_name(insn->operation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct decoder *decoder;
	const uint64_t base = 0x401000;
	struct insn insn;
	char text[64];

	if (!decoder) {
		struct error *error = decoder_create(&decoder);

		if (error)
			abort();
	}
	for (size_t offset = 0; offset < size; offset += insn.length) {
		decoder_decode(decoder, data + offset, size - offset, base + offset, &insn);
		check(&insn, size - offset);
		if (offset < 256)
			decoder_format(decoder, data + offset, size - offset, base + offset, text,
				       sizeof(text));
	}
	return 0;
}
