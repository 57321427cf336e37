/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands built from the fields of an encoding; shared by those who fill a struct insn. */
#ifndef DTPROF_DISASM_OPERAND_H
#define DTPROF_DISASM_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/encoding.h"
#include "disasm/insn.h"

#define GENERAL_MASK ((UINT64_C(1) << REG_GENERAL_COUNT) - 1)
#define VECTOR_MASK  (UINT64_C(0xffffffff) << REG_XMM0)

/* A general register as the encoding numbers it; REG_NONE for r16 to r31 (APX). */
uint8_t general_register(uint8_t number);
/* A vector register as the encoding numbers it, 0 to 31. */
uint8_t vector_register(uint8_t number);

/*
 * The memory operand that ModRM gives, size and access left 0. One whose address has a part that cannot be
 * told (a base in r16 to r31, a scaled displacement of an instruction that is not known) has no base and is
 * not absolute.
 */
void memory_operand(const struct encoding *encoding, const struct insn *insn, struct operand *operand);

/* Add to `read` and `written` what the operands say. */
void insn_add_operands(struct insn *insn);

#endif
