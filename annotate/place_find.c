// SPDX-License-Identifier: GPL-2.0-or-later
/* Where an access goes in an object of a type: see place.h. */
#include "annotate/place_walk.h"
#include "annotate/rules/rules.h"

/* Texts are read in words where one stands, or next to it; a word at a fixed place further on is a member of
 * some record. */
#define FAR_WORD 8

/* The array member, at any depth, whose elements are a multiple (or divisor) of `stride` and that holds
 * `offset`. */
static bool in_array(const struct type *type, int64_t offset, uint32_t stride, unsigned int depth)
{
	type = type_strip(type);
	if (depth > PLACE_DEPTH_LIMIT || offset < 0)
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
		bool open_ended = place_is_open_ended(members[i].type);

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
 * and a template where it is used) goes on to the next member. The flexible array that a struct ends in
 * begins in the padding at its end, where there is any (C11 6.7.2.1p18).
 */
static int64_t member_size(const struct type *record, const struct member *member)
{
	const struct type *bare = type_strip(member->type);
	int64_t end = (int64_t)record->size;
	size_t count;

	if (member->bit_size)
		return (member->bit_offset + member->bit_size + 7) / 8;
	bool flexible = bare->kind == TYPE_ARRAY && !bare->size && record->kind != TYPE_UNION;

	if (!(bare->flags & TYPE_DECLARATION) && !flexible)
		return (int64_t)bare->size;
	const struct member *members = type_members(record, &count);

	/* one of no elements in between is a mark, no room */
	if (flexible && member != &members[count - 1])
		return 0;
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
	if (!type_is_record(type) || depth > PLACE_DEPTH_LIMIT)
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

/*
 * An array: of records, the element is the object; of scalars, the array itself. What is wider than any
 * member, at a fixed place, is an access to the array as a whole (clearing, copying).
 */
static enum access_reason find_in_array(const struct type *type, const struct type *array, int64_t offset,
					uint32_t stride, uint64_t size, struct place *place)
{
	const struct type *element = type_target(array);

	for (unsigned int depth = 0;
	     element && type_strip(element)->kind == TYPE_ARRAY && depth < PLACE_DEPTH_LIMIT; depth++)
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

bool place_old_element(const struct type *type, int64_t offset, uint64_t size, struct place *place)
{
	const struct type *bare = type_strip(type), *element;
	size_t count;
	const struct member *members = type_is_record(bare) ? type_members(bare, &count) : NULL, *last;

	if (!members || !count || offset < (int64_t)bare->size || offset < 0)
		return false;
	last = &members[count - 1];
	element = type_strip(last->type)->kind == TYPE_ARRAY ? type_target(type_strip(last->type)) : NULL;
	if (!element || !type_is_record(type_strip(element)) || !place_size(element) || last->offset < 0 ||
	    !ends_in_one(bare, last->offset, (uint32_t)place_size(element)))
		return false;
	offset = last->offset + modulo(offset - last->offset, place_size(element));
	*place = (struct place){ type_canonical(type), offset };
	return place_scalar(type, offset, size);
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

	if (!size || stride % size || !rule_is_on(RULE_INDEX_FROM_ONE) ||
	    *offset < members[count - 1].offset - 2 * (int64_t)stride)
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

	if (bare->size == 1 && !stride && rule_is_on(RULE_FAR_WORD) &&
	    (offset < 0 || (offset > FAR_WORD && size > 1 && !vector)))
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
	if (depth > PLACE_DEPTH_LIMIT || size > 8)
		return false;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);
		int64_t element_size = element ? (int64_t)place_size(element) : 0;

		if (!element_size)
			return false;
		if (place_is_scalar(type_strip(element)))
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
		    offset < start + member_size(type, &members[i]))
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
	if (place_is_named_only(bare) && offset >= 0 && !stride) {
		*place = (struct place){ type_canonical(type), offset };
		return REASON_NONE;
	}
	if (bare->kind == TYPE_VOID || bare->kind == TYPE_FUNCTION || (bare->flags & TYPE_DECLARATION))
		return REASON_VOID_POINTER;
	int64_t flexible;

	if (offset >= (int64_t)bare->size && in_flexible_array(bare, offset, stride, size, &flexible)) {
		*place = (struct place){ type_canonical(type), flexible };
		return REASON_NONE;
	}
	if (!bare->size)
		return REASON_OUTSIDE;
	if (place_is_scalar(bare))
		return find_scalar(type, bare, offset, stride, size, place);
	/* no array has elements of a size that is open (C11 6.7.2.1): the index is one into what is behind
	 * the record */
	if (stride && stride % bare->size == 0 && !flexible_element(bare)) {
		offset = modulo(offset, bare->size);
		stride = 0;
	}
	if (stride && rule_is_on(RULE_ONE_ELEMENT_TAIL) && !in_array(bare, offset, stride, 0) &&
	    ends_in_one(bare, offset + stride, stride))
		offset += stride; /* s->slots[i - 1] */
	bool within = offset >= 0 && offset < (int64_t)bare->size;

	if (stride ? !(within && in_array(bare, offset, stride, 0)) &&
			     !before_flexible_array(bare, &offset, stride)
		   : !within || (rule_is_on(RULE_PADDING) && !has_member(bare, offset, 0)))
		return REASON_OUTSIDE;
	if (rule_is_on(RULE_ASKEW) && is_askew(bare, offset, size, 0))
		return REASON_OUTSIDE;
	*place = (struct place){ type_canonical(type), offset };
	return REASON_NONE;
}
