// SPDX-License-Identifier: GPL-2.0-or-later
/* What data addresses tell: see resolve_data.h. */
#include "profiler/commands/resolve_data.h"

#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/commands/resolve_show.h"

/* ---- where the data is ---- */

static struct result_data look_up(struct resolution *resolution, const struct counted *entry,
				  const struct dso_options *options)
{
	struct dso *dso = entry->data_dso;
	struct result_data data = {
		.dso = string_pool_intern(&resolution->strings, dso ? dso->short_name : "[unknown]"),
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
	uint32_t index; /* + 1; 0: free */
};

void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
		  const struct dso_options *options)
{
	size_t slot_count = 64, count = 0, capacity = 0;

	while (slot_count / 2 < counts->count)
		slot_count *= 2;
	struct data_slot *slots _cleanup_free_ = xcalloc(slot_count, sizeof(*slots));

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
			resolution->data[count++] = look_up(resolution, entry, options);
			slots[slot] = (struct data_slot){ entry->data_dso, address, (uint32_t)count };
		}
		resolution->data_of[i] = slots[slot].index - 1;
	}
}

/* ---- whether it can be of that type ---- */

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
		return entry->check_in_object &&
				       entry->check_address - access->object_address < access->object_size
			       ? VERDICT_AGREES
			       : VERDICT_CONTRADICTS;
	default: return VERDICT_NONE;
	}
}

/* The place of an entry whose address is not where the answer says: the same, without a type. */
static uint32_t contradicted(struct resolution *resolution, uint32_t place, uint32_t *twins, uint64_t samples)
{
	if (!twins[place]) {
		array_reserve(resolution->places, resolution->place_count, resolution->place_capacity);
		struct resolved_place *twin = &resolution->places[resolution->place_count];

		*twin = resolution->places[place];
		twin->samples = 0;
		access_fail(&twin->access, REASON_ADDRESS);
		resolve_show_access(&resolution->strings, twin);
		twins[place] = (uint32_t)resolution->place_count++;
	}
	resolution->places[place].samples -= samples;
	resolution->places[twins[place]].samples += samples;
	return twins[place];
}

void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts)
{
	uint32_t *twins _cleanup_free_ = xcalloc(resolution->place_count, sizeof(*twins)); /* 0: none yet */

	resolution->verdicts = xcalloc(counts->count, sizeof(*resolution->verdicts));
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];
		uint32_t place = resolution->place_of[i];
		enum address_verdict verdict = verdict_of(&resolution->places[place].access, entry);

		resolution->verdicts[i] = verdict;
		if (verdict == VERDICT_CONTRADICTS)
			resolution->place_of[i] = contradicted(resolution, place, twins, entry->samples);
	}
}
