// SPDX-License-Identifier: GPL-2.0-or-later
/* The file: readable at every moment, whatever the disk does. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "profiler/base/memory.h"
#include "profiler/record/feature.h"
#include "profiler/record/writer.h"
#include "tests/support/process.h"

struct contents {
	uint8_t *bytes;
	size_t size;
	struct file_header header;
};

static struct contents read_file(const char *path)
{
	struct contents contents = { 0 };
	struct stat status;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	contents.size = status.st_size;
	contents.bytes = xmalloc(contents.size + 1);
	assert_int_equal(read(fd, contents.bytes, contents.size), contents.size);
	close(fd);
	assert_true(contents.size >= sizeof(contents.header));
	memcpy(&contents.header, contents.bytes, sizeof(contents.header));
	assert_int_equal(contents.header.magic, FILE_MAGIC);
	assert_true(contents.header.data.offset + contents.header.data.size <= contents.size);
	return contents;
}

/* Every record of the data section is whole; returns how many there are. */
static size_t count_records(const struct contents *contents)
{
	uint64_t offset = contents->header.data.offset, end = offset + contents->header.data.size;
	size_t count = 0;

	while (offset < end) {
		struct perf_event_header header;

		assert_true(end - offset >= sizeof(header));
		memcpy(&header, contents->bytes + offset, sizeof(header));
		assert_true(header.size >= sizeof(header) && header.size <= end - offset);
		offset += header.size;
		count++;
	}
	return count;
}

static struct file_section feature_section(const struct contents *contents, unsigned int feature)
{
	uint64_t table = contents->header.data.offset + contents->header.data.size;
	struct file_section section = { 0 };

	assert_true(contents->header.features[0] & 1ULL << feature);
	for (unsigned int i = 0; i < feature; i++)
		table += contents->header.features[0] & 1ULL << i ? sizeof(section) : 0;
	assert_true(table + sizeof(section) <= contents->size);
	memcpy(&section, contents->bytes + table, sizeof(section));
	assert_true(section.offset + section.size <= contents->size);
	return section;
}

struct fixture {
	char *folder;
	char *path;
	struct event_list events;
	struct counters counters;
	struct writer *writer;
};

static void open_writer(struct fixture *fixture)
{
	fixture->folder = scratch_create();
	fixture->path = xasprintf("%s/perf.data", fixture->folder);
	fixture->events = (struct event_list){ 0 };
	event_list_add(&fixture->events, "cpu-clock")->attr.config = 5;
	event_list_add(&fixture->events, "page-faults")->attr.config = 6;
	fixture->counters = (struct counters){ .items = xcalloc(3, sizeof(struct counter)), .count = 3 };
	for (size_t i = 0; i < 3; i++)
		fixture->counters.items[i] = (struct counter){ .event = i ? 1 : 0, .id = 100 + i };
	assert_null(writer_create(fixture->path, &fixture->events, &fixture->counters, &fixture->writer));
}

static void close_writer(struct fixture *fixture)
{
	writer_destroy(fixture->writer);
	event_list_release(&fixture->events);
	free(fixture->counters.items);
	free(fixture->path);
	scratch_remove(fixture->folder);
}

static struct error *add_record(struct writer *writer, size_t size)
{
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
	_cleanup_free_ uint8_t *record = xcalloc(1, size);

	memcpy(record, &header, sizeof(header));
	return writer_add_record(writer, record, size);
}

static void test_layout(void **state)
{
	struct fixture fixture;
	const char *const command[] = { "dtprof", "record", "a command with spaces" };

	(void)state;
	open_writer(&fixture);
	for (size_t i = 0; i < 10; i++)
		assert_null(add_record(fixture.writer, 48));
	feature_add_command(fixture.writer, 3, command);
	feature_add_events(fixture.writer, &fixture.events, &fixture.counters);
	feature_add_sample_time(fixture.writer, 7, 9);
	assert_null(writer_finish(fixture.writer));

	struct contents contents = read_file(fixture.path);
	struct file_attr attrs[2];
	uint64_t ids[2], times[2];
	struct file_section section;

	assert_int_equal(count_records(&contents), 10);
	assert_int_equal(contents.header.attr_size, sizeof(struct file_attr));
	assert_int_equal(contents.header.attrs.size, sizeof(attrs));
	memcpy(attrs, contents.bytes + contents.header.attrs.offset, sizeof(attrs));
	assert_int_equal(attrs[1].attr.config, 6);
	assert_int_equal(attrs[0].ids.size, 8);
	assert_int_equal(attrs[1].ids.size, 16);
	memcpy(ids, contents.bytes + attrs[1].ids.offset, sizeof(ids));
	assert_int_equal(ids[0], 101);
	assert_int_equal(ids[1], 102);

	section = feature_section(&contents, FEATURE_SAMPLE_TIME);
	assert_int_equal(section.size, 16);
	memcpy(times, contents.bytes + section.offset, sizeof(times));
	assert_int_equal(times[0], 7);
	assert_int_equal(times[1], 9);
	section = feature_section(&contents, FEATURE_CMDLINE);
	assert_int_equal(section.size, 4 + 3 * (4 + 64));
	assert_string_equal((char *)contents.bytes + section.offset + 4 + 2 * 68 + 4, command[2]);
	/* the last feature ends the file */
	section = feature_section(&contents, FEATURE_EVENT_DESC);
	assert_int_equal(section.size, 8 + 2 * (sizeof(struct perf_event_attr) + 4 + 68) + 3 * 8);
	assert_int_equal(contents.header.features[0],
			 1ULL << FEATURE_CMDLINE | 1ULL << FEATURE_EVENT_DESC | 1ULL << FEATURE_SAMPLE_TIME);
	free(contents.bytes);
	close_writer(&fixture);
}

/* Killed: what was flushed is there. */
static void test_unfinished(void **state)
{
	struct fixture fixture;

	(void)state;
	open_writer(&fixture);
	for (size_t i = 0; i < 100; i++)
		assert_null(add_record(fixture.writer, 48));
	assert_null(writer_flush(fixture.writer));
	for (size_t i = 0; i < 50; i++)
		assert_null(add_record(fixture.writer, 48));

	struct contents contents = read_file(fixture.path);

	assert_int_equal(count_records(&contents), 100);
	free(contents.bytes);
	close_writer(&fixture);
}

static void test_old_file(void **state)
{
	struct fixture fixture;
	struct writer *second;
	struct stat status;

	(void)state;
	open_writer(&fixture);
	_cleanup_free_ char *old = xasprintf("%s.old", fixture.path);

	assert_null(add_record(fixture.writer, 48));
	assert_null(writer_finish(fixture.writer));
	assert_int_not_equal(stat(old, &status), 0);
	assert_null(writer_create(fixture.path, &fixture.events, &fixture.counters, &second));
	assert_int_equal(stat(old, &status), 0);
	/* a recording that does not come about leaves the last one in its place */
	writer_abandon(second);
	assert_int_not_equal(stat(old, &status), 0);

	struct contents contents = read_file(fixture.path);

	assert_int_equal(count_records(&contents), 1);
	assert_int_equal(status.st_mode & 077, 0);
	free(contents.bytes);
	close_writer(&fixture);
}

/*
 * A file that cannot grow, by the limit on file sizes: an error, and a whole file with its features. The same
 * happens on a full disk.
 */
static void test_full(void **state)
{
	struct fixture fixture;
	struct rlimit limit, small;
	struct error *error = NULL;
	size_t added = 0;

	(void)state;
	open_writer(&fixture);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 3 * 1024 * 1024 + 12345;
	setrlimit(RLIMIT_FSIZE, &small);
	while (!error && added < 100000) {
		error = add_record(fixture.writer, 4096 + 8 * (added % 100));
		added += !error;
	}
	assert_non_null(error);
	error_free(error);
	feature_add_events(fixture.writer, &fixture.events, &fixture.counters);
	error = writer_finish(fixture.writer);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_null(error);

	struct contents contents = read_file(fixture.path);
	size_t count = count_records(&contents);

	assert_true(count <= added && count > added / 2);
	feature_section(&contents, FEATURE_EVENT_DESC);
	free(contents.bytes);
	close_writer(&fixture);
}

static void test_no_directory(void **state)
{
	struct event_list events = { 0 };
	struct counters counters = { 0 };
	struct writer *writer;
	_cleanup_error_ struct error *error =
		writer_create("/nonexistent/perf.data", &events, &counters, &writer);

	(void)state;
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_NOT_FOUND);
	assert_non_null(strstr(error->message, "/nonexistent/perf.data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),       cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_old_file),     cmocka_unit_test(test_full),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests_name("record/writer", tests, NULL, NULL);
}
