// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of events that have none in the file, of tracepoints by number, and of features in the
 * text of the header. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/tracepoint.h"
#include "tests/support/perf_records.h"
#include "tests/support/perf_image.h"
#include "tests/support/session_memory.h"

static void events_are_named_as_perf_names_them(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		const char *name;
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE, .config = 0 }, "cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 9 }, "ref-cycles" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 77 }, "unknown-hardware" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1, .exclude_hv = 1 },
		  "cycles:u" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_user = 1, .exclude_hv = 1 }, "cycles:k" },
		{ { .type = PERF_TYPE_HARDWARE, .precise_ip = 3, .exclude_guest = 1 },
		  "cycles:pppH" },
		{ { .type = PERF_TYPE_HARDWARE, .exclude_host = 1 }, "cycles:G" },
		{ { .type = PERF_TYPE_HARDWARE, .config = 1 | 4ULL << 32 }, "instructions" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 0 }, "cpu-clock" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 9 }, "dummy" },
		{ { .type = PERF_TYPE_SOFTWARE, .config = 99 }, "unknown-software" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0 }, "L1-dcache-loads" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0x10102 }, "LLC-store-misses" },
		{ { .type = PERF_TYPE_HW_CACHE, .config = 0xff },
		  "unknown-ext-hardware-cache-type" },
		{ { .type = PERF_TYPE_RAW, .config = 0x1cd }, "raw 0x1cd" },
		{ { .type = PERF_TYPE_BREAKPOINT, .bp_addr = 0x1000, .bp_type = 3 },
		  "mem:0x1000:rw" },
		{ { .type = PERF_TYPE_TRACEPOINT, .config = 0x187 },
		  "unknown tracepoint id=0x187" },
		{ { .type = 8 }, "unknown attr type: 8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_free_ char *name = event_name_from_attr(&cases[i].attr);

		assert_string_equal(name, cases[i].name);
	}
}

/* Appends tracing data as in /sys/kernel/tracing: the headers of pages and events, ftrace's own
 * formats, then each system with its formats. */
static void put_tracing_data(struct strbuf *data)
{
	put_tracing_head(data);
	put32(data, 1);
	put_sized(data, "name: function\nID: 1\nformat:\n");
	put32(data, 2);
	strbuf_add(data, "sched\0", 6);
	put32(data, 2);
	put_sized(data, "name: sched_switch\nID: 391\nformat:\n\tfield: int;\n");
	put_sized(data, "no format at all");
	strbuf_add(data, "lock\0", 5);
	put32(data, 1);
	put_sized(data, "name: contention_begin\nID: 12\n");
}

static void tracepoints_have_names(void **state)
{
	_cleanup_strbuf_ struct strbuf data = STRBUF_INIT;
	struct tracepoint_names names;

	(void)state;
	put_tracing_data(&data);
	tracepoint_names_read(&names, data.data, data.length);
	assert_string_equal(tracepoint_names_find(&names, 391), "sched:sched_switch");
	assert_string_equal(tracepoint_names_find(&names, 12), "lock:contention_begin");
	assert_null(tracepoint_names_find(&names, 1));
	tracepoint_names_deinit(&names);
	/* Truncated anywhere, it gives the formats that are whole. */
	for (size_t size = 0; size < data.length; size++) {
		_cleanup_free_ char *copy = xmalloc(size ? size : 1);

		memcpy(copy, data.data, size);
		tracepoint_names_read(&names, copy, size);
		tracepoint_names_deinit(&names);
	}
}

static void tracepoint_events_are_named_from_the_file(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.config = 391,
					.sample_type = PERF_SAMPLE_IP };
	_cleanup_perf_image_ struct perf_image image;
	struct session *session;
	size_t size;
	size_t count;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	put_tracing_data(&image.features[FEATURE_TRACING_DATA]);
	put64(&image.body, 0x1000);
	perf_image_record(&image, PERF_RECORD_SAMPLE, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	struct error *error = session_open_memory(data, size, NULL, &session);

	assert_null(error);
	assert_string_equal(session_events(session, &count)->name, "sched:sched_switch");
	session_close(session);
}

static void put_counted(struct strbuf *feature, const char *string)
{
	put32(feature, (uint32_t)strlen(string) + 1);
	strbuf_add(feature, string, strlen(string) + 1);
}

static void make_features(struct perf_image *image)
{
	struct strbuf *features = image->features;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = 2,
					.sample_period = 4000,
					.freq = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
					.precise_ip = 2,
					.size = 128 };

	put_counted(&features[FEATURE_HOSTNAME], "host\033[31m");
	put32(&features[FEATURE_NRCPUS], 4), put32(&features[FEATURE_NRCPUS], 3);
	put64(&features[FEATURE_TOTAL_MEM], 1024);
	put32(&features[FEATURE_CMDLINE], 2);
	put_counted(&features[FEATURE_CMDLINE], "perf"),
		put_counted(&features[FEATURE_CMDLINE], "record");
	put32(&features[FEATURE_EVENT_DESC], 2), put32(&features[FEATURE_EVENT_DESC], sizeof(attr));
	strbuf_add(&features[FEATURE_EVENT_DESC], &attr, sizeof(attr));
	put32(&features[FEATURE_EVENT_DESC], 2), put_counted(&features[FEATURE_EVENT_DESC], "mine");
	put64(&features[FEATURE_EVENT_DESC], 5), put64(&features[FEATURE_EVENT_DESC], 6);
	attr.type = PERF_TYPE_RAW;
	strbuf_add(&features[FEATURE_EVENT_DESC], &attr, sizeof(attr));
	put32(&features[FEATURE_EVENT_DESC], 0), put_counted(&features[FEATURE_EVENT_DESC], "raw");
	put32(&features[FEATURE_PMU_MAPPINGS], 1), put32(&features[FEATURE_PMU_MAPPINGS], 4);
	put_counted(&features[FEATURE_PMU_MAPPINGS], "cpu");
	put64(&features[FEATURE_SAMPLE_TIME], 1500000000),
		put64(&features[FEATURE_SAMPLE_TIME], 2500000000);
	put32(&features[FEATURE_NUMA_TOPOLOGY], 1), put32(&features[FEATURE_NUMA_TOPOLOGY], 0);
	put64(&features[FEATURE_NUMA_TOPOLOGY], 100), put64(&features[FEATURE_NUMA_TOPOLOGY], 50);
	put_counted(&features[FEATURE_NUMA_TOPOLOGY], "0-3");
}

/* The header's lines are those that perf prints for the same bytes. */
static void the_header_reads_as_perfs(void **state)
{
	static const char *const lines[] = {
		"# header version : 1\n",
		"# hostname : host?[31m\n",
		"# nrcpus online : 3\n# nrcpus avail : 4\n",
		"# total memory : 1024 kB\n",
		"# cmdline : perf record \n",
		"# event : name = mine, , id = { 5, 6 }, type = 0 (PERF_TYPE_HARDWARE), size = "
		"128, "
		"config = 0x2 (PERF_COUNT_HW_CACHE_REFERENCES), { sample_period, sample_freq } = "
		"4000, "
		"sample_type = IP|TID, freq = 1, precise_ip = 2\n",
		"# event : name = raw, , type = 4 (cpu), size = 128, config = 0x2, ",
		"# pmu mappings: cpu = 4\n",
		"# time of first sample : 1.500000\n# time of last sample : 2.500000\n# sample "
		"duration :   "
		"1000.000 ms\n",
		"# missing features: TRACING_DATA BUILD_ID OSRELEASE VERSION ARCH CPUDESC CPUID "
		"CPU_TOPOLOGY "
		"BRANCH_STACK ",
	};
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct session *session;
	size_t size;
	size_t count;

	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	make_features(&image);
	add_sample(&image, 1, 1, 1, 0x1000, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	struct error *error = session_open_memory(data, size, NULL, &session);

	assert_null(error);
	assert_string_equal(session_events(session, &count)->name, "mine");
	session_header_text(session, &text);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text.data, lines[i]))
			fail_msg("not in the header: %s", lines[i]);
	session_close(session);
}

static void put_event(struct strbuf *feature, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .type = type, .config = config, .size = sizeof(attr) };

	strbuf_add(feature, &attr, sizeof(attr));
	put32(feature, 0), put_counted(feature, "event");
}

/* The numbers of tracepoints are those of the file's tracing data. */
static void configs_of_events_are_named_in_the_header(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		const char *text;
	} cases[] = {
		{ PERF_TYPE_TRACEPOINT, 391, "config = 0x187 (sched:sched_switch)\n" },
		{ PERF_TYPE_TRACEPOINT, 392, "config = 0x188\n" },
		{ PERF_TYPE_HW_CACHE, 0x10100,
		  "config = 0x10100 (PERF_COUNT_HW_CACHE_RESULT_MISS | "
		  "PERF_COUNT_HW_CACHE_OP_WRITE | "
		  "PERF_COUNT_HW_CACHE_L1D)\n" },
		{ PERF_TYPE_HW_CACHE, 4ULL << 32 | 3,
		  "config = 0x400000003 (cpu/PERF_COUNT_HW_CACHE_RESULT_ACCESS | "
		  "PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_DTLB/)\n" },
		{ PERF_TYPE_HW_CACHE, 7, "config = 0x7\n" },
		{ PERF_TYPE_HARDWARE, 4ULL << 32 | 1,
		  "config = 0x400000001 (cpu/PERF_COUNT_HW_INSTRUCTIONS/)\n" },
	};
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct session *session;
	struct strbuf *features = image.features;
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	put_tracing_data(&features[FEATURE_TRACING_DATA]);
	put32(&features[FEATURE_PMU_MAPPINGS], 1), put32(&features[FEATURE_PMU_MAPPINGS], 4);
	put_counted(&features[FEATURE_PMU_MAPPINGS], "cpu");
	put32(&features[FEATURE_EVENT_DESC], sizeof(cases) / sizeof(*cases));
	put32(&features[FEATURE_EVENT_DESC], sizeof(struct perf_event_attr));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		put_event(&features[FEATURE_EVENT_DESC], cases[i].type, cases[i].config);
	add_sample(&image, 1, 1, 1, 0x1000, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	assert_null(session_open_memory(data, size, NULL, &session));
	session_header_text(session, &text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!strstr(text.data, cases[i].text))
			fail_msg("not in the header: %s", cases[i].text);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_named_as_perf_names_them),
		cmocka_unit_test(tracepoints_have_names),
		cmocka_unit_test(tracepoint_events_are_named_from_the_file),
		cmocka_unit_test(the_header_reads_as_perfs),
		cmocka_unit_test(configs_of_events_are_named_in_the_header),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
