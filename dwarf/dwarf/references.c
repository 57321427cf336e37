// SPDX-License-Identifier: GPL-2.0-or-later
/* References between DIEs: see die.h. */
#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/unit.h"

/* The longest chain of abstract origins and specifications that compilers write is three. */
#define CHAIN_MAX 8

bool die_at(struct dwarf_files *files, uint64_t reference, struct die *die)
{
	struct unit *unit = dwarf_files_unit(files, reference);

	if (!unit)
		return false;

	struct cursor cursor = unit_cursor(unit, reference & REFERENCE_OFFSET_MASK);

	return die_read(unit, &cursor, die) && die->tag;
}

/* Returns the reference of a DIE in .debug_info of `file` (NULL: there is none) by its offset in
 * that section, or 0. libdw 0.188 takes ref_sup4 and ref_sup8 for the same file's. */
static uint64_t distant_target(const struct die *die, enum attribute_slot slot,
			       const struct dwarf_file *file)
{
	uint64_t offset = die_number(die, slot);

	return file && offset && offset <= REFERENCE_OFFSET_MASK
		       ? (uint64_t)file->index << REFERENCE_FILE_SHIFT | offset
		       : 0;
}

uint64_t die_target(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return 0;

	struct unit *unit = die->unit;
	uint64_t offset;

	switch (die->slots[slot].form) {
	case DW_FORM_ref_addr: return distant_target(die, slot, unit->file);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: return distant_target(die, slot, unit->file->alt);
	case DW_FORM_ref_sig8: {
		/* a type that a split file lacks may be in the main one, unknown to libdw */
		struct unit *type_unit =
			dwarf_files_type_unit(unit->file->files, unit->file, die_number(die, slot));

		return type_unit ? unit_reference(type_unit, type_unit->type_die) : 0;
	}
	}
	offset = die_local_target(die, slot);
	return offset ? unit_reference(unit, offset) : 0;
}

uint64_t die_type_target(const struct die *die)
{
	uint64_t target = die_target(die, SLOT_TYPE);

	return !target && die_has(die, SLOT_TYPE) ? REFERENCE_BROKEN : target;
}

const struct die *die_integrate(struct dwarf_files *files, const struct die *die,
				enum attribute_slot slot, struct die *other)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (die_has(die, slot))
			return die;

		uint64_t next = die_target(die, SLOT_ORIGIN);

		if (!next)
			next = die_target(die, SLOT_SPECIFICATION);
		if (!next || !die_at(files, next, other))
			return NULL;
		die = other;
	}
	return NULL;
}
