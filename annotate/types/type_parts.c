// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of types: see field.h.
 *
 * Which type contains which, and what it has at an offset.
 */

#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/word.h"
#include "base/memory.h"

/* ---- types and their parts */

const struct type *field_pointee(const struct type *type)
{
	type = type_strip(type);
	if (!type_is_pointer(type))
		return NULL;
	const struct type *object = type_canonical(type_target(type)), *bare = type_strip(object);

	return bare->kind == TYPE_VOID || bare->kind == TYPE_UNSPECIFIED ||
			       (bare->flags & TYPE_DECLARATION)
		       ? NULL
		       : object;
}

bool field_is_void_pointer(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return type_is_pointer(bare) && type_strip(type_target(bare))->kind == TYPE_VOID;
}

bool field_is_named_only(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return type_is_record(bare) && (bare->flags & TYPE_DECLARATION) &&
	       (bare->flags & TYPE_SCOPED);
}

const struct type *field_named_class(const struct type *pointer)
{
	const struct type *bare = type_strip(pointer);
	const struct type *object = type_is_pointer(bare) ? type_target(bare) : NULL;

	return object && field_is_named_only(object) ? type_canonical(object) : NULL;
}

bool field_same_type(const struct type *a, const struct type *b)
{
	if (a == b)
		return true;
	a = type_strip(a);
	b = type_strip(b);
	return a == b || (type_is_pointer(a) && type_is_pointer(b) &&
			  type_strip(type_target(a)) == type_strip(type_target(b)));
}

/* The way in which a subobject lies in the record. */
struct subobject {
	bool element;  /* it is an element of an array */
	bool in_union; /* it is in a member of a union */
};

/* Returns whether `outer` has such a subobject at `offset`, and how. */
static bool has_subobject(const struct type *outer, int64_t offset, const struct type *inner,
			  unsigned int depth, struct subobject *how)
{
	outer = type_strip(outer);
	if (depth && offset == 0 && field_same_type(outer, inner))
		return true;
	if (depth > TYPE_DEPTH_MAX || offset < 0)
		return false;
	if (outer->kind == TYPE_ARRAY) {
		const struct type *element = field_element_at(outer, &offset);

		how->element = element && !offset && field_same_type(element, inner);
		return element && has_subobject(element, offset, inner, depth + 1, how);
	}
	if (!type_is_record(outer))
		return false;

	members_each (member, type_members_near, outer, offset) {
		uint64_t size = member->size;
		int64_t start = member->offset;

		if (member->bit_size || offset < start ||
		    (offset >= start + (int64_t)(size ? size : 1) && !field_goes_on(outer, member)))
			continue;
		how->element = false;
		if (has_subobject(member->type, offset - start, inner, depth + 1, how)) {
			how->in_union |= outer->kind == TYPE_UNION;
			return true;
		}
	}
	return false;
}

bool field_contains(const struct type *outer, int64_t offset, const struct type *inner)
{
	return has_subobject(outer, offset, inner, 0, &(struct subobject){ 0 });
}

static void visit_records(const struct type *type, int64_t offset, unsigned int depth,
			  void (*visit)(void *data, const struct type *record, int64_t within),
			  void *data)
{
	const struct type *bare = type_strip(type);

	if (depth > TYPE_DEPTH_MAX || offset < 0)
		return;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = field_element_at(bare, &offset);

		if (element)
			visit_records(element, offset, depth + 1, visit, data);
		return;
	}
	if (!type_is_record(bare))
		return;
	visit(data, type, offset);

	members_each (member, type_members_near, bare, offset)
		if (!member->bit_size && field_member_has(bare, member, offset))
			visit_records(member->type, offset - member->offset, depth + 1, visit,
				      data);
}

void field_each_record(const struct type *type, int64_t offset,
		       void (*visit)(void *data, const struct type *record, int64_t within),
		       void *data)
{
	visit_records(type, offset, 0, visit, data);
}

bool field_is_element(const struct type *outer, int64_t offset, const struct type *inner)
{
	struct subobject how = { 0 };

	return has_subobject(outer, offset, inner, 0, &how) && how.element;
}

/* Returns the member that has both offsets, best an array; NULL: there is none. */
static const struct member *member_with_both(const struct type *record, int64_t low, int64_t high)
{
	size_t count;
	const struct member *members = type_members(record, &count), *found = NULL;

	if (!count || type_is_vast(record))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!members[i].bit_size && field_member_has(record, &members[i], low) &&
		    field_member_has(record, &members[i], high) &&
		    (!found || type_strip(members[i].type)->kind == TYPE_ARRAY))
			found = &members[i];
	return found;
}

bool field_are_elements(const struct type *type, int64_t low, int64_t high)
{
	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type);
		const struct member *member;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			int64_t size = (int64_t)field_size(element);

			if (!size || (high - low) % size == 0)
				return size && high != low;
			if (low / size != high / size)
				return false;
			low %= size;
			high %= size;
			type = element;
			continue;
		}
		member = type_is_record(bare) ? member_with_both(bare, low, high) : NULL;
		if (!member)
			return false;
		low -= member->offset;
		high -= member->offset;
		type = member->type;
	}
	return false;
}

bool field_has_integer(const struct type *outer, int64_t offset, const struct type *integer)
{
	const struct type *member;

	integer = type_strip(integer);
	if (integer->kind != TYPE_INTEGER || !type_is_record(type_strip(outer)) || offset < 0)
		return false;
	member = field_scalar(outer, offset, type_size_or(integer, 0));
	return member && type_strip(member)->kind == TYPE_INTEGER &&
	       !field_is_element(outer, offset, member);
}

/* Comparing two records ends after this many nameless ones in them (damaged debug information). */
#define HEAD_STEPS_MAX 64

/* True if the first members of a record are those of another one, under the same names. A macro
 * that repeats members makes new records without names. */
static bool begins_with_members(const struct type *type, const struct type *head,
				unsigned int *steps)
{
	size_t head_count, count;
	const struct member *first = type_members(head, &head_count);
	const struct member *members = type_members(type, &count);

	if (!head_count || head_count > count || ++*steps > HEAD_STEPS_MAX)
		return false;
	for (size_t i = 0; i < head_count; i++) {
		const struct type *a = type_strip(first[i].type), *b = type_strip(members[i].type);
		const bool nameless = type_is_record(a) && !a->name && !b->name &&
				      a->kind == b->kind && field_size(a) == field_size(b);

		if (first[i].offset != members[i].offset || !first[i].name != !members[i].name ||
		    (first[i].name ? strcmp(first[i].name, members[i].name) != 0 : !nameless) ||
		    !(field_same_type(a, b) || (nameless && begins_with_members(b, a, steps))))
			return false;
	}
	return true;
}

bool field_is_head(const struct type *head, const struct type *type)
{
	unsigned int steps = 0;

	return field_size(head) < field_size(type) &&
	       begins_with_members(type_strip(type), type_strip(head), &steps);
}

uint64_t field_head_of(const struct type *const *records, size_t count, uint64_t heads)
{
	for (size_t i = 0; i < count; i++) {
		unsigned int with = 0, without = 0;

		for (size_t k = 0; records[i] && heads >> i & 1 && k < count; k++) {
			/* a union only has it among others */
			bool begins = records[k] && type_strip(records[k])->kind != TYPE_UNION &&
				      (field_contains(records[k], 0, records[i]) ||
				       field_is_head(records[i], records[k]));

			with += k != i && begins;
			without += k != i && records[k] && !begins;
		}
		if (with > without)
			return UINT64_C(1) << i;
	}
	return 0;
}

/* Returns whether the bytes have a part of a bitfield. */
static bool has_bitfield(const struct type *type, int64_t offset, uint64_t size, unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (depth > TYPE_DEPTH_MAX || type_is_tangled(bare))
		return false;
	if (offset < 0) {
		size += (uint64_t)offset;
		offset = 0;
	}
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = field_element_at(bare, &offset);

		return element && has_bitfield(element, offset, size, depth + 1);
	}

	members_each (member, type_members_within, bare, offset, size) {
		int64_t start = member->offset, end = start + (int64_t)field_size(member->type);

		if (member->bit_size)
			end = start + (member->bit_offset + member->bit_size + 7) / 8;
		if (start >= offset + (int64_t)size || end <= offset)
			continue;
		if (member->bit_size || has_bitfield(member->type, offset - start, size, depth + 1))
			return true;
	}
	return false;
}

bool field_has_bitfield(const struct type *type, int64_t offset, uint64_t size)
{
	return has_bitfield(type, offset, size, 0);
}

bool field_is_piece(const struct type *type)
{
	uint64_t size = type_size_or(type, 0);

	return size && size <= WORD && fit_at(type, 0, 1).bytes.room == size;
}

const struct type *field_innermost_record(const struct type *type, int64_t offset)
{
	const struct type *record = NULL;

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type), *inner = NULL;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			uint64_t size = field_size(element);

			if (!size)
				return record;
			type = element;
			offset %= (int64_t)size;
			continue;
		}
		if (!type_is_record(bare))
			return record;
		record = bare;
		int64_t start = 0;

		members_each (member, type_members, bare) {
			if (member->bit_size || offset < member->offset ||
			    offset >= member->offset + (int64_t)field_size(member->type))
				continue;
			if (inner && !field_same_type(inner, member->type))
				return NULL;
			inner = member->type;
			start = member->offset;
		}
		if (!inner)
			return record;
		type = inner;
		offset -= start;
	}
	return NULL;
}

/* True if the record has a whole scalar of `size` bytes at `offset`. With `low`, an integer of
 * twice the size counts, whose low half is accessed: (int)header->length. */
static bool header_has(const struct type *record, int64_t offset, uint64_t size, bool low)
{
	const struct type *scalar = field_scalar(record, offset, low ? 2 * size : size);

	return scalar && (!low || (size > 1 && type_strip(scalar)->kind == TYPE_INTEGER));
}

/* Like field_in_header(), for whole members or for the low halves of integers. */
static bool in_header(const struct type *const *records, size_t count, const struct type *element,
		      int64_t offset, uint64_t size, bool low, struct field_ref *field)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		size_t member_count;
		const struct member *members = type_members(type_strip(records[i]), &member_count);
		const struct member *last = &members[member_count - 1];
		const struct type *item = type_target(type_strip(last->type));
		int64_t at = last->offset + offset;

		if (at < 0 || !item || field_size(item) != field_size(element) ||
		    type_strip(item)->kind != type_strip(element)->kind ||
		    (type_is_record(type_strip(item)) && !field_same_type(item, element)) ||
		    !header_has(records[i], at, size, low))
			continue;
		const struct type *record = type_canonical(records[i]);

		if (any && (field->type != record || field->offset != at))
			return false;
		*field = (struct field_ref){ record, at };
		any = true;
	}
	return any;
}

bool field_in_header(const struct type *const *records, size_t count, const struct type *element,
		     int64_t offset, uint64_t size, struct field_ref *field)
{
	return in_header(records, count, element, offset, size, false, field) ||
	       in_header(records, count, element, offset, size, true, field);
}

const struct type *field_element_at(const struct type *array, int64_t *offset)
{
	const struct type *element = type_target(array);
	int64_t size = (int64_t)field_size(element);

	if (size <= 0 || *offset < 0)
		return NULL;
	*offset %= size;
	return element;
}

static bool is_nameless_struct(const struct member *member)
{
	const struct type *bare = type_strip(member->type);

	return !member->name && bare->kind == TYPE_STRUCT;
}

bool field_is_view(const struct type *outer, int64_t offset, const struct type *inner)
{
	const struct type *bare = type_strip(outer);

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX && type_is_record(bare); depth++) {
		const struct member *nameless = NULL;
		bool beside = false, here = false;

		members_each (member, type_members_near, bare, offset) {
			if (member->offset != offset || member->bit_size)
				continue;
			here |= field_same_type(member->type, inner);
			beside |= is_nameless_struct(member) &&
				  field_size(member->type) >= field_size(inner);
			if (!member->name)
				nameless = member;
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

bool field_tells_member(const struct type *outer, const struct type *inner)
{
	struct subobject how = { 0 };

	return has_subobject(outer, 0, inner, 0, &how) && how.in_union &&
	       !field_is_view(outer, 0, inner) &&
	       (type_strip(outer)->kind != TYPE_UNION || field_size(inner) < field_size(outer));
}

bool field_is_word_record(const struct type *type)
{
	const struct type *bare = type_strip(type), *member;
	size_t count;

	if (bare->kind != TYPE_STRUCT || type_size_or(bare, 0) != WORD)
		return false;
	const struct member *members = type_members(bare, &count);

	if (count != 1 || members[0].offset || members[0].bit_size)
		return false;
	member = type_strip(members[0].type);
	return member->kind == TYPE_INTEGER && type_size_or(member, 0) == WORD;
}

bool field_bits_overlap(int64_t member_offset, uint32_t bit_offset, uint32_t bit_size,
			int64_t offset, uint64_t bits)
{
	int64_t first = (member_offset - offset) * 8 + bit_offset, end = first + bit_size;

	raise_to(first, 0);
	lower_to(end, 64);
	if (first >= end)
		return false;
	return bits &
	       (end - first == 64 ? UINT64_MAX : ((UINT64_C(1) << (end - first)) - 1) << first);
}

bool field_is_link(const struct type *type)
{
	const struct type *bare = type_strip(type);
	size_t words = 0;
	bool to_own = false;

	if (bare->kind != TYPE_STRUCT || type_size_or(bare, 0) % WORD ||
	    type_size_or(bare, 0) > 3 * WORD)
		return false;

	members_each (part, type_members, bare) {
		const struct type *member = type_strip(part->type), *object = NULL;

		if (type_is_pointer(member))
			object = field_pointee(member);
		else if (member->kind != TYPE_INTEGER || type_size_or(member, 0) != WORD || words++)
			return false;
		to_own |= object && field_same_type(object, bare);
	}
	return to_own;
}
