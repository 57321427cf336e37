/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that take long by themselves, whatever their operands waited for. */
#ifndef DTPROF_DISASM_OWN_TIME_H
#define DTPROF_DISASM_OWN_TIME_H

#include "disasm/x86/encoding.h"
#include "disasm/insn.h"

/* Returns why the instruction of this form takes time of its own, or OWN_TIME_NONE. */
enum own_time own_time_of(const struct encoding *encoding);

#endif
