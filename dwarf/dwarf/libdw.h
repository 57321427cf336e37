/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdw's handle on a file, opened when it is first needed, and the line tables that libdw reads.
 *
 * libdw keeps all units, abbreviations and lines that it has read, so only one thread at a time may
 * let it read more: between dwarf_handle_lock() and dwarf_handle_unlock(). No other lock is taken
 * there. Its results stay valid, and the dwarf_form*() functions change nothing, so they need no
 * lock.
 */
#ifndef DTPROF_DWARF_DWARF_LIBDW_H
#define DTPROF_DWARF_DWARF_LIBDW_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf/unit.h"
#include "profiler/base/memory.h"

struct dwarf_handle {
	pthread_mutex_t lock;
	bool opened; /* atomic */
	Elf *elf;
	Dwarf *dwarf;     /* NULL: libdw cannot read the file */
	Dwarf_Die *roots; /* by the number of the unit; addr NULL: libdw cannot read the unit */
};

struct dwarf_handle *dwarf_handle_create(void);
void dwarf_handle_destroy(struct dwarf_handle *handle);

/* Returns the file's handle, opened. Never NULL; the caller unlocks it. */
struct dwarf_handle *dwarf_handle_lock(const struct dwarf_file *file);
void dwarf_handle_unlock(struct dwarf_handle *handle);

/* Returns the root DIE of a unit, or NULL if libdw cannot read it. Opens the handle if need be. */
static inline Dwarf_Die *dwarf_unit_root(const struct unit *unit)
{
	const struct dwarf_handle *handle = unit->file->handle;
	Dwarf_Die *root;

	if (!__atomic_load_n(&handle->opened, __ATOMIC_ACQUIRE))
		dwarf_handle_unlock(dwarf_handle_lock(unit->file));
	root = handle->roots ? &handle->roots[unit->number] : NULL;
	return root && root->addr ? root : NULL;
}

/* The line table of one unit (DWARF 5, section 6.2). The lines belong to the file's handle. Reading
 * it needs no lock. */
struct line_table {
	Dwarf_Lines *lines; /* sorted by address */
	size_t line_count;
	const char **files; /* whole paths; NULL: not a file */
	size_t file_count;
	struct arena arena;
};

/* Returns the table of a prepared unit. It is never NULL; lines that cannot be read are missing. */
struct line_table *line_table_read(const struct unit *unit);
void line_table_destroy(struct line_table *table);

/* Returns the file of a number (DW_AT_call_file, DW_AT_decl_file), or NULL. */
const char *line_table_file(const struct line_table *table, uint64_t number);

/* Finds the line of an address; false: the table does not have it. */
bool line_table_find(const struct line_table *table, uint64_t address, const char **file,
		     unsigned int *line);

#endif
