// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements hot_objects.h. */
#include "profiler/resolve/hot_objects.h"

#include "annotate/types/member.h"
#include "base/hash.h"
#include "base/type_name.h"
#include "profiler/resolve/private.h"

/* A sample of a wanted type. */
struct hot_sample {
	const struct type *type; /* a record; canonical */
	uint64_t object;         /* its address; 0: not known */
	uint64_t offset;
	const char *field; /* in the arena */
	uint64_t samples;
};

struct hot_collector {
	const struct resolution *resolution;
	const struct sample_counts *counts;
	const char *name;        /* NULL: all types */
	int32_t pid;             /* 0: all processes */
	struct hash_map by_type; /* type -> index in `types` */
	struct hot_type {
		const struct type *type;
		const char *label;
		bool wanted;
		uint64_t samples, addressed;
	} * types;
	size_t type_count, type_capacity;
	struct hot_sample *samples;
	size_t count, capacity;
	struct arena *arena;
};

static struct hot_type *hot_type_of(struct hot_collector *collector, const struct type *type)
{
	bool created;
	struct hot_type *hot =
		hash_map_item(&collector->by_type, (uintptr_t)type, collector->types,
			      collector->type_count, collector->type_capacity, &created);

	if (created) {
		hot->type = type;
		hot->label = type_label_interned(type);
		hot->wanted = !collector->name || type_name_matches(collector->name, hot->label);
	}
	return hot;
}

/* Returns the field of an access in one of the records that it goes into. What is known of unions
 * is about the way from the outermost record. */
static const char *hot_field(struct hot_collector *collector, const struct access *access,
			     const struct access_records *records)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	const struct access inner = { .kind = ACCESS_TYPE,
				      .type = records->type,
				      .offset = records->offset,
				      .size = access->size };

	access_members_path(records->member ? &inner : access, &path);
	return arena_strdup(collector->arena, path.data ?: "");
}

/* Keeps the samples of an entry, if they are of a wanted type. */
static void hot_collect(struct hot_collector *collector, size_t entry)
{
	const struct resolution *resolution = collector->resolution;
	const struct resolved_place *place = entry_place(resolution, entry);
	const struct access *access = &place->access;
	struct result result = resolution_result(resolution, collector->counts, entry);
	struct access_records records;
	struct hot_type *type = NULL;

	if ((collector->pid && result.pid != collector->pid) || access->kind != ACCESS_TYPE ||
	    !access_records_begin(access, &records))
		return;
	while (!(type = hot_type_of(collector, records.type))->wanted)
		if (!access_records_next(&records))
			return;

	struct access_span span = span_in_record(place, &collector->counts->entries[entry],
						 records.type, (uint64_t)records.offset);
	uint64_t object;

	type->samples += result.samples;
	if (access->memory == ACCESS_MEMORY_STACK ||
	    !access_span_object(&span, result.data_address, &object))
		return;
	type->addressed += result.samples;
	array_add(collector->samples, collector->count, collector->capacity) = (struct hot_sample){
		.type = records.type,
		.object = object,
		.offset = (uint64_t)span.offset,
		.field = hot_field(collector, access, &records),
		.samples = result.samples,
	};
}

COMPARISON(compare_hot_samples, struct hot_sample,
	   ASCENDING(object) ASCENDING(offset) BY_TEXT(field))
COMPARISON(compare_hot_objects, struct hot_object, DESCENDING(samples) ASCENDING(address))

/* Returns the type whose objects are shown; NULL: there is none. */
static const struct hot_type *hot_choose(const struct hot_collector *collector)
{
	const struct hot_type *best = NULL;

	array_each (const struct hot_type, type, collector->types, collector->type_count)
		if (type->addressed && type->wanted &&
		    (!best || type->addressed > best->addressed ||
		     (type->addressed == best->addressed && strcmp(type->label, best->label) < 0)))
			best = type;
	return best;
}

/* Returns whether a type is the chosen one: a program and its libraries each describe it. */
static bool is_same_type(const struct hot_collector *collector, const struct type *type,
			 const struct hot_type *chosen)
{
	const uint32_t *index = hash_map_find(&collector->by_type, (uintptr_t)type);

	/* in one object, types of one name are one if they are equal */
	if (type->table == chosen->type->table)
		return type_strip(type) == type_strip(chosen->type);
	return index && !strcmp(collector->types[*index].label, chosen->label) &&
	       type_size_or(type, 0) == type_size_or(chosen->type, 0);
}

/* Keeps the samples of the chosen type, and sums up all of it. */
static void hot_keep_chosen(struct hot_collector *collector, const struct hot_type *chosen,
			    struct hot_objects *result)
{
	result->type = chosen->type;
	for (size_t i = 0; i < collector->type_count; i++)
		if (is_same_type(collector, collector->types[i].type, chosen)) {
			result->samples += collector->types[i].samples;
			result->addressed += collector->types[i].addressed;
		}
	array_keep(i, collector->samples, collector->count,
		   is_same_type(collector, collector->samples[i].type, chosen));
	array_sort(collector->samples, collector->count, compare_hot_samples);
}

/* Makes the object of `count` samples, which are sorted. */
static struct hot_object hot_object_of(const struct hot_sample *samples, size_t count,
				       struct arena *arena)
{
	struct hot_object object = { .address = samples->object,
				     .spots = arena_alloc(arena, count * sizeof(*object.spots)) };

	for (size_t i = 0; i < count; i++) {
		struct hot_spot *last =
			object.spot_count ? &object.spots[object.spot_count - 1] : NULL;

		if (!last || last->offset != samples[i].offset ||
		    strcmp(last->field, samples[i].field) != 0) {
			last = &object.spots[object.spot_count++];
			*last = (struct hot_spot){ samples[i].offset, samples[i].field, 0 };
		}
		last->samples += samples[i].samples;
		object.samples += samples[i].samples;
	}
	return object;
}

static void hot_make_objects(const struct hot_collector *collector, size_t most,
			     struct hot_objects *result)
{
	const struct hot_sample *samples = collector->samples;

	result->objects = arena_alloc(&result->arena, collector->count * sizeof(*result->objects));
	for (size_t first = 0, end; first < collector->count; first = end) {
		for (end = first;
		     end < collector->count && samples[end].object == samples[first].object;)
			end++;
		result->objects[result->seen++] =
			hot_object_of(&samples[first], end - first, &result->arena);
	}
	array_sort(result->objects, result->seen, compare_hot_objects);
	result->count = result->seen < most ? result->seen : most;
}

void hot_objects_find(const struct resolution *resolution, const struct sample_counts *counts,
		      const char *name, int32_t pid, size_t most, struct hot_objects *result)
{
	struct hot_collector collector = { .resolution = resolution,
					   .counts = counts,
					   .name = name,
					   .pid = pid,
					   .arena = &result->arena };

	*result = (struct hot_objects){ 0 };
	for (size_t i = 0; i < counts->count; i++)
		hot_collect(&collector, i);

	const struct hot_type *chosen = hot_choose(&collector);

	if (chosen) {
		hot_keep_chosen(&collector, chosen, result);
		hot_make_objects(&collector, most, result);
	}
	hash_map_deinit(&collector.by_type);
	free_all(collector.types, collector.samples);
}

void hot_objects_deinit(struct hot_objects *objects)
{
	arena_deinit(&objects->arena);
}
