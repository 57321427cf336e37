// SPDX-License-Identifier: GPL-2.0-or-later
/* --debug type-profile traces code that the compiler put into another section, and globals that are
 * accessed by absolute address. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/process.h"

/* Returns the hexadecimal number after `start` in the text. */
static unsigned long hex_after(const char *text, const char *start)
{
	const char *found = strstr(text, start);

	if (!found)
		fail_msg("no '%s' in:\n%s", start, text);
	return found ? strtoul(found + strlen(start), NULL, 16) : 0;
}

/* Runs dtprof with a trace of each memory access of a function of traced_functions.c, which is
 * built with these options. */
static void tell(const char *options, const char *function, const char *arguments,
		 struct process_result *result)
{
	const char *const functions[] = { function, NULL };
	_cleanup_process_ struct process_result built = { 0 };
	char *folder = scratch_create();
	_cleanup_free_ char *program = xasprintf("%s/trace", folder);
	_cleanup_free_ char *data = xasprintf("%s/perf.data", folder);
	size_t samples;
	_cleanup_free_ char *compile =
		xasprintf("%s -O2 -g %s -o %s tests/workloads/traced_functions.c",
			  process_compiler(), options, program);

	process_shell(compile, &built);
	if (built.status)
		fail_msg("%s", built.errors.data);
	struct error *error = access_recorder_write(
		&(struct access_request){
			.object = program, .output = data, .functions = functions },
		&samples);

	if (error)
		fail_msg("%s", error->message);
	_cleanup_free_ char *command = xasprintf("%s %s -i %s", dtprof_path(), arguments, data);

	process_shell(command, result);
	process_check_status(result, 0);
	scratch_remove(folder);
}

static void test_cold_part(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	tell("", "walk", "--debug type-profile report -s type", &result);
	/* no offset is negative, wherever the linker put the cold part */
	if (strstr(result.errors.data, "[ffff"))
		fail_msg("a negative offset in:\n%s", result.errors.data);
	const char *cold = strstr(result.errors.data, " at walk.cold+");

	if (!cold)
		skip_because("this compiler makes no cold part");
	/* the offset in the block is the symbol's */
	assert_int_equal(hex_after(cold, " at walk.cold+0x"), hex_after(cold, "chk ["));
}

static void test_global_by_plain_address(void **state)
{
	static const char *const options[] = { "-fno-pie -no-pie", "-fpie -pie" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_process_ struct process_result result = { 0 };

		tell(options[i], "sweep", "report -q -s type,how", &result);
		if (!strstr(result.output.data, "long int[]") &&
		    !strstr(result.output.data, "long[]"))
			fail_msg("%s: the array is not found:\n%s", options[i], result.output.data);
		/* vector constants have no type, and may be unknown */
		if (strstr(result.output.data, "integer as the base"))
			fail_msg("%s: an address is taken for a number:\n%s", options[i],
				 result.output.data);
	}
}

/* Traces of types that many units declare: those of dtprof itself. */
static void test_same_stories_with_any_threads(void **state)
{
	static const char *const functions[] = {
		"solver_call",      "place_find",     "origins_value",
		"dwarf_type_of",    "session_open",   "count_merge",
		"session_count_by", "elf_image_open", NULL
	};
	char *folder = scratch_create();
	_cleanup_free_ char *data = xasprintf("%s/perf.data", folder);
	char *first = NULL;
	size_t samples;

	(void)state;
	struct error *error = access_recorder_write(
		&(struct access_request){
			.object = dtprof_path(), .output = data, .functions = functions },
		&samples);

	if (error && strstr(error->message, "a script"))
		skip_because("dtprof is started by a script, as in an emulator");
	if (error)
		fail_msg("%s", error->message);
	for (unsigned int threads = 1; threads <= 8; threads += 7) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command =
			xasprintf("%s --debug type-profile report -q -s type --threads %u -i %s",
				  dtprof_path(), threads, data);

		process_shell(command, &result);
		process_check_status(&result, 0);
		assert_non_null(strstr(result.errors.data, "find data type for"));
		if (!first)
			first = xstrdup(result.errors.data);
		else if (strcmp(result.errors.data, first) != 0)
			fail_msg("%u threads tell it otherwise than one", threads);
	}
	free(first);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cold_part),
		cmocka_unit_test(test_global_by_plain_address),
		cmocka_unit_test(test_same_stories_with_any_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
