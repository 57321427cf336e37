// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/story_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/printable.h"
#include "profiler/base/strbuf.h"
#include "profiler/commands/progress.h"

#define LINE "-----------------------------------------------------------"

/* Samples of one instruction, by what is known of their data addresses. */
struct story_sums {
	uint64_t recorded, computed, unknown;
};

static uint64_t place_key(const struct dso *dso, uint64_t address)
{
	return hash_combine((uintptr_t)dso, address);
}

static void add_up(struct story_teller *teller)
{
	for (size_t i = 0; i < teller->counts->count; i++) {
		const struct counted *entry = &teller->counts->entries[i];
		bool created;
		uint32_t *index =
			hash_map_insert(&teller->by_place, place_key(entry->dso, entry->address), &created);

		if (created) {
			array_reserve(teller->sums, teller->count, teller->capacity);
			teller->sums[teller->count] = (struct story_sums){ 0 };
			*index = (uint32_t)teller->count++;
		}

		struct story_sums *sums = &teller->sums[*index];

		*(!entry->data_known     ? &sums->unknown
		  : entry->data_computed ? &sums->computed
					 : &sums->recorded) += entry->samples;
	}
}

void story_print_object(void *data, const struct dso *dso)
{
	struct story_teller *teller = data;

	teller->dso = dso;
	progress_end();
	fprintf(stderr, "===========================================================\nobject: %s\n",
		dso ? dso->long_name : "[unknown]");
}

static void print_addresses(struct story_teller *teller, uint64_t address)
{
	const uint32_t *index;

	if (!teller->count)
		add_up(teller);
	index = hash_map_find(&teller->by_place, place_key(teller->dso, address));
	if (!index)
		return;

	const struct story_sums *sums = &teller->sums[*index];

	if (sums->recorded || sums->computed)
		fprintf(stderr,
			"data addresses: %" PRIu64 " recorded, %" PRIu64 " computed from registers, %" PRIu64
			" not known\n",
			sums->recorded, sums->computed, sums->unknown);
}

void story_print(void *data, uint64_t address, const char *text)
{
	struct story_teller *teller = data;

	fprintf(stderr, LINE "\naddress: %#" PRIx64 "\n", address);
	if (teller->counts)
		print_addresses(teller, address);
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct strbuf line _cleanup_strbuf_ = STRBUF_INIT;

		strbuf_add(&line, text, length);
		strbuf_end_line(&line, 0);
		fputs(line.data, stderr);
		text += length + (text[length] == '\n');
	}
}

void story_teller_release(struct story_teller *teller)
{
	hash_map_release(&teller->by_place);
	free(teller->sums);
}
