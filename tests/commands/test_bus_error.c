// SPDX-License-Identifier: GPL-2.0-or-later
/* A mapped file that becomes shorter ends the program with one line. */
#include "tests/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/cli/output.h"

/*
 * Run `act` in a child that has called bus_error_watch(). Copies its standard error and returns its
 * exit status, or 128 + N for signal N.
 */
static int run(void (*act)(void), char *said, size_t size)
{
	int ends[2], status;
	size_t used = 0;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		bus_error_watch();
		act();
		_exit(0);
	}
	close(ends[1]);
	for (ssize_t count;
	     used + 1 < size && (count = read(ends[0], said + used, size - 1 - used)) > 0;)
		used += (size_t)count;
	said[used] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_what_is_gone(void)
{
	int file = memfd_create("gone", 0);

	if (file < 0 || ftruncate(file, 1 << 20) < 0)
		_exit(99);
	volatile char *data = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE, file, 0);

	if (data == MAP_FAILED || ftruncate(file, 4096) < 0)
		_exit(99);
	_exit(data[1 << 19] ? 98 : 97);
}

static void be_killed(void)
{
	kill(getpid(), SIGBUS);
	_exit(0);
}

static void a_file_that_became_shorter(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(read_what_is_gone, said, sizeof(said)), 1);
	assert_non_null(strstr(said, "became shorter"));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void a_signal_that_was_sent(void **state)
{
	char said[1024];

	(void)state;
	assert_int_equal(run(be_killed, said, sizeof(said)), 128 + SIGBUS);
	assert_null(strstr(said, "dtprof")); /* an emulator may say something */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_became_shorter),
		cmocka_unit_test(a_signal_that_was_sent),
	};

	return cmocka_run_group_tests_name("bus_error", tests, NULL, NULL);
}
