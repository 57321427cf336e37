/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supplementary file that dwz moves common debug information to (.gnu_debugaltlink). */
#ifndef DTPROF_DWARF_DWARF_ALT_H
#define DTPROF_DWARF_DWARF_ALT_H

#include "dwarf/dwarf_unit.h"

/* Open the one that `image`, whose sections are `file`, names, if it names one. Without it names and types
 * are missing everywhere, so where it is not found that is an error. */
struct error *dwarf_alt_open(struct dwarf_file *file, const struct elf_image *image);

/* NULL: there is none. */
static inline struct dwarf_file *dwarf_file_alt(const struct dwarf_file *file)
{
	return file->alt;
}

#endif
