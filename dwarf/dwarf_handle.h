/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdw's handles on the files of an object.
 *
 * A `Dwarf` and all that comes out of it may be used by one thread at a time only, so each thread has a
 * handle of its own on each file, which is made when the thread first reads a DIE of it. All handles of a
 * file read the same image (struct dwarf_sections), so that they cost the abbreviations of the units that
 * were read, and no more. Strings and blocks lie in that image and outlive the handles.
 */
#ifndef DTPROF_DWARF_DWARF_HANDLE_H
#define DTPROF_DWARF_DWARF_HANDLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "dwarf/dwarf_unit.h"

struct dwarf_handle;

/* A unit as a handle knows it. */
struct unit_root {
	Dwarf_Die die; /* addr NULL: libdw cannot read the unit */
	bool used;
};

/* A handle that no thread has, for who sees to it himself that one at a time uses it. Never NULL. */
struct dwarf_handle *dwarf_handle_create(struct dwarf_file *file);
void dwarf_handle_destroy(struct dwarf_handle *handle);
/* A unit's root DIE; NULL: libdw cannot read the unit. Lives as long as the handle. */
struct unit_root *dwarf_handle_root(struct dwarf_handle *handle, const struct unit *unit);

/* libdw on a whole file, in the calling thread's handle; NULL: libdw cannot read it. */
Dwarf *dwarf_file_libdw(struct dwarf_file *file);
/* A unit in the calling thread's handle. Both are good until the thread calls
 * dwarf_handles_trim(). */
struct unit_root *dwarf_unit_root(const struct unit *unit);

/*
 * Closes the calling thread's handles if they have read many units: libdw never frees what it knows of one,
 * and a kernel has thousands. For a thread that holds no DIE. The next DIE opens them again.
 */
void dwarf_handles_trim(struct dwarf_files *files);

/* Closes those of all threads. */
void dwarf_file_close_handles(struct dwarf_file *file);

#endif
