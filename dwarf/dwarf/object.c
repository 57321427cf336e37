// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf/object.h"

#include <stdlib.h>

#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/libdw.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/*
 * Finds the unit of an address: by .debug_aranges if that has the unit, else (clang writes none) by the
 * unit's own ranges.
 */

#define OVERLAP_MAX 64

struct span_builder {
	struct debug_object *object;
	size_t capacity;
	bool *covered; /* by unit index: .debug_aranges has it */
};

static void add_span(struct span_builder *builder, uint64_t low, uint64_t high, struct unit *unit)
{
	struct debug_object *object = builder->object;

	array_reserve(object->spans, object->span_count, builder->capacity);
	object->spans[object->span_count++] = (struct unit_span){ .low = low, .high = high, .unit = unit };
}

/* `offset`: of the unit's root DIE. */
static struct unit *unit_with_root(struct dwarf_file *file, uint64_t offset)
{
	size_t count = file->info_unit_count;
	size_t index = partition_point(0, count, i, file->units[i].first_die < offset);

	return index < count && file->units[index].first_die == offset ? &file->units[index] : NULL;
}

/* Adds what .debug_aranges says: all of it, or nothing if one set is damaged. */
static void add_aranges(struct span_builder *builder, struct dwarf_file *file)
{
	struct dwarf_handle *handle = dwarf_handle_lock(file);
	Dwarf_Aranges *aranges;
	size_t count;

	if (!handle->dwarf || dwarf_getaranges(handle->dwarf, &aranges, &count))
		count = 0;
	dwarf_handle_unlock(handle);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr low = 0;
		Dwarf_Word size = 0;
		Dwarf_Off root = 0;

		dwarf_getarangeinfo(dwarf_onearange(aranges, i), &low, &size, &root);

		struct unit *unit = unit_with_root(file, root);

		/* linkers resolve addresses of dropped sections to 0 */
		if (!unit || !size || (!low && !file->sections.relocatable) || low + size < low)
			continue;
		builder->covered[unit->number] = true;
		add_span(builder, low, low + size, unit);
	}
}

static void add_root_ranges(struct span_builder *builder, struct unit *unit, struct address_ranges *ranges)
{
	struct die root;
	struct cursor cursor;

	if (!unit_prepare(unit))
		return;
	cursor = unit_cursor(unit, unit->first_die);
	if (!die_read(unit, &cursor, &root))
		return;
	if (!die_ranges(&root, ranges)) {
		/* the root has no ranges: take those of its functions */
		const struct unit_index *index = unit_level_get(unit);

		for (size_t i = 0; i < index->function_count; i++)
			add_span(builder, index->functions[i].low, index->functions[i].high, unit);
		return;
	}
	for (size_t i = 0; i < ranges->count; i++)
		add_span(builder, ranges->items[i].low, ranges->items[i].high, unit);
}

static int by_low(const void *left, const void *right)
{
	const struct unit_span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

void dwarf_spans_build(struct debug_object *object)
{
	struct dwarf_file *file = dwarf_files_main(object->files);
	struct address_ranges ranges = { 0 };
	struct span_builder builder = {
		.object = object,
		.covered = xcalloc(file->unit_count ? file->unit_count : 1, sizeof(bool)),
	};

	add_aranges(&builder, file);
	for (size_t i = 0; i < file->info_unit_count; i++) {
		if (!builder.covered[i])
			add_root_ranges(&builder, &file->units[i], &ranges);
	}
	if (object->span_count)
		qsort(object->spans, object->span_count, sizeof(*object->spans), by_low);
	free(builder.covered);
	address_ranges_deinit(&ranges);
}

/* Index of the first span that begins after the address. */
static size_t span_after(const struct debug_object *object, uint64_t address)
{
	return partition_point(0, object->span_count, i, object->spans[i].low <= address);
}

const struct function_entry *dwarf_function_entry(struct debug_object *object, uint64_t address)
{
	/* spans of units may overlap (a unit that gives one range over code of others): look a few back */
	for (size_t i = span_after(object, address), tries = 0; i-- > 0 && tries < OVERLAP_MAX; tries++) {
		if (address >= object->spans[i].high)
			continue;

		const struct function_entry *entry =
			unit_index_function(unit_level_get(object->spans[i].unit), address);

		/* nested functions, and those that compilers make of parts of others (OpenMP) */
		if (!entry)
			entry = unit_index_function(unit_index_get(object->spans[i].unit), address);
		if (entry)
			return entry;
	}
	return NULL;
}

struct unit *dwarf_unit_at(struct debug_object *object, uint64_t address)
{
	const struct function_entry *entry = dwarf_function_entry(object, address);

	if (entry)
		return dwarf_files_unit(object->files, entry->die);
	for (size_t i = span_after(object, address), tries = 0; i-- > 0 && tries < OVERLAP_MAX; tries++) {
		if (address < object->spans[i].high)
			return object->spans[i].unit;
	}
	return NULL;
}
