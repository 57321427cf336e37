// SPDX-License-Identifier: GPL-2.0-or-later
/* Inline functions from one record to another: see dwarf_inline_cast.h. */
#include "dwarf/dwarf_inline_cast.h"

#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_index.h"
#include "profiler/base/memory.h"

struct inline_casts {
	struct inline_cast *items;
	size_t count;
	size_t capacity;
};

static const struct type *record_behind(const struct type *type)
{
	const struct type *bare = type ? type_strip(type) : NULL;
	const struct type *target = bare && type_is_pointer(bare) ? type_target(bare) : NULL;

	return target && type_is_record(type_strip(target)) ? type_canonical(target) : NULL;
}

/* Is the DIE that of a function that was inlined, with a result and parameters? *declared: it was written as
 * an inline one (DW_AT_inline, DWARF 5, 3.3.8.1). */
static bool is_inlined(const struct die *die, bool *declared)
{
	uint64_t how;

	if (die->tag != DW_TAG_subprogram || !die->has_children || !die_has(die, SLOT_TYPE) ||
	    !die_unsigned(die, SLOT_INLINE, &how))
		return false;
	*declared = how == DW_INL_declared_inlined;
	return *declared || how == DW_INL_inlined;
}

static void take(struct debug_object *object, uint64_t reference, bool declared, struct inline_casts *casts)
{
	const struct dwarf_prototype *found = dwarf_prototype(object, reference);
	const struct prototype *prototype = found ? &found->prototype : NULL;

	if (!prototype || prototype->parameter_count != 1 || prototype->variadic)
		return;
	const struct type *from = record_behind(prototype->parameters[0].type);
	const struct type *to = record_behind(prototype->return_type);

	if (!from || !to || from == to)
		return;
	array_reserve(casts->items, casts->count, casts->capacity);
	casts->items[casts->count++] = (struct inline_cast){ prototype, from, to, declared };
}

static struct inline_casts *find(struct debug_object *object, struct unit *unit)
{
	const struct unit_index *index = unit_level_get(unit);
	struct inline_casts *casts = xcalloc(1, sizeof(*casts));
	struct die die;
	bool declared;

	for (size_t i = 0; i < index->name_count; i++)
		if (index->names[i].kind == NAME_FUNCTION &&
		    die_at(object->files, index->names[i].die, &die) && is_inlined(&die, &declared))
			take(object, index->names[i].die, declared, casts);
	return casts;
}

static void destroy(void *value)
{
	struct inline_casts *casts = value;

	free(casts->items);
	free(casts);
}

const struct inline_cast *dwarf_inline_casts(struct debug_object *object, struct unit *unit, size_t *count)
{
	uint64_t key = unit_reference(unit, unit->first_die);
	struct inline_casts *casts = concurrent_map_find(&object->inline_casts, key);

	if (!casts) {
		/* found without the lock, for types take it: whoever comes second drops what it found */
		struct inline_casts *mine = find(object, unit);

		type_table_lock(object->types.table);
		casts = concurrent_map_find(&object->inline_casts, key);
		if (!casts)
			concurrent_map_insert(&object->inline_casts, key, mine);
		type_table_unlock(object->types.table);
		if (casts)
			destroy(mine);
		else
			casts = mine;
	}
	*count = casts->count;
	return casts->items;
}

void dwarf_inline_casts_deinit(struct debug_object *object)
{
	concurrent_map_each(&object->inline_casts, destroy);
	concurrent_map_deinit(&object->inline_casts);
}
