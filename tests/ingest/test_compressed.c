// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed records: the records that they hold, and what is said of those. */
#include "tests/support/unit.h"

#include <string.h>
#include <zstd.h>

#include "profiler/base/memory.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_compress.h"
#include "tests/support/perf_records.h"

#define USER        PERF_RECORD_MISC_USER
#define SAMPLE_SIZE 40 /* of add_sample()'s records */
#define FIELDS      (COUNT_PLACE | COUNT_COMM)

static void compressed_records_are_records(void **state)
{
	static const size_t pieces[] = { 7, 100, 4096, 30000 };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		_cleanup_perf_image_ struct perf_image image;
		_cleanup_opened_ struct opened_session opened;
		uint32_t type = i < 4 ? PERF_RECORD_COMPRESSED : RECORD_COMPRESSED2;
		uint64_t counts[SESSION_RECORD_TYPES];
		size_t size, compressed;

		perf_records_process(&image, 3000);
		compressed = image.records.length / pieces[i % 4] + !!(image.records.length % pieces[i % 4]);
		perf_image_compress(&image, pieces[i % 4], type);
		add_sample(&image, 99999, 10, 10, 0x1000, USER); /* and one that is not compressed */
		_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

		opened_from_memory(&opened, data, size, FIELDS);
		assert_int_equal(opened_samples(&opened), 3001);
		assert_int_equal(opened.counts->count, 1000);
		assert_string_equal(opened.counts->entries[0].dso->short_name, "prog");
		assert_int_equal(opened.warnings.length, 0);
		session_count_records(opened.session, counts);
		assert_int_equal(counts[type], compressed);
		assert_int_equal(counts[PERF_RECORD_SAMPLE], 3001);
	}
}

static void broken_compression_is_said(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 100);
	perf_image_compress(&image, 500, RECORD_COMPRESSED2);
	memset(image.records.data + image.records.length / 2, 0x55, 40);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_true(opened_samples(&opened) < 100);
	assert_int_not_equal(opened.warnings.length, 0);
}

/* A few bytes that become very many do not fill the disk. */
static void compressed_data_may_not_grow_without_bound(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	_cleanup_strbuf_ struct strbuf block = STRBUF_INIT;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char buffer[65000];
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	while (block.length < 1 << 20)
		strbuf_add(&block, image.records.data + image.records.length - SAMPLE_SIZE, SAMPLE_SIZE);
	ZSTD_outBuffer output = { buffer, sizeof(buffer), 0 };

	for (int i = 0; i < 100; i++) {
		ZSTD_inBuffer input = { block.data, block.length, 0 };

		while (input.pos < input.size)
			(void)ZSTD_compressStream2(context, &output, &input, ZSTD_e_continue);
	}
	ZSTD_inBuffer none = { NULL, 0, 0 };

	assert_int_equal(ZSTD_compressStream2(context, &output, &none, ZSTD_e_end), 0);
	ZSTD_freeCCtx(context);
	strbuf_add(&image.body, buffer, output.pos);
	perf_image_record(&image, PERF_RECORD_COMPRESSED, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_non_null(strstr(opened.warnings.data, "times its size"));
}

/* Which byte of which compressed record; after that one, of a record that is not compressed. */
static void places_are_told_in_compressed_records(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT;
	size_t size;

	(void)state;
	perf_records_process(&image, 20);
	size_t bad = image.records.length;

	put64(&image.body, 0x1000);
	perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
	add_sample(&image, 100, 10, 10, 0x1000, USER);
	perf_image_compress(&image, 200, RECORD_COMPRESSED2);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	/* the data begins where the header says; of the pieces of 200 bytes one has the record's begin */
	uint64_t at;

	memcpy(&at, data + 40, sizeof(at));
	for (size_t i = 0; i < bad / 200; i++)
		at += (uint64_t)data[at + 6] | (uint64_t)data[at + 7] << 8;
	strbuf_add_format(&expected, "compressed record at offset %llu, byte %zu of what it holds",
			  (unsigned long long)at, bad % 200);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 21);
	assert_non_null(strstr(opened.warnings.data, expected.data));
	assert_non_null(strstr(opened.warnings.data, "shorter than the fields"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_records_are_records),
		cmocka_unit_test(broken_compression_is_said),
		cmocka_unit_test(compressed_data_may_not_grow_without_bound),
		cmocka_unit_test(places_are_told_in_compressed_records),
	};

	return cmocka_run_group_tests_name("compressed", tests, NULL, NULL);
}
