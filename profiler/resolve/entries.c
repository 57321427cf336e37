// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Corrections of counted entries once the types are known: splitting those of late samples, and
 * checking data addresses.
 *
 * Charges: a late place whose samples are charged to several accesses is a list of places, each
 * with its number of samples. Every entry of the place is split in the same shares. When shares do
 * not come out even, the remaining sample goes to a part with the probability of its remainder. The
 * choice follows multiples of the golden ratio: evenly spread, but without a period, so that
 * entries that follow each other in a pattern, such as thread by thread, still get the same shares
 * in the end.
 *
 * Data addresses: an address that lies outside of the variable or the stack that the type was found
 * by proves the type wrong, and the entry loses it.
 */
#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/private.h"
#include "profiler/resolve/resolve.h"

/* ---- charges ---- */

struct charge_part {
	uint32_t place;
	uint64_t samples; /* summed over all entries */
};

struct charge_parts {
	struct charge_part *items;
	size_t count, capacity;
	uint64_t samples; /* of the whole place */
	uint64_t turn;    /* entries split so far */
};

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

/*
 * Sets `shares`, one for each part. Their sum is `samples`. Laid end to end, the remainders of
 * all parts are a whole number of samples long. Points one sample apart are placed on that line,
 * and each gives a sample to the part that it hits.
 */
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

struct splitter {
	struct resolution *resolution;
	struct sample_counts *counts;
	struct counted *entries; /* the new entries */
	uint32_t *place_of;
	size_t count, capacity, place_capacity;
};

static void add_entry(struct splitter *splitter, const struct counted *entry, uint32_t place)
{
	array_reserve(splitter->entries, splitter->count, splitter->capacity);
	if (splitter->place_capacity < splitter->capacity) {
		splitter->place_of = xrealloc_array(splitter->place_of, splitter->capacity,
						    sizeof(*splitter->place_of));
		splitter->place_capacity = splitter->capacity;
	}
	splitter->entries[splitter->count] = *entry;
	splitter->place_of[splitter->count++] = place;
}

/*
 * Each part takes its share of what the parts before it left, so that nothing is lost to rounding.
 */
static void split_entry(struct splitter *splitter, const struct counted *entry,
			const struct charge_parts *parts, const uint64_t *shares)
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
	_cleanup_free_ struct charge_parts *parts_of = xcalloc(place_count, sizeof(*parts_of));
	_cleanup_free_ uint64_t *shares = NULL;
	size_t share_capacity = 0;

	for (size_t i = 0; i < splitter->counts->count; i++) {
		const struct counted *entry = &splitter->counts->entries[i];
		uint32_t place = resolution->place_of[i];
		struct charge_parts *parts = &parts_of[place];

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
		divide_samples(parts, entry->samples, shares);
		split_entry(splitter, entry, parts, shares);
	}
	for (size_t i = 0; i < place_count; i++)
		free(parts_of[i].items);
}

/*
 * Drops a computed data address if it was computed for an instruction other than the charged one.
 */
static void drop_other_address(const struct resolution *resolution, struct operands *operands,
			       struct counted *entry, uint32_t place_number)
{
	const struct resolved_place *place = &resolution->places[place_number];

	if (!place->late || !entry->data_computed || !entry->dso)
		return;
	if (operands_waited(operands, entry->dso, place->sampled) == place->access.address)
		return;
	entry->data_known = entry->data_computed = entry->check_in_object = entry->data_shared =
		false;
	entry->data_address = 0;
	entry->data_dso = NULL;
	entry->data_file_address = 0;
}

/* Recounts the samples of places from their entries. */
static void count_places(struct resolution *resolution, const struct sample_counts *counts)
{
	for (size_t i = 0; i < resolution->place_count; i++)
		resolution->places[i].samples = 0;
	for (size_t i = 0; i < counts->count; i++)
		resolution->places[resolution->place_of[i]].samples += counts->entries[i].samples;
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
		count_places(resolution, counts);
	}
	for (size_t i = 0; i < counts->count; i++)
		drop_other_address(resolution, options->operands, &counts->entries[i],
				   resolution->place_of[i]);
}

/* ---- where the data is ---- */

/* Returns the object and the symbol of an entry's data address. */
static struct result_data data_of_entry(struct resolution *resolution, const struct counted *entry,
					const struct dso_options *options)
{
	struct dso *dso = entry->data_dso;
	struct result_data data = {
		.dso = string_pool_intern(&resolution->strings,
					  dso ? dso->short_name : "[unknown]"),
		.dso_path = dso ? string_pool_intern(&resolution->strings, dso->long_name) : NULL,
		.address = dso ? entry->data_file_address : entry->data_address,
		.is_private = !dso || dso->kind == DSO_ANONYMOUS,
	};
	const struct symbol *symbol = dso ? dso_data_symbol_at(dso, options, data.address) : NULL;

	if (!symbol)
		return data;
	data.symbol = resolve_symbol_name(resolution, symbol->name);
	data.symbol_address = symbol->address;
	data.is_variable = symbol_is_data(symbol);
	return data;
}

struct data_slot {
	const struct dso *dso;
	uint64_t address;
	uint32_t index; /* index + 1; 0: free */
};

void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
		  const struct dso_options *options)
{
	size_t slot_count = 64, count = 0, capacity = 0;

	while (slot_count / 2 < counts->count)
		slot_count *= 2;
	_cleanup_free_ struct data_slot *slots = xcalloc(slot_count, sizeof(*slots));

	resolution->data_of = xcalloc(counts->count, sizeof(*resolution->data_of));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];
		uint64_t address = entry->data_dso ? entry->data_file_address : entry->data_address;
		size_t slot = hash_combine((uintptr_t)entry->data_dso, address) & (slot_count - 1);

		while (slots[slot].index &&
		       (slots[slot].dso != entry->data_dso || slots[slot].address != address))
			slot = (slot + 1) & (slot_count - 1);
		if (!slots[slot].index) {
			array_reserve(resolution->data, count, capacity);
			resolution->data[count++] = data_of_entry(resolution, entry, options);
			slots[slot] =
				(struct data_slot){ entry->data_dso, address, (uint32_t)count };
		}
		resolution->data_of[i] = slots[slot].index - 1;
	}
}

/* ---- whether the data can be of its type ---- */

static enum address_verdict verdict_of(const struct access *access, const struct counted *entry)
{
	if (!entry->data_known || (access->kind != ACCESS_TYPE && access->kind != ACCESS_SPILL))
		return VERDICT_NONE;
	switch (access->memory) {
	case ACCESS_MEMORY_STACK:
		if (entry->data_stack == DATA_STACK_UNKNOWN)
			return VERDICT_NONE;
		return entry->data_stack == DATA_STACK_ON ? VERDICT_AGREES : VERDICT_CONTRADICTS;
	case ACCESS_MEMORY_STATIC:
		if (!access->object_size)
			return VERDICT_NONE;
		return entry->check_in_object && entry->check_address - access->object_address <
							 access->object_size
			       ? VERDICT_AGREES
			       : VERDICT_CONTRADICTS;
	default: return VERDICT_NONE;
	}
}

/*
 * Returns the twin of a place that has no type, for entries whose data address contradicts the
 * type. Moves `samples` there. twins[place] is the number of the twin; 0: there is none yet.
 */
static uint32_t place_without_type(struct resolution *resolution, uint32_t place, uint32_t *twins,
				   uint64_t samples)
{
	if (!twins[place]) {
		array_reserve(resolution->places, resolution->place_count,
			      resolution->place_capacity);
		struct resolved_place *twin = &resolution->places[resolution->place_count];

		*twin = resolution->places[place];
		twin->samples = 0;
		access_fail(&twin->access, REASON_ADDRESS);
		resolved_place_show_access(&resolution->strings, twin);
		twins[place] = (uint32_t)resolution->place_count++;
	}
	resolution->places[place].samples -= samples;
	resolution->places[twins[place]].samples += samples;
	return twins[place];
}

void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts)
{
	_cleanup_free_ uint32_t *twins = xcalloc(resolution->place_count, sizeof(*twins));

	resolution->verdicts = xcalloc(counts->count, sizeof(*resolution->verdicts));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];
		uint32_t place = resolution->place_of[i];
		enum address_verdict verdict = verdict_of(&resolution->places[place].access, entry);

		resolution->verdicts[i] = verdict;
		if (verdict == VERDICT_CONTRADICTS)
			resolution->place_of[i] =
				place_without_type(resolution, place, twins, entry->samples);
	}
}
