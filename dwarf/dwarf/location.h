/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses that DIEs give: ranges of code, and where variables are (DWARF 5, sections 2.17 and
 * 2.6). */
#pragma once

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/expression.h"
#include "dwarf/types/function.h"

struct address_ranges {
	struct address_range *items;
	size_t count, capacity;
	/* list entries read so far, which is bounded: bad input may refer to one list often */
	size_t work;
};

/* Replaces the contents by the ranges of `die` (DW_AT_low_pc and DW_AT_high_pc, or DW_AT_ranges),
 * without empty and dropped ones. False: there are none. */
bool die_ranges(const struct die *die, struct address_ranges *ranges);

static inline void address_ranges_deinit(struct address_ranges *ranges)
{
	free(ranges->items);
	*ranges = (struct address_ranges){ 0 };
}

/* Appends the locations of an expression or a location list, sorted by low. */
void locations_of_attribute(const struct die *die, enum attribute_slot slot,
			    struct location_list *list);

/* A frame base (DW_AT_frame_base: what DW_OP_fbreg counts from; DWARF 5, section 3.3.5) that is not
 * the same throughout the function: in [low, high) it is the CFA or a register, plus a constant
 * (LOCATION_CFA, LOCATION_MEMORY). Zero-initialized is ready to use. The list owns its items. */
struct frame_base_list {
	struct location *items;
	size_t count, capacity;
};

void frame_base_list_deinit(struct frame_base_list *list);

/* Reads the frame base of a function's DIE. A base that is the same throughout is stored in the
 * function's `frame_base`. Otherwise `frame_base` is FRAME_BASE_NONE, and *list has what is known.
 * `locations` is only used as memory. */
void frame_base_read(const struct die *die, struct location_list *locations,
		     struct function *function, struct frame_base_list *list);

/* Converts the locations from `first` on that count from the frame base, by the bases in *list.
 * Locations are dropped where the base is not known. */
void frame_base_apply(const struct frame_base_list *list, struct location_list *locations,
		      size_t first);
