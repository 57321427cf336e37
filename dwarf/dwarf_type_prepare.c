// SPDX-License-Identifier: GPL-2.0-or-later
/* What is found out of a type without the lock of the types, for which others wait. */
#include <dwarf.h>

#include "dwarf/dwarf_member.h"
#include "dwarf/dwarf_names.h"
#include "dwarf/dwarf_type.h"

/* Types between a variable and its record: more are not followed. */
#define CHAIN_MAX 16

static void prepare_record(struct dwarf_types *types, const struct die *die, struct prepared_type *prepared)
{
	if (die_has(die, SLOT_SIGNATURE))
		return;
	if (!die_flag(die, SLOT_DECLARATION))
		*prepared = (struct prepared_type){ die_reference(die), dwarf_fingerprint(types, die) };
	else if (die_name(die))
		dwarf_names_prepare(types->names);
}

void dwarf_type_prepare(struct dwarf_types *types, uint64_t reference, struct prepared_type *prepared)
{
	struct die die;

	*prepared = (struct prepared_type){ 0 };
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!reference || concurrent_map_find(&types->by_die, reference) ||
		    !die_at(types->files, reference, &die))
			return;
		switch (die.tag) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type: prepare_record(types, &die, prepared); return;
		case DW_TAG_pointer_type:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_typedef:
		case DW_TAG_array_type: reference = die_type_target(&die); break;
		default: return;
		}
	}
}

void dwarf_type_prepare_members(void *data, const struct type *type)
{
	struct dwarf_types *types = data;
	struct member_walk walk;
	struct die record, die;

	if (!die_at(types->files, type->source, &record))
		return;
	member_walk_start(&walk, &record);
	while (member_walk_next(&walk, &die))
		dwarf_type(types, die_type_target(&die));
}
