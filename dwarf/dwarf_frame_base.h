/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DW_AT_frame_base (DWARF 5, section 3.3.5): what the offsets of DW_OP_fbreg count from. */
#ifndef DTPROF_DWARF_DWARF_FRAME_BASE_H
#define DTPROF_DWARF_DWARF_FRAME_BASE_H

#include "dwarf/dwarf_location.h"

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
