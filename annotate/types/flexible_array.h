/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flexible arrays, and records that go on after their declared size. */
#pragma once

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
/* True if a member at the end of a record, or in a union, goes on to the end of the object: an
 * array of no elements, or a record that ends in one (the kernel's DECLARE_FLEX_ARRAY). */
bool field_goes_on(const struct type *record, const struct member *member);

/* Returns the member that ends in a flexible array of elements of `stride` bytes, the first of
 * which has the byte at `offset`, where further members of the record are. NULL: there is none. A
 * member that is itself an array of no elements only marks a place if its elements are bytes, or if
 * what follows has such elements. */
const struct member *flexible_in_middle(const struct type *record, int64_t offset, uint32_t stride);
/* The arrays that field_in_array() looks for. */
enum array_kind {
	ARRAY_ANY_STEP,    /* arrays whose element size divides the stride */
	ARRAY_OF_ELEMENTS, /* arrays whose elements are as large as the stride */
	ARRAY_WITH_SIZE,   /* the same, but none without a size */
};

/* True if such an array at any depth of the type, or the type itself, holds `offset`. */
bool field_in_array(const struct type *type, int64_t offset, uint32_t stride, enum array_kind kind);

/* True if the byte at `offset` of a record is in the member, or if the member goes on to it. */
static inline bool field_member_has(const struct type *record, const struct member *member,
				    int64_t offset)
{
	return offset >= member->offset && ((uint64_t)(offset - member->offset) < member->size ||
					    field_goes_on(record, member));
}
