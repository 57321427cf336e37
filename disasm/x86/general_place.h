/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the operands of general-purpose instructions are: from places (see general.h) to operands. Where
 * nothing else is said, access is left to the caller. */
#ifndef DTPROF_DISASM_GENERAL_PLACE_H
#define DTPROF_DISASM_GENERAL_PLACE_H

#include <stdint.h>

#include "disasm/x86/encoding.h"
#include "disasm/x86/general.h"
#include "disasm/insn.h"

uint8_t place_operand_size(const struct encoding *encoding);
uint8_t place_stack_size(const struct encoding *encoding);

/* The operands that `entry` has places for, with their access, also as what the instruction reads and writes.
 */
void places_set(const struct encoding *encoding, const struct general_form_entry *entry, struct insn *insn);
/* Nothing if `reg` is REG_NONE: r16 to r31 are not tracked, the operand stays OPERAND_NONE. */
void place_set_register(struct operand *operand, uint8_t reg, uint8_t size);
void place_set_immediate(struct operand *operand, int64_t value, uint8_t size);
/* Memory at a register, as the implicit operands of stack and string instructions have it. */
void place_set_based(struct operand *operand, uint8_t base, int64_t displacement, uint8_t size);
/* Memory of `size` bytes, or the register that rm is, of `register_size` bytes, 2 to 8. */
void place_set_rm(const struct encoding *encoding, const struct insn *insn, struct operand *operand,
		  uint8_t size, uint8_t register_size);

#endif
