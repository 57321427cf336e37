/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that end in a flexible array, by unit; private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_FLEXIBLE_H
#define DTPROF_DWARF_DWARF_FLEXIBLE_H

#include <stddef.h>

#include "dwarf/dwarf_object.h"

/* Those that the unit defines outside of functions, in the order of its DIEs; found once a unit, then kept by
 * the object. `unit` is prepared. */
const struct type *const *dwarf_flexible_records(struct debug_object *object, struct unit *unit,
						 size_t *count);
void dwarf_flexible_deinit(struct debug_object *object);

#endif
