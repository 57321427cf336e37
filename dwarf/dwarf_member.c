// SPDX-License-Identifier: GPL-2.0-or-later
/* The members of structs, classes, unions and Rust enums. */
#include "dwarf/dwarf_member.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_location.h"

void member_walk_start(struct member_walk *walk, const struct die *record)
{
	*walk = (struct member_walk){ .unit = record->unit, .cursor = die_children(record) };
	if (!record->has_children)
		walk->cursor.failed = true;
}

/* Before DWARF 5 a static member is a member, too: one that is only declared. */
static bool is_static(const struct die *die)
{
	return die_flag(die, SLOT_EXTERNAL) || die_flag(die, SLOT_DECLARATION);
}

static bool opens(const struct die *die)
{
	return die->has_children && (die->tag == DW_TAG_variant_part || die->tag == DW_TAG_variant);
}

bool member_walk_next(struct member_walk *walk, struct die *die)
{
	while (die_read(walk->unit, &walk->cursor, die)) {
		if (!die->tag) {
			if (!walk->depth)
				return false;
			if (walk->depth == walk->variant_depth)
				walk->variant_depth = 0;
			walk->depth--;
			continue;
		}
		if (opens(die)) {
			walk->depth++;
			if (die->tag == DW_TAG_variant && !walk->variant_depth)
				walk->variant_depth = walk->depth;
			continue;
		}
		die_skip_children(die, &walk->cursor);
		if ((die->tag == DW_TAG_member && !is_static(die)) || die->tag == DW_TAG_inheritance)
			return true;
	}
	return false;
}

/* Byte offset in the record; false: it has no fixed one (virtual base classes). */
static bool byte_offset(const struct die *die, int64_t *offset)
{
	const uint8_t *expression;
	size_t size;

	*offset = 0; /* members of unions need not say */
	if (!die_has(die, SLOT_MEMBER_LOCATION))
		return true;
	if (die_unsigned(die, SLOT_MEMBER_LOCATION, (uint64_t *)offset))
		return true;
	if (!die_block(die, SLOT_MEMBER_LOCATION, &expression, &size))
		return false;

	/* DWARF 2: what is to be done with the record's address */
	struct cursor cursor = bytes_cursor(expression, size);
	unsigned int operation = cursor_u8(&cursor);

	if (operation != DW_OP_plus_uconst && operation != DW_OP_constu)
		return false;
	*offset = (int64_t)cursor_uleb(&cursor);
	return !cursor.failed && !cursor_left(&cursor);
}

bool member_place(const struct die *die, uint64_t type_size, struct member *member)
{
	uint64_t bit_size = 0, position;

	if (!byte_offset(die, &member->offset))
		return false;
	die_unsigned(die, SLOT_BIT_SIZE, &bit_size);
	if (!bit_size)
		return !die_has(die, SLOT_BIT_SIZE);
	if (bit_size > UINT32_MAX)
		return false;
	if (die_unsigned(die, SLOT_DATA_BIT_OFFSET, &position)) {
		/* DWARF 4: from the record's begin */
		position += (uint64_t)member->offset * 8;
	} else {
		/* DWARF 2, section 5.5.4: from the storage unit's most significant bit, which on a
		 * little-endian machine is its last */
		int64_t from_top = 0;
		uint64_t storage = type_size;

		die_unsigned(die, SLOT_BYTE_SIZE, &storage);
		die_signed(die, SLOT_BIT_OFFSET, &from_top);
		position = (uint64_t)member->offset * 8 + storage * 8 - (uint64_t)from_top - bit_size;
	}
	member->offset = (int64_t)(position / 8);
	member->bit_offset = (uint32_t)(position % 8);
	member->bit_size = (uint32_t)bit_size;
	return true;
}
