/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges of addresses of a DIE: DW_AT_low_pc and DW_AT_high_pc, or DW_AT_ranges in .debug_ranges or
 * .debug_rnglists. */
#ifndef DTPROF_DWARF_DWARF_RANGE_H
#define DTPROF_DWARF_DWARF_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/function.h"

struct address_ranges {
	struct address_range *items;
	size_t count;
	size_t capacity;
	size_t work; /* list entries read so far; bounded, because bad input may name one long list very
			often */
};

/* Replaces the contents by the ranges of `die`, in their order, without empty ones and those of code that the
 * linker dropped. Returns false if it has none. */
bool die_ranges(const struct die *die, struct address_ranges *ranges);

static inline void address_ranges_deinit(struct address_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct address_ranges){ 0 };
}

/* The section offset that an attribute of form DW_FORM_loclistx or rnglistx stands for; `base` is the unit's
 * of that section. */
bool unit_list_offset(const struct unit *unit, const struct dwarf_section_data *section, uint64_t base,
		      uint64_t index, uint64_t *offset);

#endif
