// SPDX-License-Identifier: GPL-2.0-or-later
/* Places within types: see place.h. */
#include "annotate/place.h"

/* Nesting of records and arrays that real programs stay far below; a cycle can only come from broken debug
 * information. */
#define DEPTH_LIMIT 24
/* Texts are read in words where one stands, or next to it; a word at a fixed place further on is a member of
 * some record. */
#define FAR_WORD 8

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

/* Does a member without a size go on to the end of the object? An array of no elements, also as the only one
 * in a record (the kernel's DECLARE_FLEX_ARRAY). */
static bool is_open_ended(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return !bare->size && (bare->kind == TYPE_ARRAY || type_is_record(bare));
}

/* *element_of_array tells whether it is one of an array's. */
static bool contains(const struct type *outer, int64_t offset, const struct type *inner, unsigned int depth,
		     bool *element_of_array)
{
	outer = type_strip(outer);
	if (depth && offset == 0 && place_same_type(outer, inner))
		return true;
	if (depth > DEPTH_LIMIT || offset < 0)
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
		bool open_ended = is_open_ended(members[i].type);

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

/* The array member, at any depth, whose elements are a multiple (or divisor) of `stride` and that holds
 * `offset`. */
static bool in_array(const struct type *type, int64_t offset, uint32_t stride, unsigned int depth)
{
	type = type_strip(type);
	if (depth > DEPTH_LIMIT || offset < 0)
		return false;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);
		uint64_t size = element ? place_size(element) : 0;

		if (!size)
			return false;
		return stride % size == 0 || in_array(element, offset % (int64_t)size, stride, depth + 1);
	}
	if (!type_is_record(type))
		return false;
	size_t count;
	const struct member *members = type_members_near(type, offset, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t size = place_size(members[i].type);
		int64_t start = members[i].offset;
		bool open_ended = is_open_ended(members[i].type);

		if (offset < start || (!open_ended && offset >= start + (int64_t)size))
			continue;
		if (in_array(members[i].type, offset - start, stride, depth + 1))
			return true;
	}
	return false;
}

/* The element of the flexible array that a record ends in; NULL: it does not. */
static const struct type *flexible_element(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	const struct type *array = count ? type_strip(members[count - 1].type) : NULL;

	return array && array->kind == TYPE_ARRAY && !array->size ? type_target(array) : NULL;
}

/* The flexible array at the end of a record ([], [0]), where offset + stride * x, at or past the end, falls
 * in it. */
static bool in_flexible_array(const struct type *type, int64_t offset, uint32_t stride, uint64_t access_size,
			      int64_t *element_offset)
{
	if (!type_is_record(type))
		return false;
	size_t count;
	const struct member *members = type_members(type, &count);

	if (!count)
		return false;
	const struct member *last = &members[count - 1];
	const struct type *array = type_strip(last->type);

	if (array->kind != TYPE_ARRAY || array->size || offset < last->offset)
		return false;
	const struct type *element = type_target(array);
	uint64_t size = element ? place_size(element) : 0;

	if (!size || stride % size)
		return false;
	int64_t within = (offset - last->offset) % (int64_t)size;

	/* not an element's: what follows the array is laid out by hand */
	if (access_size <= 8 && within + access_size > size)
		return false;
	/* a place that the instruction names in bytes is that: what lies there is laid out by hand */
	*element_offset = size == 1 && !stride ? offset : last->offset + within;
	return true;
}

/*
 * Bytes of a member. One of a type that is only declared (clang describes a class where its virtual table is,
 * and a template where it is used) goes on to the next member.
 */
static int64_t member_size(const struct type *record, const struct member *member)
{
	const struct type *bare = type_strip(member->type);
	int64_t end = (int64_t)record->size;
	size_t count;

	if (member->bit_size)
		return (member->bit_offset + member->bit_size + 7) / 8;
	if (!(bare->flags & TYPE_DECLARATION))
		return (int64_t)bare->size;
	const struct member *members = type_members(record, &count);

	for (size_t i = 0; i < count; i++)
		if (members[i].offset > member->offset && members[i].offset < end)
			end = members[i].offset;
	return end - member->offset;
}

/* Does any member have the byte at `offset`? Padding has none: an access there is to something larger. */
static bool has_member(const struct type *type, int64_t offset, unsigned int depth)
{
	size_t count;
	const struct member *members;

	type = type_strip(type);
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);
		uint64_t size = element ? place_size(element) : 0;

		return !size || has_member(element, offset % (int64_t)size, depth + 1);
	}
	if (!type_is_record(type) || depth > DEPTH_LIMIT)
		return true;
	members = type_members_near(type, offset, &count);
	for (size_t i = 0; i < count; i++) {
		int64_t start = members[i].offset;

		if (offset >= start && offset < start + member_size(type, &members[i]) &&
		    has_member(members[i].type, offset - start, depth + 1))
			return true;
	}
	type_members(type, &count);
	return !count;
}

static int64_t modulo(int64_t value, uint64_t divisor)
{
	int64_t rest = value % (int64_t)divisor;

	return rest < 0 ? rest + (int64_t)divisor : rest;
}

static bool is_scalar(const struct type *bare)
{
	return !type_is_record(bare) && bare->kind != TYPE_ARRAY;
}

/*
 * An array: of records, the element is the object; of scalars, the array itself. What is wider than any
 * member, at a fixed place, is an access to the array as a whole (clearing, copying).
 */
static enum access_reason find_in_array(const struct type *type, const struct type *array, int64_t offset,
					uint32_t stride, uint64_t size, struct place *place)
{
	const struct type *element = type_target(array);

	for (unsigned int depth = 0;
	     element && type_strip(element)->kind == TYPE_ARRAY && depth < DEPTH_LIMIT; depth++)
		element = type_target(type_strip(element));
	uint64_t element_size = element ? place_size(element) : 0;

	if (!element_size)
		return REASON_VOID_POINTER;
	if (array->size && !stride && (offset < 0 || (uint64_t)offset >= array->size))
		return REASON_OUTSIDE;
	element = type_canonical(element);
	bool whole = !stride && size > 8 && array->size;

	if (type_is_record(type_strip(element)) && !whole)
		return place_find(element, modulo(offset, element_size), stride % element_size ? stride : 0,
				  size, place);
	/* askew, or wider than an element and no vector's: laid out as something else */
	int64_t within = stride % element_size ? 0 : modulo(offset, element_size);

	if (element_size > 1 && size <= 8 && (within || (size > element_size && size % element_size)) &&
	    !type_is_record(type_strip(element)))
		return REASON_OUTSIDE;
	*place = (struct place){ type, stride ? modulo(offset, element_size) : offset };
	if (stride && array->size && offset >= 0 && (uint64_t)offset < array->size)
		place->offset = offset;
	return REASON_NONE;
}

/* Does a record end in an array of one element of `stride` bytes, which begins just here? So flexible arrays
 * were written before there were any. */
static bool ends_in_one(const struct type *record, int64_t offset, uint32_t stride)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	const struct type *array = count ? type_strip(members[count - 1].type) : NULL;

	return array && array->kind == TYPE_ARRAY && array->size == stride && type_target(array) &&
	       place_size(type_target(array)) == stride && members[count - 1].offset == offset;
}

/*
 * s->slots[i - 1] of a flexible array: an index that begins at 1 starts an element or two in front of the
 * array, within the record. *offset becomes one in the array.
 */
static bool before_flexible_array(const struct type *record, int64_t *offset, uint32_t stride)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	const struct type *element = flexible_element(record);
	int64_t size = element ? (int64_t)place_size(element) : 0;

	if (!size || stride % size || *offset < members[count - 1].offset - 2 * (int64_t)stride)
		return false;
	*offset = members[count - 1].offset + modulo(*offset - members[count - 1].offset, (uint64_t)size);
	return true;
}

/*
 * p[i] of a scalar is the scalar, wherever it is; a part of one keeps its offset. Bytes are read in words,
 * too. But another access that is wider than the scalar (and no vector's, which takes several) or askew is
 * one through a cast, and so is one in front of a byte: a header.
 */
static enum access_reason find_scalar(const struct type *type, const struct type *bare, int64_t offset,
				      uint32_t stride, uint64_t size, struct place *place)
{
	int64_t within = stride % bare->size ? 0 : modulo(offset, bare->size);
	bool vector = size > 8;

	if (bare->size == 1 && !stride && (offset < 0 || (offset > FAR_WORD && size > 1 && !vector)))
		return REASON_OUTSIDE;
	if (bare->size > 1 && !vector && within + (int64_t)size > (int64_t)bare->size)
		return REASON_OUTSIDE;
	*place = (struct place){ type_canonical(type), within };
	return REASON_NONE;
}

/* Does the access cut an element of an array of scalars? Then the array's memory is laid out as something
 * else. */
static bool is_askew(const struct type *type, int64_t offset, uint64_t size, unsigned int depth)
{
	type = type_strip(type);
	if (depth > DEPTH_LIMIT || size > 8)
		return false;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);
		int64_t element_size = element ? (int64_t)place_size(element) : 0;

		if (!element_size)
			return false;
		if (is_scalar(type_strip(element)))
			return element_size > 1 && offset % element_size != 0;
		return is_askew(element, offset % element_size, size, depth + 1);
	}
	if (type->kind != TYPE_STRUCT && type->kind != TYPE_CLASS)
		return false;
	size_t count;
	const struct member *members = type_members_near(type, offset, &count);

	for (size_t i = 0; i < count; i++) {
		int64_t start = members[i].offset;

		if (!members[i].bit_size && offset >= start &&
		    offset < start + (int64_t)place_size(members[i].type))
			return is_askew(members[i].type, offset - start, size, depth + 1);
	}
	return false;
}

enum access_reason place_find(const struct type *type, int64_t offset, uint32_t stride, uint64_t size,
			      struct place *place)
{
	const struct type *bare = type_strip(type);

	if (bare->kind == TYPE_ARRAY)
		return find_in_array(type_canonical(type), bare, offset, stride, size, place);
	if (bare->kind == TYPE_VOID || bare->kind == TYPE_FUNCTION || (bare->flags & TYPE_DECLARATION))
		return REASON_VOID_POINTER;
	int64_t flexible;

	if (offset >= (int64_t)bare->size && in_flexible_array(bare, offset, stride, size, &flexible)) {
		*place = (struct place){ type_canonical(type), flexible };
		return REASON_NONE;
	}
	if (!bare->size)
		return REASON_OUTSIDE;
	if (is_scalar(bare))
		return find_scalar(type, bare, offset, stride, size, place);
	/* no array has elements of a size that is open (C11 6.7.2.1): the index is one into what is behind
	 * the record */
	if (stride && stride % bare->size == 0 && !flexible_element(bare)) {
		offset = modulo(offset, bare->size);
		stride = 0;
	}
	if (stride && !in_array(bare, offset, stride, 0) && ends_in_one(bare, offset + stride, stride))
		offset += stride; /* s->slots[i - 1] */
	bool within = offset >= 0 && offset < (int64_t)bare->size;

	if (stride ? !(within && in_array(bare, offset, stride, 0)) &&
			     !before_flexible_array(bare, &offset, stride)
		   : !within || !has_member(bare, offset, 0))
		return REASON_OUTSIDE;
	if (is_askew(bare, offset, size, 0))
		return REASON_OUTSIDE;
	*place = (struct place){ type_canonical(type), offset };
	return REASON_NONE;
}

/* NULL candidate: none yet; `disagree` is sticky */
static void scalar_at(const struct type *type, int64_t offset, uint64_t size, unsigned int depth,
		      const struct type **found, bool *disagree)
{
	const struct type *bare = type_strip(type);

	if (depth > DEPTH_LIMIT || offset < 0)
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
		bool open_ended = is_open_ended(members[i].type);

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

	for (unsigned int depth = 0; depth < DEPTH_LIMIT; depth++) {
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
