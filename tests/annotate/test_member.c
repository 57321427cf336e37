// SPDX-License-Identifier: GPL-2.0-or-later
/* The member that an offset falls in. */
#include "tests/support/unit.h"

#include "annotate/types/member.h"
#include "tests/annotate/made_types.h"

static struct made_types types;
static const struct type *integer, *character, *word;

static int set_up(void **state)
{
	(void)state;
	made_types_init(&types);
	integer = made_integer(&types, "int", 4);
	character = made_integer(&types, "char", 1);
	word = made_integer(&types, "long int", 8);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_types_deinit(&types);
	return 0;
}

static void assert_path(const struct type *type, int64_t offset, uint64_t size,
			const char *expected)
{
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;

	strbuf_add_string(&path, "[");

	bool found = member_path(type, offset, size, &path);

	assert_int_equal(found, *expected != 0);
	assert_string_equal(path.data + 1, expected);
}

static void test_nested_members(void **state)
{
	const struct type *counter =
		made_typedef(&types, "atomic_t",
			     MADE_STRUCT(&types, NULL, 4, { .name = "counter", .type = integer }));
	const struct type *inode =
		MADE_STRUCT(&types, "inode", 24, { .name = "i_ino", .type = word },
			    { .name = "i_count", .type = counter, .offset = 12 },
			    { .name = "i_sb", .type = made_pointer(&types, word), .offset = 16 });

	(void)state;
	assert_path(inode, 0, 8, "i_ino");
	assert_path(inode, 4, 4, "i_ino");
	assert_path(inode, 12, 4, "i_count.counter");
	assert_path(inode, 16, 8, "i_sb");
	assert_path(inode, 8, 4, ""); /* a hole */
	assert_path(inode, 24, 4, "");
	assert_path(inode, -8, 8, "");
	assert_path(counter, 0, 4, "counter");
}

static void assert_element(const struct type *array, int64_t element, const char *expected)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	member_element(array, element, &text);
	assert_string_equal(text.data, expected);
}

static void test_elements_by_dimension(void **state)
{
	static const uint64_t shape[] = { 2, 3, 5 }, open[] = { 0, 4 };
	const struct type *row = made_typedef(&types, "row", made_array(&types, integer, 4));
	const struct type *cube = made_intern(&types, (struct type_key){ .kind = TYPE_ARRAY,
									 .size = 120,
									 .array_count = 30,
									 .dimensions = shape,
									 .dimension_count = 3,
									 .target = integer });
	const struct type *rows = made_intern(&types, (struct type_key){ .kind = TYPE_ARRAY,
									 .dimensions = open,
									 .dimension_count = 2,
									 .target = integer });

	(void)state;
	assert_element(made_array(&types, integer, 4), 3, "[3]");
	assert_element(made_array(&types, integer, 0), 30, "[30]");
	assert_element(cube, 0, "[0][0][0]");
	assert_element(cube, 1 * 15 + 2 * 5 + 3, "[1][2][3]");
	assert_element(cube, -1, "[*][*][*]");
	assert_element(rows, 9, "[2][1]");
	/* arrays in arrays, as Rust's are */
	assert_element(made_array(&types, row, 3), 6, "[1][2]");
	assert_element(made_array(&types, row, 3), -1, "[*][*]");
	assert_ptr_not_equal(cube, made_array(&types, integer, 30));
}

static void test_scalars_have_no_members(void **state)
{
	(void)state;
	assert_path(integer, 0, 4, "");
	assert_path(made_pointer(&types, integer), 0, 8, "");
	assert_path(made_array(&types, character, 16), 5, 1, "");
}

static void test_anonymous_members_are_left_out(void **state)
{
	const struct type *inner = MADE_STRUCT(&types, NULL, 8, { .name = "a", .type = integer },
					       { .name = "b", .type = integer, .offset = 4 });
	const struct type *outer =
		MADE_STRUCT(&types, "outer", 16, { .name = "first", .type = word },
			    { .type = inner, .offset = 8 });

	(void)state;
	assert_path(outer, 12, 4, "b");
}

static void test_arrays(void **state)
{
	const struct type *node = MADE_STRUCT(&types, "slot", 16, { .name = "key", .type = word },
					      { .name = "next", .type = word, .offset = 8 });
	const struct type *table = MADE_STRUCT(
		&types, "table", 64 + 40, { .name = "slots", .type = made_array(&types, node, 4) },
		{ .name = "name", .type = made_array(&types, character, 40), .offset = 64 });

	(void)state;
	assert_path(table, 0, 8, "slots.key");
	assert_path(table, 3 * 16 + 8, 8, "slots.next");
	assert_path(table, 64 + 7, 1, "name");
	/* an array of records, like its element */
	assert_path(made_array(&types, node, 4), 24, 8, "next");
}

static void test_flexible_array(void **state)
{
	const struct type *pair = MADE_STRUCT(&types, "pair", 8, { .name = "x", .type = integer },
					      { .name = "y", .type = integer, .offset = 4 });
	const struct type *list =
		MADE_STRUCT(&types, "list", 8, { .name = "count", .type = word },
			    { .name = "pairs", .type = made_array(&types, pair, 0), .offset = 8 });
	const struct type *outer = MADE_STRUCT(&types, "outer", 16, { .name = "id", .type = word },
					       { .name = "list", .type = list, .offset = 8 });

	(void)state;
	assert_path(list, 8 + 5 * 8 + 4, 4, "pairs.y");
	assert_path(outer, 16 + 8, 4, "list.pairs.x");
}

static void test_members_without_size_hide_nothing(void **state)
{
	const struct type *empty = MADE_STRUCT(
		&types, "empty", 0, { .name = "none", .type = made_array(&types, integer, 0) });
	const struct type *record = MADE_STRUCT(
		&types, "record", 16, { .name = "tag", .type = empty },
		{ .name = "mark", .type = made_array(&types, integer, 0) },
		{ .name = "value", .type = word }, { .name = "last", .type = word, .offset = 8 });

	(void)state;
	assert_path(record, 0, 8, "value");
	assert_path(record, 8, 8, "last");
	assert_path(record, 16, 8, "");
}

static void test_union_by_size(void **state)
{
	const struct type *bytes = MADE_STRUCT(&types, NULL, 8, { .name = "low", .type = integer },
					       { .name = "high", .type = integer, .offset = 4 });
	const struct type *value =
		MADE_UNION(&types, "value", 8, { .name = "whole", .type = word },
			   { .name = "parts", .type = bytes },
			   { .name = "text", .type = made_array(&types, character, 8) });
	const struct type *holder =
		MADE_STRUCT(&types, "holder", 16, { .name = "v", .type = value, .offset = 8 });

	(void)state;
	assert_path(holder, 8, 8, "v.whole");
	assert_path(holder, 8, 4, "v.parts.low");
	assert_path(holder, 12, 4, "v.parts.high");
	assert_path(holder, 9, 1, "v.text");
	/* the size tells nothing */
	assert_path(holder, 8, 0, "v");
	assert_path(holder, 8, 16, "v");
	/* the start of an integer goes before another part of one */
	assert_path(holder, 12, 2, "v.parts.high");
}

/* enum shape { Circle(word), Square { side: integer, area: integer }, Both { id, side } } */
static void test_variants(void **state)
{
	const struct type *circle = MADE_STRUCT(&types, "shape::Circle", 16,
						{ .name = "__0", .type = word, .offset = 8 });
	const struct type *square = MADE_STRUCT(&types, "shape::Square", 16,
						{ .name = "id", .type = integer, .offset = 4 },
						{ .name = "side", .type = integer, .offset = 8 });
	const struct type *both = MADE_STRUCT(&types, "shape::Both", 16,
					      { .name = "id", .type = integer, .offset = 4 },
					      { .name = "side", .type = integer, .offset = 12 });
	const struct type *shape =
		MADE_STRUCT(&types, "shape", 16, { .type = integer, .is_artificial = true },
			    { .name = "Circle", .type = circle, .is_variant = true },
			    { .name = "Square", .type = square, .is_variant = true },
			    { .name = "Both", .type = both, .is_variant = true });
	const struct type *holder =
		MADE_STRUCT(&types, "holder", 24, { .name = "key", .type = word },
			    { .name = "shape", .type = shape, .offset = 8 });
	struct access access = { .kind = ACCESS_TYPE, .type = holder, .offset = 16, .size = 8 };
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	struct member_enum open;

	(void)state;
	assert_path(shape, 0, 4, "(discriminant)");
	assert_path(holder, 8, 4, "shape.(discriminant)");
	/* two variants have something there, and none wins */
	assert_path(shape, 8, 8, "");
	assert_path(holder, 16, 8, "shape");
	/* one has; two have the same */
	assert_path(holder, 20, 4, "shape");
	assert_path(holder, 12, 4, "shape.id");
	assert_true(member_open_enum(&access, &open));
	assert_ptr_equal(open.type, shape);
	assert_int_equal(open.offset, 8);
	access.variants[0] = square;
	assert_true(access_member_path(&access, &path));
	assert_string_equal(path.data, "shape.Square.side");
	assert_false(member_open_enum(&access, &open));
}

static void assert_members(const struct type *type, int64_t offset, uint16_t size, uint64_t bits,
			   const char *expected)
{
	const struct access access = {
		.kind = ACCESS_TYPE, .type = type, .offset = offset, .size = size, .bits = bits
	};
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	assert_true(access_members_path(&access, &path));
	assert_string_equal(path.data, expected);
}

static void test_accesses_to_several_members(void **state)
{
	const struct type *pair = MADE_STRUCT(&types, "pair", 8, { .name = "low", .type = integer },
					      { .name = "high", .type = integer, .offset = 4 });
	const struct type *either = MADE_UNION(&types, NULL, 8, { .name = "all", .type = integer },
					       { .name = "pair", .type = pair });
	const struct type *item =
		MADE_STRUCT(&types, "item", 56, { .name = "pair", .type = pair },
			    { .name = "count", .type = integer, .offset = 8 },
			    { .name = "flag", .type = integer, .offset = 12, .bit_size = 8 },
			    { .name = "pairs", .type = made_array(&types, pair, 4), .offset = 16 },
			    { .name = "either", .type = either, .offset = 48 });
	const struct type *option = MADE_STRUCT(
		&types, "option", 8, { .name = "kind", .type = integer },
		{ .name = "length", .type = integer, .offset = 4 },
		{ .name = "data", .type = made_array(&types, integer, 0), .offset = 8 });

	const struct type *nameless =
		made_typedef(&types, "pair_t",
			     MADE_STRUCT(&types, NULL, 8, { .name = "low", .type = integer },
					 { .name = "high", .type = integer, .offset = 4 }));

	const struct type *table =
		MADE_STRUCT(&types, "table", 8, { .name = "count", .type = integer },
			    { .name = "pairs", .type = made_array(&types, pair, 0), .offset = 8 });

	(void)state;
	assert_members(table, 16, 8, 0, "pairs");
	assert_members(pair, 0, 8, 0, "low, high");
	assert_members(nameless, 0, 8, 0, "low, high");
	assert_members(item, 0, 4, 0, "pair.low");
	assert_members(item, 0, 8, 0, "pair");
	assert_members(item, 4, 8, 0, "pair, count");
	assert_members(item, 8, 8, 0, "count, flag");
	assert_members(item, 8, 8, 0xffULL << 32, "flag");
	assert_members(item, 16, 8, 0, "pairs");
	assert_members(item, 20, 8, 0, "pairs");
	assert_members(item, 24, 4, 0, "pairs.low");
	assert_members(item, 0, 16, 0, "pair, count, flag");
	/* the access tells the member of a union */
	assert_members(item, 48, 8, 0, "either.pair.low");
	/* a record with a flexible array is followed by no other one */
	assert_members(option, 8, 4, 0, "data");
}

static void test_bitfields(void **state)
{
	const struct type *flags = MADE_STRUCT(
		&types, "flags", 8, { .name = "a", .type = integer, .bit_size = 3 },
		{ .name = "b", .type = integer, .bit_offset = 3, .bit_size = 10 },
		{ .name = "c", .type = integer, .offset = 1, .bit_offset = 5, .bit_size = 2 },
		{ .name = "d", .type = integer, .offset = 4 });

	(void)state;
	/* the bits are not known: the first and the last bitfield of the bytes */
	assert_path(flags, 0, 4, "a..c");
	assert_path(flags, 0, 2, "a..c");
	assert_path(flags, 0, 1, "a..b");
	assert_path(flags, 1, 1, "b..c");
	assert_path(flags, 1, 4, "b..c");
	assert_path(flags, 2, 1, "");
	assert_path(flags, 4, 4, "d");
	/* the bits are known */
	assert_members(flags, 0, 4, 0x2002, "a, c");
	assert_members(flags, 0, 4, 0xffffffff, "a, b, c");
}

/* The first and the last of many members are named. */
static void test_accesses_to_many_members(void **state)
{
	struct member members[10] = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 9; i++)
		members[i] = (struct member){ .name = &"a\0b\0c\0d\0e\0f\0g\0h\0i"[2 * i],
					      .type = integer,
					      .offset = 4 * i };
	const struct type *many = made_record(&types, TYPE_STRUCT, "many", 40, members);

	assert_members(many, 0, 32, 0, "a, b, c, d, e, f, g, h");
	assert_members(many, 4, 32, 0, "b, c, d, e, f, g, h, i");
	assert_members(many, 0, 36, 0, "a..i");
}

static void test_base_classes(void **state)
{
	const struct type *empty = MADE_STRUCT(&types, "Empty", 1, { .type = NULL });
	const struct type *base = MADE_STRUCT(&types, "Base", 8, { .name = "id", .type = integer });
	const struct type *derived = MADE_STRUCT(
		&types, "Derived", 16, { .type = empty, .is_base = true },
		{ .type = base, .is_base = true }, { .name = "value", .type = word, .offset = 8 });

	(void)state;
	assert_path(derived, 0, 4, "id");
	assert_path(derived, 8, 8, "value");
}

/* Damaged debug information: a record within itself. */
static void test_endless_records_end(void **state)
{
	struct member *members = arena_alloc(&types.table->arena, 3 * sizeof(*members));
	const struct type *filler = made_integer(&types, "filler", 8);
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;
	struct member_line *lines;
	size_t count;

	(void)state;
	members[0].type = filler;

	const struct type *endless = made_record(&types, TYPE_UNION, "endless", 8, members);

	members[0] = (struct member){ .name = "self", .type = endless };
	members[1] = (struct member){ .name = "again", .type = endless };
	types.members[endless->source].count = 2;
	member_path(endless, 4, 4, &path);
	assert_true(path.length < 1000);
	member_lines(endless, &lines, &count);
	assert_true(count <= 1000000);
	free(lines);

	const struct type *again = MADE_STRUCT(&types, "again", 8, { .type = filler });
	struct member *self = (struct member *)type_members(again, &count);
	const struct access access = { .kind = ACCESS_TYPE, .type = again, .offset = 4, .size = 4 };
	struct access_records records;

	self[0] = (struct member){ .name = "self", .type = again, .size = 8 };
	count = 0;
	for (bool found = access_records_begin(&access, &records); found && count < 1000;
	     found = access_records_next(&records))
		count++;
	assert_true(count < 1000);
}

static void assert_member_line(const struct member_line *line, const char *name, int64_t offset,
			       uint64_t size, uint32_t depth, bool has_members)
{
	if (name)
		assert_string_equal(line->name, name);
	else
		assert_null(line->name);
	assert_int_equal(line->offset, offset);
	assert_int_equal(line->size, size);
	assert_int_equal(line->depth, depth);
	assert_int_equal(line->has_members, has_members);
}

static void test_lines(void **state)
{
	const struct type *slot = MADE_STRUCT(&types, "slot", 16, { .name = "key", .type = word },
					      { .name = "next", .type = word, .offset = 8 });
	const struct type *table = MADE_STRUCT(
		&types, "table", 48, { .name = "count", .type = word },
		{ .name = "slots", .type = made_array(&types, slot, 2), .offset = 8 },
		{ .name = "flag", .type = integer, .offset = 40, .bit_offset = 7, .bit_size = 2 });
	struct member_line *lines;
	size_t count;

	(void)state;
	member_lines(table, &lines, &count);
	assert_int_equal(count, 6);
	assert_member_line(&lines[0], NULL, 0, 48, 0, true);
	assert_member_line(&lines[1], "count", 0, 8, 1, false);
	assert_member_line(&lines[2], "slots", 8, 32, 1, true);
	assert_int_equal(lines[2].element_size, 16);
	assert_member_line(&lines[3], "key", 8, 8, 2, false);
	assert_member_line(&lines[4], "next", 16, 8, 2, false);
	assert_member_line(&lines[5], "flag", 40, 2, 1, false);
	free(lines);

	member_lines(integer, &lines, &count);
	assert_int_equal(count, 1);
	assert_member_line(&lines[0], NULL, 0, 4, 0, false);
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_members),
		cmocka_unit_test(test_elements_by_dimension),
		cmocka_unit_test(test_scalars_have_no_members),
		cmocka_unit_test(test_anonymous_members_are_left_out),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_flexible_array),
		cmocka_unit_test(test_members_without_size_hide_nothing),
		cmocka_unit_test(test_union_by_size),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_accesses_to_several_members),
		cmocka_unit_test(test_accesses_to_many_members),
		cmocka_unit_test(test_bitfields),
		cmocka_unit_test(test_base_classes),
		cmocka_unit_test(test_endless_records_end),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
