// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof list: chosen events, one in a line or as JSON. Every machine has software events. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

static void run(const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("%s list %s", dtprof_path(), arguments);

	process_shell(command, result);
}

static void assert_lists(const char *arguments, const char *there, const char *not_there)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(arguments, &result);
	if (result.status)
		fail_msg("%s: %s", arguments, result.errors.data);
	if (!strstr(result.output.data, there))
		fail_msg("%s: no '%s' in:\n%s", arguments, there, result.output.data);
	if (not_there && strstr(result.output.data, not_there))
		fail_msg("%s: '%s' in:\n%s", arguments, not_there, result.output.data);
}

static void need_software_events(void)
{
	_cleanup_process_ struct process_result result = { 0 };

	run("sw", &result);
	if (strstr(result.output.data, "page-faults"))
		return;
	assert_non_null(strstr(result.errors.data, "not all events are listed: "));
	skip_because("the kernel opens no software events for this user");
}

static void test_chosen_events(void **state)
{
	_cleanup_process_ struct process_result unknown = { 0 };

	(void)state;
	need_software_events();
	assert_lists("sw",
		     "  page-faults                                        [Software event]\n",
		     "sched:");
	assert_lists("'page-*'", "  page-faults ", "minor-faults");
	assert_lists("faults", "  minor-faults ", "cpu-clock");
	assert_lists("--raw-dump sw", "page-faults context-switches", "[");
	assert_lists("rules", "Rules of the type engine", NULL);
	run("no-such-event", &unknown);
	process_check_status(&unknown, 1);
	assert_non_null(
		strstr(unknown.errors.data, "no event of this machine is called 'no-such-event'"));
}

/* As with perf, `mem record -e list` is about memory events only. */
static void test_memory_events(void **state)
{
	static const char *const commands[] = { "mem record", "c2c record" };

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command =
			xasprintf("%s %s -e list", dtprof_path(), commands[i]);

		process_shell(command, &result);
		process_check_status(&result, 0);
		assert_non_null(strstr(result.output.data, "Memory sampling"));
		assert_null(strstr(result.output.data, "page-faults"));
		assert_null(strstr(result.output.data, "Tracepoints"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_events),
		cmocka_unit_test(test_chosen_events),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
