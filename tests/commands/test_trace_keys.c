// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields of tracepoints as one text, in a recording that is written here. The tables have the
 * form of perf 7.2's.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/process.h"

static const char *data;

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char begin_format[] =
	"name: contention_begin\nID: 12\nformat:\n" COMMON
	"\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"%p (flags=%s)\", REC->lock_addr, "
	"__print_flags(REC->flags, \"|\", { 1, \"SPIN\" }, { 2, \"READ\" })\n";
static const char end_format[] = "name: contention_end\nID: 13\nformat:\n" COMMON
				 "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
				 "\tfield:int ret;\toffset:16;\tsize:4;\tsigned:1;\n"
				 "\tfield:int beyond;\toffset:4096;\tsize:4;\tsigned:1;\n"
				 "\nprint fmt: \"ret=%s\", errno_text(REC->ret)\n";

static void put_tracing_data(struct strbuf *feature)
{
	put_tracing_head(feature);
	put32(feature, 0);
	put32(feature, 1);
	strbuf_add(feature, "lock\0", 5);
	put32(feature, 2);
	put_sized(feature, begin_format);
	put_sized(feature, end_format);
}

static void add_sample(struct perf_image *image, uint16_t type, uint64_t lock, int32_t value)
{
	put64(&image->body, type);
	put64(&image->body, 0x401000);
	put32(&image->body, 10), put32(&image->body, 10);
	put64(&image->body, 1);
	put32(&image->body, 20); /* four bytes of padding belong to the data */
	put16(&image->body, type), put16(&image->body, 0), put32(&image->body, 10);
	put64(&image->body, lock), put32(&image->body, (uint32_t)value);
	perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void write_recording(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.config = 12,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_RAW };
	struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 12 }, 1);
	attr.config = 13;
	perf_image_event(&image, &attr, (const uint64_t[]){ 13 }, 1);
	put_tracing_data(&image.features[FEATURE_TRACING_DATA]);
	for (int i = 0; i < 5; i++)
		add_sample(&image, 12, 0xff11000102366470, 2);
	for (int i = 0; i < 3; i++)
		add_sample(&image, 12, 0xff11000102366470, 33);
	for (int i = 0; i < 2; i++)
		add_sample(&image, 12, 0x1000, 33);
	add_sample(&image, 13, 0x1000, -110);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	file_write(data, bytes, size);
	perf_image_deinit(&image);
}

static int set_up(void **state)
{
	(void)state;
	data = scratch_file("perf.data");
	write_recording();
	return 0;
}

static void run(const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("HOME=%s %s --no-pager report -i %s %s",
						 scratch_folder(), dtprof_path(), data, arguments);

	process_shell(command, result);
}

/* Options and the expected parts of the output; NULL ends them. */
static const struct {
	const char *arguments;
	const char *shown[4];
	const char *hidden;
} cases[] = {
	{ "-s trace",
	  { "    50.00%   lock_addr=0xff11000102366470 flags=2 \n"
	    "    30.00%   lock_addr=0xff11000102366470 flags=33\n",
	    "   100.00%   lock_addr=0x1000 ret=-110\n" },
	  "beyond" },
	{ "2>/dev/null", { " lock_addr=0xff11000102366470 flags=2" }, "Symbol" },
	{ "-s trace --json",
	  { "\"trace\": \" lock_addr=0xff11000102366470 flags=2\"",
	    "\"trace\": \" lock_addr=0x1000 ret=-110\"" },
	  NULL },
};

static void fields_are_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(cases[i].arguments, &result);
		for (size_t s = 0; s < 4 && cases[i].shown[s]; s++)
			if (!strstr(result.output.data, cases[i].shown[s]))
				fail_msg("%s: no\n%sin\n%s%s", cases[i].arguments,
					 cases[i].shown[s], result.output.data,
					 result.errors.data ? result.errors.data : "");
		if (cases[i].hidden && strstr(result.output.data, cases[i].hidden))
			fail_msg("%s: %s in\n%s", cases[i].arguments, cases[i].hidden,
				 result.output.data);
		process_check_status(&result, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_shown),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
