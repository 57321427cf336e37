// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses and the members that they go to: see place.h. */
#include "annotate/place_walk.h"

/* A member of `size` bytes `offset` bytes in front of the access; `between` others of its record, or at an
 * end of it. */
static bool holds(const struct type *type, int64_t offset, uint64_t size, bool between, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count;

	if (depth > PLACE_DEPTH_LIMIT || offset < 0)
		return false;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		int64_t element_size = element ? (int64_t)place_size(element) : 0;

		if (!element_size)
			return false;
		/* several of an array of scalars are copied together, but bytes are read in words as what
		 * lies in them: that may be all of the record, unless they have others around them (skb->cb)
		 */
		if (place_is_scalar(type_strip(element)) && offset % element_size == 0)
			return (element_size > 1 || size == 1 || between || depth > 1) &&
			       (!bare->size || offset + (int64_t)size <= (int64_t)bare->size);
		return holds(element, offset % element_size, size, between, depth + 1);
	}
	if (place_is_scalar(bare))
		return offset + (int64_t)size <= (int64_t)bare->size;
	const struct member *members = type_members_near(bare, offset, &count);

	for (size_t i = 0; i < count; i++) {
		int64_t start = members[i].offset, end = start + (int64_t)place_size(members[i].type);
		bool open_ended = type_strip(members[i].type)->kind == TYPE_ARRAY && end == start;

		/* bitfields share words as the compiler likes */
		if (members[i].bit_size)
			end = start + (members[i].bit_offset + members[i].bit_size + 7) / 8;
		if (offset >= start && (open_ended || offset < end) &&
		    (members[i].bit_size || holds(members[i].type, offset - start, size,
						  start && end < (int64_t)bare->size, depth + 1)))
			return true;
	}
	return false;
}

bool place_holds_access(const struct type *type, int64_t offset, uint64_t size)
{
	return holds(type, offset, size, false, 0);
}

static bool may_be_number(const struct type *type, int64_t offset, uint64_t size, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count;

	if (depth > PLACE_DEPTH_LIMIT || offset < 0)
		return false;
	if (place_is_scalar(bare))
		return !offset && bare->kind == TYPE_INTEGER && bare->size == size;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t element_size = element ? place_size(element) : 0;

		return element_size &&
		       may_be_number(element, offset % (int64_t)element_size, size, depth + 1);
	}
	const struct member *members = type_members_near(bare, offset, &count);

	for (size_t i = 0; i < count; i++)
		if (!members[i].bit_size && offset >= members[i].offset &&
		    offset < members[i].offset + (int64_t)place_size(members[i].type) &&
		    may_be_number(members[i].type, offset - members[i].offset, size, depth + 1))
			return true;
	return false;
}

bool place_may_be_number(const struct type *type, int64_t offset, uint64_t size)
{
	return may_be_number(type, offset, size, 0);
}

static bool is_nameless_struct(const struct member *member)
{
	const struct type *bare = type_strip(member->type);

	return !member->name && bare->kind == TYPE_STRUCT;
}

bool place_is_view(const struct type *outer, int64_t offset, const struct type *inner)
{
	const struct type *bare = type_strip(outer);
	size_t count;

	for (unsigned int depth = 0; depth < PLACE_DEPTH_LIMIT && type_is_record(bare); depth++) {
		const struct member *members = type_members_near(bare, offset, &count), *nameless = NULL;
		bool beside = false, here = false;

		for (size_t i = 0; i < count; i++) {
			if (members[i].offset != offset || members[i].bit_size)
				continue;
			here |= place_same_type(members[i].type, inner);
			beside |= is_nameless_struct(&members[i]) &&
				  place_size(members[i].type) >= place_size(inner);
			if (!members[i].name)
				nameless = &members[i];
		}
		if (here)
			return bare->kind == TYPE_UNION && beside;
		if (!nameless)
			return false;
		bare = type_strip(nameless->type);
		offset = 0;
	}
	return false;
}
