/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location lists: .debug_loc (DWARF 2 to 4), its form in split units of gcc's DWARF 4, and .debug_loclists
 * (DWARF 5). */
#include <dwarf.h>
#include <stdlib.h>

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

/* DWARF 4, section 2.6.2 */
static void read_loc(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOC];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t base = unit->low_pc;
	uint64_t highest = unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;

	cursor_skip(&cursor, offset);
	while (!cursor.failed && list->count < list->limit && list->work++ < MAXIMUM_WORK) {
		uint64_t low = cursor_word(&cursor, unit->address_size);
		uint64_t high = cursor_word(&cursor, unit->address_size);

		if (cursor.failed || (!low && !high))
			return;
		if (low == highest)
			base = high;
		else
			add_entry(unit, &cursor, base + low, base + high, cursor_u16(&cursor), list);
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

/* DWARF 5, section 7.29 */
static void read_loclist(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOCLISTS];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t base = unit->low_pc;
	size_t first = list->count;

	cursor_skip(&cursor, offset);
	while (!cursor.failed && list->count < list->limit && list->work++ < MAXIMUM_WORK) {
		uint64_t low = 0, high = 0;

		switch (cursor_u8(&cursor)) {
		case DW_LLE_end_of_list: return;
		case DW_LLE_GNU_view_pair:
			cursor_uleb(&cursor);
			cursor_uleb(&cursor);
			continue;
		case DW_LLE_base_addressx:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &base))
				return;
			continue;
		case DW_LLE_base_address: base = cursor_word(&cursor, unit->address_size); continue;
		case DW_LLE_startx_endx:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low) ||
			    !unit_indexed_address(unit, cursor_uleb(&cursor), &high))
				return;
			break;
		case DW_LLE_startx_length:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low))
				return;
			high = low + cursor_uleb(&cursor);
			break;
		case DW_LLE_offset_pair:
			low = base + cursor_uleb(&cursor);
			high = base + cursor_uleb(&cursor);
			break;
		case DW_LLE_default_location:
			/* holds wherever the others do not: only alone can that be said as one range */
			high = list->count == first ? UINT64_MAX : 0;
			break;
		case DW_LLE_start_end:
			low = cursor_word(&cursor, unit->address_size);
			high = cursor_word(&cursor, unit->address_size);
			break;
		case DW_LLE_start_length:
			low = cursor_word(&cursor, unit->address_size);
			high = low + cursor_uleb(&cursor);
			break;
		default: return;
		}
		add_entry(unit, &cursor, low, high, cursor_uleb(&cursor), list);
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

void locations_of_attribute(const struct die *die, enum attribute_slot slot, struct location_list *list)
{
	const uint8_t *expression;
	size_t size, first = list->count;

	if (die_block(die, slot, &expression, &size)) {
		location_of_expression(die->unit, expression, size, 0, UINT64_MAX, list);
		return;
	}
	read_list(die, slot, list);
	for (size_t i = first + 1; i < list->count; i++) {
		if (list->items[i].low < list->items[i - 1].low) {
			qsort(&list->items[first], list->count - first, sizeof(*list->items), by_low);
			return;
		}
	}
}
