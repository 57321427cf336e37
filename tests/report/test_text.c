// SPDX-License-Identifier: GPL-2.0-or-later
/* Widths of text on a terminal, and names that are shortened. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/strbuf.h"
#include "report/text.h"

static size_t columns(const char *text)
{
	return text_columns(text, strlen(text));
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(columns(""), 0);
	assert_int_equal(columns("std::vector<int>"), 16);
	assert_int_equal(columns("K\xc3\xa4se"), 4);
	assert_int_equal(columns("\xe5\xad\x97"), 2); /* a wide character */
	assert_int_equal(columns("e\xcc\x81"), 1);    /* e and an accent that stands on it */
	assert_int_equal(columns("\xf0\x9f\x90\xa7!"), 3);
	assert_int_equal(columns("\xff\xfe"), 2); /* no UTF-8 */
	assert_int_equal(columns("a\xc3"), 2);
}

static void test_fitting(void **state)
{
	(void)state;
	assert_int_equal(text_fitting("abcdef", 6, 4), 4);
	assert_int_equal(text_fitting("ab", 2, 4), 2);
	assert_int_equal(text_fitting("\xc3\xa4\xc3\xb6\xc3\xbc", 6, 2), 4);
	assert_int_equal(text_fitting("\xe5\xad\x97\xe5\xad\x97", 6, 3),
			 3); /* half of a wide character does not fit */
}

static void assert_shortened(const char *text, size_t to, const char *expected)
{
	struct strbuf buffer _cleanup_strbuf_ = STRBUF_INIT;

	strbuf_add_string(&buffer, "> ");
	strbuf_add_string(&buffer, text);
	text_shorten(&buffer, 2, to);
	assert_string_equal(buffer.data + 2, expected);
	assert_int_equal(buffer.length, 2 + strlen(expected));
	assert_true(columns(expected) <= to);
}

static void test_shorten(void **state)
{
	(void)state;
	assert_shortened("abcdefghij", 10, "abcdefghij");
	assert_shortened("abcdefghij", 9, "abc...hij");
	assert_shortened("abcdefghij", 8, "abc...ij");
	assert_shortened("abcdefghij", 4, "a...");
	assert_shortened("abcdefghij", 3, "abc");
	assert_shortened("abcdefghij", 0, "");
	assert_shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 5,
			 "\xc3\xa4...\xc3\xa4");
	assert_shortened("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 7,
			 "\xe5\xad\x97...\xe5\xad\x97");
	assert_shortened("\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97\xe5\xad\x97", 6, "\xe5\xad\x97...");
}

static void test_numbers_in_groups(void **state)
{
	static const struct {
		uint64_t number;
		const char *text;
	} cases[] = { { 0, "0" },
		      { 999, "999" },
		      { 1000, "1,000" },
		      { 33120, "33,120" },
		      { 1234567, "1,234,567" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strbuf buffer _cleanup_strbuf_ = STRBUF_INIT;

		text_add_grouped(&buffer, cases[i].number);
		assert_string_equal(buffer.data, cases[i].text);
	}
}

static void assert_name(const char *text, size_t to, const char *expected)
{
	struct strbuf buffer _cleanup_strbuf_ = STRBUF_INIT;

	strbuf_add_string(&buffer, text);
	text_shorten_name(&buffer, 0, to, "...");
	assert_string_equal(buffer.data, expected);
	assert_true(columns(expected) <= to);
}

static void test_template_arguments_go_first(void **state)
{
	(void)state;
	assert_name("map<pair<int, text<char>>, less<int>>::node", 43,
		    "map<pair<int, text<char>>, less<int>>::node");
	assert_name("map<pair<int, text<char>>, less<int>>::node", 42,
		    "map<pair<int, text<...>>, less<int>>::node");
	assert_name("map<pair<int, text<char>>, less<int>>::node", 40,
		    "map<pair<int, ...>, less<int>>::node");
	assert_name("map<pair<int, text<char>>, less<int>>::node", 31,
		    "map<pair<...>, less<int>>::node");
	assert_name("map<pair<int, text<char>>, less<int>>::node", 30, "map<pair<...>, ...>::node");
	assert_name("map<pair<int, text<char>>, less<int>>::node +24 (age)", 30,
		    "map<...>::node +24 (age)");
	assert_name("map<pair<int, text<char>>, less<int>>::node +24 (age)", 20,
		    "map<...>:...24 (age)");
	/* the inner arguments of Rust go first, and the path of the type stays */
	assert_name("alloc::vec::Vec<core::option::Option<alloc::boxed::Box<game::Unit>>> +8 (len)",
		    70, "alloc::vec::Vec<core::option::Option<alloc::boxed::Box<...>>> +8 (len)");
	assert_name("alloc::vec::Vec<core::option::Option<alloc::boxed::Box<game::Unit>>> +8 (len)",
		    40, "alloc::vec::Vec<...> +8 (len)");
	/* the brackets of an operator do not count, and unmatched ones are left alone */
	assert_name("list<item>::operator<(list<item> const&)", 38,
		    "list<...>::operator<(list<...> const&)");
	assert_name("a > b > c > d > e", 10, "a > ...> e");
}

static void assert_wrapped(const char *words, size_t column, size_t width, size_t indent,
			   const char *expected)
{
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	text_add_wrapped(&buffer, words, column, width, indent);
	assert_string_equal(buffer.data, expected);
}

static void test_wrapping(void **state)
{
	(void)state;
	assert_wrapped("one two three", 0, 0, 2, "one two three");
	assert_wrapped("one two three", 0, 7, 2, "one two\n  three");
	assert_wrapped("one two three", 4, 10, 2, "one\n  two\n  three");
	/* text that is wrapped for another width is wrapped again */
	assert_wrapped("one\ntwo\nthree", 0, 13, 2, "one two three");
	/* a path is not broken */
	assert_wrapped("in /a/very/long/path/of/files now", 0, 10, 2,
		       "in\n  /a/very/long/path/of/files\n  now");
	assert_wrapped("\303\274\303\274 \303\274\303\274", 0, 5, 0,
		       "\303\274\303\274 \303\274\303\274");
}

static void assert_folded(const char *text, size_t column, size_t width, size_t indent,
			  const char *expected)
{
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	strbuf_add_string(&buffer, "->");
	strbuf_add_string(&buffer, text);
	text_fold(&buffer, 2, column, width, indent);
	assert_int_equal(buffer.length, strlen(buffer.data));
	assert_string_equal(buffer.data + 2, expected);
}

static void test_folding(void **state)
{
	(void)state;
	assert_folded("", 0, 10, 2, "");
	assert_folded("one two three", 0, 0, 2, "one two three");
	assert_folded("one two three", 0, 13, 2, "one two three");
	assert_folded("one two three", 0, 12, 2, "one two\n  three");
	assert_folded("one two three", 3, 13, 0, "one two\n   three");
	/* blanks between words stay where the line is not broken */
	assert_folded("one   two  three\n", 0, 12, 2, "one   two\n  three\n");
	/* further lines begin as the line does */
	assert_folded("  one two three\nfour\n", 0, 12, 2, "  one two\n    three\nfour\n");
	assert_folded("# one two three", 0, 12, 2, "# one two\n#   three");
	assert_folded("\tone two", 0, 12, 0, "\tone\n      two");
	/* tabs count as on a terminal */
	assert_folded("one\ttwo", 0, 11, 2, "one\ttwo");
	assert_folded("one\ttwo", 0, 10, 2, "one\n  two");
	/* a word that is longer than a line is broken, characters are not */
	assert_folded("/a/very/long/path x", 0, 10, 2, "/a/very/lo\n  ng/path\n  x");
	assert_folded("\303\274\303\274\303\274", 0, 2, 0, "\303\274\303\274\n\303\274");
	assert_folded("\343\201\202\343\201\202", 0, 3, 0, "\343\201\202\n\343\201\202");
	/* a terminal that is too narrow for anything still gets all characters */
	assert_folded("abc", 0, 1, 4, "a\nb\nc");
	/* nothing but blanks is left after the break */
	assert_folded("one two   ", 0, 7, 2, "one two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_fitting),
		cmocka_unit_test(test_shorten),
		cmocka_unit_test(test_template_arguments_go_first),
		cmocka_unit_test(test_numbers_in_groups),
		cmocka_unit_test(test_wrapping),
		cmocka_unit_test(test_folding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
