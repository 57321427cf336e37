// SPDX-License-Identifier: GPL-2.0-or-later
/* Location lists: .debug_loc and .debug_loclists, whose entries are followed by an expression each. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_list_entry.h"
#include "dwarf/dwarf_location.h"
#include "dwarf/dwarf_range.h"

/* Bad input may name one long list very often. */
#define WORK_MAX ((size_t)1 << 24)

static uint64_t size_of_two_bytes(struct cursor *cursor)
{
	return cursor_u16(cursor);
}

static void read_entries(struct list_reader reader, enum list_entry (*read_entry)(struct list_reader *reader),
			 uint64_t (*read_size)(struct cursor *cursor), struct location_list *list)
{
	size_t first = list->count;

	while (list->count < list->limit && list->work++ < WORK_MAX) {
		enum list_entry entry = read_entry(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_NOTHING)
			continue;
		if (entry == LIST_ENTRY_DEFAULT) {
			/* holds wherever the others do not: only alone can that be said as one range */
			reader.low = 0;
			reader.high = list->count == first ? UINT64_MAX : 0;
		}

		uint64_t size = read_size(&reader.cursor);
		const uint8_t *expression = cursor_bytes(&reader.cursor, size);

		if (expression && reader.low < reader.high)
			location_of_expression(reader.unit, expression, size, reader.low, reader.high, list);
	}
}

/* Before DWARF 5, whose lists have a section of their own. */
static void read_loc(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOC];

	if (unit->file->split)
		read_entries(list_reader_at(unit, section, unit->loclists_base + offset),
			     list_read_split_location, size_of_two_bytes, list);
	else
		read_entries(list_reader_at(unit, section, offset), list_read_pair, size_of_two_bytes, list);
}

static void read_loclist(const struct unit *unit, uint64_t offset, struct location_list *list)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_LOCLISTS];

	read_entries(list_reader_at(unit, section, offset), list_read_location, cursor_uleb, list);
}

static void read_list(const struct die *die, enum attribute_slot slot, struct location_list *list)
{
	const struct unit *unit = die->unit;
	const struct dwarf_section_data *loclists = &unit->file->sections.section[SECTION_LOCLISTS];
	uint64_t index, offset;

	if (die_list_index(die, slot, &index)) {
		if (unit_list_offset(unit, loclists, unit->loclists_base, index, &offset))
			read_loclist(unit, offset, list);
	} else if (die_section_offset(die, slot, &offset)) {
		if (unit->version >= 5)
			read_loclist(unit, offset, list);
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
