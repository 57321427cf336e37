/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables (DWARF 5, section 6.2), one for each unit, read by libdw when first asked for. */
#ifndef DTPROF_DWARF_DWARF_LINE_H
#define DTPROF_DWARF_DWARF_LINE_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf_unit.h"
#include "profiler/base/memory.h"

/* The lines belong to the file's handle. Needs no lock to be read. */
struct line_table {
	Dwarf_Lines *lines; /* sorted by address */
	size_t line_count;
	const char **files; /* whole paths; NULL: not a file */
	size_t file_count;
	struct arena arena;
};

/* The table of a prepared unit. Never NULL; what cannot be read is not in it. */
struct line_table *line_table_read(const struct unit *unit);
void line_table_destroy(struct line_table *table);

/* The file of a number (DW_AT_call_file, DW_AT_decl_file); NULL: there is none. */
const char *line_table_file(const struct line_table *table, uint64_t number);

/* False: the table does not know the address. */
bool line_table_find(const struct line_table *table, uint64_t address, const char **file, unsigned int *line);

#endif
