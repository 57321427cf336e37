/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location expressions and lists (DWARF 5, sections 2.5 and 2.6) as struct location: where a variable is.
 * Which forms are known is in dwarf/symbolic_value.h; the others are LOCATION_OTHER. */
#ifndef DTPROF_DWARF_DWARF_LOCATION_H
#define DTPROF_DWARF_DWARF_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/function.h"

struct location_list {
	struct location *items;
	size_t count;
	size_t capacity;
	size_t limit; /* no more than this many are taken */
	size_t work;  /* entries of lists read so far, which is bounded as well */
};

/*
 * Append what the expression says, valid in [low, high): one location, or one for each piece that is
 * somewhere; nothing for an empty expression (optimized out). LOCATION_IMPLICIT_POINTER has in offset2 the
 * reference of the DIE that it points to, for the caller to resolve, and variable = -1.
 */
void location_of_expression(const struct unit *unit, const uint8_t *expression, size_t size, uint64_t low,
			    uint64_t high, struct location_list *list);

/* Append all of an attribute: an expression or a location list; those appended are sorted by low. */
void locations_of_attribute(const struct die *die, enum attribute_slot slot, struct location_list *list);

/* Sort those from `first` on by low. */
void locations_sort(struct location_list *list, size_t first);

/* Whether the expression is one fixed place: LOCATION_ADDRESS or LOCATION_TLS. */
bool location_is_static(const struct unit *unit, const uint8_t *expression, size_t size,
			struct location *location);

#endif
