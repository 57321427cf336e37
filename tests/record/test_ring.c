// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring buffers, and the facts that the records in them tell. */
#include <perf/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profiler/record/ring.h"

#define RING_SIZE 4096

/* A ring as the kernel would fill it, in ordinary memory. */
struct fake_ring {
	struct perf_event_mmap_page page;
	uint8_t data[RING_SIZE];
	struct ring ring;
};

static struct fake_ring *fake_ring(uint64_t position)
{
	struct fake_ring *fake = xcalloc(1, sizeof(*fake));

	fake->page.data_head = fake->page.data_tail = position;
	fake->ring = (struct ring){
		.page = &fake->page, .data = fake->data, .size = RING_SIZE, .tail = position
	};
	return fake;
}

static void put(struct fake_ring *fake, const void *record, size_t size)
{
	const uint8_t *bytes = record;

	for (size_t i = 0; i < size; i++)
		fake->data[(fake->page.data_head + i) % RING_SIZE] = bytes[i];
	fake->page.data_head += size;
}

static void put_sample(struct fake_ring *fake, uint64_t time)
{
	uint64_t record[5] = { 0, 0x1234, 0, time, 7 }; /* header, ip, pid and tid, time, period */
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(record) };

	memcpy(record, &header, sizeof(header));
	put(fake, record, sizeof(record));
}

static void test_empty(void **state)
{
	struct fake_ring *fake = fake_ring(0);
	struct ring_span span;

	(void)state;
	assert_false(ring_peek(&fake->ring, &span));
	free(fake);
}

/* Records that wrap around are scanned whole, wherever they are cut. */
static void test_wrapped_records(void **state)
{
	(void)state;
	for (uint64_t start = RING_SIZE - 400; start <= RING_SIZE; start += 8) {
		struct fake_ring *fake = fake_ring(start);
		struct record_scan scan = { .sample_time_offset = 24 };
		struct perf_record_mmap2 map = {
			.header = { .type = PERF_RECORD_MMAP2,
				    .misc = PERF_RECORD_MISC_USER | 1 << 14,
				    .size = offsetof(struct perf_record_mmap2, filename) + 16 },
			.build_id_size = 20
		};
		struct ring_span span;

		memset(map.build_id, 0xab, sizeof(map.build_id));
		strcpy(map.filename, "/bin/example");
		put_sample(fake, 2000);
		assert_false(ring_has_new_code(&fake->ring));
		put(fake, &map, map.header.size);
		put_sample(fake, 1000);
		assert_true(ring_has_new_code(&fake->ring));
		put_sample(fake, 3000);
		assert_false(ring_has_new_code(&fake->ring));
		assert_true(ring_peek(&fake->ring, &span));
		assert_int_equal(span.size[0] + span.size[1], 3 * 40 + map.header.size);
		record_scan_span(&scan, &span);
		assert_int_equal(scan.samples, 3);
		assert_int_equal(scan.first_time, 1000);
		assert_int_equal(scan.last_time, 3000);
		assert_int_equal(scan.objects.count, 1);
		assert_string_equal(scan.objects.objects[0].name, "/bin/example");
		assert_int_equal(scan.objects.objects[0].id.size, 20);
		assert_int_equal(scan.objects.objects[0].id.bytes[19], 0xab);
		ring_consume(&fake->ring, &span);
		assert_int_equal(fake->page.data_tail, fake->page.data_head);
		assert_false(ring_peek(&fake->ring, &span));
		object_table_deinit(&scan.objects);
		free(fake);
	}
}

static void test_losses(void **state)
{
	struct fake_ring *fake = fake_ring(0);
	struct record_scan scan = { .sample_time_offset = 24 };
	struct perf_record_lost lost = {
		.header = { .type = PERF_RECORD_LOST, .size = sizeof(lost) }, .lost = 41
	};
	struct perf_record_lost_samples lost_samples = {
		.header = { .type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(lost_samples) },
		.lost = 5
	};
	struct ring_span span;

	(void)state;
	put(fake, &lost, sizeof(lost));
	put(fake, &lost_samples, sizeof(lost_samples));
	put(fake, &lost, sizeof(lost));
	assert_true(ring_peek(&fake->ring, &span));
	record_scan_span(&scan, &span);
	assert_int_equal(scan.lost_records, 82);
	assert_int_equal(scan.lost_samples, 5);
	free(fake);
}

/* Records that no kernel writes must end the scan, not the program. */
static void test_bad_sizes(void **state)
{
	static const uint16_t sizes[] = { 0, 1, 7, 9, 16, 4096, 65535 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned int type = 0; type < 20; type++) {
			struct perf_event_header header = { .type = type, .size = sizes[i] };
			struct fake_ring *fake = fake_ring(0);
			struct record_scan scan = { .sample_time_offset = 24 };
			struct ring_span span;

			put(fake, &header, sizeof(header));
			put(fake, &header, sizeof(header));
			assert_true(ring_peek(&fake->ring, &span));
			record_scan_span(&scan, &span);
			object_table_deinit(&scan.objects);
			free(fake);
		}
	}
}

/* A ring that is written backward has the newest record first, and may have room at its end that
 * was never written. */
static void test_backward(void **state)
{
	struct fake_ring *fake = fake_ring(0);
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 40 };
	struct ring_span span;

	(void)state;
	fake->ring.overwrite = true;
	for (unsigned int i = 1; i <= 3; i++) {
		fake->page.data_head -= 40;
		memcpy(fake->data + fake->page.data_head % RING_SIZE, &header, sizeof(header));
	}
	assert_true(ring_peek(&fake->ring, &span));
	assert_int_equal(span.size[0] + span.size[1], 120);
	free(fake);
}

/* The bytes of an AUX area have no form here. What was taken belongs to the kernel again. */
static void test_aux(void **state)
{
	struct fake_ring *fake = fake_ring(0);
	uint8_t area[256];
	struct ring_span span;

	(void)state;
	assert_false(ring_peek_aux(&fake->ring, &span));
	for (unsigned int i = 0; i < sizeof(area); i++)
		area[i] = (uint8_t)i;
	fake->ring.aux = area;
	fake->ring.aux_size = sizeof(area);
	assert_false(ring_peek_aux(&fake->ring, &span));
	fake->page.aux_head = 192;
	assert_true(ring_peek_aux(&fake->ring, &span));
	assert_int_equal(span.size[0], 192);
	assert_int_equal(span.size[1], 0);
	ring_consume_aux(&fake->ring, &span);
	assert_int_equal(fake->page.aux_tail, 192);
	assert_false(ring_peek_aux(&fake->ring, &span));
	fake->page.aux_head = 320;
	assert_true(ring_peek_aux(&fake->ring, &span));
	assert_int_equal(span.size[0], 64);
	assert_int_equal(span.data[0][0], 192);
	assert_int_equal(span.size[1], 64);
	assert_int_equal(span.data[1][0], 0);
	ring_consume_aux(&fake->ring, &span);
	assert_int_equal(fake->page.aux_tail, 320);
	fake->ring.aux = NULL;
	free(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),    cmocka_unit_test(test_wrapped_records),
		cmocka_unit_test(test_losses),   cmocka_unit_test(test_bad_sizes),
		cmocka_unit_test(test_backward), cmocka_unit_test(test_aux),
	};

	return cmocka_run_group_tests_name("record/ring", tests, NULL, NULL);
}
