// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof c2c of recordings with all data sources (tests/support/c2c_recordings.h).
 *
 * The files tests/whole/golden/c2c-*.txt are what perf 7.2 prints: perf c2c report --stdio. To
 * write them anew:
 *
 *     build/tests/bench/write_c2c DIR; cd DIR; perf c2c report --stdio -i intel.data
 *
 * tests/bench/compare_c2c.sh compares more options, and real recordings.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/c2c_recordings.h"
#include "tests/support/files.h"
#include "tests/support/json_check.h"
#include "tests/support/perf_data_writer.h"
#include "tests/support/process.h"

static int set_up(void **state)
{
	(void)state;
	for (enum c2c_recording i = 0; i < C2C_RECORDINGS; i++) {
		_cleanup_free_ char *name = xasprintf("%s.data", c2c_recording_name(i));
		struct error *error = c2c_recording_write(i, scratch_file(name));

		if (error) {
			print_message("%s\n", error->message);
			error_destroy(error);
			return -1;
		}
	}
	return 0;
}

static void c2c_report(enum c2c_recording recording, const char *arguments,
		       struct process_result *result)
{
	_cleanup_free_ char *name = xasprintf("%s.data", c2c_recording_name(recording));
	_cleanup_free_ char *command = xasprintf("%s c2c report -q %s -i %s", dtprof_path(),
						 arguments, scratch_file(name));

	process_shell(command, result);
}

/* All tables are perf's to the byte. */
static void test_tables_of_perf(void **state)
{
	static const struct {
		const char *name;
		enum c2c_recording recording;
		const char *arguments;
	} cases[] = {
		{ "c2c-intel.txt", C2C_INTEL, "" },
		{ "c2c-intel-rows.txt", C2C_INTEL, "-d rmt -c pid,tid -NN" },
		{ "c2c-amd.txt", C2C_AMD, "-d lcl -N --no-source" },
		{ "c2c-chains.txt", C2C_CHAINS, "-g callee -c dso --no-source" },
		{ "c2c-arm.txt", C2C_ARM, "--double-cl -c tid,iaddr" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *path = xasprintf("tests/whole/golden/%s", cases[i].name);
		_cleanup_free_ char *arguments = xasprintf("--stdio %s", cases[i].arguments);
		size_t size;
		_cleanup_free_ uint8_t *expected = file_read(path, &size);

		c2c_report(cases[i].recording, arguments, &result);
		process_check_status(&result, 0);
		if (result.output.length != size || memcmp(result.output.data, expected, size) != 0)
			fail_msg("%s: not as in %s, but:\n%s", arguments, path, result.output.data);
	}
}

/* --stats prints the beginning of the whole output. */
static void test_sums_alone(void **state)
{
	_cleanup_process_ struct process_result whole = { 0 };
	_cleanup_process_ struct process_result sums = { 0 };

	(void)state;
	c2c_report(C2C_AMD, "--stdio", &whole);
	c2c_report(C2C_AMD, "--stats", &sums);
	process_check_status(&sums, 0);
	assert_true(sums.output.length && sums.output.length < whole.output.length);
	assert_memory_equal(sums.output.data, whole.output.data, sums.output.length);
	assert_null(strstr(sums.output.data, "Pareto"));
	assert_non_null(strstr(whole.output.data, "Pareto"));
}

/* Without -d, lines of an Arm machine are chosen by their peers, because it reports no HITM. */
static void test_display_of_the_machine(void **state)
{
	_cleanup_process_ struct process_result arm = { 0 };
	_cleanup_process_ struct process_result intel = { 0 };

	(void)state;
	c2c_report(C2C_ARM, "--stats", &arm);
	c2c_report(C2C_INTEL, "--stats", &intel);
	assert_non_null(
		strstr(arm.output.data, "Cachelines sort on                : Peer Snoop\n"));
	assert_non_null(
		strstr(intel.output.data, "Cachelines sort on                : Total HITMs\n"));
}

static void assert_refused(const char *arguments, const char *message)
{
	_cleanup_process_ struct process_result result = { 0 };

	c2c_report(C2C_INTEL, arguments, &result);
	assert_int_not_equal(result.status, 0);
	assert_int_equal(result.output.length, 0);
	assert_non_null(strstr(result.errors.data, message));
}

static void test_wrong_arguments(void **state)
{
	(void)state;
	assert_refused("-d most", "takes tot, lcl, rmt or peer, not 'most'");
	assert_refused("-c pid,comm", "'comm' is not pid, tid, iaddr or dso");
	assert_refused("more", "'more' is not an option");
}

/* ---- verdicts ---- */

#define SCHEMA "Documentation/c2c.schema.json"

static void test_json(void **state)
{
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(SCHEMA, &size);
	_cleanup_free_ char *schema = xstrndup((const char *)bytes, size);

	(void)state;
	for (enum c2c_recording i = 0; i < C2C_RECORDINGS; i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;

		c2c_report(i, "--json", &result);
		process_check_status(&result, 0);
		assert_non_null(strstr(result.output.data, "\"format\": \"dtprof-c2c\""));
		if (!json_check(result.output.data, schema, &problem))
			fail_msg("%s: %s", c2c_recording_name(i), problem.data);
	}
}

/* Each line has as many columns as the first one, which names them; -q omits that one. */
static void test_csv(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s c2c report --csv -i %s", dtprof_path(), scratch_file("intel.data"));
	static const char columns[] = "verdict,kind,pid,cacheline,offset,size,type,field,object,"
				      "variable,tid,samples,loads,stores,hitm,shared,disturbed,"
				      "function,source,caller\n";
	size_t lines = 0;

	(void)state;
	process_shell(command, &result);
	process_check_status(&result, 0);
	assert_int_equal(strncmp(result.output.data, columns, strlen(columns)), 0);
	for (const char *line = result.output.data; *line; line += strcspn(line, "\n") + 1) {
		size_t commas = 0;

		for (const char *at = line; *at != '\n'; at++)
			commas += *at == ',';
		assert_int_equal(commas, 19);
		lines++;
	}
	assert_true(lines > 1);
	process_result_deinit(&result);
	result = (struct process_result){ 0 };
	c2c_report(C2C_INTEL, "--csv", &result);
	assert_null(strstr(result.output.data, columns));
}

/* Samples that could have had an address, but have none: nothing was shared, which is an answer. */
static void test_no_sample_at_an_access(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = NULL;
	struct perf_data_writer writer;

	(void)state;
	perf_data_writer_init(&writer);
	perf_data_add_comm(&writer, 100, 100, "prog");
	perf_data_add_map(&writer, 100, 0x400000, 0x10000, 0, "/nowhere/prog");
	for (uint64_t i = 0; i < 20; i++)
		perf_data_add_sample(
			&writer, &(struct written_sample){
					 .ip = 0x400100 + i, .pid = 100, .tid = 100, .period = 1 });
	assert_null(perf_data_write(&writer, scratch_file("none.data")));
	perf_data_writer_deinit(&writer);
	command = xasprintf("%s c2c report -i %s", dtprof_path(), scratch_file("none.data"));
	process_shell(command, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.output.data, "# 0 of 20 samples have a data address"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_of_perf),
		cmocka_unit_test(test_sums_alone),
		cmocka_unit_test(test_display_of_the_machine),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_no_sample_at_an_access),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
