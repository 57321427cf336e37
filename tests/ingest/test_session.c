// SPDX-License-Identifier: GPL-2.0-or-later
/* The forms of a recording: file, pipe, folder, compressed, truncated, unfinished, broken. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "tests/support/files.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/session_memory.h"

/* Makes one zstd stream of the records so far, as perf record -z does: each piece of `piece` bytes
 * of input becomes a compressed record of `type`. */
static void perf_image_compress(struct perf_image *image, size_t piece, uint32_t type)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct strbuf records = STRBUF_INIT;
	char buffer[32768];

	strbuf_add(&records, image->records.data, image->records.length);
	strbuf_reset(&image->records);
	for (size_t done = 0; done < records.length; done += piece) {
		size_t left = records.length - done;
		ZSTD_inBuffer input = { records.data + done, left < piece ? left : piece, 0 };
		ZSTD_outBuffer output = { buffer, sizeof(buffer), 0 };

		assert_int_equal(ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush), 0);
		if (type == RECORD_COMPRESSED2)
			put64(&image->body, output.pos);
		strbuf_add(&image->body, buffer, output.pos);
		if (type == RECORD_COMPRESSED2) {
			perf_image_record(image, type, 0);
		} else { /* which is not padded: its size is that of its contents */
			put32(&image->records, type), put16(&image->records, 0);
			put16(&image->records, (uint16_t)(8 + output.pos));
			strbuf_add(&image->records, image->body.data, image->body.length);
			strbuf_reset(&image->body);
		}
	}
	strbuf_deinit(&records);
	ZSTD_freeCCtx(context);
}

#define USER                     PERF_RECORD_MISC_USER
#define PERF_RECORD_AUXTRACE     71
#define PERF_RECORD_EVENT_UPDATE 78
#define PERF_RECORD_LOST_SAMPLES 13
#define SAMPLE_SIZE              40 /* of add_sample()'s records */

#define FIELDS (COUNT_PLACE | COUNT_COMM)

static size_t lines_in(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void a_pipe_says_what_a_file_says(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	perf_records_process(&image, 5);
	for (int pipe = 0; pipe < 2; pipe++) {
		_cleanup_opened_ struct opened_session opened;
		_cleanup_free_ uint8_t *data =
			pipe ? perf_image_pipe(&image, &size) : perf_image_file(&image, &size);

		opened_from_memory(&opened, data, size, FIELDS);
		assert_int_equal(opened_samples(&opened), 5);
		assert_int_equal(opened.counts->count, 5);
		assert_string_equal(opened.counts->entries[0].dso->long_name, "/nowhere/prog");
		assert_string_equal(session_comm(opened.session, opened.counts->entries[0].comm),
				    "prog");
		assert_int_equal(opened.counts->entries[4].address,
				 4); /* the offset in the file, which does not exist */
		assert_int_equal(opened.warnings.length, 0);
	}
}

static void attrs_of_any_size(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 112, 128, 136, 144, 400 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		_cleanup_perf_image_ struct perf_image image;
		_cleanup_opened_ struct opened_session opened;
		size_t size;

		perf_records_process(&image, 3);
		image.attr_size = sizes[i];
		_cleanup_free_ uint8_t *data =
			i % 2 ? perf_image_pipe(&image, &size) : perf_image_file(&image, &size);

		opened_from_memory(&opened, data, size, FIELDS);
		assert_int_equal(opened_samples(&opened), 3);
	}
}

static void a_truncated_file_is_read_up_to_its_end(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	perf_records_process(&image, 100);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	for (size_t cut = 1; cut < 50 * SAMPLE_SIZE; cut += 13) {
		_cleanup_opened_ struct opened_session opened;
		_cleanup_free_ uint8_t *copy = xmalloc(size - cut);

		memcpy(copy, data, size - cut);
		opened_from_memory(&opened, copy, size - cut, FIELDS);
		assert_int_equal(opened_samples(&opened),
				 100 - (cut + SAMPLE_SIZE - 1) / SAMPLE_SIZE);
		assert_int_equal(lines_in(opened.warnings.data), 1);
		assert_non_null(strstr(opened.warnings.data, "truncated"));
	}
}

/* The features follow the data. */
static void features_that_were_cut_off_are_said(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	perf_records_process(&image, 3);
	put32(&image.features[3], 64); /* host name */
	for (int i = 0; i < 8; i++)
		put64(&image.features[3], i ? 0 : 0x74736f68);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	for (size_t cut = 0; cut < 60; cut += 10) {
		_cleanup_opened_ struct opened_session opened;
		_cleanup_free_ uint8_t *copy = xmalloc(size - cut);

		memcpy(copy, data, size - cut);
		opened_from_memory(&opened, copy, size - cut, FIELDS);
		assert_int_equal(opened_samples(&opened), 3);
		assert_int_equal(lines_in(opened.warnings.data), cut > 0);
		assert_true(!cut || strstr(opened.warnings.data, "1 of the header's features"));
	}
}

/* Counting a second time does not warn again. */
static void losses_are_said_once(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct sample_counts *counts;
	size_t size;

	(void)state;
	perf_records_process(&image, 3);
	put64(&image.body, 0x1000);
	perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(lines_in(opened.warnings.data), 1);
	assert_null(session_count(opened.session, COUNT_PID, &counts));
	sample_counts_destroy(counts);
	assert_int_equal(lines_in(opened.warnings.data), 1);
	assert_int_equal(session_totals(opened.session)->bad_samples, 1);
}

static void a_killed_recording_is_read_to_the_end(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 10);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	memset(data + 48, 0, 8); /* the data's size, which is written last */
	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 10);
	assert_non_null(strstr(opened.warnings.data, "was record killed?"));
}

static void what_is_no_perf_data_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *message;
	} cases[] = {
		{ "", 0, "not" },
		{ "PERF", 4, "not a perf.data file" },
		{ "\177ELF............................", 32, "not a perf.data file" },
		{ "PERFILE2", 8, "truncated" },
		{ "PERFILE2h\0\0\0\0\0\0\0", 16, "truncated" },
		{ "PERFILE2\20\0\0\0\0\0\0\0", 16, "no event" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_opened_ struct opened_session opened;

		opened_from_memory(&opened, (const uint8_t *)cases[i].bytes, cases[i].size, FIELDS);
		assert_non_null(opened.error);
		assert_non_null(strstr(opened.error->message, cases[i].message));
	}
}

static void a_record_of_no_size_ends_the_data(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 4);
	put64(&image.records, 9); /* type, and size 0 */
	add_sample(&image, 99, 10, 10, 0x1000, USER);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 4);
	assert_non_null(strstr(opened.warnings.data, "a record of 0 bytes"));
}

/* Two events that samples tell by id; a third id that nobody declared. */
static void samples_belong_to_events_by_id(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
					.sample_period = 1000 };
	static const uint64_t ids[] = { 7, 8, 8, 9, 99 };
	size_t size;
	size_t events;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, (uint64_t[]){ 7 }, 1);
	attr.config = PERF_COUNT_HW_CACHE_MISSES;
	perf_image_event(&image, &attr, (uint64_t[]){ 8, 9 }, 2);
	put64(&image.body, 2), put64(&image.body, 9);
	strbuf_add(&image.body, "named\0\0\0", 8);
	perf_image_record(&image, PERF_RECORD_EVENT_UPDATE, 0);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		put64(&image.body, ids[i]), put64(&image.body, 0x1000);
		perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
	}
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	const struct event *event = session_events(opened.session, &events);

	assert_int_equal(events, 2);
	assert_string_equal(event[0].name, "cycles");
	assert_string_equal(event[1].name, "named");
	assert_int_equal(event[0].samples, 1);
	assert_int_equal(event[1].samples, 3);
	assert_int_equal(event[1].period, 3000);
	assert_int_equal(session_totals(opened.session)->unknown_samples, 1);
	assert_non_null(strstr(opened.warnings.data, "event id"));
}

/* A leader's samples have all counters of its group. Each counts for every event, with the
 * difference since the previous one. */
static void groups_that_the_leader_samples(void **state)
{
	static const uint64_t values[][2] = { { 100, 7 }, { 250, 7 }, { 300, 9 } };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED
	};
	size_t size;
	size_t events;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, (uint64_t[]){ 7 }, 1);
	attr.config = PERF_COUNT_HW_CACHE_MISSES;
	perf_image_event(&image, &attr, (uint64_t[]){ 8 }, 1);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		put64(&image.body, 7), put64(&image.body, 0x1000);
		put64(&image.body, 2), put64(&image.body, 555);
		put64(&image.body, values[i][0]), put64(&image.body, 7);
		put64(&image.body, values[i][1]), put64(&image.body, 8);
		perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
	}
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	const struct event *event = session_events(opened.session, &events);

	assert_int_equal(event[0].samples, 3);
	assert_int_equal(event[0].period, 300);
	assert_int_equal(event[1].samples, 2); /* it did not change in between */
	assert_int_equal(event[1].period, 9);
}

/* A sample that the options leave out has still read the counters: the difference up to it does not
 * belong to the next sample. */
static void groups_of_which_a_part_is_wanted(void **state)
{
	static const uint64_t values[] = { 100, 250, 300, 300, 420 };
	static const struct time_range range = { 2, 4 };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						       PERF_SAMPLE_READ,
					.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID };
	struct number_set cpus = { 0 };
	struct count_options by_time = { .ranges = &range, .range_count = 1 },
			     by_cpu = { .cpus = &cpus };
	const struct event *event;
	size_t size;
	size_t events;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, (uint64_t[]){ 7 }, 1);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		put64(&image.body, 7), put64(&image.body, 0x1000), put64(&image.body, i);
		put32(&image.body, i % 2), put32(&image.body, 0);
		put64(&image.body, 1), put64(&image.body, values[i]), put64(&image.body, 7);
		perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
	}
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	sample_counts_destroy(opened.counts);
	opened.error = session_count_by(opened.session, &by_time, &opened.counts);
	event = session_events(opened.session, &events);
	assert_int_equal(event->samples, 2);
	assert_int_equal(event->period, 170);

	assert_null(number_set_parse(&cpus, "0", "a processor"));
	sample_counts_destroy(opened.counts);
	opened.error = session_count_by(opened.session, &by_cpu, &opened.counts);
	assert_int_equal(event->samples, 3);
	assert_int_equal(event->period, 270);
}

/* Without times, a record is valid for the samples that follow it in the file. */
static void without_times_the_file_decides(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	for (int i = 0; i < 2; i++) {
		put64(&image.body, 0x1000), put32(&image.body, 10), put32(&image.body, 10);
		perf_image_record(&image, PERF_RECORD_SAMPLE, USER);
		add_map(&image, 0, 10, 0x1000, 0x1000, "/bin/prog");
	}
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened.counts->count, 2);
	assert_null(opened.counts->entries[0].dso);
	assert_string_equal(opened.counts->entries[1].dso->short_name, "prog");
}

/* Attrs that each claim the whole file as their ids must not take many times the file in memory. */
static void ids_may_not_overlap(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_type = PERF_SAMPLE_IP };
	uint64_t section[2] = { 0 };
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	perf_image_event(&image, &attr, NULL, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	section[1] = size / 8 * 8;
	for (size_t i = 1; i <= 2; i++) /* the ids follow each attr; the header has 104 bytes */
		memcpy(data + 104 + i * (image.attr_size + 16) - 16, section, sizeof(section));
	opened_from_memory(&opened, data, size, FIELDS);
	assert_non_null(opened.error);
	assert_non_null(strstr(opened.error->message, "overlap"));
}

/* Hardware traces are not decoded: a warning says so, and the records after them are read. */
static void traces_are_passed_over(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	put64(&image.body, 24); /* bytes that follow the record */
	for (int i = 0; i < 4; i++)
		put64(&image.body, 0);
	perf_image_record(&image, PERF_RECORD_AUXTRACE, 0);
	strbuf_add(&image.records, "what a processor traced ", 24);
	add_sample(&image, 9, 10, 10, 0x1000, USER);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 2);
	assert_int_equal(session_totals(opened.session)->aux_bytes, 24);
	assert_non_null(strstr(opened.warnings.data, "24 bytes of hardware traces"));
}

static void losses_are_counted(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	put64(&image.body, 0), put64(&image.body, 5);
	perf_image_record(&image, PERF_RECORD_LOST, 0);
	put64(&image.body, 7);
	perf_image_record(&image, PERF_RECORD_LOST_SAMPLES, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(session_totals(opened.session)->lost_events, 5);
	assert_int_equal(session_totals(opened.session)->lost_samples, 7);
}

/* `record --threads` writes a folder with the file of the header, and a file of records for each
 * thread. */
static void a_folder_is_read_whole(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	char *folder = scratch_create();
	size_t size;

	(void)state;
	perf_records_process(&image, 3);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	_cleanup_free_ char *main_path = xasprintf("%s/data", folder);
	_cleanup_free_ char *first_path = xasprintf("%s/data.0", folder);
	_cleanup_free_ char *empty_path = xasprintf("%s/data.1", folder);
	_cleanup_free_ char *last_path = xasprintf("%s/data.2", folder);

	file_write(main_path, data, size);
	strbuf_reset(&image.records);
	for (int i = 0; i < 4; i++)
		add_sample(&image, 100, 10, 10, 0x1000, USER);
	file_write(first_path, image.records.data, image.records.length);
	file_write(empty_path, "", 0);
	perf_image_compress(&image, 100, PERF_RECORD_COMPRESSED);
	file_write(last_path, image.records.data, image.records.length);
	_cleanup_opened_ struct opened_session opened;

	opened_from_path(&opened, folder, FIELDS);
	assert_int_equal(opened_samples(&opened), 3 + 4 + 4);
	assert_string_equal(opened.counts->entries[0].dso->short_name, "prog");
	assert_int_equal(opened.warnings.length, 0);
	scratch_remove(folder);
}

/* The existing files are read; a warning names the missing ones. */
static void a_folder_with_files_missing(void **state)
{
	static const char *const names[] = { "data",    "data.1", "data.3",
					     "data.10", "data.x", "data.03" };
	_cleanup_perf_image_ struct perf_image image;
	char *folder = scratch_create();
	_cleanup_free_ char *main_path = xasprintf("%s/data", folder);
	size_t size;

	(void)state;
	perf_records_process(&image, 3);
	put64(&image.features[FEATURE_DIR_FORMAT], 1);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	file_write(main_path, data, size);
	strbuf_reset(&image.records);
	add_sample(&image, 100, 10, 10, 0x1000, USER);
	_cleanup_opened_ struct opened_session none;
	_cleanup_opened_ struct opened_session alone;
	_cleanup_opened_ struct opened_session opened;

	opened_from_path(&none, folder, FIELDS);
	assert_int_equal(opened_samples(&none), 3);
	assert_int_equal(lines_in(none.warnings.data), 1);
	assert_non_null(strstr(none.warnings.data, "which are missing"));
	opened_from_path(&alone, main_path, FIELDS);
	assert_int_equal(opened_samples(&alone), 3);
	assert_int_equal(lines_in(alone.warnings.data), 1);
	assert_non_null(strstr(alone.warnings.data, "the folder"));
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, names[i]);

		file_write(path, image.records.data, image.records.length);
	}
	opened_from_path(&opened, folder, FIELDS);
	assert_int_equal(opened_samples(&opened), 3 + 3);
	assert_int_equal(lines_in(opened.warnings.data), 1);
	assert_non_null(strstr(opened.warnings.data,
			       "8 of data.0 to data.10 are missing, the first is data.0:"));
	scratch_remove(folder);
}

static void files_that_cannot_be_opened(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *missing = xasprintf("%s/missing", folder);
	_cleanup_free_ char *empty = xasprintf("%s/empty", folder);
	_cleanup_opened_ struct opened_session no_file;
	_cleanup_opened_ struct opened_session no_data;
	_cleanup_opened_ struct opened_session no_bytes;

	(void)state;
	file_write(empty, "", 0);
	opened_from_path(&no_file, missing, FIELDS);
	assert_int_equal(no_file.error->code, ERROR_NOT_FOUND);
	opened_from_path(&no_data, folder, FIELDS);
	assert_non_null(strstr(no_data.error->message, "folder"));
	opened_from_path(&no_bytes, empty, FIELDS);
	assert_non_null(strstr(no_bytes.error->message, "empty"));
	scratch_remove(folder);
}

static void other_peoples_files_need_force(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can give files away");
	perf_records_process(&image, 2);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);
	char *folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/data", folder);
	struct session_options options = { .force = true, .threads = 1 };
	struct session *session;

	file_write(path, data, size);
	assert_int_equal(chown(path, 12345, 12345), 0);
	_cleanup_opened_ struct opened_session opened;

	opened_from_path(&opened, path, FIELDS);
	assert_int_equal(opened.error->code, ERROR_PERMISSION);
	struct error *error = session_open(path, &options, &session);

	assert_null(error);
	session_close(session);
	scratch_remove(folder);
}

/* The result does not depend on the threads. The file is large enough for several chunks. */
static void threads_do_not_show(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	struct sample_counts *counts[3];
	struct session *sessions[3];
	size_t size;

	(void)state;
	perf_records_process(&image, 150000);
	for (int tid = 1000; tid < 1100; tid++)
		add_sample(&image, 1000000, tid, tid, 0x1000, USER); /* that have no name */
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	for (unsigned int i = 0; i < 3; i++) {
		struct session_options options = { .threads = 1 + 3 * i };
		struct error *error = session_open_memory(data, size, &options, &sessions[i]);

		assert_null(error);
		error = session_count(sessions[i], COUNT_PLACE | COUNT_COMM | COUNT_TID,
				      &counts[i]);
		assert_null(error);
	}
	for (unsigned int i = 1; i < 3; i++) {
		assert_int_equal(counts[i]->count, counts[0]->count);
		for (size_t n = 0; n < counts[0]->count; n++) {
			const struct counted *a = &counts[0]->entries[n];
			const struct counted *b = &counts[i]->entries[n];

			assert_int_equal(a->samples, b->samples);
			assert_int_equal(a->address, b->address);
			assert_int_equal(a->comm, b->comm);
			assert_int_equal(a->tid, b->tid);
		}
	}
	assert_int_equal(counts[0]->count, 1100);
	for (unsigned int i = 0; i < 3; i++) {
		sample_counts_destroy(counts[i]);
		session_close(sessions[i]);
	}
}

/* ---- compressed records ---- */

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
		compressed = image.records.length / pieces[i % 4] +
			     !!(image.records.length % pieces[i % 4]);
		perf_image_compress(&image, pieces[i % 4], type);
		add_sample(&image, 99999, 10, 10, 0x1000,
			   USER); /* and one that is not compressed */
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

/* Few bytes that expand to very many do not fill the disk. */
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
		strbuf_add(&block, image.records.data + image.records.length - SAMPLE_SIZE,
			   SAMPLE_SIZE);
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

/* A warning names the offset of the compressed record; for a later record that is not compressed,
 * its own offset. */
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

	/* the data begins at the offset in the header; of the pieces of 200 bytes, one has the
	 * start of the record */
	uint64_t at;

	memcpy(&at, data + 40, sizeof(at));
	for (size_t i = 0; i < bad / 200; i++)
		at += (uint64_t)data[at + 6] | (uint64_t)data[at + 7] << 8;
	strbuf_add_format(&expected, "compressed record at offset %llu, byte %zu of its content",
			  (unsigned long long)at, bad % 200);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 21);
	assert_non_null(strstr(opened.warnings.data, expected.data));
	assert_non_null(strstr(opened.warnings.data, "shorter than the fields"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_says_what_a_file_says),
		cmocka_unit_test(attrs_of_any_size),
		cmocka_unit_test(a_truncated_file_is_read_up_to_its_end),
		cmocka_unit_test(features_that_were_cut_off_are_said),
		cmocka_unit_test(losses_are_said_once),
		cmocka_unit_test(a_killed_recording_is_read_to_the_end),
		cmocka_unit_test(what_is_no_perf_data_is_refused),
		cmocka_unit_test(a_record_of_no_size_ends_the_data),
		cmocka_unit_test(samples_belong_to_events_by_id),
		cmocka_unit_test(groups_that_the_leader_samples),
		cmocka_unit_test(groups_of_which_a_part_is_wanted),
		cmocka_unit_test(without_times_the_file_decides),
		cmocka_unit_test(ids_may_not_overlap),
		cmocka_unit_test(traces_are_passed_over),
		cmocka_unit_test(losses_are_counted),
		cmocka_unit_test(a_folder_is_read_whole),
		cmocka_unit_test(a_folder_with_files_missing),
		cmocka_unit_test(files_that_cannot_be_opened),
		cmocka_unit_test(other_peoples_files_need_force),
		cmocka_unit_test(threads_do_not_show),
		cmocka_unit_test(compressed_records_are_records),
		cmocka_unit_test(broken_compression_is_said),
		cmocka_unit_test(compressed_data_may_not_grow_without_bound),
		cmocka_unit_test(places_are_told_in_compressed_records),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
