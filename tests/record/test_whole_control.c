// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings that are controlled from outside (--control), and recordings of control groups. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/record/open.h"
#include "tests/support/recording.h"

#define TALK "say() { echo \"$1\" >&5; read answer <&6; [ \"$answer\" = ack ] || exit 9; }; "
/* A workload that reports its progress, and a way to wait until it has made some: on a loaded
 * machine it may not run for a long time. */
#define TICKING                                                                                    \
	"sh -c 'i=0; while :; do i=$((i+1)); [ $((i %% 5000)) -ne 0 ] || echo >>ticks; done'"
#define WORKED                                                                                     \
	"worked() { ticks=$(wc -c <ticks); while [ $(wc -c <ticks) -lt $((ticks + 4)) ]; do "      \
	"sleep 0.05; "                                                                             \
	"done; }; "

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

/* Nothing is counted before "enable" or after "disable", "stop" ends the recording, and each
 * command is answered. */
static void test_control(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result,
			 "rm -f ctl ack; mkfifo ctl ack; : >ticks; exec 5<>ctl 6<>ack; " TALK WORKED
			 "$D record -e cpu-clock -c 100000 -D -1 --control fifo:ctl,ack -- " TICKING
			 " & "
			 "say ping; worked; say enable; worked; say 'disable cpu-clock'; say "
			 "evlist; worked; "
			 "say nonsense; say stop; wait $!");
	process_check_status(&result, 0);
	record_check_said(&result, "event: cpu-clock");
	record_check_said(&result, "'nonsense' is not one of enable, disable");

	struct perf_data_file file = record_open_result("perf.data");
	size_t samples = perf_data_count(&file, PERF_RECORD_SAMPLE);
	const struct perf_event_header *record;
	uint64_t offset = 0, first = UINT64_MAX, last = 0, time;

	assert_int_equal(samples, record_samples_said(&result));
	assert_true(samples > 0);
	while ((record = perf_data_next(&file, PERF_RECORD_SAMPLE, &offset))) {
		memcpy(&time, (const uint8_t *)(record + 1) + task_offset(&file) + 8, sizeof(time));
		first = time < first ? time : first;
		last = time > last ? time : last;
	}
	/* the time from enable to disable is well below that of the whole run, which takes longer
	 * on a loaded machine */
	assert_true(last - first < 60ULL * 1000000000);
	assert_true(perf_data_count(&file, PERF_RECORD_MMAP2) > 2);
	perf_data_close(&file);
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -D -1 -e cpu-clock true");
	process_check_status(&result, 129);
	record_check_said(&result, "-D -1 records nothing without --control");
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
		cmocka_unit_test(test_control),
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_all_cgroups),
	};

	return cmocka_run_group_tests_name("record/steered", tests, record_set_up,
					   record_tear_down);
}
