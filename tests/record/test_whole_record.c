// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof record as people run it: the processes that it records, its messages, and its exit status;
 * and perf on its file, if perf is installed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profiler/record/open.h"
#include "tests/support/files.h"
#include "tests/support/recording.h"
#include "tests/support/unit.h"

static void test_workload(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t size, ids;

	(void)state;
	record_need_permission();
	record_run_shell(&result, "STATUS=3; $D record -e cpu-clock -- " BUSY);
	process_check_status(&result, 3);
	record_check_said(&result, "[ dtprof record: Woken up ");
	record_check_said(&result, " MB perf.data (");

	struct perf_data_file file = record_open_result("perf.data");
	size_t samples = perf_data_count(&file, PERF_RECORD_SAMPLE);

	assert_int_equal(samples, record_samples_said(&result));
	/* 4000 a second: at least a few dozen, on the slowest machine */
	assert_true(samples > 40);
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_int_equal(attr.sample_freq, 4000);
	assert_true(ids >= 1);
	assert_true(perf_data_count(&file, PERF_RECORD_MMAP2) > 2);
	assert_true(perf_data_count(&file, PERF_RECORD_COMM) >= 2);
	assert_true(perf_data_count(&file, PERF_RECORD_EXIT) >= 1);
	assert_true(perf_data_count(&file, 68 /* FINISHED_ROUND */) >= 1);
	for (unsigned int feature = 2; feature <= 12; feature++)
		assert_true(feature == 8 || feature == 9 ||
			    perf_data_feature(&file, feature, &size));
	perf_data_close(&file);
}

/* Without -e an event is chosen, and a message names it if it is not a memory event of the
 * hardware. */
static void test_default_event(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -- " BUSY);
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	if (attr.type == PERF_TYPE_SOFTWARE) {
		assert_true(attr.sample_type & PERF_SAMPLE_REGS_INTR);
		record_check_said(&result, "no hardware memory event");
	}
	perf_data_close(&file);
}

/* A recording of the machine says beforehand how much it copies, and one that nothing ends says how
 * to end it. */
static void test_what_is_announced(void **state)
{
	_cleanup_process_ struct process_result whole = { 0 }, user = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&whole, "$D record -e cpu-clock -a -- true");
	if (whole.status && strstr(whole.errors.data, "system-wide"))
		skip_because("no right to record the machine");
	process_check_status(&whole, 0);
	record_check_said(&whole, "at the end at most 256 MB of its programs are copied");
	record_run_shell(&user, "timeout -s INT 1 $D record -e cpu-clock -u $(id -u)");
	record_check_said(&user, "runs is recorded: Ctrl-C ends it");
}

/* With -q there is only a message if something went wrong, such as a missing permission. */
static void test_quiet(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct rights rights;

	(void)state;
	record_need_permission();
	assert_null(rights_read("", &rights));
	record_run_shell(&result, "$D record -q -o out.data -- sh -c 'echo from the workload'");
	process_check_status(&result, 0);
	assert_string_equal(result.output.data, "from the workload\n");
	if (rights_allow_kernel(&rights)) {
		assert_string_equal(result.errors.data, "");
		return;
	}
	record_check_said(&result, "warning: user space only, the kernel is left out");
	assert_ptr_equal(strchr(result.errors.data, '\n') + 1,
			 result.errors.data + result.errors.length);
}

/* The file is whole however the recording ends. The workload ends it once the file has something in
 * it. */
static void check_signal(const char *signal, int status)
{
	_cleanup_process_ struct process_result result = { 0 };

	record_run_shell(
		&result,
		"timeout --foreground -s KILL 600 $D record -e cpu-clock -- "
		"sh -c 'echo $$ > pid; i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; "
		"kill -s %s $PPID; while :; do :; done' \"$PWD\"; status=$?; "
		/* a process with this number and this argument: it is still there */
		"tr '\\0' ' ' < /proc/$(cat pid)/cmdline 2>/dev/null | grep \"$PWD\"; exit $status",
		signal);
	/* the recorder ends by the signal, its file is whole, and the workload is gone */
	process_check_status(&result, status);
	assert_string_equal(result.output.data, "");

	struct perf_data_file file = record_open_result("perf.data");
	size_t size;

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	assert_non_null(perf_data_feature(&file, 12, &size));
	perf_data_close(&file);
}

static void test_signals(void **state)
{
	(void)state;
	record_need_permission();
	check_signal("INT", 128 + SIGINT);
	check_signal("TERM", 128 + SIGTERM);
}

static void test_running_process(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	uint64_t offset = 0;
	const struct perf_event_header *map;
	bool named = false;

	(void)state;
	record_need_permission();
	/* the process ends by itself, and so does the recording */
	record_run_shell(&result,
			 "{ sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done' & }; $D "
			 "record -e cpu-clock -p $!");
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	/* its maps come from /proc; a record has header, pid and tid, start, length, offset, build
	 * id, protection, flags, name */
	while ((map = perf_data_next(&file, PERF_RECORD_MMAP2, &offset)))
		named = named || strstr((const char *)map + 72, "libc");
	assert_true(named);
	perf_data_close(&file);
}

static void test_system_wide(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -e cpu-clock -a -- sleep 0.3");
	if (result.status && strstr(result.errors.data, "system-wide"))
		skip_because("no right to record the machine");
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_true(attr.sample_type & PERF_SAMPLE_CPU);
	assert_int_equal(ids, sysconf(_SC_NPROCESSORS_ONLN));
	perf_data_close(&file);
}

/* A recorder that is killed has written all but the last second, and readers warn that it did not
 * finish. */
static void test_killed_recorder(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, report = { 0 };

	(void)state;
	record_need_permission();
	/* so few samples that no ring buffer fills: those of a second of processor time, however
	 * long that takes, and one more second to write them */
	record_run_shell(
		&result,
		"$D record -e cpu-clock:u -F 200 -o killed.data -- sh -c '(ulimit -t 1; while :; "
		"do :; "
		"done); touch busy_no_more; exec timeout 20 sleep 20' & recorder=$!; "
		"while ! [ -e busy_no_more ] && kill -0 $recorder; do sleep 0.1; done; sleep 2; "
		"kill -9 $recorder; wait $recorder");

	struct perf_data_file file = record_open_result("killed.data");

	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 10);
	perf_data_close(&file);
	record_run_shell(&report, "$D report -i killed.data -s comm");
	process_check_status(&report, 0);
	record_check_said(&report, "the recording was not finished");
	assert_non_null(strstr(report.output.data, "of event 'cpu-clock:u'\n"));
}

/* The return address on the stack tells which record is cleared by a function that knows only
 * bytes. Without it, report tells how to get the callers. */
static void test_callers_of_leaf_functions(void **state)
{
	static const char *const recordings[] = { "with.data", "chains.data" };
	_cleanup_process_ struct process_result result = { 0 }, without = { 0 }, layout = { 0 };
	_cleanup_free_ char *program = xasprintf("%s/bulk.c", record_folder());
	_cleanup_free_ char *bytes = xasprintf("%s/bulk_memset.c", record_folder());

	(void)state;
	record_need_permission();
	file_copy("tests/workloads/bulk.c", program);
	file_copy("tests/workloads/bulk_memset.c", bytes);
	record_run_shell(&result,
			 "%s -O1 -fno-builtin -fomit-frame-pointer -c bulk_memset.c && "
			 "%s -O1 -g -fno-builtin -o bulk bulk.c bulk_memset.o && "
			 "$D record -e cpu-clock:u -o with.data ./bulk && "
			 "$D record -e cpu-clock:u -g -o chains.data ./bulk && "
			 "$D record -e cpu-clock:u --no-callers -o without.data ./bulk",
			 process_compiler(), process_compiler());
	process_check_status(&result, 0);
	for (size_t i = 0; i < COUNT_OF(recordings); i++) {
		_cleanup_process_ struct process_result report = { 0 };

		record_run_shell(&report, "$D report -i %s -g none -s typeoff,how", recordings[i]);
		process_check_status(&report, 0);
		if (!strstr(report.output.data, "struct client +0..799  bulk"))
			fail_msg("%s: %s", recordings[i], report.output.data);
	}
	/* the time in the function is that of the code that calls it */
	record_run_shell(&layout, "$D layout -i with.data --type=client");
	process_check_status(&layout, 0);
	const char *caller = strstr(layout.output.data, "reset bulk.c:");

	while (caller && caller > layout.output.data && caller[-1] != '\n')
		caller--;
	if (!caller || strtod(caller, NULL) < 50 || !strstr(caller, "id= name="))
		fail_msg("%s", layout.output.data);
	record_run_shell(&without, "$D report -i without.data -s typeoff");
	process_check_status(&without, 0);
	if (!strstr(without.output.data, "(bulk memory) memset") ||
	    strstr(without.output.data, "+0..799"))
		fail_msg("%s", without.output.data);
	record_check_said(&without, "record with -g");
}

/* The same in the memset() of a C library: a shared one, through the PLT and without it, and one in
 * the program itself. Libraries that are not installed are left out. */
static void test_callers_of_library_functions(void **state)
{
	static const struct {
		const char *name, *compiler; /* NULL: the tests' */
		const char *flags;
	} libraries[] = {
		{ "shared", NULL, "" },
		{ "noplt", NULL, "-fno-plt" },
		{ "static", NULL, "-static" },
		{ "musl", "musl-gcc", "" },
		{ "muslstatic", "musl-gcc", "-static" },
	};
	_cleanup_free_ char *program = xasprintf("%s/library.c", record_folder());
	size_t built = 0;

	(void)state;
	record_need_permission();
	file_copy("tests/workloads/bulk.c", program);
	for (size_t i = 0; i < COUNT_OF(libraries); i++) {
		_cleanup_process_ struct process_result build = { 0 }, result = { 0 };
		const char *name = libraries[i].name;

		record_run_shell(&build, "%s -O1 -g -fno-builtin %s -o in-%s library.c",
				 libraries[i].compiler ? libraries[i].compiler : process_compiler(),
				 libraries[i].flags, name);
		if (build.status) {
			print_message("left out: %s\n", name);
			continue;
		}
		record_run_shell(&result,
				 "$D record -e cpu-clock:u -o in-%s.data ./in-%s && "
				 "$D report -i in-%s.data -s typeoff,how",
				 name, name, name);
		process_check_status(&result, 0);
		if (!strstr(result.output.data, "struct client +0..799  bulk"))
			fail_msg("%s: %s", name, result.output.data);
		built++;
	}
	assert_true(built);
}

/* A process that starts on another CPU than those of -C, and moves to them later, has its maps. */
static void test_process_from_another_cpu(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, report = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/migrate.c", record_folder());

	(void)state;
	record_need_permission();
	if (!process_exists("taskset") || access("/sys/devices/system/cpu/cpu1", F_OK) < 0)
		skip_because("no taskset, or no second CPU here");
	file_copy("tests/workloads/migrated.c", path);
	record_run_shell(&result,
			 "%s -O1 -g -o migrate migrate.c && "
			 "$D record -e cpu-clock -C 1 -o other.data -- taskset -c 0 ./migrate",
			 process_compiler());
	if (result.status && strstr(result.errors.data, "system-wide"))
		skip_because("no right to record the machine");
	process_check_status(&result, 0);
	record_run_shell(&report, "$D report -i other.data -s dso,sym --comms migrate");
	process_check_status(&report, 0);
	if (!strstr(report.output.data, "[.] migrated"))
		fail_msg("%s%s", report.output.data, report.errors.data);
}

static void test_failed_workload(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/perf.data", record_folder());
	struct stat status;

	(void)state;
	record_need_permission();
	record_run_shell(&result,
			 "echo old > perf.data && $D record -- ./no-such-command; status=$?; cat "
			 "perf.data; exit $status");
	process_check_status(&result, 1);
	record_check_said(&result, "Workload failed: ./no-such-command: No such file or directory");
	/* the last recording is still there */
	assert_string_equal(result.output.data, "old\n");
	assert_int_equal(stat(path, &status), 0);
}

static void test_open_files(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result,
			 "ulimit -n 12; $D record -e cpu-clock,page-faults,task-clock -- true");
	process_check_status(&result, 1);
	record_check_said(&result, "ulimit -n");
	process_result_deinit(&result);
	record_run_shell(&result,
			 "ulimit -S -n 12; $D record -e cpu-clock,page-faults,task-clock -- true");
	process_check_status(&result, 0);
}

static void test_usage(void **state)
{
	static const struct {
		const char *arguments;
		const char *said;
	} cases[] = {
		{ "-e cylces -- true", "'cycles'" },
		{ "--frequency 3 -- true", "--freq" },
		{ "-F many -- true", "-F" },
		{ "-F 100 -c 100 -- true", "cannot be combined" },
		{ "-a -p 1 -- true", "cannot be combined" },
		{ "-k x -- true", "record: -k: 'x' is not realtime" },
		{ "-m 0 -- true", "-m" },
		{ "-m 12Q -- true", "-m" },
		{ "-p x", "'x'" },
		{ "-C 4000 true", "CPU 4000 is not online" },
		{ "-C 1,x true", "'1,x'" },
		{ "-C 0 -e cpu-clock --filter cpu=1 true", "--filter" },
		{ "-p 4194305", "4194305" },
		{ "-o none/perf.data -- true", "none/perf.data" },
	};

	(void)state;
	record_need_permission();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		record_run_shell(&result, "$D record %s", cases[i].arguments);
		assert_int_not_equal(result.status, 0);
		record_check_said(&result, cases[i].said);
	}
}

/* perf reads the file like its own: the same number of samples, of the same program. */
static void test_perf_reads(void **state)
{
	_cleanup_process_ struct process_result recorded = { 0 }, script = { 0 }, report = { 0 },
						header = { 0 };

	(void)state;
	record_need_permission();
	if (!process_exists("perf"))
		skip_because("perf is not installed");
	record_run_shell(&recorded, "$D record -o keep.data -- " BUSY);
	record_run_shell(&script, "perf script -i keep.data -F comm,tid,time,event,ip,sym | wc -l");
	assert_int_equal(strtoul(script.output.data, NULL, 10), record_samples_said(&recorded));
	record_run_shell(&report, "perf report -i keep.data --stdio -s comm -F "
				  "overhead,sample,comm 2>&1 | grep -v '^#'");
	if (!strstr(report.output.data, " sh"))
		fail_msg("perf report has no row of the workload:\n%s", report.output.data);
	record_run_shell(&header, "perf report -i keep.data --header-only");
	process_check_status(&header, 0);
	assert_non_null(strstr(header.output.data, "# cmdline : dtprof record"));
	assert_non_null(strstr(header.output.data, "perf version : dtprof"));
}

/* Without permissions, user space is recorded, and one message says what is missing. */
static void test_without_rights(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	record_need_permission();
	if (geteuid() || !process_exists("setpriv"))
		skip_because("only root can give its rights away, by setpriv");
	record_run_shell(&result,
			 "mkdir -p open && cp $D open/dtprof && chmod 777 . open && cd open && "
			 "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "
			 "./dtprof record -e cpu-clock -o user.data -- " BUSY);
	if (result.status && strstr(result.errors.data, "perf_event_paranoid is"))
		skip_because("kernel.perf_event_paranoid allows others nothing");
	process_check_status(&result, 0);

	struct perf_data_file file = record_open_result("open/user.data");

	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), record_samples_said(&result));
	if (attr.exclude_kernel) {
		record_check_said(&result, "kernel.perf_event_paranoid");
		record_check_said(&result, "CAP_PERFMON");
	}
	perf_data_close(&file);
	process_result_deinit(&result);
	record_run_shell(&result,
			 "cd open && setpriv --reuid=65534 --regid=65534 --clear-groups "
			 "--inh-caps=-all ./dtprof record -e cpu-clock --phys-data -- true");
	if (attr.exclude_kernel) {
		process_check_status(&result, 1);
		record_check_said(&result, "sysctl kernel.perf_event_paranoid=1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workload),
		cmocka_unit_test(test_default_event),
		cmocka_unit_test(test_what_is_announced),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_running_process),
		cmocka_unit_test(test_system_wide),
		cmocka_unit_test(test_killed_recorder),
		cmocka_unit_test(test_callers_of_leaf_functions),
		cmocka_unit_test(test_callers_of_library_functions),
		cmocka_unit_test(test_process_from_another_cpu),
		cmocka_unit_test(test_failed_workload),
		cmocka_unit_test(test_open_files),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_perf_reads),
		cmocka_unit_test(test_without_rights),
	};

	return cmocka_run_group_tests_name("record/whole", tests, record_set_up, record_tear_down);
}
