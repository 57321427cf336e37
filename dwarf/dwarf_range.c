/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_range.h"

#include <dwarf.h>

#include "profiler/base/memory.h"

/* Many more than any compiler writes for one DIE; a list is cut there. */
#define MAXIMUM_RANGES 65536
#define MAXIMUM_WORK   ((size_t)1 << 24)

static void add(const struct unit *unit, struct address_ranges *ranges, uint64_t low, uint64_t high)
{
	/* Linkers resolve addresses of dropped sections to 0 or 1, or (lld) to the last or last but one
	 * address; 0 is where every section of an object file is, though. */
	if (low >= high || (low <= 1 && !unit->file->sections.relocatable) || low >= UINT64_MAX - 1)
		return;
	if (ranges->count >= MAXIMUM_RANGES)
		return;
	array_reserve(ranges->items, ranges->count, ranges->capacity);
	ranges->items[ranges->count++] = (struct address_range){ .low = low, .high = high };
}

bool unit_list_offset(const struct unit *unit, const struct dwarf_section_data *section, uint64_t base,
		      uint64_t index, uint64_t *offset)
{
	struct cursor cursor = bytes_cursor(section->data, section->size);

	if (index > section->size)
		return false;
	cursor_skip(&cursor, base);
	cursor_skip(&cursor, index * unit->offset_size);

	uint64_t relative = cursor_word(&cursor, unit->offset_size);

	if (cursor.failed || relative > section->size)
		return false;
	*offset = base + relative;
	return true;
}

/* DWARF 5, section 7.25 */
static void read_rnglist(const struct unit *unit, uint64_t offset, struct address_ranges *ranges)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_RNGLISTS];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t base = unit->low_pc;

	cursor_skip(&cursor, offset);
	while (!cursor.failed && ranges->count < MAXIMUM_RANGES && ranges->work++ < MAXIMUM_WORK) {
		uint64_t low = 0, high = 0;

		switch (cursor_u8(&cursor)) {
		case DW_RLE_end_of_list: return;
		case DW_RLE_base_addressx:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &base))
				return;
			continue;
		case DW_RLE_base_address: base = cursor_word(&cursor, unit->address_size); continue;
		case DW_RLE_startx_endx:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low) ||
			    !unit_indexed_address(unit, cursor_uleb(&cursor), &high))
				return;
			break;
		case DW_RLE_startx_length:
			if (!unit_indexed_address(unit, cursor_uleb(&cursor), &low))
				return;
			high = low + cursor_uleb(&cursor);
			break;
		case DW_RLE_offset_pair:
			low = base + cursor_uleb(&cursor);
			high = base + cursor_uleb(&cursor);
			break;
		case DW_RLE_start_end:
			low = cursor_word(&cursor, unit->address_size);
			high = cursor_word(&cursor, unit->address_size);
			break;
		case DW_RLE_start_length:
			low = cursor_word(&cursor, unit->address_size);
			high = low + cursor_uleb(&cursor);
			break;
		default: return;
		}
		if (!cursor.failed)
			add(unit, ranges, low, high);
	}
}

/* DWARF 4, section 2.17.3 */
static void read_ranges(const struct unit *unit, uint64_t offset, struct address_ranges *ranges)
{
	const struct dwarf_sections *sections =
		unit->addr_sections ? unit->addr_sections : &unit->file->sections;
	const struct dwarf_section_data *section = &sections->section[SECTION_RANGES];
	struct cursor cursor = bytes_cursor(section->data, section->size);
	uint64_t base = unit->low_pc;
	uint64_t highest = unit->address_size == 8 ? UINT64_MAX : UINT32_MAX;

	cursor_skip(&cursor, offset);
	while (!cursor.failed && ranges->count < MAXIMUM_RANGES && ranges->work++ < MAXIMUM_WORK) {
		uint64_t low = cursor_word(&cursor, unit->address_size);
		uint64_t high = cursor_word(&cursor, unit->address_size);

		if (cursor.failed || (!low && !high))
			return;
		if (low == highest)
			base = high;
		else
			add(unit, ranges, base + low, base + high);
	}
}

static void read_list(const struct die *die, struct address_ranges *ranges)
{
	const struct unit *unit = die->unit;
	const struct attribute *attribute = &die->slots[SLOT_RANGES];
	const struct dwarf_section_data *rnglists = &unit->file->sections.section[SECTION_RNGLISTS];
	uint64_t offset;

	if (attribute->form == DW_FORM_rnglistx) {
		if (unit_list_offset(unit, rnglists, unit->rnglists_base, attribute->value, &offset))
			read_rnglist(unit, offset, ranges);
	} else if (die_section_offset(die, SLOT_RANGES, &offset)) {
		if (unit->version >= 5)
			read_rnglist(unit, offset, ranges);
		else
			read_ranges(unit, offset + unit->ranges_base, ranges);
	}
}

bool die_ranges(const struct die *die, struct address_ranges *ranges)
{
	uint64_t low, high;

	ranges->count = 0;
	if (die_has(die, SLOT_RANGES)) {
		read_list(die, ranges);
	} else if (die_address(die, SLOT_LOW_PC, &low)) {
		if (die_unsigned(die, SLOT_HIGH_PC, &high)) /* since DWARF 4: a constant is the size */
			high += low;
		else if (!die_address(die, SLOT_HIGH_PC, &high))
			return false;
		add(die->unit, ranges, low, high);
	}
	return ranges->count;
}
