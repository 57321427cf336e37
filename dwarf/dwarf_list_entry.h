/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of range lists and location lists, which give their addresses in the same forms. */
#ifndef DTPROF_DWARF_DWARF_LIST_ENTRY_H
#define DTPROF_DWARF_DWARF_LIST_ENTRY_H

#include <stdint.h>

#include "dwarf/dwarf_die.h"
#include "profiler/base/cursor.h"

enum list_entry {
	LIST_ENTRY_END,     /* of the list; also of one that is damaged */
	LIST_ENTRY_NOTHING, /* changes the base, or has nothing of interest */
	LIST_ENTRY_RANGE,   /* [low, high) */
	LIST_ENTRY_DEFAULT, /* holds where no other entry does; location lists only */
};

/* A position in a list, and the base that its entries are relative to. */
struct list_reader {
	const struct unit *unit;
	struct cursor cursor;
	uint64_t base; /* at first the unit's low_pc */
	uint64_t low;  /* of the last LIST_ENTRY_RANGE */
	uint64_t high;
};

/* Starts reading the list at `offset` of a section. */
struct list_reader list_reader_at(const struct unit *unit, const struct dwarf_section_data *section,
				  uint64_t offset);
/* .debug_ranges and .debug_loc: DWARF 4, sections 2.17.3 and 2.6.2 */
enum list_entry list_read_pair(struct list_reader *reader);
/* .debug_rnglists: DWARF 5, section 7.25 */
enum list_entry list_read_range(struct list_reader *reader);
/* .debug_loclists: DWARF 5, section 7.29; the expression follows LIST_ENTRY_RANGE and LIST_ENTRY_DEFAULT */
enum list_entry list_read_location(struct list_reader *reader);
/* .debug_loc.dwo: the form of gcc's split DWARF 4 (gcc.gnu.org/wiki/DebugFission) */
enum list_entry list_read_split_location(struct list_reader *reader);

#endif
