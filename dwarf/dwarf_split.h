/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Split DWARF: .dwo files beside the object, or all of them in one .dwp (DWARF 5, section 7.3; before that
 * gcc's fission).
 *
 * A skeleton unit in the main file names the file; its split unit has all the DIEs, and takes addresses (and
 * before DWARF 5 ranges) from the main file's sections.
 */
#ifndef DTPROF_DWARF_DWARF_SPLIT_H
#define DTPROF_DWARF_DWARF_SPLIT_H

#include "dwarf/dwarf_unit.h"

/* Find the split unit of a skeleton whose DW_AT_dwo_name is `name`; skeleton->split is NULL where it is not
 * found. Under the files' lock. */
void dwarf_split_attach(struct unit *skeleton, const char *name);

/* The type unit with a signature in a split file; NULL: none. */
struct unit *dwarf_split_type_unit(struct dwarf_file *file, uint64_t signature);

/* Unmap what dwarf_split_attach() mapped for a file. */
void dwarf_split_unmap(struct dwarf_file *file);

#endif
