// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/unit.h"

#include <string.h>

#include "base/json_read.h"
#include "base/memory.h"

/* A text, a number and the sum of a list, which a document has. */
struct read {
	struct string_pool strings;
	const char *text;
	int64_t number;
	int64_t sum;
	struct error *error;
};

/* Reads {"text": ..., "number": ..., "list": [...]}, in any order. */
static void read_document(struct read *read, const char *document)
{
	struct json_reader reader = json_reader_of(document, strlen(document), &read->strings);
	const char *name;

	json_read_object(&reader);
	while ((name = json_read_member(&reader)))
		if (!strcmp(name, "text")) {
			read->text = json_read_string(&reader);
		} else if (!strcmp(name, "number")) {
			read->number = json_read_integer(&reader);
		} else if (!strcmp(name, "list")) {
			json_read_array(&reader);
			while (json_read_element(&reader))
				read->sum += json_read_integer(&reader);
		} else {
			json_read_other(&reader);
		}
	read->error = json_reader_finish(&reader, "file");
}

static void read_deinit(struct read *read)
{
	error_destroy(read->error);
	string_pool_deinit(&read->strings);
}

static void values_are_read(void **state)
{
	struct read read = { 0 };

	(void)state;
	read_document(&read, " {\"other\" : {\"a\":[1,{\"b\":[]},\"]\"],\"c\":{}, \"d\":-1.5e3},\n"
			     "\"number\":-42, \"list\":[ 1,2 , 3],\"no\":null,\"yes\":true,"
			     "\"text\":\"a\\n\\\"\\u00e9\\ud83d\\ude00/\"} \n");
	assert_null(read.error);
	assert_int_equal(read.number, -42);
	assert_int_equal(read.sum, 6);
	assert_string_equal(read.text, "a\n\"\xc3\xa9\xf0\x9f\x98\x80/");
	read_deinit(&read);
}

/* Each mistake is told once, with its line. */
static void mistakes_are_told(void **state)
{
	static const struct {
		const char *document, *message;
	} cases[] = {
		{ "", "file: line 1: the text ends too early" },
		{ "[]", "file: line 1: an object is missing" },
		{ "{\"number\":1", "file: line 1: the text ends too early" },
		{ "{\n\"number\" 1}", "file: line 2: a colon is missing" },
		{ "{\"list\":[1\n2]}", "file: line 2: a comma is missing" },
		{ "{\"list\":[1,]}", "file: line 1: a whole number is missing" },
		{ "{\"number\":1.5}", "file: line 1: a whole number is missing" },
		{ "{\"number\":99999999999999999999}", "file: line 1: a number is too large" },
		{ "{\"number\":-9223372036854775809}", "file: line 1: a number is too large" },
		{ "{\"text\":\"a", "file: line 1: a string does not end" },
		{ "{\"text\":\"a\nb\"}", "file: line 2: a control character is in a string" },
		{ "{\"text\":\"\\u0000\"}", "file: line 1: \\u does not name a character" },
		{ "{\"text\":\"\\ud800\"}", "file: line 1: \\u does not name a character" },
		{ "{\"text\":\"\\u12\"}", "file: line 1: \\u needs four digits" },
		{ "{\"text\":\"\\x\"}", "file: line 1: an escape is not known" },
		{ "{\"more\":}", "file: line 1: a value is missing" },
		{ "{} {}", "file: line 1: something follows the value" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct read read = { 0 };

		read_document(&read, cases[i].document);
		assert_non_null(read.error);
		assert_string_equal(read.error->message, cases[i].message);
		read_deinit(&read);
	}
}

static void depth_is_bounded(void **state)
{
	char document[1000] = "{\"more\":";
	struct read read = { 0 };

	(void)state;
	memset(document + strlen(document), '[', 900);
	read_document(&read, document);
	assert_string_equal(read.error->message, "file: line 1: values are nested too deeply");
	read_deinit(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
