// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/insn_stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/decoder.h"
#include "profiler/base/memory.h"

/* Samples of one mnemonic; `good`: those whose type was found, or known not to be needed. */
struct insn_count {
	const char *name;
	uint64_t good;
	uint64_t bad;
};

struct insn_counts {
	struct insn_count *items;
	size_t count, capacity;
	struct string_pool names;
	uint64_t good, bad;
};

static struct insn_count *find_or_create(struct insn_counts *counts, const char *name)
{
	name = string_pool_intern(&counts->names, name);
	for (size_t i = 0; i < counts->count; i++)
		if (counts->items[i].name == name)
			return &counts->items[i];
	array_reserve(counts->items, counts->count, counts->capacity);
	counts->items[counts->count] = (struct insn_count){ .name = name };
	return &counts->items[counts->count++];
}

/* The first word of the instruction's text; "?" where there are no bytes. */
static void mnemonic(struct decoder *decoder, const struct resolved_place *place,
		     const struct dso_options *dso_options, char *text, size_t size)
{
	const char *problem;
	const struct elf_image *image = place->dso ? dso_image(place->dso, dso_options, &problem) : NULL;
	size_t available = 0;
	const uint8_t *bytes = image ? elf_image_code(image, place->access.address, &available) : NULL;

	snprintf(text, size, "?");
	if (bytes && available)
		decoder_format(decoder, bytes, available, place->access.address, text, size);
	text[strcspn(text, " \t")] = '\0';
}

static int compare_counts(const void *left, const void *right)
{
	const struct insn_count *a = left, *b = right;
	uint64_t total = a->good + a->bad, other = b->good + b->bad;

	if (total != other)
		return total < other ? 1 : -1;
	return strcmp(a->name, b->name);
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void add_counts(const struct insn_counts *counts, struct json *json)
{
	json_object(json, "insn_stat");
	json_unsigned(json, "ok", counts->good);
	json_unsigned(json, "bad", counts->bad);
	json_array(json, "instructions");
	for (size_t i = 0; i < counts->count; i++) {
		json_object(json, NULL);
		json_string(json, "name", counts->items[i].name);
		json_unsigned(json, "ok", counts->items[i].good);
		json_unsigned(json, "bad", counts->items[i].bad);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void print_counts(const struct insn_counts *counts)
{
	uint64_t total = counts->good + counts->bad;

	printf("Annotate Instruction stats\n"
	       "total %" PRIu64 ", ok %" PRIu64 " (%.1f%%), bad %" PRIu64 " (%.1f%%)\n\n"
	       "  %-20s: %5s %5s\n"
	       "-----------------------------------------------------------\n",
	       total, counts->good, share(counts->good, total), counts->bad, share(counts->bad, total),
	       "Name/opcode", "Good", "Bad");
	for (size_t i = 0; i < counts->count; i++)
		printf("  %-20s: %5" PRIu64 " %5" PRIu64 "\n", counts->items[i].name, counts->items[i].good,
		       counts->items[i].bad);
	printf("\n");
}

struct error *print_insn_stat(const struct input *input, const struct dso_options *dso_options,
			      const struct filter *filter, struct json *json)
{
	struct insn_counts counts = { 0 };
	struct decoder *decoder;

	RETURN_ERROR(decoder_create(&decoder));
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place =
			&input->resolution->places[input->resolution->place_of[i]];
		bool bad = place->access.kind == ACCESS_UNKNOWN || place->access.kind == ACCESS_NO_CODE;
		char text[160];

		if (access_is_none(&place->access) || !filter_accepts(filter, &result))
			continue;
		mnemonic(decoder, place, dso_options, text, sizeof(text));
		*(bad ? &find_or_create(&counts, text)->bad : &find_or_create(&counts, text)->good) +=
			result.samples;
		*(bad ? &counts.bad : &counts.good) += result.samples;
	}
	decoder_destroy(decoder);
	if (counts.count)
		qsort(counts.items, counts.count, sizeof(*counts.items), compare_counts);
	if (json)
		add_counts(&counts, json);
	else
		print_counts(&counts);
	free(counts.items);
	string_pool_release(&counts.names);
	return NULL;
}
