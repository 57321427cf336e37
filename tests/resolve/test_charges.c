// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of a place whose samples are charged to several accesses are split. Nothing is lost,
 * every thread gets its share of each part, and a computed data address stays only with the access
 * that it belongs to.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/private.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"

#define THREADS 4
#define ENTRIES 250 /* for each thread */

/* Places 0 and 1 are parts of one place, with shares of 1 to 2. Place 2 has no other part. */
enum { FIRST, SECOND, WHOLE, PLACES };

struct charging {
	struct resolution resolution;
	struct sample_counts counts;
	struct operands operands;
};

static void add_entry(struct charging *charging, const struct counted *entry, uint32_t place)
{
	struct sample_counts *counts = &charging->counts;
	struct resolution *resolution = &charging->resolution;

	counts->entries =
		xrealloc_array(counts->entries, counts->count + 1, sizeof(*counts->entries));
	resolution->entries.place_of =
		xrealloc_array(resolution->entries.place_of, counts->count + 1,
			       sizeof(*resolution->entries.place_of));
	resolution->entries.place_of[counts->count] = place;
	counts->entries[counts->count++] = *entry;
}

static void begin(struct charging *charging, uint64_t first, uint64_t second)
{
	*charging = (struct charging){ 0 };
	charging->resolution.place_count = PLACES;
	charging->resolution.places = xcalloc(PLACES, sizeof(*charging->resolution.places));
	charging->resolution.places[FIRST].samples = first;
	charging->resolution.places[FIRST].next_part = SECOND;
	charging->resolution.places[SECOND].samples = second;
	charging->resolution.places[WHOLE].samples = 1;
}

/*
 * Split the entries. The parts then have all samples of the place's entries, in the original
 * shares.
 */
static void charge(struct charging *charging)
{
	struct resolve_options options = { .operands = &charging->operands };
	struct resolved_place *first = &charging->resolution.places[FIRST],
			      *second = &charging->resolution.places[SECOND];
	uint64_t total = 0, all = first->samples + second->samples;

	for (size_t i = 0; i < charging->counts.count; i++)
		if (charging->resolution.entries.place_of[i] == FIRST)
			total += charging->counts.entries[i].samples;
	first->samples = (uint64_t)((unsigned __int128)total * first->samples / all);
	second->samples = total - first->samples;
	resolve_charges(&charging->resolution, &charging->counts, &options);
}

static void end(struct charging *charging)
{
	free(charging->resolution.places);
	free(charging->resolution.entries.place_of);
	resolve_memory_destroy(charging->resolution.memory);
	free(charging->counts.entries);
}

struct sums {
	uint64_t samples, period, weight;
};

/* Sums up the entries of a thread at a place; -1 means all threads or all places. */
static struct sums sum_up(const struct charging *charging, int thread, int place)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < charging->counts.count; i++) {
		const struct counted *entry = &charging->counts.entries[i];

		if ((thread >= 0 && entry->tid != thread) ||
		    (place >= 0 && charging->resolution.entries.place_of[i] != (uint32_t)place))
			continue;
		sums.samples += entry->samples;
		sums.period += entry->period;
		sums.weight += entry->weight_total;
	}
	return sums;
}

static void assert_sums(const struct sums *sums, const struct sums *expected)
{
	assert_int_equal(sums->samples, expected->samples);
	assert_int_equal(sums->period, expected->period);
	assert_int_equal(sums->weight, expected->weight);
}

/*
 * Add entries with one to five samples and any period and weight. The numbers are the same in each
 * run.
 */
static void add_threads(struct charging *charging)
{
	uint64_t number = 12345;

	for (int thread = 0; thread < THREADS; thread++)
		for (int i = 0; i < ENTRIES; i++) {
			struct counted entry = { .tid = thread };

			number = number * 6364136223846793005 + 1442695040888963407;
			entry.samples = 1 + (number >> 33) % 5;
			entry.period = (number >> 13) % 1000003;
			entry.weight_total = (number >> 23) % 997;
			add_entry(charging, &entry, i % 7 ? FIRST : WHOLE);
		}
}

static void nothing_is_lost(void **state)
{
	struct charging charging;
	struct sums before[THREADS], whole, all;

	(void)state;
	begin(&charging, 100, 200);
	add_threads(&charging);
	for (int thread = 0; thread < THREADS; thread++)
		before[thread] = sum_up(&charging, thread, -1);
	all = sum_up(&charging, -1, -1);
	whole = sum_up(&charging, -1, WHOLE);
	charge(&charging);
	for (int thread = 0; thread < THREADS; thread++) {
		struct sums after = sum_up(&charging, thread, -1);

		assert_sums(&after, &before[thread]);
	}
	struct sums after = sum_up(&charging, -1, WHOLE);

	assert_sums(&after, &whole);
	uint64_t cut = all.samples - whole.samples, first = sum_up(&charging, -1, FIRST).samples;

	assert_in_range(first, cut / 3 - 10, cut / 3 + 10);
	assert_int_equal(sum_up(&charging, -1, SECOND).samples, cut - first);
	end(&charging);
}

static void each_thread_gets_its_share(void **state)
{
	struct charging charging;

	(void)state;
	begin(&charging, 100, 200);
	add_threads(&charging);
	charge(&charging);
	for (int thread = 0; thread < THREADS; thread++) {
		struct sums first = sum_up(&charging, thread, FIRST),
			    second = sum_up(&charging, thread, SECOND);

		/* remainders are spread evenly, not exactly */
		assert_true(3 * first.samples + 30 >= first.samples + second.samples);
		assert_true(3 * first.samples <= first.samples + second.samples + 30);
		assert_true(first.period > second.period / 4 && first.period < second.period);
	}
	end(&charging);
}

/* Threads alternate in a pattern that is as long as the shares, but no thread gets all of one
 * part. */
static void threads_in_turn(void **state)
{
	struct charging charging;

	(void)state;
	begin(&charging, 100, 200);
	for (unsigned int i = 0; i < 3 * ENTRIES; i++)
		add_entry(&charging,
			  &(struct counted){ .tid = (int32_t)(i % 3), .samples = 1, .period = 1 },
			  FIRST);
	charge(&charging);
	for (int thread = 0; thread < 3; thread++)
		assert_in_range(sum_up(&charging, thread, FIRST).samples, ENTRIES / 3 - 10,
				ENTRIES / 3 + 10);
	assert_in_range(sum_up(&charging, -1, FIRST).samples, ENTRIES - 10, ENTRIES + 10);
	end(&charging);
}

/* Every new entry has samples, their sum is right, and the period is shared like the samples. */
static void one_entry(void **state)
{
	struct charging charging;

	(void)state;
	begin(&charging, 1, 2);
	add_entry(&charging, &(struct counted){ .samples = 3, .period = 3001, .weight_total = 8 },
		  FIRST);
	charge(&charging);
	assert_int_equal(charging.counts.count, 2);
	assert_int_equal(sum_up(&charging, -1, FIRST).samples, 1);
	assert_int_equal(sum_up(&charging, -1, FIRST).period, 1000);
	assert_int_equal(sum_up(&charging, -1, SECOND).samples, 2);
	assert_int_equal(sum_up(&charging, -1, SECOND).period, 2001);
	assert_int_equal(sum_up(&charging, -1, -1).weight, 8);
	end(&charging);

	begin(&charging, 1, 2);
	add_entry(&charging, &(struct counted){ .samples = 1, .period = 1001 }, FIRST);
	charge(&charging);
	assert_int_equal(charging.counts.count, 1);
	assert_int_equal(charging.resolution.entries.place_of[0], SECOND);
	assert_int_equal(charging.counts.entries[0].period, 1001);
	end(&charging);
}

/* More samples than a double or 32 bits can represent, and periods whose product overflows. */
static void large_numbers(void **state)
{
	uint64_t samples = (UINT64_C(1) << 60) + 1, period = UINT64_MAX - 1;
	struct charging charging;

	(void)state;
	begin(&charging, samples / 3, samples - samples / 3);
	add_entry(&charging, &(struct counted){ .samples = samples, .period = period }, FIRST);
	charge(&charging);
	assert_int_equal(sum_up(&charging, -1, FIRST).samples, samples / 3);
	assert_int_equal(sum_up(&charging, -1, SECOND).samples, samples - samples / 3);
	assert_true(sum_up(&charging, -1, -1).period == period);
	end(&charging);
}

/* ---- data addresses ---- */

#define TEXT    UINT64_C(0x1000)
#define LOAD    (TEXT + 32)
#define SAMPLED (LOAD + 3)

static struct dso *object_with_a_load(struct dso_table *table)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x07 }; /* mov (%rdi),%rax */
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	const char *path = scratch_file("object");
	uint8_t code[48];
	size_t size;

	memset(code, 0x90, sizeof(code));
	memcpy(code + (LOAD - TEXT), load, sizeof(load));

	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof(code));

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, TEXT, sizeof(code), 16);

	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	file_write(path, bytes, size);
	return dso_table_get(table, &(struct dso_origin){ .name = path });
}

/*
 * An address that was computed for the load before the sample is dropped if another access is
 * charged.
 */
static void addresses_of_another_access(void **state)
{
	struct dso_options options = { 0 };
	struct dso_table table = { 0 };
	struct dso *dso = object_with_a_load(&table);
	struct charging charging;

	(void)state;
	begin(&charging, 10, 20);
	for (unsigned int i = FIRST; i <= SECOND; i++) {
		charging.resolution.places[i].late = true;
		charging.resolution.places[i].sampled = SAMPLED;
	}
	charging.resolution.places[FIRST].access.address = LOAD;
	charging.resolution.places[SECOND].access.address = LOAD - 8;
	assert_null(operands_init(&charging.operands, &options, true));
	add_entry(&charging,
		  &(struct counted){ .samples = 30,
				     .dso = dso,
				     .data_known = true,
				     .data_computed = true,
				     .data_address = 0x5000 },
		  FIRST);
	/* a recorded address is kept */
	add_entry(&charging,
		  &(struct counted){
			  .samples = 30, .dso = dso, .data_known = true, .data_address = 0x6000 },
		  FIRST);
	charge(&charging);
	assert_int_equal(charging.counts.count, 4);
	for (size_t i = 0; i < charging.counts.count; i++) {
		const struct counted *entry = &charging.counts.entries[i];
		bool dropped = i < 2 && charging.resolution.entries.place_of[i] == SECOND;

		assert_int_equal(entry->data_known, !dropped);
		assert_int_equal(entry->data_address, dropped ? 0 : i < 2 ? 0x5000 : 0x6000);
	}
	operands_deinit(&charging.operands);
	dso_table_deinit(&table);
	end(&charging);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost), cmocka_unit_test(each_thread_gets_its_share),
		cmocka_unit_test(threads_in_turn), cmocka_unit_test(one_entry),
		cmocka_unit_test(large_numbers),   cmocka_unit_test(addresses_of_another_access),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
