/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that do not come back: code behind them is not reached from them. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_NO_RETURN_H
#define DTPROF_ANNOTATE_NO_RETURN_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/debug.h"
#include "profiler/base/hash.h"

/* A function that calls, and what was found out of the functions of its object by their names. */
struct caller {
	const struct elf_image *image;
	struct debug_reader *reader;     /* NULL: no debug information */
	const struct function *function; /* NULL: none is known */
	uint64_t address;                /* in its code */
	struct hash_map *named;          /* address called -> enum named_return; of the image, begins empty */
};

enum named_return { NAMED_OTHER, NAMED_IMPORT, NAMED_NEVER_RETURNS };

/* The call of `target` (0: not known) that would return to `return_address`. */
bool call_never_returns(const struct caller *caller, uint64_t return_address, uint64_t target);

#endif
