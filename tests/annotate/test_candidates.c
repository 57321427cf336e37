// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice among candidates: each row is a list of them, and what is chosen. */
#include "tests/support/unit.h"

#include "annotate/types/candidates.h"
#include "tests/annotate/made_types.h"

struct made {
	struct made_types types;
	/* `whole` has a `part` at 16 and one at 48; `text` begins as `head` does */
	const struct type *word, *part, *whole, *other, *head, *text;
};

static void make(struct made *made)
{
	made_types_init(&made->types);
	made->word = made_integer(&made->types, "long", 8);
	made->part = MADE_STRUCT(&made->types, "part", 16, { .name = "a", .type = made->word },
				 { .name = "b", .type = made->word, .offset = 8 });
	made->whole = MADE_STRUCT(&made->types, "whole", 72, { .name = "c", .type = made->word },
				  { .name = "part", .type = made->part, .offset = 16 },
				  { .name = "d", .type = made->word, .offset = 32 },
				  { .name = "last", .type = made->part, .offset = 48 });
	made->other = MADE_STRUCT(&made->types, "other", 24, { .name = "e", .type = made->word },
				  { .name = "part", .type = made->part, .offset = 8 });
	made->head = MADE_STRUCT(&made->types, "head", 8, { .name = "kind", .type = made->word });
	made->text = MADE_STRUCT(&made->types, "text", 16, { .name = "kind", .type = made->word },
				 { .name = "length", .type = made->word, .offset = 8 });
}

static void assert_chosen(const struct candidates *list, const struct type *type, int64_t offset)
{
	struct field_ref field;

	assert_int_equal(candidates_choose(list, &field), CHOICE_ONE);
	assert_ptr_equal(field.type, type);
	assert_int_equal(field.offset, offset);
}

static void assert_not_chosen(const struct candidates *list, enum candidate_choice choice)
{
	struct field_ref field;

	assert_int_equal(candidates_choose(list, &field), choice);
}

static void test_ranks(void **state)
{
	struct candidates list;
	struct made made;

	(void)state;
	make(&made);
	candidates_start(&list, 8, FITS_WHOLE);
	assert_not_chosen(&list, CHOICE_NONE);
	/* half a member, and padding, do not fit */
	candidates_add(&list, made.whole, 4, 0, 0);
	candidates_add(&list, made.whole, 8, 0, 0);
	assert_not_chosen(&list, CHOICE_NONE);
	candidates_add(&list, made.whole, 24, 0, 3);
	assert_chosen(&list, made.whole, 24);
	/* the same once more; then its part */
	candidates_add(&list, made.whole, 24, 0, 3);
	assert_int_equal(list.count, 1);
	candidates_add(&list, made.part, 8, 0, 3);
	assert_chosen(&list, made.part, 8);
	/* a record that has nothing to do with these, behind and before them */
	candidates_add(&list, made.text, 8, 0, 4);
	assert_chosen(&list, made.part, 8);
	candidates_add(&list, made.text, 8, 0, 3);
	assert_not_chosen(&list, CHOICE_SEVERAL);
	candidates_add(&list, made.text, 8, 0, 2);
	assert_chosen(&list, made.text, 8);
	candidates_contest(&list, made.other, 8, 2);
	assert_not_chosen(&list, CHOICE_SEVERAL);
	made_types_deinit(&made.types);
}

static void test_heads(void **state)
{
	struct candidates list;
	struct made made;

	(void)state;
	make(&made);
	candidates_start(&list, 8, FITS_WHOLE);
	candidates_add(&list, made.text, 0, 0, 0);
	candidates_add(&list, made.head, 0, 0, 0);
	assert_not_chosen(&list, CHOICE_SEVERAL);
	list.heads = true;
	assert_chosen(&list, made.head, 0);
	made_types_deinit(&made.types);
}

static void test_around(void **state)
{
	struct outside_access access = { .offset = -8 };
	struct candidates list;
	struct made made;

	(void)state;
	make(&made);
	access.inner = made.part;
	/* before the part there is padding in `whole`, at one place, and its end at the other */
	candidates_start(&list, 8, FITS_WHOLE);
	candidates_around(&list, made.other, &access, 0);
	assert_chosen(&list, made.other, 0);
	candidates_around(&list, made.whole, &access, 0);
	assert_chosen(&list, made.other, 0);
	/* two places of one record contest */
	access.offset = -16;
	candidates_start(&list, 8, FITS_WHOLE);
	candidates_around(&list, made.whole, &access, 0);
	assert_not_chosen(&list, CHOICE_SEVERAL);
	made_types_deinit(&made.types);
}

static void test_bound(void **state)
{
	struct candidates list;
	struct made made;

	(void)state;
	make(&made);
	const struct type *array = made_array(&made.types, made.word, 2 * CANDIDATES_MAX);

	candidates_start(&list, 8, FITS_ANY);
	for (uint32_t i = 0; i <= CANDIDATES_MAX; i++)
		candidates_add(&list, array, 8 * i, 0, (uint8_t)i);
	/* more than the list takes: any of these may be meant */
	assert_int_equal(list.count, CANDIDATES_MAX);
	assert_not_chosen(&list, CHOICE_SEVERAL);
	made_types_deinit(&made.types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_around),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
