/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do not come back: code behind them is not reached from them. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_NO_RETURN_H
#define DTPROF_ANNOTATE_NO_RETURN_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/debug.h"

/* `reader` may be NULL; `call` is the instruction, `target` 0 where it is not known. */
bool call_never_returns(const struct elf_image *image, struct debug_reader *reader, uint64_t call,
			uint64_t target);

#endif
