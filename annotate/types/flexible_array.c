// SPDX-License-Identifier: GPL-2.0-or-later
/* Flexible arrays: see flexible_array.h. */
#include "annotate/types/flexible_array.h"

#include "annotate/types/field.h"
#include "base/memory.h"

/* Adds the flexible arrays that a record ends in, also within its last member (the kernel's
 * DECLARE_FLEX_ARRAY), and in each alternative of a union. Returns their number. */
static size_t add_tails(const struct type *record, int64_t base, struct flexible_array *tails,
			size_t found, unsigned int depth)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	size_t first = record->kind == TYPE_UNION || !count ? 0 : count - 1;

	if (depth == TYPE_DEPTH_MAX || type_is_vast(record))
		return found;
	for (size_t i = first; i < count && found < FLEXIBLE_ARRAYS_MAX; i++) {
		const struct type *bare = type_strip(members[i].type);
		const struct type *element = bare->kind == TYPE_ARRAY ? type_target(bare) : NULL;

		if (type_is_record(bare))
			found = add_tails(bare, base + members[i].offset, tails, found, depth + 1);
		else if (element && !field_size(bare) && field_size(element))
			tails[found++] = (struct flexible_array){ element, base + members[i].offset,
								  field_size(element) };
	}
	return found;
}

size_t flexible_arrays_of(const struct type *record, struct flexible_array *tails)
{
	return type_is_record(record) ? add_tails(record, 0, tails, 0, 0) : 0;
}

const struct type *flexible_element(const struct type *record)
{
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];

	return flexible_arrays_of(record, tails) ? tails[0].element : NULL;
}

bool field_goes_on(const struct type *record, const struct member *member)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	const struct type *bare = type_strip(member->type);

	/* before other members, an array of no elements only marks a position */
	for (size_t i = count; record->kind != TYPE_UNION && i-- > 0 && &members[i] != member;)
		if (members[i].size)
			return false;
	return type_is_record(bare) ? flexible_element(bare) != NULL
				    : !member->size && bare->kind == TYPE_ARRAY;
}

/* field_in_array() at a depth within records. */
static bool in_array(const struct type *type, int64_t offset, uint32_t stride, enum array_kind kind,
		     unsigned int depth)
{
	size_t count;

	type = type_strip(type);
	if (depth > TYPE_DEPTH_MAX || offset < 0)
		return false;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);
		uint64_t size = field_size(element);

		if (!size || (kind == ARRAY_WITH_SIZE && (uint64_t)offset >= field_size(type)))
			return false;
		return (kind == ARRAY_ANY_STEP ? stride % size == 0 : stride == size) ||
		       in_array(element, offset % (int64_t)size, stride, kind, depth + 1);
	}
	if (!type_is_record(type))
		return false;
	if (kind != ARRAY_WITH_SIZE && flexible_in_middle(type, offset, stride))
		return true;
	const struct member *members = type_members_near(type, offset, &count);

	return any_of(i, 0, count,
		      field_member_has(type, &members[i], offset) &&
			      in_array(members[i].type, offset - members[i].offset, stride, kind,
				       depth + 1));
}

bool field_in_array(const struct type *type, int64_t offset, uint32_t stride, enum array_kind kind)
{
	return in_array(type, offset, stride, kind, 0);
}

/* True if the byte `within` a member is in the first element of an array of elements of `stride`
 * bytes that the member ends in. */
static bool ends_in_elements(const struct type *type, int64_t within, uint32_t stride)
{
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];
	size_t count = flexible_arrays_of(type, tails);

	return any_of(i, 0, count,
		      tails[i].size == stride && within >= tails[i].offset &&
			      within < tails[i].offset + (int64_t)stride);
}

const struct member *flexible_in_middle(const struct type *record, int64_t offset, uint32_t stride)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	for (size_t i = 0; stride && record->kind != TYPE_UNION && i + 1 < count; i++) {
		const struct type *bare = type_strip(members[i].type);
		int64_t within = offset - members[i].offset;

		/* a byte of any member has the stride of markers of bytes */
		if (within < (int64_t)members[i].size ||
		    within >= (int64_t)(members[i].size + stride) ||
		    (!members[i].size && stride == 1) || field_goes_on(record, &members[i]))
			continue;
		if (bare->kind == TYPE_ARRAY
			    ? !members[i].size && field_is_array_of(bare, stride) &&
				      !field_in_array(record, offset, stride, ARRAY_WITH_SIZE)
			    : ends_in_elements(bare, within, stride))
			return &members[i];
	}
	return NULL;
}
