// SPDX-License-Identifier: GPL-2.0-or-later
/* The words of an advice: what says nothing is left out, and one is no plural. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/advice.h"

/* An object with two members that code uses, with nothing to propose. */
struct pair {
	struct advice_machine machine;
	struct advice_type type;
	struct advice_member members[2];
	struct advice_near nears[2];
	struct advice_placed placed[2];
	struct advice_part part;
};

static void pair_init(struct pair *pair)
{
	*pair = (struct pair){
		.machine = { .cacheline = 64, .sizes = { 32768, 1 << 20, 32 << 20 } },
		.type = { .name = "struct pair",
			  .object = "program",
			  .keyword = "struct",
			  .prelude = "",
			  .size = 16,
			  .align = 8,
			  .samples = 900,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 2 },
		.members = { { .name = "key", .declaration = "long key;", .size = 8, .align = 8 },
			     { .name = "value",
			       .declaration = "long value;",
			       .offset = 8,
			       .size = 8,
			       .align = 8 } },
		.placed = { { .member = 0 }, { .member = 1, .offset = 8 } },
		.part = { .name = "pair", .size = 16, .align = 8 },
	};
	pair->type.members = pair->members;
	pair->type.nears = pair->nears;
	pair->type.current = (struct advice_proposal){ .parts = &pair->part,
						       .part_count = 1,
						       .placed = pair->placed };
}

static void print(const struct pair *pair, struct strbuf *page)
{
	strbuf_reset(page);
	advice_print(&pair->type, &pair->machine, page);
}

static void test_pairs_without_samples(void **state)
{
	_cleanup_strbuf_ struct strbuf page = STRBUF_INIT;
	struct pair pair;

	(void)state;
	pair_init(&pair);
	pair.type.near_samples = 400;
	pair.type.near_count = 2;
	pair.nears[0] = (struct advice_near){ 0, 1, 30 };
	pair.nears[1] = (struct advice_near){ 0, 1, 1 };
	print(&pair, &page);
	assert_non_null(strstr(page.data, "by addresses: key and value 8%\n"));
	/* 0% */
	pair.nears[0].samples = 1;
	print(&pair, &page);
	assert_null(strstr(page.data, "by addresses"));
}

static void test_one_sample(void **state)
{
	_cleanup_strbuf_ struct strbuf page = STRBUF_INIT;
	struct pair pair;

	(void)state;
	pair_init(&pair);
	print(&pair, &page);
	assert_non_null(strstr(page.data, "900 of 1000 samples are charged"));
	pair.type.samples = 1;
	print(&pair, &page);
	assert_non_null(strstr(page.data, "1 of 1000 samples is charged"));
}

/* Generated sources say the same of several files with one name. */
static void test_a_constraint_is_said_once(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct pair pair;

	(void)state;
	pair_init(&pair);
	for (int i = 0; i < 4; i++)
		advice_add_constraint(&pair.type, &arena, i < 3 ? RISK_NONE : RISK_BREAK,
				      "'value' stays last");
	assert_int_equal(pair.type.constraint_count, 2);
}

/* A layout is C++ if the program is, and that of a kernel has its macros for groups. */
static void test_languages_of_a_layout(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, kernel = STRBUF_TEXT;
	struct pair pair;

	(void)state;
	pair_init(&pair);
	pair.members[0].samples = pair.members[1].samples = 450;
	emit_c(&pair.type, &pair.type.current, &pair.machine, 0, &text);
	assert_null(strstr(text.data, "__cplusplus"));
	strbuf_reset(&text);
	pair.type.is_cxx = true;
	emit_c(&pair.type, &pair.type.current, &pair.machine, 0, &text);
	assert_non_null(strstr(text.data, "#define _Static_assert static_assert\n"));
	/* macros are lines in a printable text, too */
	pair.type.is_kernel = true;
	emit_c(&pair.type, &pair.type.current, &pair.machine, 0, &kernel);
	assert_non_null(strstr(kernel.data, "#ifndef CACHELINE_ASSERT_GROUP_MEMBER\n#define "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs_without_samples),
		cmocka_unit_test(test_one_sample),
		cmocka_unit_test(test_languages_of_a_layout),
		cmocka_unit_test(test_a_constraint_is_said_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
