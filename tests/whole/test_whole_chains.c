// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains of a program that this test records: those from copies of the stack are the same as
 * those by frame pointers, and also exist without frame pointers. Skipped where the kernel does not
 * let this user record.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/recording.h"

#define WORK "outer_work;outer_work;outer_work;middle_work;"

static void build_source(const char *source, const char *name, const char *flags)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/%s.c", record_folder(), name);

	file_copy(source, path);
	record_run_shell(&result, "%s -g -O2 %s -o %s %s.c", process_compiler(), flags, name, name);
	process_check_status(&result, 0);
}

static void build(const char *name, const char *flags)
{
	build_source("tests/workloads/call_chains.c", name, flags);
}

/*
 * Counts the samples of the program's own code that have `chain` in theirs, and all of them, in a
 * folded graph, in hundredths of a percent. Samples of the loader have no such chain, and on a
 * virtual machine they are many: it executes cpuid, which the hypervisor handles.
 */
static void count_chains(const char *options, const char *chain, unsigned long *with,
			 unsigned long *all)
{
	_cleanup_process_ struct process_result result = { 0 };

	record_run_shell(&result,
			 "$D report -q --stdio -i chains.kept -s comm --no-children -g "
			 "folded,0,caller "
			 "--dsos pointers,plain,calls %s",
			 options);
	process_check_status(&result, 0);
	*with = *all = 0;
	for (char *line = strtok(result.output.data, "\n"); line; line = strtok(NULL, "\n")) {
		char *end;
		unsigned long count = (unsigned long)(100 * strtod(line, &end) + 0.5);

		if (*line == ' ' || end == line || *end != '%')
			continue; /* a row */
		*all += count;
		*with += strstr(end, chain) ? count : 0;
	}
	assert_true(*all > 20);
}

static void assert_most(const char *options, const char *chain)
{
	unsigned long with, all;

	count_chains(options, chain, &with, &all);
	if (with * 10 < all * 9)
		fail_msg("%lu of %lu samples have %s", with, all, chain);
}

static void record_chains(const char *mode, const char *program)
{
	_cleanup_process_ struct process_result result = { 0 };

	record_run_shell(&result,
			 "$D record -q -e cpu-clock:u -F 1000 -o chains.kept --call-graph %s ./%s",
			 mode, program);
	process_check_status(&result, 0);
}

static void test_as_frame_pointers(void **state)
{
	(void)state;
	record_need_permission();
	build("pointers", "-fno-omit-frame-pointer -DKEEP");
	record_chains("fp", "pointers");
	assert_most("--no-inline", "main;" WORK "leaf_work");
	record_chains("dwarf", "pointers");
	assert_most("--no-inline", "main;" WORK "leaf_work");
}

static void test_without_frame_pointers(void **state)
{
	(void)state;
	record_need_permission();
	build("plain", "-fomit-frame-pointer");
	record_chains("dwarf", "plain");
	assert_most("--no-inline", "main;" WORK "leaf_work");
	/* inlined functions are frames */
	assert_most("", "main;" WORK "helper (inlined);leaf_work");
	assert_most("--max-stack 2", "middle_work;helper (inlined);leaf_work");
}

/* A copy with room for about one frame gives that frame and no more. */
static void test_small_copy(void **state)
{
	unsigned long with, all;

	(void)state;
	record_need_permission();
	build("plain", "-fomit-frame-pointer");
	record_chains("dwarf,16", "plain");
	count_chains("--no-inline", "leaf_work", &with, &all);
	assert_true(with * 10 >= all * 9);
	/* a sample in the outermost function may have its caller */
	count_chains("--no-inline", "main;" WORK "leaf_work", &with, &all);
	assert_int_equal(with, 0);
}

static void count_part(const char *chain, unsigned long *with)
{
	unsigned long all;

	count_chains("", chain, with, &all);
}

/* A frame is the call, not the instruction after it, which may be another function's. */
static void test_calls_and_not_returns(void **state)
{
	unsigned long with, lost;

	(void)state;
	record_need_permission();
	build_source("tests/workloads/last_calls.c", "calls",
		     "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -falign-functions=1 "
		     "-fno-toplevel-reorder -fno-optimize-sibling-calls");
	record_chains("fp", "calls");
	count_part("main;parts;first_part (inlined);spin", &with);
	assert_true(with >= 10);
	count_part("second_part", &lost);
	assert_int_equal(lost, 0);
	count_part("main;caller_that_leaves;leave;spin", &with);
	assert_true(with >= 10);
	count_part("bystander", &lost);
	assert_int_equal(lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_frame_pointers),
		cmocka_unit_test(test_without_frame_pointers),
		cmocka_unit_test(test_small_copy),
		cmocka_unit_test(test_calls_and_not_returns),
	};

	return cmocka_run_group_tests(tests, record_set_up, record_tear_down);
}
