// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_storage.h"

#include <dwarf.h>

#include "dwarf/function.h"

/* std::aligned_storage<>::type is a union of bytes and an empty struct, and may be a typedef's. */
#define DEPTH_MAX 4

static bool is_raw(const struct type *type, unsigned int depth)
{
	size_t count;
	const struct member *members;

	type = type_strip(type);
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_strip(type_target(type));

		return element->kind == TYPE_INTEGER && element->size == 1;
	}
	if (!type_is_record(type) || (type->flags & TYPE_DECLARATION) || depth > DEPTH_MAX)
		return false;
	members = type_members(type, &count);
	for (size_t i = 0; i < count; i++)
		if (members[i].bit_size || !is_raw(members[i].type, depth + 1))
			return false;
	return true;
}

/* The one type that a template's instance has as an argument; false: none, several, or other arguments, too.
 */
static bool only_argument(const struct die *record, uint64_t *reference)
{
	struct cursor cursor = die_children(record);
	struct die die;
	bool any = false;

	while (record->has_children && die_read(record->unit, &cursor, &die) && die.tag) {
		die_skip_children(&die, &cursor);
		switch (die.tag) {
		case DW_TAG_template_value_parameter:
		case DW_TAG_GNU_template_template_param:
		case DW_TAG_GNU_template_parameter_pack: return false;
		case DW_TAG_template_type_parameter:
			if (any)
				return false;
			*reference = die_type_target(&die);
			any = true;
		}
	}
	return any;
}

void dwarf_storage_of_argument(struct dwarf_types *types, const struct die *record, uint64_t size,
			       struct member *members, size_t count)
{
	struct member *storage = NULL;
	uint64_t reference;

	if (record->unit->language != LANGUAGE_CXX || record->tag == DW_TAG_union_type)
		return;
	for (size_t i = 0; i < count; i++) {
		if (members[i].bit_size || !is_raw(members[i].type, 0))
			return;
		if (members[i].is_base)
			continue;
		if (storage || members[i].offset)
			return;
		storage = &members[i];
	}
	if (!storage || storage->type->size != size || !only_argument(record, &reference))
		return;
	const struct type *argument = dwarf_type(types, reference);

	if (argument->size == size && !is_raw(argument, 0))
		storage->type = argument;
}
