// SPDX-License-Identifier: GPL-2.0-or-later
/* Every field of PERF_RECORD_SAMPLE is read from its place, and no read passes the end. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "tests/support/perf_image.h"

#define EVERY_FIELD                                                                                \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |                  \
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT_STRUCT |              \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION |                 \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_AUX | PERF_SAMPLE_CGROUP |    \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

static struct event every_field_event(void)
{
	return (struct event){
		.attr = {
			.sample_type = EVERY_FIELD,
			.sample_period = 99,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_LOST,
			.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS,
			.sample_regs_user = 0x81,
			.sample_regs_intr = 0x1c,
		},
	};
}

/* Each field has a different value, so that a wrong place shows. */
static void put_every_field(struct strbuf *body)
{
	put32(body, PERF_RECORD_SAMPLE), put16(body, 0x4002), put16(body, 0);
	put64(body, 1);                  /* identifier */
	put64(body, 2);                  /* ip */
	put32(body, 3), put32(body, 4);  /* pid, tid */
	put64(body, 5);                  /* time */
	put64(body, 6);                  /* address */
	put64(body, 7);                  /* id */
	put64(body, 8);                  /* stream id */
	put32(body, 9), put32(body, 0);  /* cpu */
	put64(body, 10);                 /* period */
	put64(body, 2), put64(body, 11); /* read: two values, time enabled */
	put64(body, 12), put64(body, 13), put64(body, 14);
	put64(body, 15), put64(body, 16), put64(body, 17);
	put64(body, 1), put64(body, 18); /* callchain */
	put32(body, 4), put32(body, 19); /* raw */
	put64(body, 1), put64(body, 20); /* branches, hardware's index */
	put64(body, 21), put64(body, 22), put64(body, 23);
	put64(body, 24);                                                   /* counters */
	put64(body, 2), put64(body, 25), put64(body, 26);                  /* user registers */
	put64(body, 8), put64(body, 27), put64(body, 6);                   /* user stack */
	put32(body, 28), put16(body, 29), put16(body, 30);                 /* weight */
	put64(body, 31);                                                   /* data source */
	put64(body, 32);                                                   /* transaction */
	put64(body, 2), put64(body, 33), put64(body, 34), put64(body, 35); /* registers */
	put64(body, 36);                                                   /* physical address */
	put64(body, 37);                                                   /* cgroup */
	put64(body, 38);                                                   /* data page */
	put64(body, 39);                                                   /* code page */
	put64(body, 8), put64(body, 40);                                   /* aux */
}

static void fixed_fields(const struct sample *sample)
{
	assert_int_equal(sample->misc, 0x4002);
	assert_int_equal(sample->ip, 2);
	assert_int_equal(sample->pid, 3);
	assert_int_equal(sample->tid, 4);
	assert_int_equal(sample->time, 5);
	assert_int_equal(sample->address, 6);
	assert_int_equal(sample->id, 7);
	assert_int_equal(sample->stream_id, 8);
	assert_int_equal(sample->cpu, 9);
	assert_int_equal(sample->period, 10);
	assert_int_equal(sample->weight, 28);
	assert_int_equal(sample->weight2, 29);
	assert_int_equal(sample->weight3, 30);
	assert_int_equal(sample->data_source, 31);
	assert_int_equal(sample->transaction, 32);
	assert_int_equal(sample->physical_address, 36);
	assert_int_equal(sample->cgroup, 37);
	assert_int_equal(sample->data_page_size, 38);
	assert_int_equal(sample->code_page_size, 39);
}

static void variable_fields(const struct sample *sample)
{
	uint64_t value;

	assert_int_equal(sample->read.stride, 3);
	assert_int_equal(sample->read.values.count, 6);
	assert_int_equal(sample_word(&sample->read.values, 3), 15);
	assert_int_equal(sample->callchain.count, 1);
	assert_int_equal(sample_word(&sample->callchain, 0), 18);
	assert_int_equal(sample->raw.size, 4);
	assert_int_equal(sample->raw.data[0], 19);
	assert_int_equal(sample->branches.count, 1);
	assert_int_equal(sample_word(&sample->branches.entries, 1), 22);
	assert_true(sample_register(&sample->user_registers, 7, &value));
	assert_int_equal(value, 26);
	assert_false(sample_register(&sample->user_registers, 1, &value));
	assert_int_equal(sample->user_stack.bytes.size, 8);
	assert_int_equal(sample->user_stack.bytes.data[0], 27);
	assert_int_equal(sample->user_stack.dynamic_size, 6);
	assert_true(sample_register(&sample->interrupt_registers, 3, &value));
	assert_int_equal(value, 34);
	assert_false(sample_register(&sample->interrupt_registers, 64, &value));
}

static void every_field_has_its_value(void **state)
{
	struct event event = every_field_event();
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;
	struct sample sample;

	(void)state;
	put_every_field(&body);
	assert_true(sample_parse(&event, (const uint8_t *)body.data, body.length, false, &sample));
	fixed_fields(&sample);
	variable_fields(&sample);
}

/* A record that is too short is refused, wherever it ends; a sanitizer sees reads past its end. */
static void every_shorter_record_is_refused(void **state)
{
	struct event event = every_field_event();
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;
	struct sample sample;

	(void)state;
	put_every_field(&body);
	for (size_t size = 8; size < body.length; size++) {
		_cleanup_free_ uint8_t *copy = xmalloc(size);

		memcpy(copy, body.data, size);
		assert_false(sample_parse(&event, copy, size, false, &sample));
	}
}

/* Lengths beyond the record, and lengths whose product with an element's size overflows to a small
 * number. */
static void counts_that_overflow_are_refused(void **state)
{
	static const uint64_t counts[] = { 1000, UINT64_MAX, UINT64_MAX / 8 + 2,
					   UINT64_MAX / 24 + 2, 1ULL << 61 };
	static const uint64_t types[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
					  PERF_SAMPLE_READ, PERF_SAMPLE_STACK_USER,
					  PERF_SAMPLE_AUX };

	(void)state;
	for (size_t type = 0; type < sizeof(types) / sizeof(types[0]); type++) {
		struct event event = { .attr = { .sample_type = types[type],
						 .read_format =
							 PERF_FORMAT_GROUP | PERF_FORMAT_ID } };

		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;
			struct sample sample;

			put64(&body, 9);
			put64(&body, counts[i]);
			for (int word = 0; word < 8; word++)
				put64(&body, 1);
			assert_false(sample_parse(&event, (const uint8_t *)body.data, body.length,
						  false, &sample));
		}
	}
}

static void fields_that_are_not_there(void **state)
{
	struct event event = { .attr = { .sample_type = PERF_SAMPLE_IP, .sample_period = 99 } };
	uint64_t record[2] = { 9, 0x1234 };
	struct sample sample;

	(void)state;
	assert_true(sample_parse(&event, (const uint8_t *)record, sizeof(record), false, &sample));
	assert_int_equal(sample.ip, 0x1234);
	assert_int_equal(sample.pid, -1);
	assert_int_equal(sample.tid, -1);
	assert_int_equal(sample.cpu, -1);
	assert_int_equal(sample.period, 99);
}

/* Fixed offsets are those that the parser finds. */
static void layout_agrees_with_the_parser(void **state)
{
	struct sample_layout layout;
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_WEIGHT |
			       PERF_SAMPLE_DATA_SRC,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	(void)state;
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.id, 8);
	assert_int_equal(layout.ip, 16);
	assert_int_equal(layout.tid, 24);
	assert_int_equal(layout.time, 32);
	assert_int_equal(layout.cpu, 48);
	assert_int_equal(layout.period, 56);
	assert_int_equal(layout.weight, 64 + 24);
	assert_int_equal(layout.data_source, 64 + 32);
	assert_int_equal(layout.plain_size, 64 + 40);
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.period, 56);
	assert_int_equal(layout.weight, 0);
	assert_int_equal(layout.data_source, 0);
	assert_int_equal(layout.plain_size, UINT32_MAX);
	attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC);
	sample_layout_init(&layout, &attr);
	assert_int_equal(layout.plain_size, 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_has_its_value),
		cmocka_unit_test(every_shorter_record_is_refused),
		cmocka_unit_test(counts_that_overflow_are_refused),
		cmocka_unit_test(fields_that_are_not_there),
		cmocka_unit_test(layout_agrees_with_the_parser),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
