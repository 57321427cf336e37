// SPDX-License-Identifier: GPL-2.0-or-later
/* Uses of an unknown value: parts of one object add up, and two uses of the same bytes disagree. */
#include "tests/support/unit.h"

#include "annotate/values/origins.h"
#include "tests/annotate/made_types.h"

struct made_uses {
	struct made_types types;
	const struct type *byte, *first, *second;
	struct origins origins;
	struct value value; /* that the function gets in its first register */
};

static void start(struct made_uses *made)
{
	memset(made, 0, sizeof(*made));
	made_types_init(&made->types);
	made->byte = made_integer(&made->types, "char", 1);
	const struct type *number = made_integer(&made->types, "long", 8);

	made->first = MADE_STRUCT(&made->types, "first", 8, { .name = "a", .type = number });
	made->second = MADE_STRUCT(&made->types, "second", 16, { .name = "b", .type = number },
				   { .name = "c", .type = number, .offset = 8 });
	origins_start(&made->origins, 1, 1);
	made->value = value_unknown(origins_id(&made->origins, origin_key_entry(0)));
}

/* Notes that the value and `offset` are used as a pointer to the type. */
static void use(struct made_uses *made, int64_t offset, const struct type *type)
{
	struct value value = made->value;

	value.offset = offset;
	origins_use(&made->origins, &value, type, 0);
}

static void finish(struct made_uses *made)
{
	origins_deinit(&made->origins);
	made_types_deinit(&made->types);
}

/* The buffer begins 64 bytes before the record. */
static void test_record_after_bytes(void **state)
{
	struct made_uses made;
	const struct origin *origin;

	(void)state;
	start(&made);
	use(&made, 0, made.byte);
	use(&made, 64, made.second);
	origin = &made.origins.items[made.value.origin];
	assert_ptr_equal(origin->use.type, made.second);
	assert_int_equal(origin->use.offset, -64);
	assert_false(origin->refused);
	finish(&made);
}

/* Two parts that do not overlap are parts of one object; the same bytes are no two things. */
static void test_two_records(void **state)
{
	struct made_uses made;
	const struct origin *origin;

	(void)state;
	start(&made);
	use(&made, 0, made.first);
	use(&made, 8, made.second);
	origin = &made.origins.items[made.value.origin];
	assert_ptr_equal(origin->use.type, made.first);
	assert_false(origin->refused);
	use(&made, -8, made.second);
	assert_true(origin->refused);
	finish(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_after_bytes),
		cmocka_unit_test(test_two_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
