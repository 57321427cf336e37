/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supplementary file that dwz moves common debug information to (.gnu_debugaltlink). */
#ifndef DTPROF_DWARF_DWARF_ALT_H
#define DTPROF_DWARF_DWARF_ALT_H

#include "dwarf/dwarf_unit.h"

/* NULL: there is none, or it cannot be used. Opened when first asked for; thread-safe. */
struct dwarf_file *dwarf_file_alt(struct dwarf_file *file);

#endif
