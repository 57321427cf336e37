// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON output: escapes, bytes that are not UTF-8, numbers, nesting, and flushing. */
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/json.h"
#include "tests/support/files.h"
#include "tests/support/json_check.h"

struct sink {
	struct strbuf text;
	size_t flushes;
};

static void take(void *data, const char *text, size_t length)
{
	struct sink *sink = data;

	strbuf_add(&sink->text, text, length);
	sink->flushes++;
}

static void assert_string_written(const char *value, const char *expected)
{
	struct sink sink = { .text = STRBUF_INIT };
	struct json json = JSON_INIT(take, &sink);
	char line[200];

	json_string(&json, NULL, value);
	json_finish(&json);
	snprintf(line, sizeof(line), "%s\n", expected);
	assert_string_equal(sink.text.data, line);
	strbuf_deinit(&sink.text);
}

static void test_strings(void **state)
{
	(void)state;
	assert_string_written("lua", "\"lua\"");
	assert_string_written("\xc2\x9b"
			      "2J\xc3\x9b",
			      "\"\\u009b2J\xc3\x9b\"");
	assert_string_written("a\"b\\c\nd\te\001\177", "\"a\\\"b\\\\c\\nd\\te\\u0001\\u007f\"");
	assert_string_written("K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x90\xa7",
			      "\"K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x90\xa7\"");
	assert_string_written(NULL, "null");
}

/* Each byte that does not begin a UTF-8 sequence becomes one U+FFFD. */
static void test_what_is_no_utf8(void **state)
{
	(void)state;
	assert_string_written("\xff", "\"\xef\xbf\xbd\"");
	assert_string_written("a\xc3", "\"a\xef\xbf\xbd\"");
	assert_string_written("\xc0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\""); /* overlong */
	assert_string_written("\xed\xa0\x80",
			      "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* surrogate */
	assert_string_written("\xf4\x90\x80\x80",
			      "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void test_nesting_and_numbers(void **state)
{
	struct sink sink = { .text = STRBUF_INIT };
	struct json json = JSON_INIT(take, &sink);

	(void)state;
	json_object(&json, NULL);
	json_unsigned(&json, "largest", UINT64_MAX);
	json_signed(&json, "smallest", INT64_MIN);
	json_double(&json, "share", 12.5);
	json_double(&json, "nothing", NAN);
	json_double(&json, "endless", INFINITY);
	json_array(&json, "empty");
	json_end(&json);
	json_array(&json, "list");
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_object(&json, NULL);
	json_end(&json);
	json_end(&json);
	json_end(&json);
	json_finish(&json);
	assert_string_equal(sink.text.data, "{\n"
					    " \"largest\": 18446744073709551615,\n"
					    " \"smallest\": -9223372036854775808,\n"
					    " \"share\": 12.5,\n"
					    " \"nothing\": null,\n"
					    " \"endless\": null,\n"
					    " \"empty\": [],\n"
					    " \"list\": [\n"
					    "  true,\n"
					    "  null,\n"
					    "  {}\n"
					    " ]\n"
					    "}\n");
	strbuf_deinit(&sink.text);
}

static void test_long_output_is_flushed_on_the_way(void **state)
{
	struct sink sink = { .text = STRBUF_INIT };
	struct json json = JSON_INIT(take, &sink);

	(void)state;
	json_array(&json, NULL);
	for (int i = 0; i < 100000; i++) {
		json_unsigned(&json, NULL, (uint64_t)i);
		assert_true(json.text.length < 100000);
	}
	json_end(&json);
	json_finish(&json);
	assert_true(sink.flushes > 5);
	assert_non_null(strstr(sink.text.data, " 99999\n]\n"));
	strbuf_deinit(&sink.text);
}

/* ---- the checker of JSON that other tests use ---- */

static void assert_schema(const char *schema, const char *expected)
{
	_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;
	bool good = json_schema_check(schema, &problem);

	if (good != !expected || (expected && !strstr(problem.data, expected)))
		fail_msg("%s: %.100s", problem.length ? problem.data : "accepted", schema);
}

/* A keyword that the checker does not know is found also where no value reaches. */
static void test_schemas_are_known(void **state)
{
	(void)state;
	assert_schema("{\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#/$defs/b\"}}, "
		      "\"$defs\": {\"b\": {\"minimum\": 0}}}",
		      NULL);
	assert_schema("{\"type\": \"object\", \"$defs\": {\"b\": {\"maximum\": 0}}}",
		      "/$defs/b: this checker does not know maximum");
	assert_schema("{\"items\": {\"items\": {\"pattern\": \"x\"}}}", "know pattern");
	assert_schema("{\"properties\": {\"a\": {\"$ref\": \"#/$defs/b\"}}}",
		      "no such definition: #/$defs/b");
	assert_schema("{\"properties\": {\"a\": {}}, \"additionalProperties\": false, "
		      "\"required\": [\"a\", \"b\"]}",
		      "does not describe: b");
	assert_schema("{\"additionalProperties\": {\"minimum\": 0}}", NULL);
	assert_schema("{\"additionalProperties\": {\"maximum\": 0}}", "know maximum");
	assert_schema("{\"properties\": {\"a\": true}}", "is no schema");
}

static void test_our_schemas(void **state)
{
	static const char *const names[] = { "annotate", "c2c", "data-types", "report" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		_cleanup_free_ char *path = xasprintf("Documentation/%s.schema.json", names[i]);
		size_t size;
		_cleanup_free_ uint8_t *bytes = file_read(path, &size);
		_cleanup_free_ char *schema = xstrndup((const char *)bytes, size);

		assert_schema(schema, NULL);
	}
}

/* Numbers are as short as they can be, and read back as they were. */
static void exact_numbers(void **state)
{
	static const struct {
		double value;
		bool single;
		const char *text;
	} numbers[] = {
		{ 0, false, "0" },
		{ -0.5, false, "-0.5" },
		{ 802.27, false, "802.27" },
		{ 1e-6, false, "0.000001" },
		{ 3e-7, false, "2.9999999999999999e-07" },
		{ 1.0 / 3, false, "0.33333333333333331" },
		{ 999999999.5, false, "999999999.5" },
		{ 1e300, false, "1.0000000000000001e+300" },
		{ 0.1f, true, "0.1" },
		{ 16777216.0f, true, "16777216" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		struct sink sink = { .text = STRBUF_INIT };
		struct json json = JSON_INIT(take, &sink);
		double value = numbers[i].value;

		json_double_exact(&json, NULL, value, numbers[i].single);
		json_finish(&json);
		sink.text.data[strcspn(sink.text.data, "\n")] = '\0';
		assert_string_equal(sink.text.data, numbers[i].text);
		assert_true(numbers[i].single ? strtof(sink.text.data, NULL) == (float)value
					      : strtod(sink.text.data, NULL) == value);
		strbuf_deinit(&sink.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_what_is_no_utf8),
		cmocka_unit_test(test_nesting_and_numbers),
		cmocka_unit_test(exact_numbers),
		cmocka_unit_test(test_long_output_is_flushed_on_the_way),
		cmocka_unit_test(test_schemas_are_known),
		cmocka_unit_test(test_our_schemas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
