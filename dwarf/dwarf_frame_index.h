/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which FDEs and CIEs .eh_frame and .debug_frame have. Private to dwarf_frame.c. */
#ifndef DTPROF_DWARF_DWARF_FRAME_INDEX_H
#define DTPROF_DWARF_DWARF_FRAME_INDEX_H

#include "dwarf/dwarf_frame.h"

/*
 * Append those of the section to the table's entries and cies, in the order of the section; CIEs come before
 * their FDEs in what assemblers and linkers write. What is not understood is left out.
 */
void frame_index_section(struct frame_table *table, const struct dwarf_section_data *section, bool eh_frame);

#endif
