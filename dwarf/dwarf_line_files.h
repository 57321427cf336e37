/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a line number program: how it is encoded, and its files (DWARF 5, section 6.2.4). */
#ifndef DTPROF_DWARF_DWARF_LINE_FILES_H
#define DTPROF_DWARF_DWARF_LINE_FILES_H

#include "dwarf/dwarf_line.h"
#include "dwarf/leb128.h"

struct line_header {
	uint16_t version;
	uint8_t offset_size;
	uint8_t minimum_length;
	uint8_t maximum_operations;
	int8_t line_base;
	uint8_t line_range; /* not 0 */
	uint8_t opcode_base;
	uint8_t opcode_lengths[256];
};

/* Reads the header at `offset` of .debug_line; fills in table->files, and sets *program to the instructions.
 * False: it cannot be read. */
bool line_header_read(const struct unit *unit, uint64_t offset, struct line_table *table,
		      struct line_header *header, struct cursor *program);

#endif
