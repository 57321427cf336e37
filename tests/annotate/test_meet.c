// SPDX-License-Identifier: GPL-2.0-or-later
/* A declared value meets the tracked one. */
#include "tests/support/unit.h"

#include "annotate/facts/abi.h"
#include "annotate/flow/flow.h"
#include "tests/annotate/made_types.h"

struct made_map {
	struct made_types types;
	const struct type *base, *key, *node;
	struct solver solver;
};

/* A node of a map is a base class, and a key and a value after it. */
static void start(struct made_map *made)
{
	memset(made, 0, sizeof(*made));
	made_types_init(&made->types);
	const struct type *number = made_integer(&made->types, "long", 8);

	made->base = MADE_STRUCT(&made->types, "base", 16, { .name = "left", .type = number },
				 { .name = "right", .type = number, .offset = 8 });
	made->key = MADE_STRUCT(&made->types, "key", 8, { .name = "text", .type = number });
	made->node = MADE_STRUCT(&made->types, "node", 32, { .name = "base", .type = made->base },
				 { .name = "key", .type = made->key, .offset = 16 },
				 { .name = "value", .type = number, .offset = 24 });
	solver_init(&made->solver, abi_of(&arch_x86_64), NULL, NULL,
		    &(struct solver_options){ .check = true });
}

/* Combines a pointer to the base class that may be one to a node with the fact that a key is
 * `distance` bytes after it. */
static struct value meet(struct made_map *made, int64_t distance)
{
	struct value tracked = value_pointer(made->base, 0, HOW_TRACKED);

	tracked.alternative = made->node;
	return solver_combine(&made->solver, tracked,
			      value_pointer(made->key, -distance, HOW_VARIABLE), false);
}

static void finish(struct made_map *made)
{
	solver_deinit(&made->solver);
	made_types_deinit(&made->types);
}

/* The search in a map ends at a node's key: what is beside the key is the node's, also where the
 * register may point to the map's own base as well. */
static void test_key_of_alternative(void **state)
{
	struct made_map made;
	struct value value, joined, base;

	(void)state;
	start(&made);
	value = meet(&made, 16);
	assert_ptr_equal(value.type, made.key);
	assert_int_equal(value.offset, -16);
	assert_ptr_equal(value.alternative, made.node);
	assert_int_equal(value.alternative_delta, 16);
	base = value_pointer(made.base, 0, HOW_TRACKED);
	joined = value_join(&value, &base, 1);
	assert_int_equal(joined.kind, VALUE_POINTER);
	assert_ptr_equal(joined.type, made.base);
	assert_int_equal(joined.offset, 0);
	finish(&made);
}

/* A node has no key there: the register points to something else that has one. */
static void test_key_elsewhere(void **state)
{
	struct made_map made;
	struct value value;

	(void)state;
	start(&made);
	value = meet(&made, 24);
	assert_ptr_equal(value.type, made.key);
	assert_int_equal(value.offset, -24);
	assert_ptr_equal(value.alternative, made.base);
	finish(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_of_alternative),
		cmocka_unit_test(test_key_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
