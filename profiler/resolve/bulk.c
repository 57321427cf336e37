// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples in bulk memory functions (annotate/facts/bulk.h) get the type of the argument that their
 * caller passed, if the caller was recorded (CALLER of sample_fields.h). The caller is believed
 * only if it has a call of such a function there. Entries whose callers differ move to places of
 * their own.
 */

#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "profiler/resolve/private.h"

struct bulk_places {
	struct bulk_place *items; /* sorted by DSO */
	size_t count, capacity;
};

/* Returns whether a place in a bulk memory function accesses nothing that the caller passed. */
static bool is_beside_memory(const struct resolved_place *place)
{
	return place->callee && place->access.kind != ACCESS_BULK &&
	       place->access.kind != ACCESS_UNKNOWN;
}

/* Returns whether the caller may tell what a place accesses, or for whom it copies. Code without a
 * symbol may be a library function whose name only the caller knows. */
static bool wants_caller(const struct resolved_place *place)
{
	const struct access *access = &place->access;

	if (access->kind == ACCESS_BULK || is_beside_memory(place))
		return true;
	return access->kind == ACCESS_UNKNOWN &&
	       (access->reason == REASON_NO_DEBUG_INFO || access->reason == REASON_NO_FUNCTION);
}

COMPARISON(compare_bulk, struct bulk_place, ASCENDING(dso->id) ASCENDING(place) ASCENDING(caller))

COMPARISON(compare_by_place, struct bulk_place, ASCENDING(place) ASCENDING(caller))

/* Lists the places of entries with a caller, each with each of its callers once. */
static void list_places(const struct resolution *resolution, const struct sample_counts *counts,
			struct session *session, struct bulk_places *list)
{
	array_indexed (const struct counted, entry, i, counts->entries, counts->count) {
		struct bulk_place item = { .caller = entry->caller,
					   .place = resolution->entries.place_of[i] };

		if (!entry->caller || !wants_caller(&resolution->places[item.place]))
			continue;
		item.dso = session_caller(session, entry->caller, &item.address);
		if (!item.dso)
			continue;
		array_add(list->items, list->count, list->capacity) = item;
	}
	array_unique(list->items, list->count, compare_bulk);
}

static void add_twin(struct resolution *resolution, struct bulk_place *item,
		     const struct type_resolver_call *call)
{
	array_reserve(resolution->places, resolution->place_count, resolution->place_capacity);
	struct resolved_place *twin = &resolution->places[resolution->place_count];

	*twin = resolution->places[item->place];
	twin->samples = 0;
	twin->next_part = 0;
	if (!is_beside_memory(twin))
		twin->access = call->access;
	twin->callee = call->callee;
	twin->type_dso = twin->caller = item->dso;
	twin->call_address = item->address - !(item->caller & CALLER_IS_CALL);

	struct shown_words words = shown_words_of(resolution);

	resolved_place_show_access(&words, twin);
	item->twin = (uint32_t)resolution->place_count++;
}

/* Finds the arguments that the callers in one DSO passed. */
static struct error *resolve_callers(struct resolution *resolution, struct bulk_place *items,
				     size_t count, const struct resolve_options *options)
{
	struct type_resolver_options resolver_options = { .no_infer = options->no_infer,
							  .threads = options->threads };
	_cleanup_free_ struct type_resolver_call *calls = xcalloc(count, sizeof(*calls));
	const struct elf_image *image = dso_image(items[0].dso, &options->dso, NULL);
	struct debug_object *debug = image ? dso_debug(items[0].dso, &options->dso, NULL) : NULL;
	struct type_resolver *resolver;

	if (!image)
		return NULL;
	for (size_t i = 0; i < count; i++)
		calls[i] = (struct type_resolver_call){
			.address = items[i].address,
			.at_call = items[i].caller & CALLER_IS_CALL,
			.through = !(items[i].caller & CALLER_DOUBTFUL),
			.access = resolution->places[items[i].place].access,
		};
	RETURN_ERROR(type_resolver_create(image, debug, &resolver_options, &resolver));
	type_resolver_calls(resolver, calls, count);
	type_resolver_destroy(resolver);
	for (size_t i = 0; i < count; i++)
		if (calls[i].callee)
			add_twin(resolution, &items[i], &calls[i]);
	return NULL;
}

void resolve_bulk_entries(struct resolution *resolution, const struct sample_counts *counts)
{
	const struct resolve_memory *memory = resolution->memory;

	for (size_t i = 0; memory && memory->bulk_count && i < counts->count; i++) {
		struct bulk_place key = { .caller = counts->entries[i].caller,
					  .place = resolution->entries.place_of[i] };
		const struct bulk_place *item =
			key.caller ? bsearch(&key, memory->bulk, memory->bulk_count, sizeof(key),
					     compare_by_place)
				   : NULL;

		if (item && item->twin)
			resolution->entries.place_of[i] = item->twin;
	}
}

struct error *resolve_bulk(struct resolution *resolution, struct session *session,
			   const struct sample_counts *counts,
			   const struct resolve_options *options)
{
	struct bulk_places list = { 0 };
	struct error *error = NULL;

	list_places(resolution, counts, session, &list);
	for (size_t start = 0, end; start < list.count && !error; start = end) {
		for (end = start + 1;
		     end < list.count && list.items[end].dso == list.items[start].dso; end++)
			;
		error = resolve_callers(resolution, list.items + start, end - start, options);
	}
	array_sort(list.items, list.count, compare_by_place);
	resolve_memory_of(resolution)->bulk = list.items;
	resolution->memory->bulk_count = list.count;
	if (!error)
		resolve_bulk_entries(resolution, counts);
	return error;
}
