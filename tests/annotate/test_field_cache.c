// SPDX-License-Identifier: GPL-2.0-or-later
/* A cached answer about a field reference is the one that would be found again. */
#include "tests/support/unit.h"

#include "annotate/types/field.h"
#include "tests/annotate/made_types.h"

/* More field references than the cache holds, so that they replace each other. */
#define OFFSETS 600

static void assert_same(struct field_cache *cache, const struct type *type, int64_t offset,
			uint32_t stride, uint64_t size)
{
	struct field_ref place = { 0 }, again = { 0 };
	enum access_reason reason = field_find(type, offset, stride, size, &place);

	assert_int_equal(field_cache_find(cache, type, offset, stride, size, &again), reason);
	if (reason == REASON_NONE) {
		assert_ptr_equal(again.type, place.type);
		assert_int_equal(again.offset, place.offset);
	}

	const struct fit fit = fit_at(type, offset, size);

	assert_memory_equal(field_cache_fit(cache, type, offset, size), &fit, sizeof(fit));
}

static void test_cached_answers(void **state)
{
	struct made_types types;

	(void)state;
	made_types_init(&types);
	const struct type *integer = made_integer(&types, "int", 4),
			  *word = made_integer(&types, "long", 8);
	const struct type *character = made_integer(&types, "char", 1);
	const struct type *pair = MADE_STRUCT(&types, "pair", 16, { .name = "first", .type = word },
					      { .name = "second", .type = integer, .offset = 8 });
	const struct type *whole = MADE_STRUCT(
		&types, "whole", OFFSETS, { .name = "pairs", .type = made_array(&types, pair, 20) },
		{ .name = "buffer", .type = made_array(&types, character, 200), .offset = 320 },
		{ .name = "next", .type = made_pointer(&types, pair), .offset = 520 });
	const struct type *const asked[] = { whole, pair, word, character };
	struct field_cache *cache = field_cache_create();

	for (unsigned int round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
			for (int64_t offset = -8; offset < OFFSETS + 8; offset++)
				for (uint64_t size = 1; size <= 16; size *= 2) {
					assert_same(cache, asked[i], offset, 0, size);
					/* asked again at once, so that it is still in the cache */
					assert_same(cache, asked[i], offset, 0, size);
					assert_same(cache, asked[i], offset, 16, size);
				}
	field_cache_destroy(cache);
	made_types_deinit(&types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cached_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
