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
			  .size = 16,
			  .align = 8,
			  .samples = 900,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 2 },
		.members = { { .name = "key", .size = 8, .align = 8 },
			     { .name = "value", .offset = 8, .size = 8, .align = 8 } },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs_without_samples),
		cmocka_unit_test(test_one_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
