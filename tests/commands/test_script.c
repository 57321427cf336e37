// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof script: lines of samples as perf prints them, and with types as text, JSON and
 * comma-separated values. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "tests/support/files.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/process.h"

/* Two objects of struct counter, at 0x7f0000 and 0x7f1000. */
static const struct hit hits[] = {
	{ "writer", 0, STORES, 101, 1, 4,
	  PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT) },
	{ "reader", 0, LOADS, 102, 2, 300,
	  PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, HIT) },
	{ "reader", 2, LOADS, 102, 1, 5, 0 },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};
static const uint64_t places[] = { 0x7f0000, 0x7f1008, 0x7f2000 };

static const char *data;

static void need_data(void)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *program = scratch_file("counter");

	/* clang does not say where parameters of naked functions are */
	need_compiler("gcc");
	if (data)
		return;

	_cleanup_free_ char *command =
		xasprintf("gcc " HIT_PROGRAM_FLAGS " -o %s tests/workloads/golden.c", program);

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	data = scratch_file("perf.data");
	hit_recorder_write_data(program, data, hits, places);
}

static void run(const char *options, struct process_result *result)
{
	_cleanup_free_ char *command =
		xasprintf("%s script --blame=sampled -i %s %s", dtprof_path(), data, options);

	process_shell(command, result);
}

static void assert_output(const char *options, const char *expected)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(options, &result);
	if (result.status)
		fail_msg("%s: %s\n%s", options, result.errors.data, result.output.data);
	assert_string_equal(result.output.data, expected);
}

static void test_text(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	size_t lines = 0;

	(void)state;
	need_data();
	run("", &result);
	process_check_status(&result, 0);
	for (const char *at = result.output.data; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 4);
	assert_non_null(strstr(result.output.data, "writer+0x0 ("));
	/* as in perf, an event with a general name shows its data only if it is asked for */
	assert_null(strstr(result.output.data, "|OP LOAD|"));
	process_result_deinit(&result);
	run("-F +data_src", &result);
	assert_non_null(strstr(result.output.data, "|OP LOAD|LVL L3 hit|SNP N/A|"));
	/* event names are as wide as the longest */
	assert_output("-F event,sym,symoff,ip -S writer",
		      "    cache-misses:            500000 writer+0x0\n");
}

static void test_types(void **state)
{
	(void)state;
	need_data();
	assert_output("-F tid,type,typeoff,field,object,acc",
		      "    101  struct counter +0 (hits) of 0x7f0000 rmw 8\n"
		      "    102  struct counter +8 (limit) of 0x7f1000 load 4\n"
		      "    102  struct counter +8 (limit) of 0x7f1000 load 4\n"
		      "    102  (no memory access) -\n");
	assert_output("-F tid,field --types=counter",
		      "    101  (hits)\n    102  (limit)\n    102  (limit)\n");
}

static void test_json_and_csv(void **state)
{
	(void)state;
	need_data();
	assert_output(
		"--json -F tid,event,type,typeoff,field,object,weight",
		"{\"tid\":101,\"event\":\"cache-misses\",\"weight\":4,\"type\":\"struct counter\","
		"\"typeoff\":0,\"field\":\"hits\",\"object\":8323072}\n"
		"{\"tid\":102,\"event\":\"cache-references\",\"weight\":300,\"type\":\"struct "
		"counter\","
		"\"typeoff\":8,\"field\":\"limit\",\"object\":8327168}\n"
		"{\"tid\":102,\"event\":\"cache-references\",\"weight\":300,\"type\":\"struct "
		"counter\","
		"\"typeoff\":8,\"field\":\"limit\",\"object\":8327168}\n"
		"{\"tid\":102,\"event\":\"cache-references\",\"weight\":5,\"type\":\"(no memory "
		"access)\","
		"\"typeoff\":null,\"field\":null,\"object\":null}\n");
	assert_output("--csv -F tid,type,field,object", "tid,type,field,object\n"
							"101,struct counter,hits,8323072\n"
							"102,struct counter,limit,8327168\n"
							"102,struct counter,limit,8327168\n"
							"102,(no memory access),,\n");
}

static void test_fields(void **state)
{
	static const struct {
		const char *options, *message;
	} cases[] = {
		{ "-F tpye", "unknown field 'tpye'; did you mean 'type'?" },
		{ "-F +comm,type", "fields with and without a sign" },
		{ "-F ''", "fields are missing" },
		{ "--json --csv", "cannot be combined" },
		{ "flamegraph", "scripts are not run here" },
	};

	(void)state;
	need_data();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(cases[i].options, &result);
		process_check_status(&result, 129);
		if (!strstr(result.errors.data, cases[i].message))
			fail_msg("%s: %s", cases[i].options, result.errors.data);
	}
	assert_output("-F tid,event -F -event -S writer", "    101 \n");
}

/* A slice of time without samples is an error only if it is outside of the recording. */
static void test_times(void **state)
{
	_cleanup_process_ struct process_result times = { 0 }, outside = { 0 };
	double first, second;

	(void)state;
	need_data();
	run("-F time", &times);
	assert_int_equal(sscanf(times.output.data, " %lf: %lf:", &first, &second), 2);
	assert_true(second > first);

	_cleanup_free_ char *between = xasprintf("-F tid --time %.7f,%.7f", first + 3e-7,
						 first + 6e-7),
			    *after = xasprintf("-F tid --time %.6f,", second + 100);

	assert_output(between, "");
	run(after, &outside);
	process_check_status(&outside, 1);
	assert_non_null(strstr(outside.errors.data, "--time: no sample is in "));
}

/* Messages about missing types follow the lines, also where both go to one place. */
static void test_trouble(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_data();
	run("-F comm,type --symfs tests 2>&1", &result);
	process_check_status(&result, 0);
	const char *line = strstr(result.output.data, " (unknown)\n"),
		   *message = strstr(result.output.data, "dtprof script: warning: ");

	assert_true(line && message > line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),         cmocka_unit_test(test_types),
		cmocka_unit_test(test_json_and_csv), cmocka_unit_test(test_fields),
		cmocka_unit_test(test_times),        cmocka_unit_test(test_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
