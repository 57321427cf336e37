/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables (DWARF 5, section 6.2), one for each unit, read by libdw when first asked for. */
#ifndef DTPROF_DWARF_DWARF_LINE_H
#define DTPROF_DWARF_DWARF_LINE_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf_unit.h"

/* Belongs to the file's handle; needs no lock to be read. */
struct line_table {
	Dwarf_Lines *lines; /* sorted by address */
	size_t line_count;
	Dwarf_Files *files;
	size_t file_count;
};

/* The table of a prepared unit, allocated. Never NULL; what cannot be read is not in it. */
struct line_table *line_table_read(const struct unit *unit);

/* The file of a number (DW_AT_call_file, DW_AT_decl_file); NULL: there is none. */
const char *line_table_file(const struct line_table *table, uint64_t number);

/* False: the table does not know the address. */
bool line_table_find(const struct line_table *table, uint64_t address, const char **file, unsigned int *line);

#endif
