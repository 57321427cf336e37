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

/* libdw on the whole image of one file. */
struct dwarf_handle {
	Elf *elf;
	Dwarf *dwarf; /* NULL: libdw cannot read the file */
};

/* Opens the image of `sections`, which must outlive the handle. */
void dwarf_handle_open(struct dwarf_handle *handle, const struct dwarf_sections *sections);
void dwarf_handle_close(struct dwarf_handle *handle);

/* The root DIE of a unit in the calling thread's handle; NULL: libdw cannot read the unit. Good until the
 * thread calls dwarf_handles_trim(). */
const Dwarf_Die *dwarf_handle_unit(const struct unit *unit);

/*
 * Closes the calling thread's handles if they have read many units: libdw never frees what it knows of one,
 * and a kernel has thousands. For a thread that holds no DIE. The next DIE opens them again.
 */
void dwarf_handles_trim(struct dwarf_files *files);

/* Closes those of all threads. */
void dwarf_file_close_handles(struct dwarf_file *file);

#endif
