/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_die.h"

#include <dwarf.h>
#include <string.h>

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

uint64_t attribute_local_target(const struct unit *unit, const struct attribute *attribute)
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
			*sibling = attribute_local_target(unit, &attribute);
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
			*sibling = attribute_local_target(unit, &attribute);
	}
	return cursor->failed ? NULL : abbrev;
}

void die_skip_children(const struct die *die, struct cursor *cursor)
{
	if (!die->has_children)
		return;

	uint64_t sibling =
		die_has(die, SLOT_SIBLING) ? attribute_local_target(die->unit, &die->slots[SLOT_SIBLING]) : 0;

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
