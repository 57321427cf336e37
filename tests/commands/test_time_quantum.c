// SPDX-License-Identifier: GPL-2.0-or-later
/* The times that layouts count samples by: exact where data addresses are known, which tells
 * threads that use a cacheline in turns; before the samples are counted as well as after that. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "profiler/commands/annotate.h"
#include "profiler/ingest/session.h"
#include "tests/support/perf_image.h"
#include "tests/support/session_memory.h"

/* Returns the quantum of a recording of 1,000 ns whose samples have these fields besides time. */
static uint64_t quantum_of(uint64_t type, bool counted)
{
	static const struct session_options no_options;
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW };
	_cleanup_perf_image_ struct perf_image image;
	struct session *session;
	struct sample_counts *counts = NULL;
	uint64_t quantum;
	size_t size;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | type;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	for (uint64_t time = 1000; time <= 2000; time += 100) {
		put64(&image.body, 0x1000), put32(&image.body, 1), put32(&image.body, 1);
		put64(&image.body, time);
		if (type & PERF_SAMPLE_ADDR)
			put64(&image.body, 0x7000);
		perf_image_record(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	assert_null(session_open_memory(bytes, size, &no_options, &session));
	if (counted)
		assert_null(session_count(session, COUNT_PLACE, &counts));
	quantum = annotate_time_quantum(session);
	sample_counts_destroy(counts);
	session_close(session);
	return quantum;
}

static void test_quantum(void **state)
{
	(void)state;
	assert_int_equal(quantum_of(PERF_SAMPLE_ADDR, false), 0);
	assert_int_equal(quantum_of(PERF_SAMPLE_ADDR, true), 0);
	assert_in_range(quantum_of(0, false), 10, 100);
	assert_int_equal(quantum_of(0, false), quantum_of(0, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_quantum) };

	return cmocka_run_group_tests_name("time_quantum", tests, NULL, NULL);
}
