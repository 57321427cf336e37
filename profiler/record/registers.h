/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers in samples: perf's names and the bits of sample_regs_* (asm/perf_regs.h). */
#ifndef DTPROF_RECORD_REGISTERS_H
#define DTPROF_RECORD_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"

/* All general registers with the instruction pointer and the flags: what operands are made of. */
uint64_t registers_general(void);
/* A list of names, "ax,bx,ip"; NULL: registers_general(). An unknown name's error lists those that there are.
 */
struct error *registers_parse(const char *list, uint64_t *mask);
/* All names, separated by spaces, to be freed. */
char *registers_names(void);

#endif
