/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many elements an array has, as DWARF says it: a subrange for each dimension. */
#ifndef DTPROF_DWARF_DWARF_ARRAY_H
#define DTPROF_DWARF_DWARF_ARRAY_H

#include "dwarf/dwarf_die.h"

/*
 * Elements over all dimensions; 0: not known, or none. dimensions[0..*dimension_count) are those of each, the
 * outermost first; there is room for TYPE_MAXIMUM_DIMENSIONS, and a count of 0 where there are more.
 */
uint64_t dwarf_array_elements(const struct die *array, uint64_t *dimensions, uint32_t *dimension_count);

#endif
