/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that never return: to functions that are declared so, that are known by name, or whose code
 * has no way out. Private to annotate/. */
#pragma once

#include "disasm/insn.h"
#include "dwarf/debug.h"
#include "base/hash.h"

/* A function that calls others, and the object's functions that are known by name. */
struct caller {
	const struct elf_image *image;
	struct debug_reader *reader; /* NULL: no debug information */
	struct decoder *decoder;
	const struct function *function; /* NULL: none is known */
	uint64_t address;                /* of some instruction of the function */
	/* address that is called -> enum named_return; kept for the image, empty at first */
	struct hash_map *named;
};

enum named_return { NAMED_OTHER, NAMED_IMPORT, NAMED_NEVER_RETURNS };

/* True if a call of `target` (0: not known), which would return to `return_address`, never
 * returns. */
bool call_never_returns(const struct caller *caller, uint64_t return_address, uint64_t target);
/* The same for a call through the slot at this address. A slot says what is called only if nobody
 * but the dynamic linker writes it. */
bool call_through_never_returns(const struct caller *caller, uint64_t return_address,
				uint64_t slot);
