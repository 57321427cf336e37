// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing command lines. */
#include "tests/support/unit.h"

#include <string.h>

#include "profiler/cli/options.h"

static struct {
	bool number, hierarchy, header, header_only;
	unsigned int verbose, threads;
	uint64_t count;
	const char *sort, *output;
	double limit;
	char type[32];
} given;

static struct error *parse_type(void *value, const char *argument)
{
	if (argument && !strcmp(argument, "bad"))
		return error_create(ERROR_OTHER, "not that one");
	strcpy(value, argument ? argument : "(all)");
	return NULL;
}

static const struct option_spec specs[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Things", NULL },
	{ OPTION_FLAG, 'n', "number", &given.number, NULL, "n", NULL },
	{ OPTION_FLAG, 'H', "hierarchy", &given.hierarchy, NULL, "h", NULL },
	{ OPTION_FLAG, 0, "header", &given.header, NULL, "h", NULL },
	{ OPTION_FLAG, 0, "header-only", &given.header_only, NULL, "h", NULL },
	{ OPTION_COUNT, 'v', "verbose", &given.verbose, NULL, "v", NULL },
	{ OPTION_STRING, 's', "sort", &given.sort, "KEYS", "s", NULL },
	{ OPTION_UNSIGNED, 0, "threads", &given.threads, "N", "t", NULL },
	{ OPTION_U64, 'c', "count", &given.count, "N", "c", NULL },
	{ OPTION_PERCENT, 0, "percent-limit", &given.limit, "PERCENT", "p", NULL },
	{ OPTION_STRING, 'o', "output", &given.output, "FILE", "o", NULL },
	{ OPTION_CALL_OPTIONAL, 0, "data-type", given.type, "NAME", "d", parse_type },
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage usage = {
	.name = "test", .synopsis = "", .summary = "", .options = specs
};

#define PARSE(style, outcome, rest, ...)                                                           \
	({                                                                                         \
		static char *words[] = { "test", __VA_ARGS__, NULL };                              \
		memset(&given, 0, sizeof(given));                                                  \
		arguments = words;                                                                 \
		options_parse(sizeof(words) / sizeof(*words) - 1, words, &usage, style, outcome,   \
			      rest);                                                               \
	})

static char **arguments;
static enum options_outcome outcome;
static int rest;

#define ASSERT_REFUSED(expected, ...)                                                              \
	do {                                                                                       \
		struct error *error = PARSE(OPTIONS_ANYWHERE, &outcome, &rest, __VA_ARGS__);       \
		assert_non_null(error);                                                            \
		assert_string_equal(error->message, expected);                                     \
		error_destroy(error);                                                              \
	} while (0)

#define ASSERT_PARSED(...) assert_null(PARSE(OPTIONS_ANYWHERE, &outcome, &rest, __VA_ARGS__))

static void test_all_ways_of_writing(void **state)
{
	(void)state;
	ASSERT_PARSED("-n", "--sort", "type,sym", "-vv", "--hierarchy");
	assert_true(given.number && given.hierarchy);
	assert_int_equal(given.verbose, 2);
	assert_string_equal(given.sort, "type,sym");
	assert_int_equal(rest, 0);

	ASSERT_PARSED("-nvs", "comm", "--percent-limit=0.5");
	assert_true(given.number && given.verbose == 1 && given.limit == 0.5);
	assert_string_equal(given.sort, "comm");

	ASSERT_PARSED("-scomm", "--no-number", "-c", "2k");
	assert_string_equal(given.sort, "comm");
	assert_false(given.number);
	assert_int_equal(given.count, 2000);
}

static void test_beginnings_of_names(void **state)
{
	(void)state;
	ASSERT_PARSED("--hier", "--per", "10", "--no-num");
	assert_true(given.hierarchy && given.limit == 10);
	ASSERT_PARSED("--header");
	assert_true(given.header && !given.header_only);
	ASSERT_REFUSED("option --he is ambiguous: --header or another one", "--he");
}

static void test_optional_arguments(void **state)
{
	(void)state;
	ASSERT_PARSED("--data-type", "name");
	assert_string_equal(given.type, "(all)");
	assert_int_equal(rest, 1);
	assert_string_equal(arguments[0], "name");
	ASSERT_PARSED("--data-type=node");
	assert_string_equal(given.type, "node");
	ASSERT_REFUSED("--data-type: not that one", "--data-type=bad");
	ASSERT_REFUSED("-o: the name is empty", "-o", "");
	ASSERT_REFUSED("--output: the name is empty", "--output=");
}

static void test_other_arguments(void **state)
{
	(void)state;
	ASSERT_PARSED("one", "-n", "two", "--", "-v", "-");
	assert_int_equal(rest, 4);
	assert_string_equal(arguments[0], "one");
	assert_string_equal(arguments[1], "two");
	assert_string_equal(arguments[2], "-v");
	assert_string_equal(arguments[3], "-");
	assert_int_equal(given.verbose, 0);

	/* a command to run keeps its own options */
	assert_null(PARSE(OPTIONS_FIRST, &outcome, &rest, "-n", "ls", "-v", "--", "x"));
	assert_int_equal(rest, 4);
	assert_string_equal(arguments[1], "-v");
	assert_string_equal(arguments[2], "--");
	assert_int_equal(given.verbose, 0);
	assert_true(given.number);
}

static void test_help_wins(void **state)
{
	(void)state;
	ASSERT_PARSED("-n", "--help", "--unknown");
	assert_int_equal(outcome, OPTIONS_HELP);
	ASSERT_PARSED("-h");
	assert_int_equal(outcome, OPTIONS_HELP);
	ASSERT_PARSED("-n");
	assert_int_equal(outcome, OPTIONS_RUN);
}

static void test_what_is_refused(void **state)
{
	(void)state;
	ASSERT_REFUSED("unknown option --hierachy; did you mean --hierarchy? (dtprof test --help "
		       "lists all)",
		       "--hierachy");
	ASSERT_REFUSED("unknown option --zzzzzzzz (dtprof test --help lists all)", "--zzzzzzzz");
	ASSERT_REFUSED("unknown option -x (dtprof test --help lists all)", "-nx");
	ASSERT_REFUSED("--sort needs KEYS", "--sort");
	ASSERT_REFUSED("-s needs KEYS", "-ns");
	ASSERT_REFUSED("--number takes no argument", "--number=1");
	ASSERT_REFUSED("--threads takes a number, not 'many'", "--threads", "many");
	ASSERT_REFUSED("--threads takes a number, not '-1'", "--threads=-1");
	ASSERT_REFUSED("--threads takes a number, not '5000000000'", "--threads", "5000000000");
	ASSERT_REFUSED("-c takes a number, not '18446744073709551616'", "-c",
		       "18446744073709551616");
	ASSERT_REFUSED("-c takes a number, not '20000000000G'", "-c20000000000G");
	ASSERT_REFUSED("--percent-limit takes a percentage from 0 to 100, not '101'",
		       "--percent-limit=101");
	ASSERT_REFUSED("--percent-limit takes a percentage from 0 to 100, not 'nan'",
		       "--percent-limit=nan");
}

static void test_numbers(void **state)
{
	unsigned long long number;

	(void)state;
	assert_true(option_number("3M", UINT64_MAX, &number) && number == 3000000);
	assert_true(option_number("0", 0, &number) && number == 0);
	assert_false(option_number("1", 0, &number));
	assert_false(option_number("", 9, &number));
	assert_false(option_number("1kk", UINT64_MAX, &number));
	assert_false(option_number(" 1", 9, &number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_ways_of_writing),
		cmocka_unit_test(test_beginnings_of_names),
		cmocka_unit_test(test_optional_arguments),
		cmocka_unit_test(test_other_arguments),
		cmocka_unit_test(test_help_wins),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
