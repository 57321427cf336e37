/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_DWARF_LIBDW_H
#define DTPROF_DWARF_DWARF_LIBDW_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf/unit.h"
#include "profiler/base/memory.h"

/*
 * libdw's handle on a file of an object, opened when it is first needed.
 *
 * libdw keeps what it has read (units, abbreviations, lines), so that only one thread at a time may have it
 * read more: between dwarf_handle_lock() and dwarf_handle_unlock(), under which nothing else is locked. What
 * it has given stays, and the dwarf_form*() functions change nothing: they need no lock.
 */

struct dwarf_handle {
	pthread_mutex_t lock;
	bool opened;
	Elf *elf;
	Dwarf *dwarf;     /* NULL: libdw cannot read the file */
	Dwarf_Die *roots; /* of the units by their number; addr NULL: libdw cannot read the unit */
};

struct dwarf_handle *dwarf_handle_create(void);
void dwarf_handle_destroy(struct dwarf_handle *handle);

/* The file's handle, opened; always to be unlocked. */
struct dwarf_handle *dwarf_handle_lock(const struct dwarf_file *file);
void dwarf_handle_unlock(struct dwarf_handle *handle);

/* The root DIE of a unit, of which the caller or an earlier reader had the lock; NULL: libdw cannot read it.
 */
static inline Dwarf_Die *dwarf_unit_root(const struct unit *unit)
{
	const struct dwarf_handle *handle = unit->file->handle;
	Dwarf_Die *root = handle->roots ? &handle->roots[unit->number] : NULL;

	return root && root->addr ? root : NULL;
}

/* Line tables (DWARF 5, section 6.2), one for each unit, read by libdw when first asked for. */

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
