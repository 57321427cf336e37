// SPDX-License-Identifier: GPL-2.0-or-later
/* Growing strings, error messages, and suggestions for misspelt words. */
#include "tests/support/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/strbuf.h"

static void test_buffer_grows(void **state)
{
	struct strbuf buffer = STRBUF_INIT;

	(void)state;
	assert_string_equal(buffer.data, "");
	for (int i = 0; i < 1000; i++) {
		strbuf_add_format(&buffer, "%d,", i);
		assert_int_equal(strlen(buffer.data), buffer.length);
	}
	assert_memory_equal(buffer.data, "0,1,2,3,", 8);
	assert_string_equal(buffer.data + buffer.length - 8, "998,999,");
	strbuf_deinit(&buffer);
	assert_string_equal(buffer.data, "");
}

static void test_buffer_holds_any_byte(void **state)
{
	struct strbuf buffer = STRBUF_INIT;

	(void)state;
	strbuf_add(&buffer, "a\0b", 3);
	strbuf_add_char(&buffer, '\0');
	strbuf_add_string(&buffer, "c");
	assert_int_equal(buffer.length, 5);
	assert_memory_equal(buffer.data, "a\0b\0c", 6);
	strbuf_reset(&buffer);
	assert_int_equal(buffer.length, 0);
	assert_string_equal(buffer.data, "");
	strbuf_deinit(&buffer);
}

static void test_buffer_is_cut_and_made_printable(void **state)
{
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	(void)state;
	strbuf_truncate(&buffer, 0);
	assert_string_equal(buffer.data, "");
	strbuf_add_string(&buffer, "\n");
	/* Only what is appended changes; eight bytes are tested at a time. */
	strbuf_add_printable(&buffer, "\x1b[31m a name \x7f\xc3\xa9");
	assert_string_equal(buffer.data, "\n?[31m a name ?\xc3\xa9");
	/*
	 * U+009B begins an escape sequence as ESC [ does, in UTF-8 and, on terminals of eight bits,
	 * as the byte alone. The same byte within another character is harmless, as are letters of
	 * Latin-1.
	 */
	strbuf_truncate(&buffer, 6);
	strbuf_add_printable(&buffer, "\xc2\x9b"
				      "2J \x9b"
				      "1m \xe0\x9b\xc2\x85 \xc3\x9b\xe2\x82\xac \xe4");
	assert_string_equal(buffer.data + 6, "??2J ?1m \xe0??? \xc3\x9b\xe2\x82\xac \xe4");
	strbuf_truncate(&buffer, 6);
	strbuf_add_string(&buffer, "\t\xe2\x80\x9c\n\xc2\x9b\x01");
	make_lines_printable(buffer.data + 6, buffer.length - 6, "\t");
	assert_string_equal(buffer.data + 6, "\t\xe2\x80\x9c????");
	strbuf_truncate(&buffer, 6);
	assert_int_equal(buffer.length, 6);
	assert_string_equal(buffer.data, "\n?[31m");
}

/* Names in a printable text begin no line and move no cursor, however they are appended; newlines
 * of the program's own literals and formats stay. */
static void test_printable_text(void **state)
{
	static const char *const names[] = {
		"a\n\033[1mb",
		"\001\002\003\004\005\006\007\010\n\013\014\r\016\017\020\021\022\023\024"
		"\025\026\027\030\031\032\033\034\035\036\037",
		"\xc2\x9b"
		"2J",
		"\n",
		/* shown from right to left */
		"a\u202eb\u2069"
	};
	static const char *const shown[] = { "a??[1mb", "??????????????????????????????", "??2J",
					     "?", "a???b???" };
	char any[256];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT, other = STRBUF_TEXT,
					       wanted = STRBUF_INIT;
		const char *name = names[i];

		strbuf_add_string(&text, "first\n");
		strbuf_add_string(&text, name);
		strbuf_add_string(&text, "\n");
		strbuf_add(&text, name, strlen(name));
		strbuf_add_format(&text, "\n\t%s %d\n", name, 3);
		strbuf_add_format(&other, "%s\n", name);
		strbuf_add_text(&text, &other);
		strbuf_add_printable(&text, name);
		/* the format's own newlines are lost if the text has each control character */
		strbuf_add_format(&wanted,
				  i == 1 ? "first\n%s\n%s?\t%s 3?%s?%s"
					 : "first\n%s\n%s\n\t%s 3\n%s\n%s",
				  shown[i], shown[i], shown[i], shown[i], shown[i]);
		assert_string_equal(text.data, wanted.data);
	}
	for (int i = 0; i < 255; i++)
		any[i] = (char)(i + 1);
	any[255] = '\0';

	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	strbuf_add_format(&text, "%s\n", any);
	for (size_t i = 0; i < text.length; i++)
		assert_true((unsigned char)text.data[i] >= ' ' || text.data[i] == '\t');
	free(strbuf_detach(&text));
	assert_true(text.printable);
	strbuf_deinit(&text);
	assert_true(text.printable);
}

/* Eight bytes are tested at a time, and the last eight may overlap with those before. */
static void test_words_of_a_shell(void **state)
{
	static const struct {
		const char *word, *shown;
	} cases[] = {
		{ "perf.data", "perf.data" }, { "/a/b-c_1", "/a/b-c_1" }, { "", "''" },
		{ "a b", "'a b'" },           { "$(id)", "'$(id)'" },     { "it's", "'it'\\''s'" },
		{ "-rf", "'-rf'" },           { "a\n;b", "'a?;b'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_add_shell_word(&text, cases[i].word);
		assert_string_equal(text.data, cases[i].shown);
	}
}

static void test_each_byte_is_made_printable(void **state)
{
	(void)state;
	for (size_t length = 1; length < 28; length++)
		for (size_t at = 0; at < length; at++) {
			char text[32] = "abcdefghijklmnopqrstuvwxyz01", expected[32];

			text[length] = '\0';
			memcpy(expected, text, sizeof(text));
			text[at] = at % 2 ? '\033' : '\177';
			expected[at] = '?';
			make_printable(text, length);
			assert_string_equal(text, expected);
		}
}

static void test_prefixes_suffixes_and_base_names(void **state)
{
	(void)state;
	assert_true(starts_with("//anon", "//"));
	assert_false(starts_with("/", "//"));
	assert_true(ends_with("nf.ko", ".ko"));
	assert_true(ends_with(".ko", ".ko"));
	assert_false(ends_with("ko", ".ko"));
	assert_string_equal(base_name("/usr/bin/lua"), "lua");
	assert_string_equal(base_name("lua"), "lua");
	assert_string_equal(base_name("/usr/bin/"), "/usr/bin/");
}

static void test_detached_string_is_the_callers(void **state)
{
	struct strbuf buffer = STRBUF_INIT;
	char *text;

	(void)state;
	text = strbuf_detach(&buffer);
	assert_string_equal(text, "");
	free(text);
	strbuf_add_string(&buffer, "field");
	text = strbuf_detach(&buffer);
	assert_string_equal(text, "field");
	assert_string_equal(buffer.data, "");
	strbuf_add_string(&buffer, "other");
	assert_string_equal(text, "field");
	free(text);
	strbuf_deinit(&buffer);
}

static void test_error_says_what_and_where(void **state)
{
	struct error *error = error_errno(ENOENT, "reading %s", "a.out");

	(void)state;
	assert_int_equal(error->code, ERROR_NOT_FOUND);
	assert_string_equal(error->message, "reading a.out: No such file or directory");
	error = error_prefix(error, "event %d", 2);
	assert_int_equal(error->code, ERROR_NOT_FOUND);
	assert_string_equal(error->message, "event 2: reading a.out: No such file or directory");
	error_destroy(error);
	error = error_errno(EPERM, "perf_event_open");
	assert_int_equal(error->code, ERROR_PERMISSION);
	error_destroy(error);
	error_destroy(NULL);
}

static struct error *fails_if(int condition)
{
	return condition ? error_create(ERROR_FORMAT, "offset %d", condition) : NULL;
}

static struct error *hands_up(int condition, int *result)
{
	RETURN_ERROR(fails_if(condition));
	*result = 1;
	return NULL;
}

static void test_error_is_handed_up(void **state)
{
	int result = 0;
	struct error *error = hands_up(7, &result);

	(void)state;
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_FORMAT);
	assert_string_equal(error->message, "offset 7");
	assert_int_equal(result, 0);
	error_destroy(error);
	assert_null(hands_up(0, &result));
	assert_int_equal(result, 1);
}

static const char *nearest_of(const char *word)
{
	static const char *const keys[] = { "overhead", "sample", "period", "type",
					    "typeoff",  "sym",    "symoff" };
	struct nearest nearest = { .word = word };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		nearest_consider(&nearest, keys[i]);
	return nearest.best;
}

static void test_nearest_word(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("tpye"), "type");
	assert_string_equal(nearest_of("typeof"), "typeoff");
	assert_string_equal(nearest_of("perod"), "period");
	assert_string_equal(nearest_of("samples"), "sample");
	assert_null(nearest_of("zzzzzzzz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buffer_grows),
		cmocka_unit_test(test_buffer_holds_any_byte),
		cmocka_unit_test(test_buffer_is_cut_and_made_printable),
		cmocka_unit_test(test_printable_text),
		cmocka_unit_test(test_words_of_a_shell),
		cmocka_unit_test(test_each_byte_is_made_printable),
		cmocka_unit_test(test_prefixes_suffixes_and_base_names),
		cmocka_unit_test(test_detached_string_is_the_callers),
		cmocka_unit_test(test_error_says_what_and_where),
		cmocka_unit_test(test_error_is_handed_up),
		cmocka_unit_test(test_nearest_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
