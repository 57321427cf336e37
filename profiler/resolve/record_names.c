// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements record_names_init(): what a program's names have to do with records. */
#include "base/memory.h"
#include "profiler/resolve/record_sources.h"

#define NAMES_MAX  4000000 /* of one object */
#define DEPTH_MAX  8       /* of records without a name */
#define NOT_A_NAME UINT32_MAX

/* A member, function or variable. */
struct seen_name {
	const char *text;
	enum source_name_kind kind;
	uint32_t record, pointers; /* of its type; record NOT_A_NAME: it is of another one */
	uint32_t owner;            /* the record that has the member; NOT_A_NAME: another one */
	bool is_void;              /* a pointer to anything */
};

struct name_collector {
	const struct record_source *records;
	size_t record_count;
	struct seen_name *items;
	size_t count, capacity;
};

/* Returns the index of the record that the type is, or NOT_A_NAME. */
static uint32_t record_of(const struct name_collector *collector, const struct type *type)
{
	const char *name = type_is_record(type) ? type_name_interned(type) : NULL;

	for (uint32_t i = 0; name && i < collector->record_count; i++)
		if (type_name_interned(collector->records[i].type) == name)
			return i;
	return NOT_A_NAME;
}

static void see_name(struct name_collector *collector, enum source_name_kind kind, const char *text,
		     const struct type *type, uint32_t owner)
{
	uint32_t pointers = 0;

	if (!text || !type || collector->count >= NAMES_MAX)
		return;
	for (type = type_strip(type); type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
	     type = type_strip(type_target(type)))
		pointers++;
	array_add(collector->items, collector->count, collector->capacity) =
		(struct seen_name){ text,     kind,  record_of(collector, type),
				    pointers, owner, type->kind == TYPE_VOID };
}

static void see_members(struct name_collector *collector, const struct type *type, uint32_t owner,
			int depth)
{
	if (type_is_vast(type))
		return;
	members_each (member, type_members, type) {
		const struct type *inner = type_strip(member->type);

		see_name(collector, NAMED_MEMBER, member->name, member->type, owner);
		if (owner != NOT_A_NAME)
			see_name(collector, NAMED_OWN, member->name, member->type, owner);
		while (inner->kind == TYPE_ARRAY)
			inner = type_strip(type_target(inner));
		if (type_is_record(inner) && !inner->name && depth < DEPTH_MAX)
			see_members(collector, inner, member->name ? NOT_A_NAME : owner, depth + 1);
	}
}

static void see_type(void *data, const struct type *type)
{
	struct name_collector *collector = data;

	if (type->kind == TYPE_TYPEDEF)
		see_name(collector, NAMED_TYPE, type->name, type, NOT_A_NAME);
	type = type_strip(type);
	if (type_is_record(type))
		see_members(collector, type, record_of(collector, type), 0);
}

static void see_function(void *data, const char *name, const struct prototype *prototype,
			 bool external _unused_)
{
	see_name(data, NAMED_FUNCTION, name, prototype->return_type, NOT_A_NAME);
}

static void see_variable(void *data, const struct global *variable, bool external _unused_)
{
	see_name(data, NAMED_VARIABLE, variable->name, variable->type, NOT_A_NAME);
}

COMPARISON(compare_seen, struct seen_name, BY_TEXT(text) ASCENDING(kind) ASCENDING(record))

/* Sets whether the members of a record are called as no other record's. */
static void set_unique(const struct seen_name *items, size_t count, struct source_record *records,
		       size_t record_count, struct arena *arena)
{
	for (uint32_t i = 0; i < record_count; i++) {
		struct source_record *record = &records[i];
		bool *unique = arena_alloc(arena, (record->accessed_count + 1) * sizeof(*unique));

		for (size_t k = 0; k < record->accessed_count; k++) {
			size_t low = 0, high = count;

			while (low < high) {
				size_t middle = (low + high) / 2;

				if (strcmp(items[middle].text, record->accessed[k]) < 0)
					low = middle + 1;
				else
					high = middle;
			}
			unique[k] = low < count && !strcmp(items[low].text, record->accessed[k]);
			for (; low < count && !strcmp(items[low].text, record->accessed[k]); low++)
				unique[k] &=
					items[low].kind != NAMED_MEMBER || items[low].owner == i;
		}
		record->unique = unique;
	}
}

void record_names_init(struct debug_reader *reader, const struct record_source *records,
		       struct source_record *described, size_t count, struct arena *arena,
		       struct source_names *names)
{
	struct name_collector collector = { .records = records, .record_count = count };
	const struct debug_visitor visitor = { &collector, see_type, see_function, see_variable };
	struct source_name *kept;

	*names = (struct source_names){ 0 };
	for (size_t i = 0; i < count; i++)
		if (records[i].facts->is_cxx || records[i].facts->is_rust ||
		    records[i].facts->is_kernel || !records[i].facts->keyword)
			return;
	if (debug_reader_each(reader, &visitor) && collector.count < NAMES_MAX) {
		array_sort(collector.items, collector.count, compare_seen);
		set_unique(collector.items, collector.count, described, count, arena);
		kept = arena_alloc(arena, (collector.count + 1) * sizeof(*kept));
		array_each (const struct seen_name, seen, collector.items, collector.count) {
			struct source_name *last = names->count ? &kept[names->count - 1] : NULL;

			if (last && last->kind == seen->kind && !strcmp(last->text, seen->text))
				last->others |= seen->record != last->record || seen->is_void ||
						(seen->record != NOT_A_NAME &&
						 seen->pointers != last->pointers);
			else if (seen->record != NOT_A_NAME || seen->kind == NAMED_VARIABLE ||
				 seen->kind == NAMED_OWN)
				kept[names->count++] =
					(struct source_name){ seen->text, seen->kind, seen->record,
							      seen->pointers, seen->is_void };
		}
		names->items = kept;
	}
	free(collector.items);
}
