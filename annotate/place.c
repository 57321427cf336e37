// SPDX-License-Identifier: GPL-2.0-or-later
/* What lies at a place within a type, and which type holds which: see place.h. */
#include "annotate/place_walk.h"

const struct type *place_pointee(const struct type *type)
{
	type = type_strip(type);
	if (!type_is_pointer(type))
		return NULL;
	const struct type *object = type_target(type);

	if (!object)
		return NULL;
	object = type_canonical(object);
	const struct type *bare = type_strip(object);

	if (bare->kind == TYPE_VOID || bare->kind == TYPE_UNSPECIFIED || (bare->flags & TYPE_DECLARATION))
		return NULL;
	return object;
}

bool place_is_named_only(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return type_is_record(bare) && (bare->flags & TYPE_DECLARATION) && (bare->flags & TYPE_SCOPED);
}

bool place_same_type(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	a = type_strip(a);
	b = type_strip(b);
	if (a == b)
		return true;
	if (type_is_pointer(a) && type_is_pointer(b)) {
		const struct type *target_a = type_target(a);
		const struct type *target_b = type_target(b);

		return target_a && target_b && type_strip(target_a) == type_strip(target_b);
	}
	return false;
}

/* *element_of_array tells whether it is one of an array's. */
static bool contains(const struct type *outer, int64_t offset, const struct type *inner, unsigned int depth,
		     bool *element_of_array)
{
	outer = type_strip(outer);
	if (depth && offset == 0 && place_same_type(outer, inner))
		return true;
	if (depth > PLACE_DEPTH_LIMIT || offset < 0)
		return false;
	if (outer->kind == TYPE_ARRAY) {
		const struct type *element = type_target(outer);
		uint64_t size = element ? place_size(element) : 0;

		*element_of_array = size && offset % (int64_t)size == 0 && place_same_type(element, inner);
		return size && contains(element, offset % (int64_t)size, inner, depth + 1, element_of_array);
	}
	if (!type_is_record(outer))
		return false;
	size_t count;
	const struct member *members = type_members_near(outer, offset, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t size = place_size(members[i].type);
		int64_t start = members[i].offset;
		bool open_ended = place_is_open_ended(members[i].type);

		if (members[i].bit_size || offset < start ||
		    (!open_ended && offset >= start + (int64_t)(size ? size : 1)))
			continue;
		*element_of_array = false;
		if (contains(members[i].type, offset - start, inner, depth + 1, element_of_array))
			return true;
	}
	return false;
}

bool place_contains(const struct type *outer, int64_t offset, const struct type *inner)
{
	bool element = false;

	return contains(outer, offset, inner, 0, &element);
}

bool place_is_element(const struct type *outer, int64_t offset, const struct type *inner)
{
	bool element = false;

	return contains(outer, offset, inner, 0, &element) && element;
}

/* NULL candidate: none yet; `disagree` is sticky */
static void scalar_at(const struct type *type, int64_t offset, uint64_t size, unsigned int depth,
		      const struct type **found, bool *disagree)
{
	const struct type *bare = type_strip(type);

	if (depth > PLACE_DEPTH_LIMIT || offset < 0)
		return;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t element_size = element ? place_size(element) : 0;

		if (element_size)
			scalar_at(element, offset % (int64_t)element_size, size, depth + 1, found, disagree);
		return;
	}
	if (!type_is_record(bare)) {
		if (offset != 0 || bare->size != size)
			return;
		if (!*found)
			*found = type;
		else if (!place_same_type(*found, type)) {
			/* a pointer beside an integer is the pointer; two different pointers are neither */
			bool old_pointer = place_pointee(*found) != NULL;
			bool new_pointer = place_pointee(type) != NULL;

			if (old_pointer && new_pointer)
				*disagree = true;
			else if (new_pointer)
				*found = type;
		}
		return;
	}
	size_t count;
	const struct member *members = type_members_near(bare, offset, &count);

	for (size_t i = 0; i < count && !*disagree; i++) {
		uint64_t member_size = place_size(members[i].type);
		int64_t start = members[i].offset;
		bool open_ended = place_is_open_ended(members[i].type);

		if (members[i].bit_size || offset < start ||
		    (!open_ended && offset >= start + (int64_t)member_size))
			continue;
		scalar_at(members[i].type, offset - start, size, depth + 1, found, disagree);
	}
}

const struct type *place_scalar(const struct type *type, int64_t offset, uint64_t size)
{
	const struct type *found = NULL;
	bool disagree = false;

	scalar_at(type, offset, size, 0, &found, &disagree);
	return disagree ? NULL : found;
}

bool place_has_integer(const struct type *outer, int64_t offset, const struct type *integer)
{
	const struct type *member;

	integer = type_strip(integer);
	if (integer->kind != TYPE_INTEGER || !type_is_record(type_strip(outer)) || offset < 0)
		return false;
	member = place_scalar(outer, offset, integer->size);
	return member && type_strip(member)->kind == TYPE_INTEGER && !place_is_element(outer, offset, member);
}

/* Is a scalar of that size there, in any alternative of a union? */
static bool has_scalar(const struct type *type, int64_t offset, uint64_t size, bool *pointer)
{
	const struct type *found = NULL;
	bool disagree = false;

	scalar_at(type, offset, size, 0, &found, &disagree);
	*pointer = found && (disagree || type_strip(found)->kind == TYPE_POINTER);
	return found;
}

bool place_cuts_pointer(const struct type *type, int64_t offset, uint64_t size)
{
	bool pointer;

	if (offset < 0 || has_scalar(type, offset, size, &pointer))
		return false;
	for (int64_t width = 4; width <= 8; width *= 2)
		if (size < (uint64_t)width &&
		    has_scalar(type, offset - offset % width, (uint64_t)width, &pointer) && pointer)
			return true;
	return false;
}

const struct type *place_innermost_record(const struct type *type, int64_t offset)
{
	const struct type *record = NULL;

	for (unsigned int depth = 0; depth < PLACE_DEPTH_LIMIT; depth++) {
		const struct type *bare = type_strip(type), *inner = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			uint64_t size = element ? place_size(element) : 0;

			if (!size)
				return record;
			type = element;
			offset %= (int64_t)size;
			continue;
		}
		if (!type_is_record(bare))
			return record;
		record = bare;
		const struct member *members = type_members(bare, &count);
		int64_t start = 0;

		for (size_t i = 0; i < count; i++) {
			if (members[i].bit_size || offset < members[i].offset ||
			    offset >= members[i].offset + (int64_t)place_size(members[i].type))
				continue;
			if (inner && !place_same_type(inner, members[i].type))
				return NULL;
			inner = members[i].type;
			start = members[i].offset;
		}
		if (!inner)
			return record;
		type = inner;
		offset -= start;
	}
	return NULL;
}

bool place_in_header(const struct type *const *records, size_t count, const struct type *element,
		     int64_t offset, uint64_t size, struct place *place)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		size_t member_count;
		const struct member *members = type_members(records[i], &member_count);
		const struct member *last = &members[member_count - 1];
		const struct type *item = type_target(type_strip(last->type));
		int64_t at = last->offset + offset;

		if (at < 0 || !item || place_size(item) != place_size(element) ||
		    type_strip(item)->kind != type_strip(element)->kind ||
		    !place_scalar(records[i], at, size))
			continue;
		const struct type *record = type_canonical(records[i]);

		if (any && (place->type != record || place->offset != at))
			return false;
		*place = (struct place){ record, at };
		any = true;
	}
	return any;
}
