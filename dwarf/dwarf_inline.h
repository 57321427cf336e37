/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that were inlined at an address. Private to dwarf/: see debug_reader_inlined(). */
#ifndef DTPROF_DWARF_DWARF_INLINE_H
#define DTPROF_DWARF_DWARF_INLINE_H

#include "dwarf/debug.h"

struct address_ranges;

/* `ranges` is for the walk. Of more than `capacity` calls the innermost are left out. */
size_t dwarf_inlined_calls(struct debug_object *object, struct address_ranges *ranges, uint64_t address,
			   struct inlined_call *calls, size_t capacity);

#endif
