/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that are not called as the ABI has it: written in assembly, and called by inline assembly or by
 * what the compiler inserts, which say what they change.
 */
#ifndef DTPROF_ANNOTATE_CONVENTION_H
#define DTPROF_ANNOTATE_CONVENTION_H

#include <stdbool.h>
#include <stdint.h>

/* The registers (REG_BITs) that a call to the function of this name changes; false: those that the ABI has
 * it. */
bool convention_of(const char *name, bool kernel, uint64_t *clobbered);

#endif
