// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings in another form than the recorder's: with the tracing data inside its record, without
 * the formats of tracepoints; and files that are no recordings. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_records.h"

static void assert_refused(const uint8_t *bytes, size_t size, const char *words)
{
	_cleanup_opened_ struct opened_session opened;

	opened_from_memory(&opened, bytes, size, COUNT_COMM);
	assert_non_null(opened.error);
	if (!strstr(opened.error->message, words))
		fail_msg("not '%s': %s", words, opened.error->message);
}

static void other_files_are_named(void **state)
{
	static const char *const kinds[][2] = {
		{ "\x1f\x8b\x08", "gzip -dc" },
		{ "LZIP\x01", "lzip -dc" },
		{ "\x89LZO", "lzop -dc" },
		{ "7z\xbc\xaf\x27\x1c", "7z x" },
		{ "\xfd"
		  "7zXZ",
		  "xz -dc" },
		{ "BZh91AY", "bzip2 -dc" },
		{ "\177ELF\2\1", "a program" },
		{ "PK\x03\x04zip", "zip" },
		{ "\x17\x08\x44tracing", "trace-cmd" },
		{ "hello, world", "does not begin with PERFILE2" },
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		assert_refused((const uint8_t *)kinds[i][0], strlen(kinds[i][0]), kinds[i][1]);
	/* a frame of zstd with one block of five bytes */
	assert_refused((const uint8_t *)"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello", 14, "zstd -dc");
}

/* ---- tracing data ---- */

static void put_formats(struct strbuf *data)
{
	put_tracing_head(data);
	put32(data, 0);
	put32(data, 1);
	strbuf_add(data, "lock\0", 5);
	put32(data, 1);
	put_sized(data, "name: contention_begin\nID: 12\nformat:\n"
			"\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
			"print fmt: \"%p\", REC->lock_addr\n");
	while (data->length % 8)
		strbuf_add_char(data, '\0');
}

/* Opens a recording of one tracepoint whose TRACING_DATA is inside its record, after it, or not
 * there. */
static void open_traced(struct opened_session *opened, uint8_t **bytes, bool inside, bool after)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					      .config = 12,
					      .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf data = STRBUF_INIT;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	put_formats(&data);
	put32(&image.body, (uint32_t)data.length);
	put32(&image.body, 0);
	if (inside)
		strbuf_add(&image.body, data.data, data.length);
	if (inside || after)
		perf_image_record(&image, 66 /* HEADER_TRACING_DATA */, 0);
	strbuf_reset(&image.body);
	if (after)
		strbuf_add(&image.records, data.data, data.length);
	put64(&image.body, 0x1000);
	put32(&image.body, 10), put32(&image.body, 10);
	perf_image_record(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	*bytes = perf_image_pipe(&image, &size);
	opened_from_memory(opened, *bytes, size, COUNT_COMM);
}

static void tracing_data_may_be_inside_its_record(void **state)
{
	(void)state;
	for (int inside = 0; inside < 2; inside++) {
		_cleanup_opened_ struct opened_session opened;
		_cleanup_free_ uint8_t *bytes = NULL;
		const struct event *events;
		size_t count;

		open_traced(&opened, &bytes, inside, !inside);
		assert_null(opened.error);
		assert_int_equal(opened_samples(&opened), 1);
		events = session_events(opened.session, &count);
		assert_string_equal(events[0].name, "lock:contention_begin");
		assert_int_equal(events[0].field_count, 1);
		assert_string_equal(opened.warnings.data ? opened.warnings.data : "", "");
	}
}

static void missing_formats_are_said(void **state)
{
	_cleanup_opened_ struct opened_session opened;
	_cleanup_free_ uint8_t *bytes = NULL;

	(void)state;
	open_traced(&opened, &bytes, false, false);
	assert_null(opened.error);
	assert_non_null(strstr(opened.warnings.data, "missing from the tracing data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_files_are_named),
		cmocka_unit_test(tracing_data_may_be_inside_its_record),
		cmocka_unit_test(missing_formats_are_said),
	};

	return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
