// SPDX-License-Identifier: GPL-2.0-or-later
/* The records that variables without a place point to (cases/variables_without_a_place.c has
 * compiled code).
 */
#include "tests/support/unit.h"

#include "annotate/facts/scope_types.h"
#include "tests/annotate/made_types.h"

/* The candidates for an access to a whole member of `size` bytes. */
static struct candidates *start(struct candidates *list, uint64_t size)
{
	candidates_start(list, size, FITS_WHOLE);
	return list;
}

/*
 * A function [0x100, 0x200) with a pointer to `outer`. A function with pointers to `header` and
 * `buffer` is inlined at [0x120, 0x140), and within it, at [0x130, 0x138), one that has only
 * words.
 */
struct made_function {
	struct made_types types;
	const struct type *header, *buffer, *outer;
	struct scope scopes[3];
	struct variable variables[4];
	struct location location;
	struct function function;
};

static const struct address_range ranges[] = { { 0x100, 0x200 },
					       { 0x120, 0x140 },
					       { 0x130, 0x138 } };

static void make_function(struct made_function *made)
{
	memset(made, 0, sizeof(*made));
	made_types_init(&made->types);
	const struct type *word = made_integer(&made->types, "int", 4);
	const struct type *number = made_integer(&made->types, "long", 8);

	made->header = MADE_STRUCT(&made->types, "header", 24, { .name = "owner", .type = number },
				   { .name = "level", .type = word, .offset = 16 });
	made->buffer = MADE_STRUCT(&made->types, "buffer", 16, { .name = "start", .type = number },
				   { .name = "size", .type = word, .offset = 8 });
	made->outer = MADE_STRUCT(&made->types, "outer", 32, { .name = "a", .type = number },
				  { .name = "b", .type = number, .offset = 24 });
	for (uint32_t i = 0; i < 3; i++)
		made->scopes[i] = (struct scope){ .parent = i ? i - 1 : 0,
						  .depth = i,
						  .inlined = i,
						  .ranges = &ranges[i],
						  .range_count = 1 };
	made->location =
		(struct location){ .low = 0x120, .high = 0x140, .kind = LOCATION_REGISTER };
	made->variables[0] =
		(struct variable){ .type = made_pointer(&made->types, made->outer), .scope = 0 };
	made->variables[1] =
		(struct variable){ .type = made_pointer(&made->types, made->header), .scope = 1 };
	made->variables[2] = (struct variable){ .type = made_pointer(&made->types, made->buffer),
						.scope = 1,
						.locations = &made->location,
						.location_count = 1 };
	made->variables[3] =
		(struct variable){ .type = made_pointer(&made->types, word), .scope = 2 };
	made->function = (struct function){ .scopes = made->scopes,
					    .scope_count = 3,
					    .variables = made->variables,
					    .variable_count = 4 };
}

/* True if the choice among the candidates of unlocated_pointer() is *place. */
static bool pointer_is_found(const struct function *function, uint64_t address, bool number,
			     int64_t offset, uint64_t size, struct field_ref *place)
{
	struct candidates list;

	unlocated_pointer(function, address, number, offset, start(&list, size));
	return candidates_choose(&list, place) == CHOICE_ONE;
}

/* The same of unlocated_after() for eight bytes. */
static bool is_found_after(const struct function *function, uint64_t address,
			   const struct type *front, int64_t offset, bool in_scope,
			   struct field_ref *place)
{
	struct candidates list;

	unlocated_after(function, address, front, offset, in_scope, start(&list, 8));
	return candidates_choose(&list, place) == CHOICE_ONE;
}

static void variables_without_a_place(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	assert_true(pointer_is_found(&made.function, 0x124, false, 16, 4, &place));
	assert_ptr_equal(place.type, made.header);
	assert_int_equal(place.offset, 16);
	/* no such member; one of a variable whose place is known; one that both have */
	assert_false(pointer_is_found(&made.function, 0x124, false, 20, 4, &place));
	assert_false(pointer_is_found(&made.function, 0x124, false, 8, 4, &place));
	assert_false(pointer_is_found(&made.function, 0x124, false, 0, 8, &place));
	/* the outer function's variable is not used if the inner one has a candidate */
	assert_false(pointer_is_found(&made.function, 0x124, true, 24, 8, &place));
	assert_true(pointer_is_found(&made.function, 0x104, false, 24, 8, &place));
	assert_ptr_equal(place.type, made.outer);
	/* the function that has only words gets the address from the one around it */
	assert_true(pointer_is_found(&made.function, 0x134, true, 16, 4, &place));
	assert_ptr_equal(place.type, made.header);
	assert_false(pointer_is_found(&made.function, 0x134, false, 16, 4, &place));
	made_types_deinit(&made.types);
}

/* A variable whose place begins or ended at another address is not there. */
static void variables_that_are_not_there(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	made.variables[1].locations = &made.location;
	made.variables[1].location_count = 1;
	made.location.high = 0x122;
	assert_false(pointer_is_found(&made.function, 0x124, false, 16, 4, &place));
	made.location.low = 0x126;
	made.location.high = 0x140;
	assert_false(pointer_is_found(&made.function, 0x124, false, 16, 4, &place));
	made_types_deinit(&made.types);
}

/* netdev_priv() */
static void data_after_a_record(void **state)
{
	struct made_function made;
	struct field_ref place;

	(void)state;
	make_function(&made);
	assert_true(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, true, &place));
	assert_ptr_equal(place.type, made.outer);
	assert_int_equal(place.offset, 24);
	/* nothing is known of either `outer` or `header` */
	assert_false(is_found_after(&made.function, 0x124, made.buffer, 16, true, &place));
	assert_true(is_found_after(&made.function, 0x104, made.buffer, 16, true, &place));
	/* a variable that has a place of its own */
	made.variables[0].locations = &made.location;
	made.variables[0].location_count = 1;
	assert_false(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, true, &place));
	made.location.kind = LOCATION_REGISTER_VALUE;
	made.location.offset = 16;
	assert_true(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, true, &place));
	/* elsewhere in the function, only a variable with such a location counts, whose register
	 * points to a buffer */
	struct location front = { .low = 0x130, .high = 0x140, .kind = LOCATION_REGISTER };

	assert_false(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, false, &place));
	made.variables[2].locations = &front;
	assert_true(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, false, &place));
	made.variables[0].location_count = 0;
	assert_false(is_found_after(&made.function, 0x104, made.buffer, 16 + 24, false, &place));
	made.variables[0].location_count = 1;
	/* it is the larger record that begins with it, or the next element */
	const struct type *whole =
		MADE_STRUCT(&made.types, "whole", 64, { .name = "buffer", .type = made.buffer },
			    { .name = "x", .type = made.outer, .offset = 32 });

	made.variables[0].type = made_pointer(&made.types, whole);
	assert_false(is_found_after(&made.function, 0x104, made.buffer, 16 + 32, true, &place));
	made.variables[0].type = made_pointer(&made.types, made.buffer);
	assert_false(is_found_after(&made.function, 0x104, made.buffer, 16, true, &place));
	made_types_deinit(&made.types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_without_a_place),
		cmocka_unit_test(variables_that_are_not_there),
		cmocka_unit_test(data_after_a_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
