/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What walks down through the members of a type share. Private to place*.c. */
#ifndef DTPROF_ANNOTATE_PLACE_WALK_H
#define DTPROF_ANNOTATE_PLACE_WALK_H

#include "annotate/place.h"

/* Nesting of records and arrays that real programs stay far below; a cycle can only come from broken debug
 * information. */
#define PLACE_DEPTH_LIMIT 24

static inline bool place_is_scalar(const struct type *bare)
{
	return !type_is_record(bare) && bare->kind != TYPE_ARRAY;
}

/* Does a member without a size go on to the end of the object? An array of no elements, also as the only one
 * in a record (the kernel's DECLARE_FLEX_ARRAY). */
static inline bool place_is_open_ended(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return !bare->size && (bare->kind == TYPE_ARRAY || type_is_record(bare));
}

#endif
