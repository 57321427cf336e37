// SPDX-License-Identifier: GPL-2.0-or-later
/* The file can be read at every moment, also when the disk fails. */
#include <fcntl.h>
#include <perf/event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profiler/record/writer.h"
#include "tests/support/fake_machine.h"
#include "tests/support/files.h"
#include "tests/support/perf_data_file.h"
#include "tests/support/process.h"

static struct perf_data_file read_file(const char *path)
{
	struct perf_data_file file;

	assert_true(perf_data_open(path, &file));
	return file;
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
	fixture->counters =
		(struct counters){ .items = xcalloc(3, sizeof(struct counter)), .count = 3 };
	for (size_t i = 0; i < 3; i++)
		fixture->counters.items[i] = (struct counter){ .event = i ? 1 : 0, .id = 100 + i };
	assert_null(writer_create(fixture->path, &fixture->events, &fixture->counters,
				  &fixture->writer));
}

static void close_writer(struct fixture *fixture)
{
	writer_destroy(fixture->writer);
	event_list_deinit(&fixture->events);
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

/* Readers show the branches of such a file, not its samples. Branches of --call-graph lbr are call
 * chains. */
static void test_branch_stack(void **state)
{
	static const struct {
		uint64_t branches;
		bool found;
	} cases[] = {
		{ 0, false },
		{ PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, true },
		{ PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct fixture fixture;

		open_writer(&fixture);
		fixture.events.items[1].attr.branch_sample_type = cases[i].branches;
		feature_add_events(fixture.writer, &fixture.events, &fixture.counters);
		assert_null(writer_finish(fixture.writer));

		struct perf_data_file file = read_file(fixture.path);
		size_t size;

		assert_int_equal(!!perf_data_feature(&file, FEATURE_BRANCH_STACK, &size),
				 cases[i].found);
		perf_data_close(&file);
		close_writer(&fixture);
	}
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

	struct perf_data_file file = read_file(fixture.path);
	struct perf_event_attr attr;
	const uint8_t *content;
	uint64_t times[2];
	size_t size, ids;

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), 10);
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_int_equal(ids, 1);
	assert_true(perf_data_attr(&file, 1, &attr, &ids));
	assert_int_equal(ids, 2);
	assert_int_equal(attr.config, 6);

	content = perf_data_feature(&file, FEATURE_SAMPLE_TIME, &size);
	assert_non_null(content);
	assert_int_equal(size, 16);
	memcpy(times, content, sizeof(times));
	assert_int_equal(times[0], 7);
	assert_int_equal(times[1], 9);
	content = perf_data_feature(&file, FEATURE_CMDLINE, &size);
	assert_non_null(content);
	assert_int_equal(size, 4 + 3 * (4 + 64));
	assert_string_equal((const char *)content + 4 + 2 * 68 + 4, command[2]);
	assert_non_null(perf_data_feature(&file, FEATURE_EVENT_DESC, &size));
	assert_int_equal(size, 8 + 2 * (sizeof(struct perf_event_attr) + 4 + 68) + 3 * 8);
	assert_int_equal(file.features, 1ULL << FEATURE_CMDLINE | 1ULL << FEATURE_EVENT_DESC |
						1ULL << FEATURE_SAMPLE_TIME);
	perf_data_close(&file);
	close_writer(&fixture);
}

/* The file says on which node each block of memory is: version, bytes of a block, nodes; for each
 * its number, the bits of its map, twice, and the map. */
static void test_memory_topology(void **state)
{
	static const uint64_t expected[] = {
		1, 0x8000000, 2,                 /* */
		0, 2,         2,  3,             /* memory0 and memory1 */
		1, 71,        71, 1 << 5, 1 << 6 /* memory5 and memory70 */
	};
	struct fixture fixture;
	char *root = fake_virtual_machine();
	size_t size;

	(void)state;
	fake_file(root, "/sys/devices/system/memory/block_size_bytes", "8000000\n");
	fake_file(root, "/sys/devices/system/node/node0/memory0/online", "1\n");
	fake_file(root, "/sys/devices/system/node/node0/memory1/online", "1\n");
	fake_file(root, "/sys/devices/system/node/node0/memory_side_cache/size", "1\n");
	fake_file(root, "/sys/devices/system/node/node1/memory70/online", "1\n");
	fake_file(root, "/sys/devices/system/node/node1/memory5/online", "1\n");
	open_writer(&fixture);
	feature_add_machine(fixture.writer, root, "test", "costs");
	assert_null(writer_finish(fixture.writer));

	struct perf_data_file file = read_file(fixture.path);
	const void *content = perf_data_feature(&file, FEATURE_MEM_TOPOLOGY, &size);

	assert_non_null(content);
	assert_int_equal(size, sizeof(expected));
	assert_memory_equal(content, expected, size);
	/* perf inject dies of features that it does not know: the costs are behind the version */
	content = perf_data_feature(&file, FEATURE_VERSION, &size);
	assert_memory_equal((const char *)content + sizeof(uint32_t), "test\0costs\0", 12);
	perf_data_close(&file);
	close_writer(&fixture);
	scratch_remove(root);
}

/* Returns whether readers can tell that the recorder did not finish the file. */
static bool marked_as_recording(const char *path)
{
	uint64_t words[FILE_HEADER_SIZE / sizeof(uint64_t)];
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	assert_int_equal(fread(words, sizeof(*words), 13, file), 13);
	fclose(file);
	/* magic, size and attr size, then offset and size of attrs, data and event types */
	assert_int_equal(words[8], 0);
	return words[7] == FILE_RECORDING_MARK;
}

/* If the recorder is killed, the flushed part is in the file. */
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

	struct perf_data_file file = read_file(fixture.path);

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), 100);
	perf_data_close(&file);
	assert_true(marked_as_recording(fixture.path));
	assert_null(writer_finish(fixture.writer));
	assert_false(marked_as_recording(fixture.path));
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
	/* a recording that fails leaves the last file in its place */
	writer_abandon(second);
	assert_int_not_equal(stat(old, &status), 0);

	struct perf_data_file file = read_file(fixture.path);

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), 1);
	assert_int_equal(status.st_mode & 077, 0);
	perf_data_close(&file);
	close_writer(&fixture);
}

/* An empty file of others is not a recording's: what is recorded has its own owner and mode. */
static void test_empty_file(void **state)
{
	struct fixture fixture;
	struct writer *second;
	struct stat status;

	(void)state;
	open_writer(&fixture);
	assert_null(writer_finish(fixture.writer));
	file_write(fixture.path, "", 0);
	assert_int_equal(chmod(fixture.path, 0666), 0);
	assert_null(writer_create(fixture.path, &fixture.events, &fixture.counters, &second));
	assert_int_equal(stat(fixture.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	writer_abandon(second);
	close_writer(&fixture);
}

/* If the last recording cannot be kept as .old, it is not replaced. */
static void test_no_old_file(void **state)
{
	struct fixture fixture;
	struct writer *second;
	struct stat before, after;

	(void)state;
	open_writer(&fixture);
	_cleanup_free_ char *old = xasprintf("%s.old", fixture.path);

	assert_null(add_record(fixture.writer, 48));
	assert_null(writer_finish(fixture.writer));
	assert_int_equal(stat(fixture.path, &before), 0);
	/* a folder of that name cannot be replaced by a file */
	assert_int_equal(mkdir(old, 0755), 0);

	_cleanup_error_ struct error *error =
		writer_create(fixture.path, &fixture.events, &fixture.counters, &second);

	rmdir(old);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "it is not replaced"));
	assert_int_equal(stat(fixture.path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	close_writer(&fixture);
}

/* A file cannot grow because of the limit on file sizes: there is an error, and the file is whole
 * with its features. The same happens on a full disk. */
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
	error_destroy(error);
	feature_add_events(fixture.writer, &fixture.events, &fixture.counters);
	error = writer_finish(fixture.writer);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_null(error);

	struct perf_data_file file = read_file(fixture.path);
	size_t count = perf_data_count(&file, PERF_RECORD_SAMPLE);

	assert_true(count <= added && count > added / 2);
	size_t size;

	assert_non_null(perf_data_feature(&file, FEATURE_EVENT_DESC, &size));
	perf_data_close(&file);
	close_writer(&fixture);
}

#define TRACE_SIZE 4096

static struct error *add_trace(struct writer *writer)
{
	static uint8_t data[TRACE_SIZE];
	struct perf_record_auxtrace record = {
		.header = { .type = PERF_RECORD_AUXTRACE, .size = sizeof(record) },
		.size = sizeof(data),
	};
	const struct iovec parts[] = { { &record, sizeof(record) }, { data, sizeof(data) } };

	return writer_add_trace(writer, parts, 2);
}

/* The feature AUXTRACE names the place of each record with AUX data that the file has, and of none
 * that was cut off. */
static void test_traces(void **state)
{
	(void)state;
	for (unsigned int full = 0; full < 2; full++) {
		struct fixture fixture;
		struct rlimit limit, small;
		struct error *error = NULL;
		uint64_t added = 0, words[2];
		size_t size;

		open_writer(&fixture);
		signal(SIGXFSZ, SIG_IGN);
		getrlimit(RLIMIT_FSIZE, &limit);
		small = limit;
		small.rlim_cur = full ? 1024 * 1024 + 777 : limit.rlim_cur;
		setrlimit(RLIMIT_FSIZE, &small);
		while (!error && added < (full ? 10000 : 10)) {
			if (!full)
				assert_null(add_record(fixture.writer, 48));
			error = add_trace(fixture.writer);
			added += !error;
		}
		assert_int_equal(error != NULL, full);
		error_destroy(error);
		error = writer_finish(fixture.writer);
		setrlimit(RLIMIT_FSIZE, &limit);
		assert_null(error);

		struct perf_data_file file = read_file(fixture.path);
		const uint8_t *index = perf_data_feature(&file, FEATURE_AUXTRACE, &size);
		int fd = open(fixture.path, O_RDONLY);
		uint64_t count;

		assert_non_null(index);
		memcpy(&count, index, sizeof(count));
		assert_true(full ? count < added && count > added / 2 : count == added);
		assert_int_equal(size, sizeof(count) + count * sizeof(words));
		for (uint64_t i = 0; i < count; i++) {
			struct perf_record_auxtrace record;

			memcpy(words, index + sizeof(count) + i * sizeof(words), sizeof(words));
			assert_int_equal(words[1], sizeof(record));
			assert_int_equal(pread(fd, &record, sizeof(record), (off_t)words[0]),
					 sizeof(record));
			assert_int_equal(record.header.type, PERF_RECORD_AUXTRACE);
			assert_int_equal(record.size, TRACE_SIZE);
		}
		close(fd);
		perf_data_close(&file);
		close_writer(&fixture);
	}
}

static void test_no_directory(void **state)
{
	struct event_list events = { 0 };
	struct counters counters = { 0 };
	struct writer *writer;
	const char *path = scratch_file("none/perf.data");
	_cleanup_error_ struct error *error = writer_create(path, &events, &counters, &writer);

	(void)state;
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_NOT_FOUND);
	assert_non_null(strstr(error->message, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),       cmocka_unit_test(test_branch_stack),
		cmocka_unit_test(test_unfinished),   cmocka_unit_test(test_old_file),
		cmocka_unit_test(test_empty_file),   cmocka_unit_test(test_no_old_file),
		cmocka_unit_test(test_full),         cmocka_unit_test(test_traces),
		cmocka_unit_test(test_no_directory), cmocka_unit_test(test_memory_topology),
	};

	return cmocka_run_group_tests_name("record/writer", tests, NULL, scratch_tear_down);
}
