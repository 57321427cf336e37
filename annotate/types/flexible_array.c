// SPDX-License-Identifier: GPL-2.0-or-later
/* Flexible arrays: see flexible_array.h. */
#include "annotate/types/flexible_array.h"

#include "annotate/types/field.h"

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
