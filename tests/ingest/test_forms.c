// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings in another form than the recorder's: compressed, with the tracing data inside its
 * record, without the formats of tracepoints; and files that are no recordings. */
#include "tests/support/unit.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_records.h"

#define SAMPLES 500

/* A packer returns the packed bytes; `size` is theirs before and after. */
typedef uint8_t *(*packer)(const uint8_t *bytes, size_t *size);

static uint8_t *pack_gzip(const uint8_t *bytes, size_t *size)
{
	z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)*size };
	size_t capacity = *size + 1000;
	uint8_t *packed = xmalloc(capacity);

	stream.next_out = packed;
	stream.avail_out = (uInt)capacity;
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static uint8_t *pack_xz(const uint8_t *bytes, size_t *size)
{
	size_t capacity = *size + 1000, at = 0;
	uint8_t *packed = xmalloc(capacity);

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes, *size, packed,
						 &at, capacity),
			 LZMA_OK);
	*size = at;
	return packed;
}

static uint8_t *pack_zstd(const uint8_t *bytes, size_t *size)
{
	size_t capacity = ZSTD_compressBound(*size);
	uint8_t *packed = xmalloc(capacity);
	ZSTD_CCtx *context = ZSTD_createCCtx();

	/* as zstd(1) does */
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	*size = ZSTD_compress2(context, packed, capacity, bytes, *size);
	ZSTD_freeCCtx(context);
	assert_false(ZSTD_isError(*size));
	return packed;
}

static const packer packers[] = { pack_gzip, pack_xz, pack_zstd };

static uint8_t *recording(size_t *size, bool pipe)
{
	_cleanup_perf_image_ struct perf_image image;

	perf_records_process(&image, SAMPLES);
	return pipe ? perf_image_pipe(&image, size) : perf_image_file(&image, size);
}

static void compressed_recordings_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(packers); i++) {
		size_t size;
		_cleanup_free_ uint8_t *bytes = recording(&size, i % 2);
		_cleanup_free_ uint8_t *packed = packers[i / 2](bytes, &size);
		_cleanup_opened_ struct opened_session opened;

		opened_from_memory(&opened, packed, size, COUNT_COMM);
		if (opened.error)
			fail_msg("packer %zu: %s", i, opened.error->message);
		assert_int_equal(opened_samples(&opened), SAMPLES);
	}
}

/* `cat a b` of compressed parts is the compressed whole. */
static void parts_may_follow_each_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(packers); i++) {
		size_t size, half, rest;
		_cleanup_free_ uint8_t *bytes = recording(&size, false);

		half = size / 2, rest = size - half;
		_cleanup_free_ uint8_t *first = packers[i](bytes, &half);
		_cleanup_free_ uint8_t *second = packers[i](bytes + size / 2, &rest);
		_cleanup_free_ uint8_t *both = xmalloc(half + rest);
		_cleanup_opened_ struct opened_session opened;

		memcpy(both, first, half);
		memcpy(both + half, second, rest);
		opened_from_memory(&opened, both, half + rest, COUNT_COMM);
		if (opened.error)
			fail_msg("packer %zu: %s", i, opened.error->message);
		assert_int_equal(opened_samples(&opened), SAMPLES);
	}
}

static void assert_refused(const uint8_t *bytes, size_t size, const char *words)
{
	_cleanup_opened_ struct opened_session opened;

	opened_from_memory(&opened, bytes, size, COUNT_COMM);
	assert_non_null(opened.error);
	if (!strstr(opened.error->message, words))
		fail_msg("not '%s': %s", words, opened.error->message);
}

/* Too little of a zstd file may be left to tell a recording from an archive of dtprof. */
static void assert_damaged(const uint8_t *bytes, size_t size)
{
	static const char *const words[] = { "truncated: its ", ": bad ", "damaged: zstd" };
	_cleanup_opened_ struct opened_session opened;
	bool said = false;

	opened_from_memory(&opened, bytes, size, COUNT_COMM);
	assert_non_null(opened.error);
	for (size_t i = 0; i < COUNT_OF(words); i++)
		said = said || strstr(opened.error->message, words[i]);
	if (!said)
		fail_msg("%s", opened.error->message);
}

static void damaged_ones_are_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(packers); i++) {
		size_t size;
		_cleanup_free_ uint8_t *bytes = recording(&size, false);
		_cleanup_free_ uint8_t *packed = packers[i](bytes, &size);

		assert_damaged(packed, size - 5);
		memset(packed + size / 2, 0xff, size / 4);
		assert_damaged(packed, size);
	}
}

/* A file of a few bytes does not unpack to any number of them. */
static void too_much_is_refused(void **state)
{
	size_t size = (size_t)100 << 20;
	_cleanup_free_ uint8_t *bytes = xcalloc(1, size);

	(void)state;
	memcpy(bytes, "PERFILE2", 8);
	_cleanup_free_ uint8_t *packed = pack_zstd(bytes, &size);

	assert_refused(packed, size, "unpack it first");
}

static void other_files_are_named(void **state)
{
	static const char *const kinds[][2] = {
		{ "BZh91AY", "bzip2 -dc" },
		{ "\177ELF\2\1", "a program" },
		{ "PK\x03\x04zip", "zip" },
		{ "\x17\x08\x44tracing", "trace-cmd" },
		{ "hello, world", "does not begin with PERFILE2" },
	};
	uint8_t text[] = "not a recording, but a text that is compressed";
	size_t size = sizeof(text);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		assert_refused((const uint8_t *)kinds[i][0], strlen(kinds[i][0]), kinds[i][1]);
	_cleanup_free_ uint8_t *packed = pack_gzip(text, &size);

	assert_refused(packed, size, "compressed with gzip, but has no recording");
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
		cmocka_unit_test(compressed_recordings_are_read),
		cmocka_unit_test(parts_may_follow_each_other),
		cmocka_unit_test(damaged_ones_are_errors),
		cmocka_unit_test(too_much_is_refused),
		cmocka_unit_test(other_files_are_named),
		cmocka_unit_test(tracing_data_may_be_inside_its_record),
		cmocka_unit_test(missing_formats_are_said),
	};

	return cmocka_run_group_tests_name("forms", tests, NULL, NULL);
}
