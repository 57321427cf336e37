// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * False sharing between processes: memory that they share is one memory at whatever addresses, and
 * their own memory never is, at whatever addresses.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/perf_data_writer.h"
#include "tests/support/process.h"

#define PROGRAM UINT64_C(0x400000)
#define FIRST   UINT64_C(0x7f1000000000)
#define SECOND  UINT64_C(0x7f2000000000)
#define PAGES   UINT64_C(0x4000)
#define ZERO    "/dev/zero (deleted)"

/* The memory of two processes that use bytes 0 and 8 of its first line. */
struct memory {
	const char *name; /* of the case */
	struct written_data_map first, second;
	bool forks; /* the second process has it from the first one */
	bool contends;
};

static const struct memory cases[] = {
	{ .name = "anonymous, elsewhere",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = ZERO },
	  .second = { .start = SECOND, .inode = 7, .shared = true, .path = ZERO },
	  .contends = true },
	{ .name = "inherited",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = ZERO },
	  .second = { .start = FIRST },
	  .forks = true,
	  .contends = true },
	{ .name = "a file",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = "/srv/stats" },
	  .second = { .start = SECOND, .inode = 7, .shared = true, .path = "/srv/stats" },
	  .contends = true },
	{ .name = "POSIX shared memory",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = "/dev/shm/a" },
	  .second = { .start = SECOND, .inode = 7, .shared = true, .path = "/dev/shm/a (deleted)" },
	  .contends = true },
	{ .name = "System V shared memory",
	  .first = { .start = FIRST,
		     .inode = 7,
		     .shared = true,
		     .path = "/SYSV00000000 (deleted)" },
	  .second = { .start = SECOND,
		      .inode = 7,
		      .shared = true,
		      .path = "/SYSV00000000 (deleted)" },
	  .contends = true },
	{ .name = "another part of the file",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = "/srv/stats" },
	  .second = { .start = FIRST,
		      .inode = 7,
		      .offset = PAGES,
		      .shared = true,
		      .path = "/srv/stats" } },
	{ .name = "another file",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = "/srv/stats" },
	  .second = { .start = FIRST, .inode = 8, .shared = true, .path = "/srv/stats" } },
	{ .name = "private",
	  .first = { .start = FIRST, .path = "//anon" },
	  .second = { .start = FIRST, .path = "//anon" } },
	{ .name = "private and inherited",
	  .first = { .start = FIRST, .path = "//anon" },
	  .second = { .start = FIRST },
	  .forks = true },
	{ .name = "a private map of a file",
	  .first = { .start = FIRST, .inode = 7, .path = "/srv/stats" },
	  .second = { .start = FIRST, .inode = 7, .path = "/srv/stats" } },
	{ .name = "ring buffers, which have one inode",
	  .first = { .start = FIRST,
		     .inode = 7,
		     .shared = true,
		     .path = "anon_inode:[perf_event]" },
	  .second = { .start = FIRST,
		      .inode = 7,
		      .shared = true,
		      .path = "anon_inode:[perf_event]" } },
	{ .name = "a device",
	  .first = { .start = FIRST, .inode = 7, .shared = true, .path = "/dev/dri/card0" },
	  .second = { .start = FIRST, .inode = 7, .shared = true, .path = "/dev/dri/card0" } },
};

static void add_data(struct perf_data_writer *writer, uint32_t pid, struct written_data_map map)
{
	map.pid = pid;
	map.length = PAGES;
	perf_data_add_data_map(writer, &map);
}

static void write_case(const struct memory *memory, const char *path)
{
	static const struct written_machine machine = { .arch = "x86_64",
							.events = { "cpu/mem-loads,ldlat=30/P" },
							.cpus = 2 };
	struct perf_data_writer writer;

	perf_data_writer_init(&writer);
	writer.machine = &machine;
	for (uint32_t pid = 100; pid <= 200; pid += 100) {
		if (pid == 200 && memory->forks) {
			perf_data_add_fork(&writer, 200, 100);
			break; /* the rest is what the first one has */
		}
		perf_data_add_comm(&writer, pid, pid, pid == 100 ? "first" : "second");
		perf_data_add_map(&writer, pid, PROGRAM, 0x10000, 0, "/nowhere/prog");
		add_data(&writer, pid, pid == 100 ? memory->first : memory->second);
	}
	for (uint32_t i = 0; i < 400; i++) {
		bool first = i % 2;

		perf_data_add_sample(&writer, &(struct written_sample){
						      .ip = PROGRAM + 0x1000 + 16 * first,
						      .address = first ? memory->first.start
								       : memory->second.start + 8,
						      .pid = first ? 100 : 200,
						      .tid = first ? 100 : 200,
						      .cpu = first,
						      .period = 1,
						      .weight = 50,
						      .store = true });
	}

	struct error *error = perf_data_write(&writer, path);

	perf_data_writer_deinit(&writer);
	if (error)
		fail_msg("%s", error->message);
}

static void report(const char *options, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("%s c2c report -q %s -i %s", dtprof_path(),
						 options, scratch_file("data"));

	process_shell(command, result);
	if (result->status)
		fail_msg("%s", result->errors.data);
}

static void test_shared_and_own_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result csv = { 0 };

		write_case(&cases[i], scratch_file("data"));
		report("--csv", &csv);

		const char *text = csv.output.data ? csv.output.data : "";
		bool found = !strncmp(text, "false,", 6) && strstr(text, ",100,") &&
			     strstr(text, ",200,");

		if (found != cases[i].contends || (!found && *text))
			fail_msg("%s: %s", cases[i].name, text);
	}
}

static void test_processes_are_named(void **state)
{
	_cleanup_process_ struct process_result text = { 0 };

	(void)state;
	write_case(&cases[0], scratch_file("data"));
	report("", &text);
	assert_non_null(strstr(text.output.data, "of process 200 second and 100 first"));
	assert_non_null(strstr(text.output.data, "the threads are of several processes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_and_own_memory),
		cmocka_unit_test(test_processes_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
