/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bits of the bytes that an instruction accesses the code looks at or changes, where the instructions
 * of the same block show it: so that bitfields in one byte can be told apart.
 */
#ifndef DTPROF_ANNOTATE_USED_BITS_H
#define DTPROF_ANNOTATE_USED_BITS_H

#include "disasm/code.h"

/*
 * `operand` is a memory operand of instruction `index`. Bit 0 is the lowest of its first byte. 0: all of
 * them, or not known.
 *
 * Of a load, the bits that shifts, masks and tests leave of the value; of a load whose value is stored to the
 * same place again with some bits changed, and of that store, the bits that are changed.
 */
uint64_t used_bits(const struct code *code, uint32_t index, const struct operand *operand);

#endif
