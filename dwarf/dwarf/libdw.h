/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening a file: the headers of its units, and libdw's handle, which reads its line tables.
 *
 * libdw keeps all units, abbreviations and lines that it has read, so only one thread at a time may
 * let it read more: while it holds the handle's lock, and no other one. What was read stays valid.
 */
#pragma once

#include <elfutils/libdw.h>

#include "dwarf/dwarf/unit.h"
#include "base/memory.h"

struct dwarf_handle {
	pthread_mutex_t lock;
	Elf *elf;
	Dwarf *lines;             /* NULL: no line table was read, or it was closed again */
	size_t near_units;        /* the first units, whose root DIEs libdw may read */
	size_t line_count;        /* rows that `lines` has read */
	struct string_pool paths; /* of source files */
};

/* Opens the file, and fills in its units with what their headers say. Never NULL. */
struct dwarf_handle *dwarf_handle_open(struct dwarf_file *file);
void dwarf_handle_close(struct dwarf_handle *handle);

/* A row holds up to the next one. */
struct line_row {
	uint64_t address;
	uint32_t line;
	uint32_t file; /* LINE_END: the code ends here */
};

#define LINE_END UINT32_MAX

/* The line table of one unit (DWARF 5, 6.2). The file's handle has the paths. Needs no lock. */
struct line_table {
	struct line_row *rows; /* sorted by address */
	size_t row_count;
	const char **files; /* whole paths; NULL: not a file */
	size_t file_count;
};

/* Returns the table of a prepared unit, never NULL. Lines that cannot be read are missing in it. */
struct line_table *line_table_read(const struct unit *unit);
/* Returns a key that units have in common if their line tables are equal: of one place in the file,
 * and read from one folder. */
uint64_t line_table_key(const struct unit *unit);
void line_table_destroy(struct line_table *table);

/* Returns the file of a number (DW_AT_call_file, DW_AT_decl_file), or NULL. */
const char *line_table_file(const struct line_table *table, uint64_t number);

/* Returns the row that holds at an address, or NULL. Its file may not be one. */
const struct line_row *line_table_row(const struct line_table *table, uint64_t address);
/* Finds the line of an address; false: the table does not have it. */
bool line_table_find(const struct line_table *table, uint64_t address, const char **file,
		     unsigned int *line);
