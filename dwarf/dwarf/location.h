/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_LOCATION_H
#define DTPROF_DWARF_DWARF_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/expression.h"
#include "dwarf/types/function.h"

/* Ranges of addresses of a DIE: DW_AT_low_pc and DW_AT_high_pc, or DW_AT_ranges in .debug_ranges or
 * .debug_rnglists. */

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

/* Location expressions and lists (DWARF 5, sections 2.5 and 2.6) as struct location: where a variable is.
 * Which forms are known is in dwarf/dwarf/expression.h; the others are LOCATION_OTHER. */

/* Append all of an attribute: an expression or a location list; those appended are sorted by low. */
void locations_of_attribute(const struct die *die, enum attribute_slot slot, struct location_list *list);

/* DW_AT_frame_base (DWARF 5, section 3.3.5): what the offsets of DW_OP_fbreg count from. */

/*
 * Where the base is not the same throughout the function: in [low, high) it is the CFA or a register, plus a
 * constant (LOCATION_CFA, LOCATION_MEMORY). Zero-initialized is ready to use; the items are its own.
 */
struct frame_base_list {
	struct location *items;
	size_t count, capacity;
};

void frame_base_list_deinit(struct frame_base_list *list);

/* Read the base of a function's DIE. One that is the same throughout is the function's `frame_base`;
 * otherwise that is FRAME_BASE_NONE, and *list has what is known of it. `locations` is left as it was. */
void frame_base_read(const struct die *die, struct location_list *locations, struct function *function,
		     struct frame_base_list *list);

/* Say where what lies on the frame is without the base, for the locations from `first` on; where the base is
 * not known such a location is dropped. For functions without a `frame_base` that have a list. */
void frame_base_apply(const struct frame_base_list *list, struct location_list *locations, size_t first);

#endif
