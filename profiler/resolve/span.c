// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a type that a sample accessed.
 *
 * The type engine tells the offset of an access in its type. Where an index is in the address, this
 * is the offset of one element, and stands for all. An index that goes from one object to the next
 * leaves the offset as it is. One that moves within the object makes it any element of an array;
 * which one, the registers of the sample or the address of a variable tell. If they do not, the
 * access was somewhere in the array, and nothing is known of its line or of where the object
 * begins.
 */

#include "annotate/types/flexible_array.h"
#include "annotate/types/member.h"
#include "base/memory.h"
#include "profiler/resolve/private.h"

/* Returns whether the index moves within an object of the type. In a flexible array it does, also
 * if the size of the other members divides the stride: such objects are no elements. (An array of
 * no elements that only marks a place among other members is none.) */
static bool moves_inside(const struct access *access)
{
	const struct type *bare = type_strip(access->type);
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];
	uint64_t size = type_size_or(bare, 0);

	if (!access->indexed || !size || !access->stride || access->stride % size)
		return access->indexed;
	return any_of(i, 0, flexible_arrays_of(bare, tails),
		      access->offset >= tails[i].offset &&
			      (uint64_t)tails[i].offset + tails[i].size > size);
}

/* Returns the outermost member at the offset that is an array. A flexible one has no end. */
static struct access_span member_array(const struct type *type, int64_t offset)
{
	_cleanup_free_ struct member_line *lines = NULL;
	size_t count;

	member_lines(type, &lines, &count);
	for (size_t i = 1; i < count; i++) {
		const struct member_line *line = &lines[i];
		bool open = !line->size && type_strip(line->type)->kind == TYPE_ARRAY;

		if (line->element_size && offset >= line->offset &&
		    (open || (uint64_t)(offset - line->offset) < line->size))
			return (struct access_span){ line->offset,
						     open ? ACCESS_SPAN_OPEN : line->size };
	}
	return (struct access_span){ 0 };
}

struct access_span span_of_array(const struct access *access)
{
	const struct type *type;

	if (access->kind != ACCESS_TYPE)
		return (struct access_span){ 0 };
	if (access->range)
		return (struct access_span){ access->offset, access->range };
	if (!moves_inside(access))
		return (struct access_span){ 0 };
	type = type_strip(access->type);
	if (type->kind == TYPE_ARRAY)
		return (struct access_span){ 0, type_size_or(type, ACCESS_SPAN_OPEN) };
	return type_is_record(type) ? member_array(access->type, access->offset)
				    : (struct access_span){ 0 };
}

/* Sets *at to the offset that the sample's registers or its address tell. */
static bool find_offset(const struct access *access, const struct counted *counted, int64_t *at)
{
	if (counted->element_known & ELEMENT_ADDRESS && access->memory == ACCESS_MEMORY_STATIC)
		*at = (int64_t)(counted->element_address - access->object_address);
	else if (counted->element_known & ELEMENT_INDEX && access->index_alone)
		*at = access->offset - access->index_start + (int64_t)counted->element_index;
	else
		return false;
	return true;
}

struct access_span span_of_sample(const struct resolved_place *place, const struct counted *counted)
{
	const struct access *access = &place->access;
	const struct access_span *array = &place->array;
	uint64_t size;
	int64_t at;

	if (access->kind != ACCESS_TYPE || !array->size)
		return (struct access_span){ access->offset, 0 };
	if (access->range || !find_offset(access, counted, &at))
		return *array;
	size = type_size_or(type_strip(access->type), 0);
	/* an index may also go on to further objects; those with a flexible array have none */
	if (array->size != ACCESS_SPAN_OPEN && size)
		at = positive_remainder(at, size);
	/* otherwise the index or the type is not what it was taken for */
	if (at < array->offset || (uint64_t)(at - array->offset) >= array->size)
		return *array;
	return (struct access_span){ at, 0 };
}

/* Returns the elements of an array, at any depth, without typedefs and qualifiers. */
static const struct type *span_element_of(const struct type *type)
{
	for (type = type_strip(type); type->kind == TYPE_ARRAY;)
		type = type_strip(type_target(type));
	return type;
}

struct access_span span_in_record(const struct resolved_place *place, const struct counted *counted,
				  const struct type *record, uint64_t offset)
{
	struct resolved_place inner;

	if (type_strip(record) == type_strip(place->access.type))
		return span_of_sample(place, counted);
	/* an element of records, or a record within: an index may be one of an array around it */
	inner = *place;
	if (type_strip(record) != span_element_of(place->access.type)) {
		inner.access.index_alone = false;
		inner.access.memory = ACCESS_MEMORY_ANY;
	}
	inner.access.type = record;
	inner.access.offset = (int64_t)offset;
	inner.array = span_of_array(&inner.access);
	return span_of_sample(&inner, counted);
}
