/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the values of a DIE's attributes stand for: the accessors of dwarf_die.h. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_alt.h"
#include "dwarf/dwarf_die.h"

/* The longest chain of abstract origins and specifications that compilers write is three. */
#define MAXIMUM_CHAIN 8

static const char *section_string(const struct dwarf_sections *sections, enum dwarf_section number,
				  uint64_t offset)
{
	const struct dwarf_section_data *section = &sections->section[number];

	if (offset >= section->size)
		return NULL;
	/* a section that ends in NUL ends all its strings */
	if (section->data[section->size - 1] && !memchr(section->data + offset, 0, section->size - offset))
		return NULL;
	return (const char *)section->data + offset;
}

static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	const struct dwarf_section_data *offsets = &unit->file->sections.section[SECTION_STR_OFFSETS];
	struct cursor cursor = bytes_cursor(offsets->data, offsets->size);

	if (index > offsets->size)
		return NULL;
	cursor_skip(&cursor, unit->str_offsets_base);
	cursor_skip(&cursor, index * unit->offset_size);

	uint64_t offset = cursor_word(&cursor, unit->offset_size);

	return cursor.failed ? NULL : section_string(&unit->file->sections, SECTION_STR, offset);
}

const char *die_string(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return NULL;

	const struct attribute *attribute = &die->slots[slot];
	const struct unit *unit = die->unit;

	switch (attribute->form) {
	case DW_FORM_string: return (const char *)attribute->bytes;
	case DW_FORM_strp: return section_string(&unit->file->sections, SECTION_STR, attribute->value);
	case DW_FORM_line_strp:
		return section_string(&unit->file->sections, SECTION_LINE_STR, attribute->value);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index: return indexed_string(unit, attribute->value);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt: {
		const struct dwarf_file *alt = dwarf_file_alt(unit->file);

		return alt ? section_string(&alt->sections, SECTION_STR, attribute->value) : NULL;
	}
	}
	return NULL;
}

bool die_unsigned(const struct die *die, enum attribute_slot slot, uint64_t *value)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const: *value = die->slots[slot].value; return true;
	}
	return false;
}

static int64_t sign_extend(uint64_t value, unsigned int bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

bool die_signed(const struct die *die, enum attribute_slot slot, int64_t *value)
{
	uint64_t raw;

	if (!die_unsigned(die, slot, &raw))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data1: *value = sign_extend(raw, 8); break;
	case DW_FORM_data2: *value = sign_extend(raw, 16); break;
	case DW_FORM_data4: *value = sign_extend(raw, 32); break;
	default: *value = (int64_t)raw;
	}
	return true;
}

bool die_flag(const struct die *die, enum attribute_slot slot)
{
	return die_has(die, slot) && die->slots[slot].value;
}

bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *address)
{
	const struct dwarf_sections *sections =
		unit->addr_sections ? unit->addr_sections : &unit->file->sections;
	const struct dwarf_section_data *addresses = &sections->section[SECTION_ADDR];
	struct cursor cursor = bytes_cursor(addresses->data, addresses->size);

	if (index > addresses->size)
		return false;
	cursor_skip(&cursor, unit->addr_base);
	cursor_skip(&cursor, index * unit->address_size);

	uint64_t found = cursor_word(&cursor, unit->address_size);

	if (cursor.failed)
		return false;
	*address = found;
	return true;
}

bool die_address(const struct die *die, enum attribute_slot slot, uint64_t *address)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_addr: *address = die->slots[slot].value; return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index: return unit_indexed_address(die->unit, die->slots[slot].value, address);
	}
	return false;
}

bool die_block(const struct die *die, enum attribute_slot slot, const uint8_t **bytes, size_t *size)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_data16:
		*bytes = die->slots[slot].bytes;
		*size = die->slots[slot].value;
		return true;
	}
	return false;
}

bool die_section_offset(const struct die *die, enum attribute_slot slot, uint64_t *offset)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data4: /* before DWARF 4 there was no form of its own */
	case DW_FORM_data8:
		if (die->unit->version >= 4)
			return false;
		/* fall through */
	case DW_FORM_sec_offset: *offset = die->slots[slot].value; return true;
	}
	return false;
}

static uint64_t alt_target(const struct unit *unit, uint64_t offset)
{
	const struct dwarf_file *alt = dwarf_file_alt(unit->file);

	if (!alt || !offset || offset > REFERENCE_OFFSET_MASK)
		return 0;
	return (uint64_t)alt->index << REFERENCE_FILE_SHIFT | offset;
}

uint64_t die_target(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return 0;

	const struct attribute *attribute = &die->slots[slot];
	struct unit *unit = die->unit;

	switch (attribute->form) {
	case DW_FORM_ref_addr:
		/* always into .debug_info, of this file */
		if (attribute->value > REFERENCE_OFFSET_MASK)
			return 0;
		return (uint64_t)unit->file->index << REFERENCE_FILE_SHIFT | attribute->value;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt: return alt_target(unit, attribute->value);
	case DW_FORM_ref_sig8: {
		struct unit *type_unit =
			dwarf_files_type_unit(unit->file->files, unit->file, attribute->value);

		return type_unit ? unit_reference(type_unit, type_unit->type_die) : 0;
	}
	}

	uint64_t offset = attribute_local_target(unit, attribute);

	return offset ? unit_reference(unit, offset) : 0;
}

uint64_t die_type_target(const struct die *die)
{
	uint64_t target = die_target(die, SLOT_TYPE);

	return !target && die_has(die, SLOT_TYPE) ? REFERENCE_BROKEN : target;
}

const struct die *die_integrate(struct dwarf_files *files, const struct die *die, enum attribute_slot slot,
				struct die *other)
{
	for (int i = 0; i < MAXIMUM_CHAIN; i++) {
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
