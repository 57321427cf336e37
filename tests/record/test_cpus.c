// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs that go offline and come back during a recording of the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/record/recording.h"
#include "tests/support/fake_machine.h"
#include "tests/support/process.h"

static struct strbuf said;

static void say(void *data, enum record_notice notice, const char *message)
{
	(void)data;
	assert_int_equal(notice, RECORD_WARNING);
	strbuf_add_format(&said, "%s\n", message);
}

/* Checks the message for a change of the online CPUs from one list to the next. */
static void check(const char *wanted, const char *from, const char *to, const char *expected)
{
	char *root = scratch_create();
	const struct record_options options = {
		.root = root, .target = { .system_wide = true, .cpu_list = wanted }, .say = say
	};
	struct recording recording = { .options = &options };

	said = (struct strbuf)STRBUF_INIT;
	fake_file(root, "/sys/devices/system/cpu/online", from);
	recording_check_cpus(&recording);
	fake_file(root, "/sys/devices/system/cpu/online", to);
	recording_check_cpus(&recording);
	recording_check_cpus(&recording);
	assert_string_equal(said.data, expected);
	strbuf_deinit(&said);
	free(recording.online_cpus);
	scratch_remove(root);
}

static void test_hotplug(void **state)
{
	(void)state;
	check(NULL, "0-3", "0-3", "");
	check(NULL, "0-3", "0-1,3", "CPU 2 went offline: no samples of it from here on\n");
	check(NULL, "0-1", "0-3",
	      "CPU 2,3 came online: it is not in this recording, but would be in a new one\n");
	check("0-1", "0-3", "0-2", "");
	check("0-1", "0-3", "0,2-3", "CPU 1 went offline: no samples of it from here on\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_hotplug) };

	return cmocka_run_group_tests_name("record/cpus", tests, NULL, NULL);
}
