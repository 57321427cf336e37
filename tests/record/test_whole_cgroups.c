// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings of control groups. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/record/open.h"
#include "tests/support/recording.h"

/*
 * The offset of pid and tid in the samples of the first event: after IDENTIFIER, if there is one,
 * and IP.
 */
static size_t task_offset(const struct perf_data_file *file)
{
	struct perf_event_attr attr;
	size_t ids;

	assert_true(perf_data_attr(file, 0, &attr, &ids));
	return attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 16 : 8;
}

/* Makes a control group for this test; skips the test if this user may not. */
static char *make_group(void)
{
	_cleanup_free_ char *name = xasprintf("dtprof-test-%d", getpid());
	int fd;
	struct error *error = cgroup_open("", "/", &fd);
	char path[64];

	if (!error) {
		_cleanup_free_ char *link = xasprintf("/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, path, sizeof(path) - 1);

		close(fd);
		path[length > 0 ? length : 0] = '\0';
		char *folder = xasprintf("%s/%s", path, name);

		if (mkdir(folder, 0755) == 0)
			return folder;
		free(folder);
	}
	error_destroy(error);
	skip_because("no control group can be made here");
	return NULL;
}

static void test_cgroup(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	_cleanup_free_ char *folder = make_group();

	record_run_shell(&result,
			 "sh -c 'while :; do :; done' & other=$!; "
			 "$D record -a -G /%s -e cpu-clock -c 1000000 -- sh -c 'echo $$ "
			 ">%s/cgroup.procs; echo $$ "
			 ">pid; "
			 "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done'; status=$?; kill "
			 "$other; exit $status",
			 strrchr(folder, '/') + 1, folder);
	rmdir(folder);
	if (result.status == 1 && strstr(result.errors.data, "permission"))
		skip_because("no right to record the machine");
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");
	const struct perf_event_header *record;
	_cleanup_free_ char *pid_path = xasprintf("%s/pid", record_folder());
	FILE *pid_file = fopen(pid_path, "r");
	uint32_t pid;
	uint64_t offset = 0;
	size_t samples = 0;

	assert_non_null(pid_file);
	assert_int_equal(fscanf(pid_file, "%u", &pid), 1);
	fclose(pid_file);
	while ((record = perf_data_next(&file, PERF_RECORD_SAMPLE, &offset))) {
		uint32_t own;

		memcpy(&own, (const uint8_t *)(record + 1) + task_offset(&file), sizeof(own));
		assert_int_equal(own, pid);
		samples++;
	}
	assert_true(samples > 10);
	perf_data_close(&file);
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -a -G /dtprof-there-is-none -e cpu-clock true");
	process_check_status(&result, 1);
	record_check_said(&result, "no control group '/dtprof-there-is-none'");
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -G /x -e cpu-clock true");
	process_check_status(&result, 129);
}

/* The groups have their names in the file, and each sample the id of one of them. */
static void test_all_cgroups(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	uint64_t id, offset = 0, root;
	const struct perf_event_header *record;
	bool named = false;

	(void)state;
	record_need_permission();
	struct error *error = cgroup_id("", "/", &root);

	if (error)
		skip_because("%s", error->message);
	record_run_shell(&result, "$D record --all-cgroups -e cpu-clock -- " BUSY);
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_true(perf_data_count(&file, PERF_RECORD_CGROUP) > 0);
	while ((record = perf_data_next(&file, PERF_RECORD_CGROUP, &offset))) {
		memcpy(&id, record + 1, sizeof(id));
		if (strcmp((const char *)(record + 1) + sizeof(id), "/") == 0) {
			assert_int_equal(id, root);
			named = true;
		}
	}
	assert_true(named);
	perf_data_close(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_all_cgroups),
	};

	return cmocka_run_group_tests_name("record/steered", tests, record_set_up,
					   record_tear_down);
}
