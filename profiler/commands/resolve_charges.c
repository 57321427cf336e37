// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of late places, charged to what they waited for.
 *
 * A place whose samples are charged to several accesses is a list of places, each with its number of samples.
 * Every entry of the place is cut in the same shares. The few samples that rounding leaves over are given out
 * in the order of a sequence that is even but has no period (multiples of the golden ratio), so that entries
 * which follow each other in a pattern, thread by thread, have the same shares in the end. No part gets more
 * than its number.
 */
#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/commands/operands.h"
#include "profiler/commands/resolve.h"

struct part {
	uint32_t place;
	uint64_t samples; /* of all entries */
	uint64_t left;    /* of these, not given out yet */
};

struct parts {
	struct part *items;
	size_t count, capacity;
	uint64_t samples; /* of the place */
	uint64_t turn;    /* samples that were given out one by one */
};

static void list_parts(const struct resolution *resolution, uint32_t place, struct parts *parts)
{
	parts->count = 0;
	parts->samples = 0;
	do {
		array_reserve(parts->items, parts->count, parts->capacity);
		uint64_t samples = resolution->places[place].samples;

		parts->items[parts->count++] =
			(struct part){ .place = place, .samples = samples, .left = samples };
		parts->samples += samples;
		place = resolution->places[place].next_part;
	} while (place);
}

/* 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, vol. 3, 6.4). */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* Whose turn it is, among parts that have samples left. */
static struct part *next_in_turn(struct parts *parts)
{
	uint64_t point = (uint64_t)((unsigned __int128)(++parts->turn * GOLDEN) * parts->samples >> 64);
	struct part *most = &parts->items[0];

	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->items[i];

		if (point < part->samples && part->left)
			return part;
		if (point < part->samples)
			break;
		point -= part->samples;
	}
	for (size_t i = 1; i < parts->count; i++)
		if (parts->items[i].left > most->left)
			most = &parts->items[i];
	return most;
}

/* Fills in `shares`, one for each part; they sum up to the entry's samples. */
static void share_out(struct parts *parts, uint64_t samples, uint64_t *shares)
{
	uint64_t left = samples;

	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->items[i];

		shares[i] = (uint64_t)((unsigned __int128)samples * part->samples / parts->samples);
		if (shares[i] > part->left)
			shares[i] = part->left;
		part->left -= shares[i];
		left -= shares[i];
	}
	for (; left; left--) {
		struct part *part = next_in_turn(parts);

		shares[part - parts->items]++;
		part->left -= part->left > 0;
	}
}

struct splitter {
	struct resolution *resolution;
	struct sample_counts *counts;
	struct counted *entries; /* the new ones */
	uint32_t *place_of;
	size_t count, capacity, place_capacity;
};

static void add_entry(struct splitter *splitter, const struct counted *entry, uint32_t place)
{
	array_reserve(splitter->entries, splitter->count, splitter->capacity);
	if (splitter->place_capacity < splitter->capacity) {
		splitter->place_of =
			xrealloc_array(splitter->place_of, splitter->capacity, sizeof(*splitter->place_of));
		splitter->place_capacity = splitter->capacity;
	}
	splitter->entries[splitter->count] = *entry;
	splitter->place_of[splitter->count++] = place;
}

/* The last part gets what the others leave, so that nothing is lost to rounding. */
static void split(struct splitter *splitter, const struct counted *entry, const struct parts *parts,
		  const uint64_t *shares)
{
	uint64_t left = entry->samples, period = entry->period, weight = entry->weight_total;

	for (size_t i = 0; i < parts->count; i++) {
		struct counted piece = *entry;

		if (!shares[i])
			continue;
		piece.samples = shares[i];
		piece.period = (uint64_t)((unsigned __int128)period * shares[i] / left);
		piece.weight_total = (uint64_t)((unsigned __int128)weight * shares[i] / left);
		left -= shares[i];
		period -= piece.period;
		weight -= piece.weight_total;
		add_entry(splitter, &piece, parts->items[i].place);
	}
}

static void split_entries(struct splitter *splitter)
{
	struct resolution *resolution = splitter->resolution;
	size_t place_count = resolution->place_count;
	struct parts *parts_of _cleanup_free_ = xcalloc(place_count, sizeof(*parts_of));
	uint64_t *shares _cleanup_free_ = NULL;
	size_t share_capacity = 0;

	for (size_t i = 0; i < splitter->counts->count; i++) {
		const struct counted *entry = &splitter->counts->entries[i];
		uint32_t place = resolution->place_of[i];
		struct parts *parts = &parts_of[place];

		if (!resolution->places[place].next_part || !entry->samples) {
			add_entry(splitter, entry, place);
			continue;
		}
		if (!parts->count)
			list_parts(resolution, place, parts);
		if (share_capacity < parts->count) {
			shares = xrealloc_array(shares, parts->count, sizeof(*shares));
			share_capacity = parts->count;
		}
		share_out(parts, entry->samples, shares);
		split(splitter, entry, parts, shares);
	}
	for (size_t i = 0; i < place_count; i++)
		free(parts_of[i].items);
}

/* A data address was computed of one instruction, which need not be the one that is charged. */
static void check_address(const struct resolution *resolution, struct operands *operands,
			  struct counted *entry, uint32_t place_number)
{
	const struct resolved_place *place = &resolution->places[place_number];

	if (!place->late || !entry->data_computed || !entry->dso)
		return;
	if (operands_waited(operands, entry->dso, place->sampled) == place->access.address)
		return;
	entry->data_known = entry->data_computed = entry->check_in_object = entry->data_shared = false;
	entry->data_address = 0;
	entry->data_dso = NULL;
	entry->data_file_address = 0;
}

void resolve_charges(struct resolution *resolution, struct sample_counts *counts,
		     const struct resolve_options *options)
{
	bool any = false;

	for (size_t i = 0; i < resolution->place_count && !any; i++)
		any = resolution->places[i].next_part;
	if (any) {
		struct splitter splitter = { .resolution = resolution, .counts = counts };

		split_entries(&splitter);
		free(counts->entries);
		free(resolution->place_of);
		counts->entries = splitter.entries;
		counts->count = splitter.count;
		resolution->place_of = splitter.place_of;
	}
	for (size_t i = 0; i < counts->count; i++)
		check_address(resolution, options->operands, &counts->entries[i], resolution->place_of[i]);
}
