// SPDX-License-Identifier: GPL-2.0-or-later
/* A command in its sandbox reads everything, and writes only its outputs. */
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "profiler/cli/options.h"
#include "profiler/cli/sandbox.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define NO_LANDLOCK 77

/* Runs `act` in a sandboxed child with one output. Returns its exit status. */
static int run(int (*act)(void))
{
	const char *const outputs[] = { scratch_file("allowed/result"), NULL };
	pid_t child;
	int status;

	mkdir(scratch_file("allowed"), 0755);
	mkdir(scratch_file("other"), 0755);
	mkdir(scratch_file("temporary"), 0755);
	file_write(scratch_file("other/victim"), "old", 3);
	setenv("TMPDIR", scratch_file("temporary"), 1);
	unsetenv("DEBUGINFOD_URLS");
	setenv("SSLKEYLOGFILE", scratch_file("temporary/keys"), 1);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(strcmp(sandbox_enter(outputs, COUNT_OF(outputs), 0), SANDBOX_COMPLETE) != 0
			      ? NO_LANDLOCK
			      : act());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_LANDLOCK)
		skip_because("the kernel has no Landlock, or refuses it");
	return WEXITSTATUS(status);
}

/* Returns whether a file can be opened in this way. */
static bool opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int write_the_output(void)
{
	struct output_file output;

	for (int i = 0; i < 2; i++) { /* the second one replaces the first */
		if (output_file_open(scratch_file("allowed/result"), NULL, OUTPUT_PRIVATE, &output))
			return 1;
		fputs("text", output.stream);
		if (output_file_close(&output, true))
			return 2;
	}
	return !opens("/dev/null", O_WRONLY)                                ? 3
	       : !opens(scratch_file("temporary/file"), O_WRONLY | O_CREAT) ? 4
									    : 0;
}

static void test_outputs(void **state)
{
	(void)state;
	assert_int_equal(run(write_the_output), 0);
}

static int write_elsewhere(void)
{
	const char *victim = scratch_file("other/victim");

	if (opens(victim, O_WRONLY) || opens(victim, O_RDWR))
		return 1;
	/* a device that everybody may write stands for those that root may */
	if (opens(scratch_file("other/new"), O_WRONLY | O_CREAT) || opens("/dev/zero", O_WRONLY))
		return 2;
	if (!unlink(victim) || !mkdir(scratch_file("other/folder"), 0755) ||
	    !symlink("x", scratch_file("other/link")))
		return 3;
	if (!rename(victim, scratch_file("allowed/victim")))
		return 4;
	return opens(victim, O_RDONLY) ? 0 : 5; /* reading is not restricted */
}

static void test_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(run(write_elsewhere), 0);
}

static int gain_rights(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || getenv("SSLKEYLOGFILE"))
		return 1;
	/* before ABI 4 the network is not restricted; port 1 has no server here */
	if (fd >= 0 && connect(fd, (struct sockaddr *)&here, sizeof(here)) == 0)
		return 2;
	return 0;
}

static void test_rights(void **state)
{
	(void)state;
	assert_int_equal(run(gain_rights), 0);
}

static void test_no_sandbox(void **state)
{
	/* the process that starts the tests may have set it */
	int before = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);

	(void)state;
	global_options.no_sandbox = true;
	assert_string_equal(sandbox_enter(NULL, 0, 0), "off");
	global_options.no_sandbox = false;
	assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), before);
}

/* Each command that reads files enters it: with -v it says so. */
static void test_commands(void **state)
{
	static const char *const commands[] = { "report --stdio", "annotate --stdio",
						"script",         "c2c report",
						"lock report",    "layout",
						"mem report",     "export --format=folded",
						"check /nowhere" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 }, without = { 0 };
		_cleanup_free_ char *command =
			xasprintf("%s %s -v -i /nowhere", dtprof_path(), commands[i]);
		_cleanup_free_ char *free =
			xasprintf("%s --no-sandbox %s -v -i /nowhere", dtprof_path(), commands[i]);

		process_shell(command, &result);
		if (!strstr(result.errors.data, "sandbox: no new privileges"))
			fail_msg("%s: %s", command, result.errors.data);
		process_shell(free, &without);
		assert_non_null(strstr(without.errors.data, "sandbox: off"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outputs),  cmocka_unit_test(test_nothing_else),
		cmocka_unit_test(test_rights),   cmocka_unit_test(test_no_sandbox),
		cmocka_unit_test(test_commands),
	};

	return cmocka_run_group_tests_name("commands/sandbox", tests, NULL, scratch_tear_down);
}
