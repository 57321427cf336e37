// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of rules is whole and in order. (cases/rule_*.c show that a rule that is off does
 * nothing.) */
#include "tests/support/unit.h"

#include <string.h>

#include "annotate/access.h"
#include "annotate/rules/rules.h"
#include "base/error.h"
#include "base/memory.h"
#include "tests/support/files.h"

static void each_rule_is_described(void **state)
{
	(void)state;
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++) {
		assert_non_null(rules[i].name);
		assert_non_null(rules[i].reason);
		assert_non_null(rules[i].example);
		assert_true(strlen(rules[i].name) > 2);
		assert_int_equal(strspn(rules[i].name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(rules[i].name));
		for (unsigned int j = RULE_NONE + 1; j < i; j++)
			assert_string_not_equal(rules[i].name, rules[j].name);
	}
}

/* A rule that stands outside of its stage would never be tried. */
static void stages_follow_each_other(void **state)
{
	(void)state;
	assert_int_equal(rules_first(STAGE_BASE), RULE_NONE + 1);
	for (unsigned int stage = 0; stage < STAGE_COUNT; stage++) {
		assert_true(rules_first(stage) < rules_first(stage + 1));
		assert_true(strlen(rule_stage_name(stage)) > 0);
		for (unsigned int i = rules_first(stage); i < rules_first(stage + 1); i++)
			assert_int_equal(rules[i].stage, stage);
	}
}

static void rules_that_refuse_have_a_reason(void **state)
{
	(void)state;
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++) {
		bool chooses = rules[i].verdict == RULE_ANSWERS || rules[i].verdict == RULE_INFERS;

		if (rules[i].verdict == RULE_REFUSES)
			assert_int_not_equal(rules[i].refusal, REASON_NONE);
		else if (!chooses) /* candidates may differ */
			assert_int_equal(rules[i].refusal, REASON_NONE);
		assert_int_equal(rules[i].verdict == RULE_EVIDENCE,
				 rules[i].applies.access == NULL);
	}
}

static void names_are_looked_up(void **state)
{
	struct error *error;

	(void)state;
	assert_null(rules_switch_off("misfit,far-scalar"));
	assert_false(rule_is_on(RULE_MISFIT));
	assert_false(rule_is_on(RULE_FAR_SCALAR));
	assert_true(rule_is_on(RULE_FAR_POINTER));
	memset(rules_off, 0, sizeof(rules_off));
	error = rules_switch_off("misfit,far");
	assert_non_null(error);
	assert_non_null(strstr(error->message, "no rule 'far'"));
	error_destroy(error);
	error = rules_switch_off("");
	assert_non_null(error);
	error_destroy(error);
	memset(rules_off, 0, sizeof(rules_off));
}

static char *document(const char *path)
{
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);

	return xstrndup((const char *)bytes, size);
}

static enum rule_id rule_of_length(const char *name, size_t length)
{
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++)
		if (strlen(rules[i].name) == length && strncmp(rules[i].name, name, length) == 0)
			return i;
	return RULE_NONE;
}

/* The table is the source: the page of the engine describes each rule, and the page of measurements
 * has no row of a rule that is gone. */
static void documents_have_the_rules(void **state)
{
	_cleanup_free_ char *engine = document("Documentation/type-engine.md");
	_cleanup_free_ char *measured = document("Documentation/measurements.md");
	unsigned int rows = 0;

	(void)state;
	for (unsigned int i = RULE_NONE + 1; i < RULE_COUNT; i++) {
		_cleanup_free_ char *quoted = xasprintf("`%s`", rules[i].name);

		if (!strstr(engine, quoted))
			fail_msg("type-engine.md has no rule %s", rules[i].name);
	}
	char *table = strstr(measured, "\n| rule |");

	assert_non_null(table);
	*strstr(table, "\n\n") = '\0';
	for (const char *at = table; (at = strstr(at, "\n| `")); rows++) {
		at += strlen("\n| `");
		size_t length = strcspn(at, "`\n");

		if (!rule_of_length(at, length))
			fail_msg("measurements.md has a rule that is gone: %.*s", (int)length, at);
	}
	assert_true(rows > RULE_COUNT / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_is_described),
		cmocka_unit_test(stages_follow_each_other),
		cmocka_unit_test(rules_that_refuse_have_a_reason),
		cmocka_unit_test(names_are_looked_up),
		cmocka_unit_test(documents_have_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
