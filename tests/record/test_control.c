// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to a running recording: lines that come in pieces, line ends, and refused commands. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profiler/record/control.h"
#include "tests/support/process.h"

static struct control open_pipes(int commands[2], int acknowledgments[2])
{
	struct control control = CONTROL_INIT;

	assert_int_equal(pipe2(commands, O_CLOEXEC), 0);
	assert_int_equal(pipe2(acknowledgments, O_CLOEXEC), 0);
	_cleanup_free_ char *specification = xasprintf("fd:%d,%d", commands[0], acknowledgments[1]);

	assert_null(control_open(specification, &control));
	assert_int_equal(control.command_fd, commands[0]);
	assert_int_equal(control.acknowledgment_fd, acknowledgments[1]);
	return control;
}

static void send_text(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void expect(struct control *control, enum control_verb verb, const char *argument)
{
	struct control_command command;

	assert_true(control_next(control, &command));
	assert_int_equal(command.verb, verb);
	if (argument)
		assert_string_equal(command.argument, argument);
	else
		assert_null(command.argument);
	control_command_deinit(&command);
}

static void test_lines(void **state)
{
	int commands[2], acknowledgments[2];
	struct control control = open_pipes(commands, acknowledgments);
	struct control_command command;
	char answer[8] = "";
	bool closed;

	(void)state;
	send_text(commands[1], "enable\ndisable cpu-clock:u\r\nsto");
	assert_null(control_read(&control, &closed));
	assert_false(closed);
	expect(&control, CONTROL_ENABLE, NULL);
	expect(&control, CONTROL_DISABLE, "cpu-clock:u");
	assert_false(control_next(&control, &command));
	send_text(commands[1], "p\n\nnonsense\nping\nevlist\nsnapshot");
	assert_null(control_read(&control, &closed));
	expect(&control, CONTROL_STOP, NULL);
	expect(&control, CONTROL_UNKNOWN, NULL);
	expect(&control, CONTROL_UNKNOWN, NULL);
	expect(&control, CONTROL_PING, NULL);
	expect(&control, CONTROL_EVENT_LIST, NULL);
	assert_false(control_next(&control, &command));
	/* the end of the stream ends the last line */
	close(commands[1]);
	assert_null(control_read(&control, &closed));
	assert_true(closed);
	expect(&control, CONTROL_SNAPSHOT, NULL);
	control_acknowledge(&control);
	assert_int_equal(read(acknowledgments[0], answer, sizeof(answer)), 4);
	assert_memory_equal(answer, "ack\n", 4);
	control_close(&control);
	/* inherited descriptors stay open */
	assert_int_equal(close(commands[0]), 0);
	assert_int_equal(close(acknowledgments[1]), 0);
	close(acknowledgments[0]);
}

/* A sender that never ends a line cannot fill the memory. */
static void test_endless_line(void **state)
{
	int commands[2], acknowledgments[2];
	struct control control = open_pipes(commands, acknowledgments);
	static char bytes[4096];
	struct error *error = NULL;
	bool closed;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	for (int i = 0; !error && i < 10; i++) {
		assert_int_equal(write(commands[1], bytes, sizeof(bytes)), sizeof(bytes));
		error = control_read(&control, &closed);
	}
	assert_non_null(error);
	error_destroy(error);
	control_close(&control);
	for (int i = 0; i < 2; i++) {
		close(commands[i]);
		close(acknowledgments[i]);
	}
}

static void refuse(const char *specification)
{
	struct control control = CONTROL_INIT;
	struct error *error = control_open(specification, &control);

	if (!error)
		fail_msg("'%s' was accepted", specification);
	error_destroy(error);
	control_close(&control);
}

static void test_specifications(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *file = xasprintf("%s/file", folder),
			    *missing = xasprintf("fifo:%s/none", folder);
	_cleanup_free_ char *no_fifo = xasprintf("fifo:%s", file);

	(void)state;
	close(open(file, O_CREAT | O_WRONLY, 0600));
	refuse("");
	refuse("fd:");
	refuse("fd:x");
	refuse("fd:0,");
	refuse("fd:-1");
	refuse("fd:1000000");
	refuse("fd:99999999999999999999");
	refuse("pipe:0");
	refuse(missing);
	refuse(no_fifo);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_specifications),
	};

	return cmocka_run_group_tests_name("record/control", tests, NULL, NULL);
}
