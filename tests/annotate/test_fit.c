// SPDX-License-Identifier: GPL-2.0-or-later
/* How accesses fit types: each row is one access to one type. */
#include "tests/support/unit.h"

#include "annotate/types/fit.h"
#include "tests/annotate/made_types.h"

struct row {
	const char *what;
	const struct type *type;
	int64_t offset;
	uint64_t size;
	enum fit_kind kind;
	bool whole, holds, buffer; /* as in struct fit */
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];
		const struct fit fit = fit_at(row->type, row->offset, row->size);

		if (fit.kind != row->kind || fit.whole != row->whole || fit.holds != row->holds ||
		    fit.buffer != row->buffer)
			fail_msg("%s: '%s', whole %d, holds %d, buffer %d", row->what,
				 fit_name(fit.kind), fit.whole, fit.holds, fit.buffer);
	}
}

static void test_kinds(void **state)
{
	struct made_types types;

	(void)state;
	made_types_init(&types);
	const struct type *character = made_integer(&types, "char", 1),
			  *integer = made_integer(&types, "int", 4),
			  *word = made_integer(&types, "long", 8);
	const struct type *pair = MADE_STRUCT(&types, "pair", 16, { .name = "first", .type = word },
					      { .name = "second", .type = integer, .offset = 8 });
	const struct type *whole = MADE_STRUCT(
		&types, "whole", 104, { .name = "next", .type = made_pointer(&types, pair) },
		{ .name = "pairs", .type = made_array(&types, pair, 2), .offset = 8 },
		{ .name = "numbers", .type = made_array(&types, integer, 4), .offset = 40 },
		{ .name = "text", .type = made_array(&types, character, 32), .offset = 56 },
		{ .name = "flag", .type = character, .offset = 88 },
		{ .name = "low", .type = integer, .offset = 92, .bit_size = 3 },
		{ .name = "high", .type = integer, .offset = 92, .bit_offset = 3, .bit_size = 13 },
		{ .name = "last", .type = word, .offset = 96 });
	const struct row rows[] = {
		{ "a pointer", whole, 0, 8, FIT_MEMBER, true, true, false },
		{ "half a pointer", whole, 4, 4, FIT_PART_OF_POINTER, false, true, false },
		{ "a member of an element", whole, 24, 8, FIT_ELEMENT, true, true, false },
		{ "half a number", whole, 8, 4, FIT_PART, false, true, false },
		{ "padding of an element", whole, 20, 4, FIT_PADDING, false, false, false },
		{ "two members", whole, 32, 16, FIT_SEVERAL, false, false, false },
		{ "an element", whole, 44, 4, FIT_ELEMENT, true, true, false },
		{ "two elements", whole, 44, 8, FIT_PART, false, true, false },
		{ "parts of two elements", whole, 42, 4, FIT_CUT, false, false, false },
		{ "a letter", whole, 60, 1, FIT_ELEMENT, true, true, true },
		{ "four letters", whole, 60, 4, FIT_BYTES, false, true, true },
		{ "a letter and more", whole, 87, 2, FIT_SEVERAL, false, false, false },
		{ "the end of a pointer and more", whole, 4, 8, FIT_CUT, false, false, false },
		{ "a byte", whole, 88, 1, FIT_MEMBER, true, true, false },
		{ "padding", whole, 89, 1, FIT_PADDING, false, false, false },
		{ "bits", whole, 92, 1, FIT_BITS, false, true, false },
		{ "the second byte of bits", whole, 93, 1, FIT_BITS, false, true, false },
		{ "past the end", whole, 104, 1, FIT_OUTSIDE, false, false, false },
		{ "before the start", whole, -1, 1, FIT_OUTSIDE, false, false, false },
		{ "a scalar", word, 0, 8, FIT_MEMBER, true, true, false },
		{ "a half of it", word, 4, 4, FIT_PART, false, true, false },
	};

	check_rows(rows, sizeof(rows) / sizeof(*rows));
	made_types_deinit(&types);
}

static void test_unions(void **state)
{
	struct made_types types;

	(void)state;
	made_types_init(&types);
	const struct type *character = made_integer(&types, "char", 1),
			  *integer = made_integer(&types, "int", 4),
			  *word = made_integer(&types, "long", 8);
	const struct type *pointer = made_pointer(&types, integer),
			  *other = made_pointer(&types, word);
	const struct type *numbers = MADE_UNION(&types, "numbers", 8, { .name = "n", .type = word },
						{ .name = "p", .type = pointer });
	const struct type *pointers =
		MADE_UNION(&types, "pointers", 8, { .name = "p", .type = pointer },
			   { .name = "q", .type = other });
	const struct type *buffer =
		MADE_UNION(&types, "buffer", 16, { .name = "n", .type = word },
			   { .name = "bytes", .type = made_array(&types, character, 16) });
	const struct row rows[] = {
		{ "a half of a number or pointer", numbers, 0, 4, FIT_PART_OF_POINTER, false, true,
		  false },
		{ "bytes beside a number", buffer, 2, 2, FIT_PART, false, true, false },
		{ "bytes after a number", buffer, 10, 2, FIT_BYTES, false, false, true },
	};
	struct fit fit;

	check_rows(rows, sizeof(rows) / sizeof(*rows));
	/* a pointer says more than a number; two pointers say nothing */
	fit = fit_at(numbers, 0, 8);
	assert_true(fit.whole && fit.number && fit.in_union);
	assert_ptr_equal(fit.scalar, pointer);
	fit = fit_at(pointers, 0, 8);
	assert_true(fit.whole && !fit.number);
	assert_null(fit.scalar);
	/* all of the record is there to be cast */
	fit = fit_at(buffer, 10, 2);
	assert_true(fit.open);
	assert_int_equal(fit.bytes.within, 10);
	assert_int_equal(fit.bytes.room, 16);
	made_types_deinit(&types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_unions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
