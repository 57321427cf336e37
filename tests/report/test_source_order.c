// SPDX-License-Identifier: GPL-2.0-or-later
/* The order of members that declarations and assertions ask for is found. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "report/layout/source_order.h"

static const struct source_record record = { .tag = "item" };

#define NOTHING -1

static const struct {
	const char *text;
	int kind; /* NOTHING: nothing is found */
	const char *member;
	unsigned int line;
} cases[] = {
	/* beside, above, in several lines, in capitals, in C++ */
	{ "struct item {\n\tchar a; /* True if ready.  MUST BE FIRST! */\n\tint b;\n};",
	  ORDER_FIRST, "a", 2 },
	{ "struct item {\n\t/* must be first */\n\tchar a;\n\tint b;\n};", ORDER_FIRST, "a", 3 },
	{ "struct item {\n\tint a;\n\t/*\n\t * This one\n\t * has to be\n\t * last.\n\t */\n\tint "
	  "b;\n};",
	  ORDER_LAST, "b", 8 },
	{ "struct item { int a; int b; // must be the last\n};", ORDER_LAST, "b", 1 },
	{ "typedef struct { int a; // do not reorder\n int b; } item;", ORDER_KEPT, "a", 1 },
	{ "class item : base {\n\tint a; /* keep in sync with other */\n};", ORDER_DOUBT, "a", 2 },
	/* of members of nested records, and after the last member */
	{ "struct item {\n\tunion {\n\t\tstruct {\n\t\t\t/* These two must be first. */\n\t\t\tint "
	  "a, b;\n"
	  "\t\t};\n\t};\n\tint c;\n};",
	  ORDER_FIRST, NULL, 2 },
	{ "struct item {\n\tint a;\n\tstruct x b;\n\t/* WARNING: it *MUST* be at the\n\t * end of "
	  "'item'. */\n};",
	  ORDER_LAST, NULL, 6 },
	/* above the record */
	{ "/* The order of members: do not change the order. */\nstruct item {\n\tint a;\n};",
	  ORDER_KEPT, NULL, 2 },
	{ "/* The index must be first, for compare(). */\nstruct item {\n\tint index;\n};",
	  ORDER_FIRST, NULL, 2 },
	{ "// the first few items _must_ match those of struct io.\nstruct item {\n\tint a;\n};",
	  ORDER_DOUBT, NULL, 2 },
	/* of others */
	{ "struct other {\n\tint a; /* must be first */\n};\nstruct item { int a; };", NOTHING,
	  NULL, 0 },
	{ "struct item { int a; /* the first one that must be set */ int b; };", NOTHING, NULL, 0 },
	{ "struct item *must_be_first; /* must be first */", NOTHING, NULL, 0 },
	/* assertions */
	{ "_Static_assert(offsetof(struct item, a) == 8, \"asm\");", ORDER_ASSERTED, NULL, 1 },
	{ "void f(void) {\n\tBUILD_BUG_ON(offsetof(struct item, a) != offsetof(struct other, "
	  "a));\n}",
	  ORDER_ASSERTED, NULL, 2 },
	{ "#define ITEM_MATCH(a, b) static_assert(offsetof(struct item, a) == offsetof(struct x, "
	  "b))",
	  ORDER_ASSERTED, NULL, 1 },
	{ "_Static_assert(offsetof(struct items, a) == 8, \"asm\");", NOTHING, NULL, 0 },
	{ "x = offsetof(struct item, a);", NOTHING, NULL, 0 },
	/* records that begin alike */
	{ "struct item { int a; long b; int c; };\nstruct head { int a; long b; char *c; };",
	  ORDER_PREFIX, NULL, 2 },
	{ "struct item { int a; long b; };\nstruct head { int a; char b; };", NOTHING, NULL, 0 },
	{ "typedef struct item { int a; long b; } item;", NOTHING, NULL, 0 },
	/* text that is not C */
	{ "struct item {", NOTHING, NULL, 0 },
	{ "struct item { int a; /* must be first", NOTHING, NULL, 0 },
	{ "struct item { ( [ }; _Static_assert(offsetof(struct item,", NOTHING, NULL, 0 },
};

static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct source_text text;
		struct source_orders orders;

		source_text_init(&text, "item.c", cases[i].text, strlen(cases[i].text));
		source_orders_init(&orders, &record, 1, &text, 1);
		if (orders.count != (cases[i].kind != NOTHING))
			fail_msg("%s: %zu found", cases[i].text, orders.count);
		if (orders.count && ((int)orders.items[0].kind != cases[i].kind ||
				     orders.items[0].line != cases[i].line ||
				     strcmp(orders.items[0].member ? orders.items[0].member : "",
					    cases[i].member ? cases[i].member : "") != 0))
			fail_msg("%s: kind %d, line %u, member %s", cases[i].text,
				 orders.items[0].kind, orders.items[0].line,
				 orders.items[0].member ? orders.items[0].member : "(none)");
		source_orders_deinit(&orders);
		source_text_deinit(&text);
	}
}

static void test_prefix(void **state)
{
	static const char header[] =
		"struct item { int a; long b; int c; };\nstruct one { int a; long b; };\n"
		"struct two { int a; long b; int c; int d; };\n";
	struct source_text text;
	struct source_orders orders;

	(void)state;
	source_text_init(&text, "item.h", header, strlen(header));
	source_orders_init(&orders, &record, 1, &text, 1);
	assert_int_equal(orders.count, 1);
	assert_string_equal(orders.items[0].other, "two");
	assert_int_equal(orders.items[0].count, 3);
	source_orders_deinit(&orders);
	source_text_deinit(&text);
}

/* A copy of a record that no text names beside it, as of another version, is only to be checked. */
static void test_copies_apart(void **state)
{
	static const char *const files[][3] = {
		{ "struct item { int a; long b; int c; };", "struct old { int a; long b; };",
		  "void f(struct item *i) { } /* olden */" },
		{ "struct item { int a; long b; int c; };", "struct old { int a; long b; };",
		  "void f(void *p) { struct old *o = p; struct item *i = p; }" },
		/* copies of a header declare one record, by both of its names */
		{ "typedef struct item { int a; long b; } thing;",
		  "typedef struct item { int a; long b; } thing;",
		  "void f(struct item *i, thing *t) { }" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		struct source_text texts[3];
		struct source_orders orders;

		for (size_t k = 0; k < COUNT_OF(texts); k++)
			source_text_init(&texts[k], "item.c", files[i][k], strlen(files[i][k]));
		source_orders_init(&orders, &record, 1, texts, COUNT_OF(texts));
		assert_int_equal(orders.count, i < 2);
		if (orders.count) {
			assert_int_equal(orders.items[0].kind, ORDER_PREFIX);
			assert_int_equal(orders.items[0].apart, i == 0);
		}
		source_orders_deinit(&orders);
		for (size_t k = 0; k < COUNT_OF(texts); k++)
			source_text_deinit(&texts[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_copies_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
