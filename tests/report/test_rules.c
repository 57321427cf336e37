// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of dtprof check: which ones are understood, and the messages for those that are
 * refused. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/rules.h"

static struct layout_rule parse_one(const char *text, struct layout_rules *rules)
{
	struct error *error = layout_rules_parse(text, "rules", rules);

	if (error)
		fail_msg("%s", error->message);
	assert_int_equal(rules->count, 1);
	return rules->items[0];
}

static void test_sizes_and_offsets(void **state)
{
	struct layout_rules rules;
	struct layout_rule rule = parse_one("  sizeof(struct client) <= 768  # bytes\n", &rules);

	(void)state;
	assert_int_equal(rule.kind, CHECK_SIZE);
	assert_string_equal(rule.type, "client");
	assert_string_equal(rule.text, "sizeof(struct client) <= 768");
	assert_true(layout_rule_holds(&rule, 768));
	assert_false(layout_rule_holds(&rule, 769));
	layout_rules_deinit(&rules);
	rule = parse_one("offsetof(client, conn.flags) == 8", &rules);
	assert_int_equal(rule.kind, CHECK_OFFSET);
	assert_string_equal(rule.fields[0], "conn.flags");
	assert_false(layout_rule_holds(&rule, 0));
	layout_rules_deinit(&rules);
	rule = parse_one("holes of app::client < 16", &rules);
	assert_int_equal(rule.kind, CHECK_HOLES);
	assert_string_equal(rule.type, "app::client");
	assert_false(layout_rule_holds(&rule, 16));
	layout_rules_deinit(&rules);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text;
		uint64_t line;
	} cases[] = { { "client.flags in the first line", 0 },
		      { "client.flags in line 3", 3 },
		      { "client.flags in cacheline 1", 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct layout_rules rules;
		struct layout_rule rule = parse_one(cases[i].text, &rules);

		assert_int_equal(rule.kind, CHECK_LINE);
		assert_string_equal(rule.type, "client");
		assert_string_equal(rule.fields[0], "flags");
		assert_int_equal(rule.number, cases[i].line);
		layout_rules_deinit(&rules);
	}
}

static void test_groups(void **state)
{
	static const char *const texts[] = {
		"client {a b, c} within 2 lines",
		"hot group {client.a client.b client.c} within 2 lines",
		"struct client {a b c} in <= 2 cachelines"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct layout_rules rules;
		struct layout_rule rule = parse_one(texts[i], &rules);

		assert_int_equal(rule.kind, CHECK_WITHIN);
		assert_string_equal(rule.type, "client");
		assert_int_equal(rule.field_count, 3);
		assert_string_equal(rule.fields[2], "c");
		assert_int_equal(rule.number, 2);
		layout_rules_deinit(&rules);
	}
}

static void test_heat(void **state)
{
	struct layout_rules rules;
	struct layout_rule rule = parse_one("heat of client in <= 4 lines", &rules);

	(void)state;
	assert_int_equal(rule.kind, CHECK_HEAT);
	assert_true(rule.share == 0.9);
	assert_true(layout_rule_needs_recording(&rule));
	layout_rules_deinit(&rules);
	rule = parse_one("75% of heat of client {a b} in 1 line", &rules);
	assert_true(rule.share == 0.75);
	assert_int_equal(rule.field_count, 2);
	layout_rules_deinit(&rules);
	rule = parse_one("heat of tcp_sock.rx group in <= 4 lines", &rules);
	assert_string_equal(rule.type, "tcp_sock");
	assert_string_equal(rule.group, "rx");
	layout_rules_deinit(&rules);
	rule = parse_one("no field of client written by two threads shares a line with a hot read",
			 &rules);
	assert_int_equal(rule.kind, CHECK_SHARING);
	assert_string_equal(rule.type, "client");
	layout_rules_deinit(&rules);
	rule = parse_one("no field written by two threads shares a line with a hot read", &rules);
	assert_null(rule.type);
	layout_rules_deinit(&rules);
}

static void test_what_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "\n\nclient", "rules:3: this is not a rule" },
		{ "sizeof client <= 3", "sizeof needs a type" },
		{ "sizeof(client) 3", "<=, <, ==, > or >= is missing" },
		{ "sizeof(client) <= many", "a number is missing" },
		{ "sizeof(client) <= 3 bytes", "there is more after the rule" },
		{ "client {} within 2 lines", "the group is empty" },
		{ "client {a b within 2 lines", "is missing" },
		{ "{a b} within 2 lines", "the group needs a type" },
		{ "client.flags in line", "the number of the line is missing" },
		{ "heat of client", "'in <= N lines' is missing" },
		{ "heat of client in > 2 lines", "<= N lines only" },
		{ "no field written", "the rule is: no field" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct layout_rules rules;
		struct error *error = layout_rules_parse(cases[i].text, "rules", &rules);

		assert_non_null(error);
		if (!strstr(error->message, cases[i].message))
			fail_msg("'%s': %s", cases[i].text, error->message);
		error_destroy(error);
		layout_rules_deinit(&rules);
	}
}

static void test_empty_files(void **state)
{
	struct layout_rules rules;

	(void)state;
	assert_null(layout_rules_parse("# nothing\n\n  \n", "rules", &rules));
	assert_int_equal(rules.count, 0);
	layout_rules_deinit(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_and_offsets),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_heat),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_empty_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
