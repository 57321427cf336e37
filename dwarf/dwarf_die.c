/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_die.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_alt.h"

/* The longest chain of abstract origins and specifications that compilers write is three. */
#define MAXIMUM_CHAIN 8
/* Children that are nested deeper are not passed over, so that doing so for each level stays linear. */
#define MAXIMUM_NESTING 256

struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct cursor cursor = bytes_cursor(unit_section(unit)->data, unit->end);

	if (offset > unit->end || offset < unit->first_die)
		cursor.failed = true;
	else
		cursor.position = offset;
	return cursor;
}

static inline void read_block(struct cursor *cursor, uint64_t length, struct attribute *attribute)
{
	attribute->value = length;
	attribute->bytes = cursor_bytes(cursor, length);
}

/* DWARF 5, section 7.5.6 */
static void read_value(const struct unit *unit, struct cursor *cursor, uint64_t form, int64_t constant,
		       struct attribute *attribute)
{
	attribute->form = (uint16_t)form;
	switch (form) {
	case DW_FORM_flag_present: attribute->value = 1; return;
	case DW_FORM_implicit_const: attribute->value = (uint64_t)constant; return;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: attribute->value = cursor_u8(cursor); return;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: attribute->value = cursor_u16(cursor); return;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: attribute->value = cursor_word(cursor, 3); return;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: attribute->value = cursor_u32(cursor); return;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: attribute->value = cursor_u64(cursor); return;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: attribute->value = cursor_word(cursor, unit->offset_size); return;
	case DW_FORM_ref_addr: /* was of the address's size in DWARF 2 */
		attribute->value =
			cursor_word(cursor, unit->version <= 2 ? unit->address_size : unit->offset_size);
		return;
	case DW_FORM_addr: attribute->value = cursor_word(cursor, unit->address_size); return;
	case DW_FORM_sdata: attribute->value = (uint64_t)cursor_sleb(cursor); return;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index: attribute->value = cursor_uleb(cursor); return;
	case DW_FORM_string: attribute->bytes = (const uint8_t *)cursor_string(cursor); return;
	case DW_FORM_exprloc:
	case DW_FORM_block: read_block(cursor, cursor_uleb(cursor), attribute); return;
	case DW_FORM_block1: read_block(cursor, cursor_u8(cursor), attribute); return;
	case DW_FORM_block2: read_block(cursor, cursor_u16(cursor), attribute); return;
	case DW_FORM_block4: read_block(cursor, cursor_u32(cursor), attribute); return;
	case DW_FORM_data16: read_block(cursor, 16, attribute); return;
	}
	/* an unknown form has an unknown size: nothing after it can be read */
	cursor->failed = true;
}

static inline void read_attribute(const struct unit *unit, struct cursor *cursor,
				  const struct abbrev_attribute *spec, struct attribute *attribute)
{
	uint64_t form = spec->form;

	/* nearly all that are no words */
	if (form == DW_FORM_exprloc) {
		attribute->form = DW_FORM_exprloc;
		read_block(cursor, cursor_uleb(cursor), attribute);
		return;
	}
	/* one level: an indirect form that names itself is not allowed */
	if (form == DW_FORM_indirect) {
		form = cursor_uleb(cursor);
		if (form == DW_FORM_indirect || form == DW_FORM_implicit_const)
			form = 0;
	}
	read_value(unit, cursor, form, spec->constant, attribute);
}

/* Of a word of so many bytes, those that are its own of the eight that are loaded. */
static const uint64_t word_masks[] = {
	0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX,
};

/* Nearly all values, without a look at their form. `at`: eight bytes of it can be loaded. */
static inline void read_word(const struct abbrev_attribute *spec, const uint8_t *at,
			     struct attribute *attribute)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	attribute->form = spec->form;
	attribute->value = (word & word_masks[spec->word_size]) | (uint64_t)spec->constant;
}

/* Whether so many bytes, and a word behind them, are there. */
static inline bool holds_words(const struct cursor *cursor, size_t bytes)
{
	return cursor_left(cursor) >= bytes + sizeof(uint64_t);
}

/* The attributes that an abbreviation begins with, as far as they are words. */
static void read_words(const struct abbrev *abbrev, const uint8_t *at, struct die *die)
{
	at += abbrev->skip;
	for (uint32_t i = 0; i < abbrev->word_count; i++) {
		const struct abbrev_attribute *spec = &abbrev->attributes[i];

		read_word(spec, at, &die->slots[spec->slot]);
		at += spec->word_size + spec->skip;
	}
}

static void read_others(const struct unit *unit, struct cursor *cursor, const struct abbrev *abbrev,
			uint32_t first, struct die *die)
{
	struct attribute ignored;

	for (uint32_t i = first; i < abbrev->attribute_count; i++) {
		const struct abbrev_attribute *spec = &abbrev->attributes[i];

		read_attribute(unit, cursor, spec,
			       spec->slot == SLOT_NONE ? &ignored : &die->slots[spec->slot]);
		cursor_skip(cursor, spec->skip);
	}
}

bool die_read(struct unit *unit, struct cursor *cursor, struct die *die)
{
	if (!cursor_left(cursor))
		return false;
	die->unit = unit;
	die->offset = cursor->position;
	die->present = 0;

	uint64_t code = cursor_uleb(cursor);

	if (!code) {
		die->tag = 0;
		die->has_children = false;
		die->next = cursor->position;
		return !cursor->failed;
	}

	const struct abbrev *abbrev = abbrev_table_find(unit->abbrevs, code);

	if (!abbrev) {
		cursor->failed = true;
		return false;
	}
	die->tag = abbrev->tag;
	die->has_children = abbrev->has_children;
	if (holds_words(cursor, abbrev->word_bytes)) {
		read_words(abbrev, cursor->data + cursor->position, die);
		cursor->position += abbrev->word_bytes;
		if (abbrev->word_count < abbrev->attribute_count)
			read_others(unit, cursor, abbrev, abbrev->word_count, die);
	} else {
		cursor_skip(cursor, abbrev->skip);
		read_others(unit, cursor, abbrev, 0, die);
	}
	die->next = cursor->position;
	if (cursor->failed)
		return false;
	die->present = abbrev->present;
	return true;
}

/* The section offset of a reference within the unit, or 0. */
static uint64_t local_target(const struct unit *unit, const struct attribute *attribute)
{
	uint64_t offset = unit->offset + attribute->value;

	switch (attribute->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata: return offset >= unit->first_die && offset < unit->end ? offset : 0;
	}
	return 0;
}

const struct abbrev *die_skim(struct unit *unit, struct cursor *cursor, uint64_t *sibling)
{
	static const struct abbrev null_entry;

	*sibling = 0;
	if (!cursor_left(cursor))
		return NULL;

	uint64_t code = cursor_uleb(cursor);

	if (!code)
		return cursor->failed ? NULL : &null_entry;

	const struct abbrev *abbrev = abbrev_table_find(unit->abbrevs, code);

	if (!abbrev)
		return NULL;
	if (abbrev->fixed_size >= 0 && !abbrev->has_sibling) {
		cursor_skip(cursor, (size_t)abbrev->fixed_size);
		return cursor->failed ? NULL : abbrev;
	}

	struct attribute attribute;
	uint32_t i = 0;

	if (holds_words(cursor, abbrev->word_bytes)) {
		if (abbrev->has_sibling && abbrev->sibling < abbrev->word_count) {
			read_word(&abbrev->attributes[abbrev->sibling],
				  cursor->data + cursor->position + abbrev->sibling_at, &attribute);
			*sibling = local_target(unit, &attribute);
		}
		cursor->position += abbrev->word_bytes;
		i = abbrev->word_count;
	} else {
		cursor_skip(cursor, abbrev->skip);
	}
	for (; i < abbrev->attribute_count; i++) {
		read_attribute(unit, cursor, &abbrev->attributes[i], &attribute);
		cursor_skip(cursor, abbrev->attributes[i].skip);
		if (cursor->failed)
			return NULL;
		if (abbrev->attributes[i].slot == SLOT_SIBLING)
			*sibling = local_target(unit, &attribute);
	}
	return cursor->failed ? NULL : abbrev;
}

void die_skip_children(const struct die *die, struct cursor *cursor)
{
	if (!die->has_children)
		return;

	uint64_t sibling =
		die_has(die, SLOT_SIBLING) ? local_target(die->unit, &die->slots[SLOT_SIBLING]) : 0;

	if (sibling > cursor->position) {
		cursor->position = sibling;
		return;
	}
	for (size_t depth = 1; depth;) {
		const struct abbrev *abbrev = die_skim(die->unit, cursor, &sibling);

		if (!abbrev || depth > MAXIMUM_NESTING) {
			cursor->failed = true;
			return;
		}
		if (!abbrev->tag)
			depth--;
		else if (abbrev->has_children && sibling > cursor->position)
			cursor->position = sibling;
		else if (abbrev->has_children)
			depth++;
	}
}

const struct abbrev *die_abbrev(const struct unit *unit, uint64_t offset)
{
	struct cursor cursor = unit_cursor(unit, offset);

	return abbrev_table_find(unit->abbrevs, cursor_uleb(&cursor));
}

bool die_at(struct dwarf_files *files, uint64_t reference, struct die *die)
{
	struct unit *unit = dwarf_files_unit(files, reference);

	if (!unit)
		return false;

	struct cursor cursor = unit_cursor(unit, reference & REFERENCE_OFFSET_MASK);

	return die_read(unit, &cursor, die) && die->tag;
}

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

	uint64_t offset = local_target(unit, attribute);

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
