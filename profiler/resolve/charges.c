// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Charges of late samples: see resolve_charges() in private.h.
 *
 * A late place whose samples are charged to several accesses is a list of places, each with its
 * number of samples. Every entry of the place is split in the same shares. When shares do not come
 * out even, the remaining sample goes to a part with the probability of its remainder. The choice
 * follows multiples of the golden ratio: evenly spread, but without a period, so that entries that
 * follow each other in a pattern, such as thread by thread, still get the same shares in the end.
 *
 * Data addresses: an address that lies outside of the variable or the stack that the type was found
 * by proves the type wrong, and the entry loses it.
 */

#include "base/hash.h"
#include "base/memory.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/private.h"

/* Lists the places that the samples of a late place are charged to. */
static void list_parts(const struct resolution *resolution, uint32_t place,
		       struct charge_parts *parts)
{
	parts->count = 0;
	parts->samples = 0;
	do {
		array_reserve(parts->items, parts->count, parts->capacity);
		uint64_t samples = resolution->places[place].samples;

		parts->items[parts->count++] =
			(struct charge_part){ .place = place, .samples = samples };
		parts->samples += samples;
		place = resolution->places[place].next_part;
	} while (place);
}

/* Sets `shares`, one for each part. Their sum is `samples`. Laid end to end, the remainders of all
 * parts are a whole number of samples long. Points one sample apart are placed on that line, and
 * each gives a sample to the part that it hits. */
static void divide_samples(struct charge_parts *parts, uint64_t samples, uint64_t *shares)
{
	unsigned __int128 point = (unsigned __int128)(++parts->turn * HASH_GOLDEN_RATIO) *
					  parts->samples >>
				  64,
			  end = 0;

	for (size_t i = 0; i < parts->count; i++) {
		unsigned __int128 exact = (unsigned __int128)samples * parts->items[i].samples;

		shares[i] = (uint64_t)(exact / parts->samples);
		end += exact % parts->samples;
		if (point < end) {
			shares[i]++;
			point += parts->samples;
		}
	}
}

/* A part of an entry besides its first one. */
struct further_part {
	size_t entry;
	uint32_t place;
	uint64_t samples, period, weight_total;
};

struct splitter {
	struct resolution *resolution;
	struct sample_counts *counts;
	struct further_part *pieces; /* in the order of their entries */
	size_t count, capacity;
};

static void set_amounts(struct counted *entry, const struct further_part *piece)
{
	entry->samples = piece->samples;
	entry->period = piece->period;
	entry->weight_total = piece->weight_total;
}

/* Each part takes its share of what the parts before it left, so that nothing is lost to rounding.
 * The first part becomes the entry, and the others are noted. */
static void split_entry(struct splitter *splitter, size_t number, const struct charge_parts *parts,
			const uint64_t *shares)
{
	struct counted *entry = &splitter->counts->entries[number];
	uint64_t left = entry->samples, period = entry->period, weight = entry->weight_total;
	bool first = true;

	for (size_t i = 0; i < parts->count; i++) {
		struct further_part piece = { .entry = number, .place = parts->items[i].place };

		if (!shares[i])
			continue;
		piece.samples = shares[i];
		piece.period = (uint64_t)((unsigned __int128)period * shares[i] / left);
		piece.weight_total = (uint64_t)((unsigned __int128)weight * shares[i] / left);
		left -= shares[i];
		period -= piece.period;
		weight -= piece.weight_total;
		if (first) {
			set_amounts(entry, &piece);
			splitter->resolution->entries.place_of[number] = piece.place;
			first = false;
			continue;
		}
		array_add(splitter->pieces, splitter->count, splitter->capacity) = piece;
	}
}

/* Inserts the pieces after their entries, from the last one on. Entries are many and large, so
 * they are moved within their array and not copied to another one. */
static void insert_pieces(struct splitter *splitter)
{
	struct sample_counts *counts = splitter->counts;
	size_t end = counts->count, to = end + splitter->count;
	uint32_t *place_of =
		xrealloc_array(splitter->resolution->entries.place_of, to, sizeof(*place_of));

	if (to > counts->capacity) {
		counts->entries = xrealloc_array(counts->entries, to, sizeof(*counts->entries));
		counts->capacity = to;
	}
	struct counted *entries = counts->entries;

	counts->count = to;
	splitter->resolution->entries.place_of = place_of;
	for (size_t i = splitter->count; i-- > 0;) {
		const struct further_part *piece = &splitter->pieces[i];
		size_t next = piece->entry + 1, moved = end - next;

		to -= moved;
		memmove(&entries[to], &entries[next], moved * sizeof(*entries));
		memmove(&place_of[to], &place_of[next], moved * sizeof(*place_of));
		end = next;
		to--;
		entries[to] = entries[piece->entry];
		set_amounts(&entries[to], piece);
		place_of[to] = piece->place;
	}
}

/* Returns the parts of each place, which slices divide their entries by, too. */
static struct charge_parts *parts_of_places(struct resolution *resolution)
{
	struct resolve_memory *memory = resolve_memory_of(resolution);

	if (!memory->parts) {
		memory->parts_count = resolution->place_count;
		memory->parts = xcalloc(memory->parts_count, sizeof(*memory->parts));
	}
	return memory->parts;
}

static void split_entries(struct splitter *splitter)
{
	struct resolution *resolution = splitter->resolution;
	struct charge_parts *parts_of = parts_of_places(resolution);
	_cleanup_free_ uint64_t *shares = NULL;
	size_t share_capacity = 0;

	for (size_t i = 0; i < splitter->counts->count; i++) {
		uint64_t samples = splitter->counts->entries[i].samples;
		uint32_t place = resolution->entries.place_of[i];
		struct charge_parts *parts = &parts_of[place];

		if (!resolution->places[place].next_part || !samples)
			continue;
		if (!parts->count)
			list_parts(resolution, place, parts);
		if (share_capacity < parts->count) {
			shares = xrealloc_array(shares, parts->count, sizeof(*shares));
			share_capacity = parts->count;
		}
		divide_samples(parts, samples, shares);
		split_entry(splitter, i, parts, shares);
	}
	if (splitter->count)
		insert_pieces(splitter);
	free(splitter->pieces);
}

/* Drops a data address computed for another instruction than the charged one. */
static void drop_other_address(const struct resolution *resolution, struct operands *operands,
			       struct counted *entry, uint32_t place_number)
{
	const struct resolved_place *place = &resolution->places[place_number];

	if (!entry->data_computed || !entry->dso)
		return;
	if (!access_is_none(&place->access) &&
	    (!place->late ||
	     operands_waited(operands, entry->dso, place->sampled) == place->access.address))
		return;
	entry->data_known = entry->data_computed = entry->check_in_object = entry->data_shared =
		false;
	entry->data_address = 0;
	entry->data_dso = NULL;
	entry->data_file_address = 0;
	entry->element_known = 0;
	entry->element_index = entry->element_address = 0;
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
	}
	for (size_t i = 0; i < counts->count; i++)
		drop_other_address(resolution, options->operands, &counts->entries[i],
				   resolution->entries.place_of[i]);
}

struct resolve_memory *resolve_memory_of(struct resolution *resolution)
{
	if (!resolution->memory)
		resolution->memory = xcalloc(1, sizeof(*resolution->memory));
	return resolution->memory;
}

void resolve_memory_destroy(struct resolve_memory *memory)
{
	if (!memory)
		return;
	for (size_t i = 0; i < memory->parts_count; i++)
		free(memory->parts[i].items);
	free(memory->parts);
	hash_index_deinit(&memory->finder.index);
	free_all(memory->twins, memory->bulk, memory);
}
