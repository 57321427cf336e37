// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof record where it has few rights, or where there is nothing to record: its messages name the
 * cause that the system tells, and their advice works. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/record/rights.h"
#include "tests/support/files.h"
#include "tests/support/recording.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define LOCKABLE "/proc/sys/kernel/perf_event_mlock_kb"

/* Runs a command as a user without rights; the scratch folder is his, and $D a copy of dtprof. No
 * other test records as this user: memory that is locked counts by user. */
#define AS_USER "setpriv --reuid=54321 --regid=54321 --clear-groups --inh-caps=-all env HOME=$PWD "

static void need_other_user(void)
{
	record_need_permission();
	if (geteuid() || !process_exists("setpriv"))
		skip_because("only root can give its rights away, by setpriv");
	_cleanup_free_ char *paranoid = sysfs_read("", PARANOID);

	if (!paranoid || atoi(paranoid) > 2)
		skip_because("kernel.perf_event_paranoid allows others nothing");
}

/* Root of a user namespace is an ordinary user for the kernel's events. */
static void test_user_namespace(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct rights rights;

	(void)state;
	record_need_permission();
	assert_null(rights_read("", &rights));
	record_run_shell(&result, "unshare -Ur true");
	if (result.status)
		skip_because("user namespaces cannot be made here (unshare -Ur)");
	if (rights.paranoid != 2)
		skip_because("kernel.perf_event_paranoid is %d, not 2", rights.paranoid);
	process_result_deinit(&result);
	record_run_shell(&result, "unshare -Ur $D record -N -e cpu-clock -o u.data -- " BUSY);
	process_check_status(&result, 0);
	record_check_said(&result, "user space only");
	record_check_said(&result, "as root outside: sysctl kernel.perf_event_paranoid=1");
	assert_true(record_samples_said(&result) > 40);
	process_result_deinit(&result);
	record_run_shell(&result, "unshare -Ur $D record -N -a -- true");
	process_check_status(&result, 1);
	record_check_said(&result, "as root outside: sysctl kernel.perf_event_paranoid=0");
	process_result_deinit(&result);
	record_run_shell(&result,
			 "sleep 9 & P=$!; unshare -Ur $D record -N -e cpu-clock -p $P -- true; "
			 "S=$?; kill $P; exit $S");
	process_check_status(&result, 1);
	record_check_said(&result, "a process from outside of this user namespace");
	process_result_deinit(&result);
	/* the kernel alone is not replaced by user space */
	record_run_shell(&result, "unshare -Ur $D record -N --all-kernel -e cpu-clock -- true");
	process_check_status(&result, 1);
	record_check_said(&result, "as root outside: sysctl kernel.perf_event_paranoid=1");
	process_result_deinit(&result);
	/* a variant that asks for what only root may see */
	record_run_shell(&result, "unshare -Ur $D c2c record -N -o c.data -- true");
	process_check_status(&result, 0);
}

/* Processes outside of a PID namespace have no ids in it. */
static void test_pid_namespace(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result, "unshare -pf --mount-proc true");
	if (result.status)
		skip_because("PID namespaces cannot be made here (unshare -pf --mount-proc)");
	process_result_deinit(&result);
	record_run_shell(&result, "unshare -pf --mount-proc "
				  "$D record -N -a -e cpu-clock -o p.data -- " BUSY);
	if (result.status && strstr(result.errors.data, "system-wide"))
		skip_because("no permission to record system-wide");
	process_check_status(&result, 0);
	record_check_said(&result, "not the first PID namespace");
	process_result_deinit(&result);
	/* where /proc is that of another namespace, an id means another process there */
	record_run_shell(&result,
			 "export D; unshare -pf sh -c 'sleep 9 & "
			 "$D record -N -e cpu-clock -p $! -- true; S=$?; kill $!; exit $S'");
	process_check_status(&result, 1);
	record_check_said(&result, "/proc shows another PID namespace");
	record_check_said(&result, "mount -t proc proc /proc");
	process_result_deinit(&result);
	record_run_shell(&result, "export D; unshare -pf $D record -N -e mem:main:x -- true");
	process_check_status(&result, 1);
	record_check_said(&result, "/proc shows another PID namespace");
	process_result_deinit(&result);
	/* nor is anything said of a command by what /proc shows of another process */
	record_run_shell(&result, "unshare -pf $D record -N -e cpu-clock -o q.data -- " BUSY);
	process_check_status(&result, 0);
	assert_null(strstr(result.errors.data, "not all is recorded"));
}

/* A filter of system calls is named, whichever error it gives; other refusals are not put down to
 * it. */
static void test_filtered_call(void **state)
{
	static const int errors[] = { 1 /* EPERM, Docker */, 38 /* ENOSYS, Podman */ };
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();

	_cleanup_free_ char *path = xasprintf("%s/seccomp.c", record_folder());

	file_copy("tests/workloads/seccomp.c", path);
	record_run_shell(&result, "cc -w -o seccomp seccomp.c");
	if (result.status)
		skip_because("no C compiler (cc) with the kernel's headers");
	process_result_deinit(&result);
	record_run_shell(&result, "./seccomp 1 grep Seccomp: /proc/self/status");
	if (result.status || !strstr(result.output.data, "2"))
		skip_because("no seccomp filters, or /proc/self/status does not tell them");
	for (size_t i = 0; i < COUNT_OF(errors); i++) {
		process_result_deinit(&result);
		record_run_shell(&result, "./seccomp %d $D record -N -- true", errors[i]);
		process_check_status(&result, 1);
		record_check_said(&result, "seccomp filter");
		record_check_said(&result, "--security-opt seccomp=unconfined");
	}
	process_result_deinit(&result);
	record_run_shell(&result, "./seccomp 1 $D record -e no-such-event -- true");
	assert_null(strstr(result.errors.data, "seccomp"));
}

/* The kernel takes the counters of an ordinary user from a program that gains privileges, or that
 * he may not read. */
static void test_privileged_program(void **state)
{
	static const char *const modes[] = { "711", "4755" };
	struct statvfs status;

	(void)state;
	need_other_user();
	assert_int_equal(statvfs(record_folder(), &status), 0);
	for (size_t i = 0; i < COUNT_OF(modes); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		if (*modes[i] == '4' && status.f_flag & ST_NOSUID)
			skip_because("%s is mounted nosuid", record_folder());
		record_run_shell(&result,
				 "cp $D dtprof && cp -L /bin/sh own && chmod 777 . && "
				 "chmod 755 dtprof && chmod %s own && " AS_USER
				 "./dtprof record -N -e cpu-clock -o own.data -- ./own -c "
				 "'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done'",
				 modes[i]);
		record_check_said(&result, "gained privileges at its start");
		record_check_said(&result, "as root");
		assert_null(strstr(result.errors.data, "ended before"));
	}
}

/* Children that take privileges are not silently left out. */
static void test_privileged_child(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct statvfs status;

	(void)state;
	need_other_user();
	assert_int_equal(statvfs(record_folder(), &status), 0);
	if (status.f_flag & ST_NOSUID)
		skip_because("%s is mounted nosuid", record_folder());
	record_run_shell(&result,
			 "cp $D dtprof && cp -L /bin/sh own && chmod 777 . && "
			 "chmod 755 dtprof && chmod 4755 own && " AS_USER
			 "./dtprof record -N -F 5000 -e cpu-clock -o own.data -- "
			 "sh -c \"i=0; while [ \\$i -lt 20000 ]; do i=\\$((i+1)); done; "
			 "./own -c 'i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done'; "
			 "true\"");
	record_check_said(&result, "not all is recorded: of the program's ");
	record_check_said(&result, "set-user-id or file capabilities");
}

/* A server that puts itself into the background is not all recorded when its first process ends. */
static void test_program_that_goes_on(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -N -F 5000 -e cpu-clock -o s.data -- "
				  "sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; "
				  "sleep 9 >/dev/null 2>&1 & echo $! > child'; kill $(cat child)");
	record_check_said(&result, "not all is recorded: processes that the program started go on");
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -N -F 5000 -e cpu-clock -o s.data -- " BUSY);
	assert_null(strstr(result.errors.data, "not all is recorded"));
}

/* An idle process did not end, and its busy children are named. */
static void test_idle_process(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(&result, "sleep 30 & P=$!; $D record -N -e cpu-clock -o i.data -p $P -- "
				  "sleep 0.3; kill $P");
	record_check_said(&result, "no samples: the recorded threads were idle");
	process_result_deinit(&result);
	record_run_shell(&result, "sh -c 'sleep 30 & echo $! > child; wait' & P=$!; sleep 0.3; "
				  "$D record -N -e cpu-clock -o i.data -p $P -- sleep 0.3; "
				  "kill $P $(cat child); echo \"-p $(cat child)\"");
	record_check_said(&result, "were idle");
	/* "-p N" of the child stands in the message, too */
	result.output.data[strcspn(result.output.data, "\n")] = '\0';
	record_check_said(&result, result.output.data);
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -N -e cpu-clock -o i.data -F 1 -- true");
	record_check_said(&result, "ended before a sample was due: try a higher -F");
	process_result_deinit(&result);
	record_run_shell(&result, "$D record -N -e cpu-clock -o i.data -D 9000 -- " BUSY);
	record_check_said(&result, "its first 9000 ms are not recorded (-D)");
}

/* Records sleeping processes of a user, each by a ring buffer of its own. The arguments are their
 * number and options of dtprof record. */
#define RECORD_SLEEPERS                                                                            \
	"ulimit -l 64; " AS_USER "sh -c 'for i in $(seq 1 %d); do sleep 120 & P=$P,$!; done; "     \
	"./dtprof record -N --per-thread %s -e cpu-clock -o m.data -p ${P#,} -- sleep 0.2; S=$?; " \
	"kill $(echo $P | tr , \" \"); exit $S'"

/* Obeying the advice on memory once is enough, however many buffers there are. */
static void test_locked_memory(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, obeyed = { 0 };
	_cleanup_free_ char *before = sysfs_read("", LOCKABLE);
	const char *advice;

	(void)state;
	need_other_user();
	if (!before || access(LOCKABLE, W_OK))
		skip_because("kernel.perf_event_mlock_kb cannot be set");
	record_run_shell(&result,
			 "cp $D dtprof && chmod 755 dtprof && chmod 777 .; " RECORD_SLEEPERS, 60,
			 "-m 16");
	process_check_status(&result, 1);
	record_check_said(&result, " ring buffers of 16 pages take ");
	advice = strstr(result.errors.data, "kernel.perf_event_mlock_kb=");
	assert_non_null(advice);
	record_run_shell(&obeyed,
			 "echo %ld > " LOCKABLE "; (" RECORD_SLEEPERS "); S=$?; echo %s > " LOCKABLE
			 "; exit $S",
			 strtol(strchr(advice, '=') + 1, NULL, 10), 60, "-m 16", before);
	process_check_status(&obeyed, 0);
	process_result_deinit(&obeyed);
	/* without -m the buffers of a few threads become as small as they must be */
	record_run_shell(&obeyed, RECORD_SLEEPERS, 20, "");
	process_check_status(&obeyed, 0);
	record_check_said(&obeyed, "ring buffers of ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_user_namespace),
		cmocka_unit_test(test_pid_namespace),
		cmocka_unit_test(test_filtered_call),
		cmocka_unit_test(test_privileged_program),
		cmocka_unit_test(test_privileged_child),
		cmocka_unit_test(test_program_that_goes_on),
		cmocka_unit_test(test_idle_process),
		cmocka_unit_test(test_locked_memory),
	};

	return cmocka_run_group_tests_name("record/rights", tests, record_set_up, record_tear_down);
}
