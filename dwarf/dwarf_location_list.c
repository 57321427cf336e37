/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location lists: .debug_loc (DWARF 2 to 4), its form in split units of gcc's DWARF 4, and .debug_loclists
 * (DWARF 5). */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_list_entry.h"
#include "dwarf/dwarf_location.h"
#include "dwarf/dwarf_range.h"

/* Bad input may name one long list very often. */
#define MAXIMUM_WORK ((size_t)1 << 24)

static void add_entry(const struct unit *unit, struct cursor *cursor, uint64_t low, uint64_t high,
		      uint64_t size, struct location_list *list)
{
	const uint8_t *expression = cursor_bytes(cursor, size);

	if (expression && low < high)
		location_of_expression(unit, expression, size, low, high, list);
}

static void read_loc(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOC];
	struct list_reader reader = list_reader_at(unit, section, offset);

	while (list->count < list->limit && list->work++ < MAXIMUM_WORK) {
		enum list_entry entry = list_read_pair(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_RANGE)
			add_entry(unit, &reader.cursor, reader.low, reader.high, cursor_u16(&reader.cursor),
				  list);
	}
}

/* The GNU form in .debug_loc.dwo (gcc.gnu.org/wiki/DebugFission). */
static void read_split_loc(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOC];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t base = unit->low_pc;

	cursor_skip(&cursor, offset);
	while (!cursor.failed && list->count < list->limit && list->work++ < MAXIMUM_WORK) {
		uint64_t low, high;

		switch (cursor_u8(&cursor)) {
		case DW_LLE_GNU_base_address_selection_entry:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &base))
				return;
			continue;
		case DW_LLE_GNU_start_end_entry:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low) ||
			    !unit_indexed_address(unit, cursor_uleb(&cursor), &high))
				return;
			break;
		case DW_LLE_GNU_start_length_entry:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low))
				return;
			high = low + cursor_u32(&cursor);
			break;
		case 4: /* offset pair */
			low = base + cursor_u32(&cursor);
			high = base + cursor_u32(&cursor);
			break;
		default: return;
		}
		add_entry(unit, &cursor, low, high, cursor_u16(&cursor), list);
	}
}

static void read_loclist(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOCLISTS];
	struct list_reader reader = list_reader_at(unit, section, offset);
	size_t first = list->count;

	while (!reader.cursor.failed && list->count < list->limit && list->work++ < MAXIMUM_WORK) {
		enum list_entry entry = list_read_location(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_NOTHING)
			continue;
		if (entry == LIST_ENTRY_DEFAULT) {
			/* holds wherever the others do not: only alone can that be said as one range */
			reader.low = 0;
			reader.high = list->count == first ? UINT64_MAX : 0;
		}
		add_entry(unit, &reader.cursor, reader.low, reader.high, cursor_uleb(&reader.cursor), list);
	}
}

static void read_list(const struct die *die, enum attribute_slot slot, struct location_list *list)
{
	const struct unit *unit = die->unit;
	const struct attribute *attribute = &die->slots[slot];
	const struct dwarf_section_data *loclists = &unit->file->sections.section[SECTION_LOCLISTS];
	uint64_t offset;

	if (attribute->form == DW_FORM_loclistx) {
		if (unit_list_offset(unit, loclists, unit->loclists_base, attribute->value, &offset))
			read_loclist(unit, offset, list);
	} else if (die_section_offset(die, slot, &offset)) {
		if (unit->version >= 5)
			read_loclist(unit, offset, list);
		else if (unit->file->split)
			read_split_loc(unit, unit->loclists_base + offset, list);
		else
			read_loc(unit, offset, list);
	}
}

static int by_low(const void *left, const void *right)
{
	const struct location *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return a->piece_offset < b->piece_offset ? -1 : a->piece_offset > b->piece_offset;
}

void locations_sort(struct location_list *list, size_t first)
{
	for (size_t i = first + 1; i < list->count; i++) {
		if (list->items[i].low < list->items[i - 1].low) {
			qsort(&list->items[first], list->count - first, sizeof(*list->items), by_low);
			return;
		}
	}
}

void locations_of_attribute(const struct die *die, enum attribute_slot slot, struct location_list *list)
{
	const uint8_t *expression;
	size_t size, first = list->count;

	if (die_block(die, slot, &expression, &size)) {
		location_of_expression(die->unit, expression, size, 0, UINT64_MAX, list);
		return;
	}
	read_list(die, slot, list);
	locations_sort(list, first);
}
