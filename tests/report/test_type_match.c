// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of types as users write them, matched with those of debug information. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "base/type_name.h"

static const struct {
	const char *wanted, *name;
	bool matches;
} cases[] = {
	{ "list", "struct list", true },
	{ "struct list", "struct list", true },
	{ "list", "struct list_head", false },
	{ "list*", "struct list_head", true },
	{ "struct list*", "struct list_head", true },
	{ "struct list*", "union list_head", false },
	{ "list_head", "union list_head", true },
	{ "", "struct list", false },
	/* records without a name */
	{ "struct", "struct {hits, misses}", true },
	{ "struct", "struct {hits, misses}[]", true },
	{ "struct {hits, misses}", "struct {hits, misses}", true },
	{ "struct {hits, misses}", "struct {hits, sum}", false },
	{ "union", "struct {hits, misses}", false },
	{ "struct", "struct list", false },
	{ "", "struct {hits, misses}", false },
	{ "int[]", "int[]", true },
	{ "char*", "char*", true },
	/* a name matches arrays of the type */
	{ "Counter", "Counter[]", true },
	{ "struct list", "struct list[]", true },
	{ "list*", "struct list*[]", true },
	{ "Order", "shop::Order[][]", true },
	{ "Count?r", "Counter[]", true },
	{ "Counter[]", "Counter", false },
	{ "Count", "Counter[]", false },
	/* scopes */
	{ "Order", "shop::Order", true },
	{ "shop::Order", "outer::shop::Order", true },
	{ "hop::Order", "shop::Order", false },
	{ "shop::*", "shop::Order", true },
	{ "Hidden", "shop::(anonymous namespace)::Hidden", true },
	{ "shop::(anonymous namespace)::Hidden", "shop::(anonymous namespace)::Hidden", true },
	{ "closure_env*", "main::{closure_env#0}", false },
	{ "{closure_env#0}", "main::{closure_env#0}", true },
	/* Go's */
	{ "Node", "main.Node", true },
	{ "Element", "container/list.Element", true },
	{ "list.Element", "container/list.Element", true },
	{ "ode", "main.Node", false },
	{ "main.Elem", "main.Elem[int64]", true },
	{ "Elem", "main.Elem[go.shape.int64]", true },
	/* Ada's, Nim's and Pascal's, whose compilers change them; but C's only as they are */
	{ "Pkg.Node", "struct pkg__node", true },
	{ "pkg.node", "struct pkg__node", true },
	{ "Node", "struct outer__pkg__node", true },
	{ "Pkg.Node", "struct other__node", false },
	{ "node", "struct pkg__node", false },
	{ "Node", "struct pkg__Node", false },
	{ "NodeObj", "struct tyObject_NodeObj__eNHdsEXvOMZUH9arAFrW9bg", true },
	{ "nodeobj", "struct tyObject_NodeObj__eNHdsEXvOMZUH9arAFrW9bg", true },
	{ "Node", "struct tyObject_NodeObj__eNHdsEXvOMZUH9arAFrW9bg", false },
	{ "Node", "struct tyObject_NodecolonObjectType___XaeTJJHJaZ5CrV8N2aOGxA", true },
	{ "TPart", "struct TPART", true },
	{ "TPart", "struct TPARTS", false },
	{ "tpart", "struct TPART", false },
	{ "TPart", "struct tpart", false },
	/* Crystal's variables that may be nil */
	{ "Node", "struct (Node | Nil)", true },
	{ "Node", "(Node | Nil)", true },
	{ "Item", "(App::Item | Nil)", true },
	{ "App::Item", "(App::Item | Nil)", true },
	{ "(Node | Nil)", "(Node | Nil)", true },
	{ "Node", "(Item | Node | Nil)", false },
	{ "Node", "(Node | Nil)*", false },
	/* an argument is not the type */
	{ "Node", "std::vector<app::Node>", false },
	{ "Node*", "std::vector<app::Node>", false },
	{ "Order)", "(u64, ru::Order)", false },
	{ "(u64, ru::Order)", "(u64, ru::Order)", true },
	{ "long*", "std::pair<int, long int>", false },
	/* templates: spaces and the spelling of integers do not matter */
	{ "Pair<long int, shop::Pair<int, char> >", "shop::Pair<long int, shop::Pair<int, char> >",
	  true },
	{ "Pair<long,shop::Pair<int,char>>", "shop::Pair<long int, shop::Pair<int, char> >", true },
	{ "shop::Pair<long, shop::Pair<int, char>>", "shop::Pair<long int, shop::Pair<int, char> >",
	  true },
	{ "Box<unsigned long>", "Box<long unsigned int>", true },
	{ "Box<unsigned>", "Box<unsigned int>", true },
	{ "Box<long long>", "Box<long int>", false },
	{ "Box<signed char>", "Box<char>", false },
	{ "Box<int>", "Box<unsigned int>", false },
	{ "Box<char const*>", "Box<char const *>", true },
	{ "Box<const char *>", "Box<char const*>", true },
	{ "Box<const char *const, int>", "Box<char const* const, int>", true },
	{ "Box<char *const>", "Box<char const*>", false },
	{ "Box<const char *>", "Box<char*>", false },
	{ "Box<const std::string>", "Box<std::string const>", true },
	{ "Box<const volatile long>", "Box<long int const volatile>", true },
	{ "_Rb_tree_node<std::pair<const long, Acc>>",
	  "std::_Rb_tree_node<std::pair<long int const, Acc> >", true },
	{ "const char *", "char const*", true },
	{ "Box<const app::Pair<const int, char>>", "Box<app::Pair<int const, char> const>", true },
	{ "Box<int (*)(const char *, int)>", "Box<int (*)(char const*, int)>", true },
	{ "const", "const", true },
	{ "Slot<*const u8>", "Slot<*const u8>", true },
	{ "Pair", "shop::Pair<long int, char>", true },
	{ "shop::Pair", "shop::Pair<long int, char>", true },
	{ "Pair", "shop::Pair<int>::Iterator", false },
	{ "Pair<int>::Iterator", "shop::Pair<int>::Iterator", true },
	{ "Pair<*", "shop::Pair<long int, char>", true },
	{ "Pai", "shop::Pair<long int, char>", false },
	{ "Option", "core::option::Option<ru::Order>", true },
	{ "unsigned long", "long unsigned int", true },
	{ "long", "int", false },
	/* the '>' of "->" is not a bracket */
	{ "Call", "app::Call<fn(i32) -> app::Result>", true },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (type_name_matches(cases[i].wanted, cases[i].name) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].wanted, cases[i].name);
}

static void test_resembling(void **state)
{
	static const struct {
		const char *wanted, *name, *base;
	} resembling[] = {
		{ "item", "struct Item", "Item" },
		{ "rb_tree_node", "std::_Rb_tree_node<std::pair<int const, char> >",
		  "std::_Rb_tree_node" },
		{ "app::NODE", "main.Node", "main.Node" },
		{ "struct tree_node", "shop::TreeNode", "shop::TreeNode" },
		{ "item", "struct items", NULL },
		{ "item", "Item<int>::Part", NULL },
		{ "", "int", NULL },
		{ "item", "Item*", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(resembling) / sizeof(*resembling); i++) {
		char *base = type_name_resembling(resembling[i].wanted, resembling[i].name);

		if (!base || !resembling[i].base)
			assert_ptr_equal(base, resembling[i].base);
		else
			assert_string_equal(base, resembling[i].base);
		free(base);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names),
					    cmocka_unit_test(test_resembling) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
