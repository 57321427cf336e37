/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flexible arrays, and records that go on after their declared size. */
#ifndef DTPROF_ANNOTATE_FLEXIBLE_ARRAY_H
#define DTPROF_ANNOTATE_FLEXIBLE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/types/type.h"

/* A flexible array ([] or [0]) that a record ends in. */
struct flexible_array {
	const struct type *element;
	int64_t offset; /* of the array in the record */
	uint64_t size;  /* of an element */
};

/* The most flexible arrays of one record: they are alternatives of unions. */
#define FLEXIBLE_ARRAYS_MAX 8

/* Finds the flexible arrays that a record ends in. Returns their number. */
size_t flexible_arrays_of(const struct type *record, struct flexible_array *arrays);
/* Returns the element of the flexible array that a record ends in; NULL if it ends in none. */
const struct type *flexible_element(const struct type *record);
/* True if a member of a record goes on to the end of the object: field_is_open_ended(), or a record
 * at the end that ends in a flexible array itself. */
bool field_goes_on(const struct type *record, const struct member *member);

#endif
