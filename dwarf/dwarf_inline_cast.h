/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inline functions that turn one pointer to a record into another, by unit; private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_INLINE_CAST_H
#define DTPROF_DWARF_DWARF_INLINE_CAST_H

#include <stddef.h>

#include "dwarf/dwarf_object.h"

/* Those that the unit inlines somewhere, in the order of its DIEs; found once a unit, then kept by the
 * object.
 */
const struct inline_cast *dwarf_inline_casts(struct debug_object *object, struct unit *unit, size_t *count);
void dwarf_inline_casts_deinit(struct debug_object *object);

#endif
