/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables (DWARF 5, section 6.2), one a unit, read when first asked for. */
#ifndef DTPROF_DWARF_DWARF_LINE_H
#define DTPROF_DWARF_DWARF_LINE_H

#include "dwarf/dwarf_unit.h"
#include "profiler/base/memory.h"

struct line_row {
	uint64_t address;
	uint32_t file; /* index in files; UINT32_MAX: no line from here on */
	uint32_t line;
};

struct line_table {
	struct line_row *rows; /* sorted by address */
	size_t row_count;
	const char **files; /* whole paths */
	size_t file_count;
	uint64_t first_file; /* the number of files[0]: 1 before DWARF 5 */
	struct arena arena;
};

/* Never NULL; what cannot be read is not in it. */
struct line_table *line_table_read(const struct unit *unit);
void line_table_destroy(struct line_table *table);

/* The file of a number (DW_AT_call_file, DW_AT_decl_file); NULL: there is none. */
const char *line_table_file(const struct line_table *table, uint64_t number);

/* False: the table does not know the address. */
bool line_table_find(const struct line_table *table, uint64_t address, const char **file, unsigned int *line);

#endif
