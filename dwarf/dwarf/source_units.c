// SPDX-License-Identifier: GPL-2.0-or-later
/* The units and functions at addresses, and facts that are found once a unit: see object.h. */

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/object.h"
#include "base/memory.h"

#define OVERLAP_MAX 64
/* The longest chain of abstract instances that is followed. */
#define ORIGINS_MAX 8

/* Returns the index of the first span that begins after the address. */
static size_t span_after(const struct dwarf_object *object, uint64_t address)
{
	return partition_point(0, object->span_count, i, object->spans[i].low <= address);
}

const struct function_entry *dwarf_function_entry(struct dwarf_object *object, uint64_t address)
{
	/* spans may overlap (one range with code of other units), so look at a few before */
	for (size_t i = span_after(object, address), tries = 0;
	     i-- > 0 && tries < OVERLAP_MAX && address < object->spans[i].reach; tries++) {
		if (address >= object->spans[i].high)
			continue;

		const struct function_entry *entry =
			unit_index_function(unit_file_scope_get(object->spans[i].unit), address);

		/* nested functions, and those that compilers make of parts of others (OpenMP) */
		if (!entry)
			entry = unit_index_function(unit_index_get(object->spans[i].unit), address);
		if (entry)
			return entry;
	}
	return NULL;
}

struct unit *dwarf_unit_at(struct dwarf_object *object, uint64_t address)
{
	const struct function_entry *entry = dwarf_function_entry(object, address);

	if (entry)
		return dwarf_files_unit(object->files, entry->die);
	for (size_t i = span_after(object, address), tries = 0;
	     i-- > 0 && tries < OVERLAP_MAX && address < object->spans[i].reach; tries++) {
		if (address < object->spans[i].high)
			return object->spans[i].unit;
	}
	return NULL;
}

struct unit *dwarf_source_unit(struct dwarf_object *object, uint64_t reference)
{
	struct unit *unit = dwarf_files_unit(object->files, reference);
	struct die die;

	if (!unit || !unit_prepare(unit) || !unit->linked)
		return unit;
	for (int i = 0; i < ORIGINS_MAX && die_at(object->files, reference, &die); i++) {
		/* a unit without a name is made of what several units share (dwz) */
		if (!die.unit->linked && die.unit->name)
			return die.unit;
		reference = die_target(&die, SLOT_ORIGIN);
	}
	return unit;
}

struct unit *dwarf_source_unit_at(struct dwarf_object *object, uint64_t address)
{
	const struct function_entry *entry = dwarf_function_entry(object, address);

	return entry ? dwarf_source_unit(object, entry->die) : dwarf_unit_at(object, address);
}

void *dwarf_unit_fact(struct dwarf_object *object, struct concurrent_map *map, struct unit *unit,
		      void *(*create)(struct dwarf_object *object, struct unit *unit),
		      void (*destroy)(void *fact))
{
	uint64_t key = unit_reference(unit, unit->first_die);
	void *fact = concurrent_map_find(map, key), *mine;

	if (fact)
		return fact;
	mine = create(object, unit);
	fact = type_table_publish(object->types.table, map, key, mine);
	if (fact != mine)
		destroy(mine);
	return fact;
}
