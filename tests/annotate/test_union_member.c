// SPDX-License-Identifier: GPL-2.0-or-later
/* The member of a union that fits what an access shows. */
#include "tests/support/unit.h"

#include "annotate/types/member.h"
#include "annotate/types/union_member.h"
#include "tests/annotate/made_types.h"

static struct made_types types;
static const struct type *integer, *word, *unsigned_word, *real, *text, *object, *other, *code;
static const struct type *value;

/* struct head { struct head *next; char tag; }; struct object begins with its members. */
static const struct type *make_object(const char *name, const struct type *head)
{
	const struct type *character = made_integer(&types, "char", 1);

	return MADE_STRUCT(&types, name, 32, { .name = "next", .type = head },
			   { .name = "tag", .type = character, .offset = 8 },
			   { .name = "length", .type = integer, .offset = 12 },
			   { .name = "size", .type = word, .offset = 16 });
}

static int set_up(void **state)
{
	const struct type *character, *function, *nothing, *head;

	(void)state;
	made_types_init(&types);
	integer = made_integer(&types, "int", 4);
	word = made_integer(&types, "long int", 8);
	character = made_integer(&types, "char", 1);
	unsigned_word = made_intern(
		&types,
		(struct type_key){ .kind = TYPE_INTEGER, .name = "long unsigned int", .size = 8 });
	real = made_intern(&types,
			   (struct type_key){ .kind = TYPE_FLOAT, .name = "double", .size = 8 });
	function = made_intern(&types, (struct type_key){ .kind = TYPE_FUNCTION });
	nothing = made_intern(&types, (struct type_key){ .kind = TYPE_VOID, .name = "void" });
	text = made_pointer(&types, character);
	code = made_pointer(&types, function);
	head = MADE_STRUCT(&types, "head", 16, { .name = "next", .type = text },
			   { .name = "tag", .type = character, .offset = 8 });
	object = make_object("object", text);
	other = MADE_STRUCT(&types, "other", 8, { .name = "only", .type = integer, .offset = 4 });
	value = MADE_UNION(&types, "value", 8,
			   { .name = "head", .type = made_pointer(&types, head) },
			   { .name = "any", .type = made_pointer(&types, nothing) },
			   { .name = "other", .type = made_pointer(&types, other) },
			   { .name = "call", .type = code }, { .name = "number", .type = word },
			   { .name = "real", .type = real }, { .name = "low", .type = integer });
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_types_deinit(&types);
	return 0;
}

/* Checks the name that an access gets with this evidence. */
static void assert_member(const struct type *type, int64_t offset,
			  const struct union_evidence *evidence, const char *expected)
{
	const struct union_place place = union_outermost(type, offset, 0);
	struct access access = { .kind = ACCESS_TYPE,
				 .type = type,
				 .offset = offset,
				 .size = (uint16_t)evidence->size };
	struct strbuf path _cleanup_strbuf_ = STRBUF_INIT;

	assert_non_null(place.type);
	access.union_candidates = union_fit(&place, evidence);
	strbuf_add_string(&path, "");
	access_member_path(&access, &path);
	assert_string_equal(path.data, expected);
}

static void test_size(void **state)
{
	const struct union_evidence whole = { .size = 8 }, half = { .size = 4 };

	(void)state;
	assert_member(value, 0, &half, "low");
	assert_member(value, 0, &whole, "");
}

static void test_value(void **state)
{
	const struct type *objects = made_pointer(&types, object);
	const struct type *things = made_pointer(
		&types, MADE_STRUCT(&types, "thing", 8, { .name = "a", .type = real }));
	const struct {
		const char *expected;
		struct union_evidence evidence;
	} cases[] = {
		{ "real", { .value_class = VALUE_CLASS_FLOAT } },
		{ "number", { .value_class = VALUE_CLASS_NUMBER } },
		{ "call", { .value_class = VALUE_CLASS_CODE } },
		{ "", { .value_class = VALUE_CLASS_POINTER } },
		{ "number", { .step = 3 } },
		/* a double is what its type says; integers are converted without a cast */
		{ "real", { .type = real } },
		{ "number", { .type = unsigned_word, .value_class = VALUE_CLASS_NUMBER } },
		/* the type, or one that begins with the declared one's members */
		{ "other", { .type = made_pointer(&types, other) } },
		{ "other", { .pointee = other } },
		{ "head", { .type = objects, .value_class = VALUE_CLASS_POINTER } },
		/* a pointer to anything else is converted to void * without a cast */
		{ "any", { .type = things, .value_class = VALUE_CLASS_POINTER } },
		/* what is accessed through it: a whole member; beyond the head of a larger one */
		{ "head",
		  { .value_class = VALUE_CLASS_POINTER,
		    .access_count = 1,
		    .accesses = { { 8, 1 } } } },
		{ "other",
		  { .value_class = VALUE_CLASS_POINTER,
		    .access_count = 1,
		    .accesses = { { 4, 4 } } } },
		{ "",
		  { .value_class = VALUE_CLASS_POINTER,
		    .access_count = 1,
		    .accesses = { { 64, 4 } } } },
		/* names only where nothing else tells */
		{ "other", { .functions = { "_get_other" } } },
		{ "", { .functions = { "find_other_heads" } } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct union_evidence evidence = cases[i].evidence;

		evidence.size = 8;
		assert_member(value, 0, &evidence, cases[i].expected);
	}
}

static void test_siblings_and_nested_unions(void **state)
{
	const struct type *pair = MADE_STRUCT(&types, NULL, 16, { .name = "left", .type = text },
					      { .name = "right", .type = text, .offset = 8 });
	const struct type *name = MADE_STRUCT(&types, NULL, 16, { .name = "s", .type = text },
					      { .name = "length", .type = integer, .offset = 8 });
	const struct type *kind = MADE_UNION(&types, NULL, 16, { .name = "name", .type = name },
					     { .name = "pair", .type = pair });
	const struct type *item =
		MADE_UNION(&types, NULL, 24, { .name = "kind", .type = kind },
			   { .name = "sum",
			     .type = MADE_STRUCT(&types, NULL, 24, { .name = "a", .type = text },
						 { .name = "b", .type = word, .offset = 16 }) });
	const struct type *node =
		MADE_STRUCT(&types, "node", 32, { .name = "tag", .type = integer },
			    { .name = "u", .type = item, .offset = 8 });
	const struct {
		const char *expected;
		int64_t offset;
		struct union_evidence evidence;
	} cases[] = {
		{ "u", 8, { .size = 8 } },
		{ "u.kind.name.length", 16, { .size = 4 } },
		{ "u.kind.pair.right", 16, { .size = 8 } },
		{ "u.kind.name.s", 8, { .size = 8, .sibling_count = 1, .siblings = { { 8, 4 } } } },
		{ "u.kind.pair.left",
		  8,
		  { .size = 8, .sibling_count = 1, .siblings = { { 8, 8 } } } },
		{ "u.sum.a", 8, { .size = 8, .sibling_count = 1, .siblings = { { 16, 8 } } } },
		/* outside of the union */
		{ "u", 8, { .size = 8, .sibling_count = 1, .siblings = { { -8, 4 } } } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_member(node, cases[i].offset, &cases[i].evidence, cases[i].expected);
}

static void test_common_members(void **state)
{
	const struct type *record =
		MADE_UNION(&types, "record", 32, { .name = "object", .type = object },
			   { .name = "twin", .type = make_object("twin", text) });
	const struct union_evidence size = { .size = 8 };

	(void)state;
	/* C11 6.5.2.3p6: it is the same member in both */
	assert_member(record, 16, &size, "size");
}

static void test_integers_and_filler(void **state)
{
	const struct type *count = made_typedef(&types, "count_t", word);
	const struct type *numbers = MADE_UNION(
		&types, "numbers", 8, { .name = "_pad_1", .type = unsigned_word },
		{ .name = "signed_one", .type = word }, { .name = "count", .type = count },
		{ .name = "unsigned_one", .type = unsigned_word });
	const struct union_evidence nothing = { .size = 8 },
				    with_sign = { .size = 8, .has_sign = true },
				    counted = { .size = 8, .type = count },
				    said = { .size = 8, .type = unsigned_word };

	(void)state;
	assert_member(numbers, 0, &nothing, "");
	assert_member(numbers, 0, &with_sign, "");
	assert_member(numbers, 0, &counted, "count");
	assert_member(numbers, 0, &said, "unsigned_one");
}

/* Instructions whose operand is only known to be large: xsave. */
static void test_least_size(void **state)
{
	const struct type *byte = made_integer(&types, "char", 1);
	const struct type *small = MADE_STRUCT(&types, "small", 64, { .name = "a", .type = word });
	const struct type *large =
		MADE_STRUCT(&types, "large", 576, { .name = "b", .type = word },
			    { .name = "rest", .type = made_array(&types, byte, 0), .offset = 576 });
	const struct type *area =
		MADE_UNION(&types, "area", 4096, { .name = "small", .type = small },
			   { .name = "large", .type = large },
			   { .name = "bytes", .type = made_array(&types, byte, 4096) });
	const struct union_evidence least = { .least = 576 }, nothing = { 0 };

	(void)state;
	assert_member(area, 0, &least, "large");
	assert_member(area, 0, &nothing, "");
}

/* struct folio has the members of a struct page, and a struct page beside them. */
static void test_second_description(void **state)
{
	const struct type *either = MADE_UNION(&types, NULL, 8, { .name = "mapping", .type = text },
					       { .name = "head", .type = word });
	const struct type *page = MADE_STRUCT(&types, "page", 16, { .name = "flags", .type = word },
					      { .type = either, .offset = 8 });
	const struct type *own = MADE_STRUCT(&types, NULL, 16, { .name = "flags", .type = word },
					     { .name = "mapping", .type = text, .offset = 8 });
	const struct type *folio =
		MADE_UNION(&types, "folio", 16, { .type = own }, { .name = "page", .type = page });
	const struct union_evidence size = { .size = 8 };

	(void)state;
	assert_member(folio, 0, &size, "flags");
	assert_member(folio, 8, &size, "mapping");
}

static void test_many_members(void **state)
{
	struct member *members = arena_alloc(&types.table->arena, 100 * sizeof(*members));
	const struct union_evidence size = { .size = 8 };
	const struct type *many;

	(void)state;
	for (size_t i = 0; i < 99; i++)
		members[i] = (struct member){ .name = "hook", .type = code };
	members[99] = (struct member){ 0 };
	many = made_record(&types, TYPE_UNION, "many", 8, members);
	assert_member(
		MADE_STRUCT(&types, "list", 16, { .name = "hook", .type = many, .offset = 8 }), 8,
		&size, "hook");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_siblings_and_nested_unions),
		cmocka_unit_test(test_common_members),
		cmocka_unit_test(test_integers_and_filler),
		cmocka_unit_test(test_least_size),
		cmocka_unit_test(test_second_description),
		cmocka_unit_test(test_many_members),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
