// SPDX-License-Identifier: GPL-2.0-or-later
/* Records that end in a flexible array: see dwarf_flexible.h. */
#include "dwarf/dwarf_flexible.h"

#include <stdlib.h>

#include "dwarf/dwarf_index.h"
#include "profiler/base/memory.h"

struct flexible_records {
	const struct type **types;
	size_t count;
	size_t capacity;
};

static bool ends_in_flexible_array(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	if (!count)
		return false;
	const struct type *last = type_strip(members[count - 1].type);

	return last->kind == TYPE_ARRAY && !last->size && type_target(last);
}

static struct flexible_records *find(struct debug_object *object, struct unit *unit)
{
	const struct unit_index *index = unit_index_get(unit);
	struct flexible_records *records = xcalloc(1, sizeof(*records));

	for (size_t i = 0; i < index->name_count; i++) {
		if (index->names[i].kind != NAME_RECORD)
			continue;
		const struct type *type = dwarf_type(&object->types, index->names[i].die);

		if (!type_is_record(type) || !ends_in_flexible_array(type))
			continue;
		array_reserve(records->types, records->count, records->capacity);
		records->types[records->count++] = type;
	}
	return records;
}

const struct type *const *dwarf_flexible_records(struct debug_object *object, struct unit *unit,
						 size_t *count)
{
	uint64_t key = unit_reference(unit, unit->first_die);
	struct flexible_records *records = concurrent_map_find(&object->flexible, key);

	if (!records) {
		/* found without the lock, for types take it: whoever comes second drops what it found */
		struct flexible_records *found = find(object, unit);

		type_table_lock(object->types.table);
		records = concurrent_map_find(&object->flexible, key);
		if (!records) {
			records = found;
			concurrent_map_insert(&object->flexible, key, records);
			found = NULL;
		}
		type_table_unlock(object->types.table);
		if (found) {
			free(found->types);
			free(found);
		}
	}
	*count = records->count;
	return records->types;
}

static void destroy(void *value)
{
	struct flexible_records *records = value;

	free(records->types);
	free(records);
}

void dwarf_flexible_release(struct debug_object *object)
{
	concurrent_map_each(&object->flexible, destroy);
	concurrent_map_release(&object->flexible);
}
