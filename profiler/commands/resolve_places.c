// SPDX-License-Identifier: GPL-2.0-or-later
/* The distinct places that samples and callers are at. */
#include "profiler/commands/resolve.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

struct place_finder {
	struct resolution *resolution;
	uint32_t *slots; /* numbers + 1 by hash; 0: free */
	size_t slot_count;
};

/* What tells places apart, besides object and address. */
struct place_kind {
	bool store;
	bool after;
	bool late;
	int64_t came_from;
};

static bool is_place(const struct resolved_place *place, const struct dso *dso, uint64_t address,
		     struct place_kind kind)
{
	return place->dso == dso && place->shown.address == address && place->store == kind.store &&
	       place->after == kind.after && place->late == kind.late && place->came_from == kind.came_from;
}

static uint32_t place_number(struct place_finder *finder, struct dso *dso, uint64_t address,
			     struct place_kind kind)
{
	struct resolution *resolution = finder->resolution;
	size_t slot =
		hash_combine(hash_combine((uintptr_t)dso, address),
			     (uint64_t)kind.came_from << 3 | kind.late << 2 | kind.store << 1 | kind.after) &
		(finder->slot_count - 1);

	while (finder->slots[slot] &&
	       !is_place(&resolution->places[finder->slots[slot] - 1], dso, address, kind))
		slot = (slot + 1) & (finder->slot_count - 1);
	if (!finder->slots[slot]) {
		array_reserve(resolution->places, resolution->place_count, resolution->place_capacity);
		resolution->places[resolution->place_count++] =
			(struct resolved_place){ .dso = dso,
						 .store = kind.store,
						 .after = kind.after,
						 .late = kind.late,
						 .came_from = kind.came_from,
						 .sampled = address,
						 .shown = { .address = address } };
		finder->slots[slot] = (uint32_t)resolution->place_count;
	}
	return finder->slots[slot] - 1;
}

/* Samples of events by which of them are late: whatever they say, and those not called exact. */
static bool *late_events(const struct session *session, enum blame_mode mode)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	bool *late = xcalloc(count, sizeof(*late));

	for (size_t i = 0; i < count; i++) {
		const struct perf_event_attr *attr = &events[i].attr;
		bool of_processor = attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
				    attr->type != PERF_TYPE_BREAKPOINT;

		late[i] = mode != BLAME_SAMPLED &&
			  (event_is_late(&events[i]) || (mode == BLAME_RETIRED && of_processor));
	}
	return late;
}

void resolve_places(struct resolution *resolution, const struct sample_counts *counts,
		    const struct resolve_options *options, uint32_t **place_of_frame)
{
	bool *late _cleanup_free_ =
		late_events(resolution->session, options->needs & NEED_TYPE ? options->blame : BLAME_SAMPLED);
	struct place_finder finder = { .resolution = resolution, .slot_count = 64 };

	/* at most as many places as entries and frames: a table that is never more than half full */
	while (finder.slot_count / 2 < counts->count + counts->frame_count)
		finder.slot_count *= 2;
	finder.slots = xcalloc(finder.slot_count, sizeof(*finder.slots));
	resolution->place_of = xcalloc(counts->count, sizeof(*resolution->place_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];

		struct place_kind kind = { .store = entry->store,
					   .after = entry->after,
					   .late = late[entry->event] && !entry->exact && !entry->after };

		kind.came_from = kind.late ? entry->came_from : 0;
		resolution->place_of[i] = place_number(&finder, entry->dso, entry->address, kind);
		resolution->places[resolution->place_of[i]].samples += entry->samples;
	}
	*place_of_frame = xcalloc(counts->frame_count, sizeof(**place_of_frame));
	for (size_t i = 1; i < counts->frame_count; i++)
		(*place_of_frame)[i] = place_number(&finder, counts->frames[i].dso, counts->frames[i].address,
						    (struct place_kind){ 0 });
	free(finder.slots);
}
