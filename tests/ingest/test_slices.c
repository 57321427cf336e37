// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slices of a recording: each sample is in one of them, in the order of time, with the frame that
 * its chain has in the outline; and no slice is much larger than the others.
 */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/slices.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define PROGRAM 0x400000ULL
#define SAMPLES 500000 /* several slices */
#define PLACES  8

struct opened {
	struct perf_image image;
	uint8_t *bytes;
	struct session *session;
	struct sample_counts *outline;
	struct count_options options;
};

static void begin(struct opened *opened, uint64_t type)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };

	*opened = (struct opened){ 0 };
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN | type;
	attr.sample_period = 1;
	perf_image_init(&opened->image);
	perf_image_event(&opened->image, &attr, NULL, 0);
	add_comm(&opened->image, 0, 10, 10, "prog", true);
	add_map(&opened->image, 0, 10, PROGRAM, 0x1000, "/nowhere/prog");
}

/* Adds a sample with a chain of two frames; the address follows from the time. */
static void add_chained(struct opened *opened, uint64_t time, bool timed)
{
	struct strbuf *body = &opened->image.body;
	uint64_t ip = PROGRAM + time % PLACES;

	put64(body, ip);
	put32(body, 10);
	put32(body, 10);
	if (timed)
		put64(body, time);
	put64(body, 3);
	put64(body, (uint64_t)PERF_CONTEXT_USER);
	put64(body, ip);
	put64(body, PROGRAM + 0x100 + time % 3);
	perf_image_record(&opened->image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void count_outline(struct opened *opened, uint64_t fields)
{
	static const struct session_options no_options;
	size_t size;

	opened->options = (struct count_options){ .fields = fields, .outline = true };
	opened->bytes = perf_image_file(&opened->image, &size);
	assert_null(session_open_memory(opened->bytes, size, &no_options, &opened->session));
	assert_null(session_count_by(opened->session, &opened->options, &opened->outline));
}

static void end(struct opened *opened)
{
	sample_counts_destroy(opened->outline);
	session_close(opened->session);
	free(opened->bytes);
	perf_image_deinit(&opened->image);
}

static int compare_times(const void *left, const void *right)
{
	uint64_t a = ((const struct counted *)left)->time,
		 b = ((const struct counted *)right)->time;

	return a < b ? -1 : a > b;
}

/* Checks that a slice goes on at a time, one sample at each. */
static void assert_slice(const struct sample_counts *outline, struct sample_counts *slice,
			 uint64_t *time)
{
	assert_true(slice->count <= SLICE_SAMPLES);
	qsort(slice->entries, slice->count, sizeof(*slice->entries), compare_times);
	for (size_t i = 0; i < slice->count; i++, ++*time) {
		const struct counted *entry = &slice->entries[i];
		const struct counted_frame *frame = &outline->frames[entry->chain];

		if (entry->time != *time || entry->samples != 1)
			fail_msg("%lu samples at time %lu, not one at %lu",
				 (unsigned long)entry->samples, (unsigned long)entry->time,
				 (unsigned long)*time);
		assert_int_equal(frame->ip, PROGRAM + *time % PLACES);
		assert_int_equal(outline->frames[frame->caller].ip, PROGRAM + 0x100 + *time % 3);
	}
}

/* Buffers are emptied in turns, and one is late by more than a chunk of the file. */
static void test_order(void **state)
{
	const uint64_t half = SAMPLES / 2, late = 40000;
	struct opened opened;
	struct sample_counts *slice;
	struct slices *slices;
	uint64_t time = 1, count = 0;

	(void)state;
	begin(&opened, PERF_SAMPLE_TIME);
	for (uint64_t i = 0; i < half + late; i++) {
		if (i < half)
			add_chained(&opened, 2 * i + 1, true);
		if (i >= late)
			add_chained(&opened, 2 * (i - late) + 2, true);
	}
	count_outline(&opened, COUNT_PLACE | COUNT_CHAIN | COUNT_TIME);
	/* the outline has no times: an entry for each place and caller */
	assert_int_equal(opened.outline->count, PLACES * 3);
	slices = slices_create(opened.session, &opened.options, opened.outline);
	for (; (slice = slices_next(slices)); count++) {
		assert_slice(opened.outline, slice, &time);
		sample_counts_destroy(slice);
	}
	slices_destroy(slices);
	assert_int_equal(time, SAMPLES + 1);
	assert_true(count >= SAMPLES / SLICE_SAMPLES);
	assert_int_equal(session_totals(opened.session)->samples, SAMPLES);
	end(&opened);
}

/* Without times, slices have the order of the file, and are not larger. */
static void test_no_times(void **state)
{
	struct opened opened;
	struct sample_counts *slice;
	struct slices *slices;
	uint64_t last = 0, count = 0;

	(void)state;
	begin(&opened, 0);
	for (uint64_t i = 0; i < SAMPLES; i++)
		add_chained(&opened, i, false);
	count_outline(&opened, COUNT_PLACE | COUNT_CHAIN | COUNT_POSITION);
	slices = slices_create(opened.session, &opened.options, opened.outline);
	while ((slice = slices_next(slices))) {
		uint64_t greatest = last;

		assert_true(slice->count <= SLICE_SAMPLES);
		for (size_t i = 0; i < slice->count; i++) {
			assert_true(slice->entries[i].position > last);
			if (slice->entries[i].position > greatest)
				greatest = slice->entries[i].position;
		}
		last = greatest;
		count += slice->count;
		sample_counts_destroy(slice);
	}
	slices_destroy(slices);
	assert_int_equal(count, SAMPLES);
	end(&opened);
}

/* A sample that reads a group's counters counts for each, with the difference to the sample before
 * it in the file. */
static void test_counters(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
	struct opened opened = { 0 };
	struct strbuf *body = &opened.image.body;
	struct sample_counts *slice;
	struct slices *slices;
	uint64_t sums[2] = { 0 };

	(void)state;
	perf_image_init(&opened.image);
	for (uint64_t i = 0; i < 2; i++) {
		attr.config = i;
		perf_image_event(&opened.image, &attr, (uint64_t[]){ i + 1 }, 1);
	}
	for (uint64_t i = 1; i <= 10; i++) {
		put64(body, 1), put64(body, PROGRAM), put32(body, 10), put32(body, 10);
		put64(body, 1000 - i); /* later ones have earlier times */
		put64(body, 2);
		put64(body, 7 * i), put64(body, 1);
		put64(body, 9 * i), put64(body, 2);
		perf_image_record(&opened.image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
	count_outline(&opened, COUNT_PLACE | COUNT_TIME);
	slices = slices_create(opened.session, &opened.options, opened.outline);
	while ((slice = slices_next(slices))) {
		for (size_t i = 0; i < slice->count; i++)
			sums[slice->entries[i].event] += slice->entries[i].period;
		sample_counts_destroy(slice);
	}
	slices_destroy(slices);
	assert_int_equal(sums[0], 70);
	assert_int_equal(sums[1], 90);
	end(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_no_times),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests_name("ingest/slices", tests, NULL, NULL);
}
