// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_index.h"

#include "dwarf/dwarf_index_build.h"
#include "profiler/base/search.h"

#define NESTING_MAX 4096

/* ---- whose is built when ---- */

/* Prepared, and of a skeleton the unit that it stands for; NULL: it has no DIEs. */
static struct unit *readable(struct unit *unit)
{
	if (!unit_prepare(unit))
		return NULL;
	if (!unit->split)
		return unit;
	return unit_prepare(unit->split) ? unit->split : NULL;
}

/* Two threads may both have built it; the first one's stays. */
static const struct unit_index *keep(struct unit *unit, struct unit_index **slot, struct unit_index *built)
{
	struct unit_index *index = NULL;

	if (__atomic_compare_exchange_n(slot, &index, built, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return built;
	if (built != unit->index)
		index_destroy(built);
	return index;
}

/* What is in the slot, or what is built for it. Other units are not held up by it. */
static const struct unit_index *get(struct unit *unit, struct unit_index **slot,
				    struct unit_index *(*build_one)(struct unit *unit))
{
	struct unit_index *index = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

	if (index)
		return index;

	struct unit_index *built = build_one(unit);

	if (!built) /* which then is the whole one */
		built = (struct unit_index *)get(unit, &unit->index, index_build);
	return keep(unit, slot, built);
}

static const struct unit_index empty;

const struct unit_index *unit_index_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->index, index_build) : &empty;
}

const struct unit_index *unit_level_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->level, index_build_level) : &empty;
}

const struct unit_index *unit_statics_get(struct unit *unit)
{
	unit = readable(unit);
	return unit ? get(unit, &unit->statics, index_build_statics) : &empty;
}

void unit_indices_destroy(struct unit *unit)
{
	if (unit->level != unit->index)
		index_destroy(unit->level);
	if (unit->statics != unit->index)
		index_destroy(unit->statics);
	index_destroy(unit->index);
}

/* ---- looking up ---- */

uint64_t unit_index_next(const struct unit_index *index, uint32_t hash, enum name_kind kind,
			 uint32_t *position)
{
	while (index->name_slots) {
		uint32_t entry = index->name_slots[(hash + *position) & index->name_slot_mask];

		if (!entry)
			break;
		++*position;
		if (index->names[entry - 1].hash == hash && index->names[entry - 1].kind == kind)
			return index->names[entry - 1].die;
	}
	return 0;
}

const struct function_entry *unit_index_function(const struct unit_index *index, uint64_t address)
{
	size_t after = partition_point(0, index->function_count, i, index->functions[i].low <= address);

	/* Nested functions and bad input may overlap: the nearest begin before the address that covers it,
	 * not looking further back than a few. */
	for (size_t i = after, tries = 0; i-- > 0 && tries < 16; tries++) {
		if (address < index->functions[i].high) {
			while (i && index->functions[i - 1].low == index->functions[i].low &&
			       address < index->functions[i - 1].high)
				i--;
			return &index->functions[i];
		}
	}
	return NULL;
}

const struct container *unit_index_container(const struct unit_index *index, uint64_t offset)
{
	size_t count = partition_point(0, index->container_count, i, index->containers[i].start < offset);

	if (!count)
		return NULL;

	const struct container *container = &index->containers[count - 1];

	for (int climbed = 0; offset >= container->end; climbed++) {
		if (container->parent == NO_CONTAINER || climbed >= NESTING_MAX)
			return NULL;
		container = &index->containers[container->parent];
	}
	return container;
}
