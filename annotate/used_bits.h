/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bits of the accessed bytes the code uses or changes, as far as the instructions of the
 * block show it: bitfields in one byte are told apart by that. */
#ifndef DTPROF_ANNOTATE_USED_BITS_H
#define DTPROF_ANNOTATE_USED_BITS_H

#include "disasm/code.h"

/*
 * Returns the bits of `operand`, a memory operand of instruction `index`; bit 0 is the lowest of
 * its first byte. 0: all of them, or not known.
 *
 * For a load these are the bits that shifts, masks and tests leave of the value. If the value is
 * stored to the same memory again with some bits changed, they are the changed bits, for the load
 * and for the store.
 */
uint64_t used_bits(const struct code *code, uint32_t index, const struct operand *operand);

#endif
