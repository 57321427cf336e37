// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers of bytes in records, and what could be laid out in them: see place.h. */
#include "annotate/place_walk.h"

static bool is_byte(const struct type *bare)
{
	return bare->kind == TYPE_INTEGER && bare->size == 1;
}

/* In any alternative of a union. */
static bool in_buffer(const struct type *type, int64_t offset, uint64_t size, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count;

	if (depth > PLACE_DEPTH_LIMIT || offset < 0 || place_is_scalar(bare))
		return false;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t step = element ? place_size(element) : 0;

		if (!step || (uint64_t)offset + size > bare->size)
			return false;
		return is_byte(type_strip(element)) ||
		       in_buffer(element, offset % (int64_t)step, size, depth + 1);
	}
	const struct member *members = type_members_near(bare, offset, &count);

	for (size_t i = 0; i < count; i++) {
		int64_t start = members[i].offset;

		/* what ends before has no bytes there */
		if (!members[i].bit_size && offset >= start &&
		    (uint64_t)(offset - start) < place_size(members[i].type) &&
		    in_buffer(members[i].type, offset - start, size, depth + 1))
			return true;
	}
	return false;
}

/* Something wider than a byte that has the byte at `offset`, in some alternative of a union. */
static bool in_scalar(const struct type *type, int64_t offset)
{
	for (int64_t width = 2; width <= 8; width *= 2)
		if (place_scalar(type, offset - offset % width, (uint64_t)width))
			return true;
	return false;
}

bool place_in_buffer(const struct type *type, int64_t offset, uint64_t size)
{
	return in_buffer(type, offset, size, 0) && !in_scalar(type, offset);
}

/* Scalars of a record that are compared at most. */
#define SCALARS_MAXIMUM 64

struct fitting {
	const struct type *whole;
	unsigned int left; /* scalars that may still be looked at */
	bool buffered;     /* one of them lies in a buffer */
	bool shared;       /* and another does not */
};

/* Has the whole, at this place, the same scalars as `part`, or bytes? */
static bool fits(struct fitting *fitting, int64_t at, const struct type *part, unsigned int depth)
{
	const struct type *bare = type_strip(part), *scalar;
	size_t count;

	if (depth > PLACE_DEPTH_LIMIT || !fitting->left)
		return false;
	fitting->left--;
	if (place_in_buffer(fitting->whole, at, bare->size)) {
		fitting->buffered = true;
		return true;
	}
	if (place_is_scalar(bare)) {
		scalar = place_scalar(fitting->whole, at, bare->size);
		fitting->shared |= scalar != NULL;
		return scalar && place_same_type(scalar, bare);
	}
	if (bare->kind == TYPE_ARRAY)
		return false;
	const struct member *members = type_members(bare, &count);

	for (size_t i = 0; i < count; i++)
		if (!members[i].bit_size &&
		    !fits(fitting, at + members[i].offset, members[i].type, depth + 1))
			return false;
	return true;
}

bool place_lays_out(const struct type *whole, int64_t offset, const struct type *part)
{
	struct fitting fitting = { .whole = type_strip(whole), .left = SCALARS_MAXIMUM };
	uint64_t size = place_size(part);

	return type_is_record(fitting.whole) && type_is_record(type_strip(part)) && offset >= 0 && size &&
	       (uint64_t)offset + size <= fitting.whole->size && fits(&fitting, offset, part, 0) &&
	       fitting.buffered && fitting.shared;
}

bool place_keeps(const struct type *whole, int64_t offset, const struct type *part)
{
	uint64_t size = place_size(whole);

	/* a buffer up to the end is all of the record: what is cast is that, and nothing is kept in it */
	return size > place_size(part) && place_lays_out(whole, offset, part) &&
	       !place_in_buffer(whole, (int64_t)size - 1, 1);
}

bool place_unpacks(const struct type *type, const struct type *whole, int64_t offset, uint64_t size)
{
	return type_is_record(type_strip(type)) && !place_in_buffer(type, offset, size) &&
	       place_holds_access(type, offset, size) && place_lays_out(whole, 0, type);
}
