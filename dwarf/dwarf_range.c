// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_range.h"

#include <dwarf.h>

#include "dwarf/dwarf_list_entry.h"
#include "profiler/base/memory.h"

/* Longer lists are cut; compilers stay far below. */
#define RANGES_MAX 65536
#define WORK_MAX   ((size_t)1 << 24)

static void add(const struct unit *unit, struct address_ranges *ranges, uint64_t low, uint64_t high)
{
	/* Linkers resolve addresses of dropped sections to 0 or 1, or (lld) to the last or last but one
	 * address; 0 is where every section of an object file is, though. */
	if (low >= high || (low <= 1 && !unit->file->sections.relocatable) || low >= UINT64_MAX - 1)
		return;
	if (ranges->count >= RANGES_MAX)
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

static void read_entries(const struct unit *unit, struct list_reader reader,
			 enum list_entry (*read_entry)(struct list_reader *reader),
			 struct address_ranges *ranges)
{
	while (ranges->count < RANGES_MAX && ranges->work++ < WORK_MAX) {
		enum list_entry entry = read_entry(&reader);

		if (entry == LIST_ENTRY_END)
			return;
		if (entry == LIST_ENTRY_RANGE)
			add(unit, ranges, reader.low, reader.high);
	}
}

static void read_rnglist(const struct unit *unit, uint64_t offset, struct address_ranges *ranges)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_RNGLISTS];

	read_entries(unit, list_reader_at(unit, section, offset), list_read_range, ranges);
}

static void read_ranges(const struct unit *unit, uint64_t offset, struct address_ranges *ranges)
{
	const struct dwarf_sections *sections =
		unit->addr_sections ? unit->addr_sections : &unit->file->sections;

	read_entries(unit, list_reader_at(unit, &sections->section[SECTION_RANGES], offset), list_read_pair,
		     ranges);
}

static void read_list(const struct die *die, struct address_ranges *ranges)
{
	const struct unit *unit = die->unit;
	const struct dwarf_section_data *rnglists = &unit->file->sections.section[SECTION_RNGLISTS];
	uint64_t index, offset;

	if (die_list_index(die, SLOT_RANGES, &index)) {
		if (unit_list_offset(unit, rnglists, unit->rnglists_base, index, &offset))
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
