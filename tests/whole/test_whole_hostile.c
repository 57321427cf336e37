// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names that an object file may have although no compiler writes them: quotes, control characters,
 * line ends and bytes that are not UTF-8, in types, members and functions. Output for programs
 * keeps its format, and no control character reaches a terminal.
 */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/json_check.h"
#include "tests/support/process.h"

/* Old and new names have the same length, so that one can overwrite the other. */
static const struct {
	const char *name, *hostile;
} names[] = {
	{ "counter", "c\"\x1b[2J\xff" },
	{ "limit", "l,\n\r\x07" },
	{ "place", "\xc3(\\\x7f'" },
	{ "writer", "w\t\"\x9b;\x1b" },
};

static const struct hit hits[] = {
	{ "reader", 0, LOADS, 102, 7, 300, 0 },
	{ "reader", 1, LOADS, 102, 2, 5, 0 },
	{ "reader", 3, LOADS, 102, 4, 90, 0 },
	{ "w\t\"\x9b;\x1b", 0, STORES, 101, 9, 4, 0 },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};

static const char *data; /* NULL if it cannot be built here */

/* Replaces all names in the file, each of which is a string of its own. */
static size_t replace_names(uint8_t *bytes, size_t size)
{
	size_t count = 0;

	for (size_t i = 1; i < size; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++) {
			size_t length = strlen(names[j].name);

			assert_int_equal(strlen(names[j].hostile), length);
			if (bytes[i - 1] || i + length >= size ||
			    memcmp(bytes + i, names[j].name, length + 1) != 0)
				continue;
			memcpy(bytes + i, names[j].hostile, length);
			count++;
		}
	return count;
}

static int set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	size_t size;

	(void)state;
	const char *program = scratch_file("program");
	_cleanup_free_ char *command =
		xasprintf("gcc " HIT_PROGRAM_FLAGS " -o %s tests/workloads/golden.c", program);

	process_shell(command, &result);
	if (result.status) {
		print_message("skipped: %s", result.errors.data);
		return 0;
	}

	_cleanup_free_ uint8_t *bytes = file_read(program, &size);

	assert_true(replace_names(bytes, size) >= 4);
	file_write(program, bytes, size);
	data = scratch_file("perf.data");
	hit_recorder_write(program, data, hits);
	return 0;
}

static void run(const char *options, struct process_result *result)
{
	_cleanup_free_ char *command = NULL;

	if (!data)
		skip_because("tests/workloads/golden.c cannot be built here");
	command = xasprintf("%s %s --blame=sampled -i %s", dtprof_path(), options, data);
	process_shell(command, result);
	if (result->status)
		fail_msg("%s: %s", command, result->errors.data);
}

static void assert_valid(const char *options, const char *schema_path)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_strbuf_ struct strbuf schema = STRBUF_INIT;
	size_t size;
	_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;

	run(options, &result);

	_cleanup_free_ uint8_t *schema_text = file_read(schema_path, &size);

	strbuf_add(&schema, (const char *)schema_text, size);
	if (!json_check(result.output.data, schema.data, &problem))
		fail_msg("%s: %s", options, problem.data);
	/* the type is found by its name */
	if (!strstr(result.output.data, "struct c\\\"\\u001b[2J\xef\xbf\xbd"))
		fail_msg("%s: no such type in %s", options, result.output.data);
}

static void test_json(void **state)
{
	(void)state;
	assert_valid("annotate --json --data-type --by-symbol --elements",
		     "Documentation/annotate.schema.json");
	assert_valid("annotate --json --layout", "Documentation/annotate.schema.json");
	assert_valid("annotate --json --code-with-type", "Documentation/annotate.schema.json");
	assert_valid("report --json -s type,typeoff,field,sym,acc",
		     "Documentation/report.schema.json");
	assert_valid("report --json --hierarchy -s sym,typeoff",
		     "Documentation/report.schema.json");
}

/* Asserts that each record has the same number of fields (RFC 4180), whatever they contain. Returns
 * the number of records. */
static size_t assert_records(const char *options, const char *text)
{
	size_t expected = 0, count = 1, records = 0;
	bool quoted = false;

	for (; *text; text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (*text == ',' && !quoted)
			count++;
		if (*text != '\n' || quoted)
			continue;
		if (!expected)
			expected = count;
		if (count != expected)
			fail_msg("%s: record %zu has %zu fields, not %zu", options, records, count,
				 expected);
		count = 1;
		records++;
	}
	assert_false(quoted);
	return records;
}

static void test_csv(void **state)
{
	static const char *const outputs[] = { "annotate --csv --data-type=[sc]* --no-group",
					       "annotate --csv --code-with-type --no-group -q",
					       "report --csv -s type,typeoff,sym --no-group -q" };

	(void)state;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(outputs[i], &result);
		assert_true(assert_records(outputs[i], result.output.data) > 3);
	}
}

static void test_text(void **state)
{
	static const char *const outputs[] = { "annotate --stdio --data-type --by-symbol",
					       "annotate --stdio --layout",
					       "annotate --stdio --code-with-type",
					       "annotate --stdio --type-stat --insn-stat",
					       "report --stdio -s type,typeoff,sym,srcline" };

	(void)state;
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(outputs[i], &result);
		assert_non_null(strstr(result.output.data, "c\"?[2J"));
		for (const char *text = result.output.data; *text; text++)
			if (((unsigned char)*text < ' ' && *text != '\n' && *text != '\t') ||
			    *text == 0x7f)
				fail_msg("%s: a control character 0x%x in %s", outputs[i], *text,
					 text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
