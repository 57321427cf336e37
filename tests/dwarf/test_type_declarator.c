// SPDX-License-Identifier: GPL-2.0-or-later
/* Declarations as C and C++ write them, in the two parts into which pahole splits them. */
#include "tests/support/unit.h"

#include "tests/support/debug_program.h"

static void assert_declared(struct debug_program *program, const char *record, const char *member,
			    const char *expected)
{
	const struct member *found = type_member(debug_program_type(program, record), member);
	struct strbuf base _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf declarator _cleanup_strbuf_ = STRBUF_INIT;

	assert_non_null(found);
	type_declarator(found->type, found->name, &base, &declarator);
	strbuf_add_format(&base, "|%s", declarator.data);
	assert_string_equal(base.data, expected);
}

#define VECTOR(size) "float __attribute__ ((__vector_size__ (" #size ")))"

static void test_c(void **state)
{
	static const struct debug_source sources[] = { { "declarators.c", NULL }, { NULL, NULL } };
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "cc", "-g", sources))
		skip_because("there is no compiler here");
	assert_declared(&program, "all", "plain", "int|plain");
	assert_declared(&program, "all", "text", "const char *|text");
	assert_declared(&program, "all", "fixed", "char *|const fixed");
	assert_declared(&program, "all", "ends", "struct list * *|ends");
	assert_declared(&program, "all", "number", "word|number");
	assert_declared(&program, "all", "name", "char|name[16]");
	assert_declared(&program, "all", "slots", "struct list *|slots[4]");
	assert_declared(&program, "all", "row", "int|(*row)[3]");
	assert_declared(&program, "all", "grid", "short int|grid[2][3][5]");
	assert_declared(&program, "all", "open", "int|open[][7]");
	assert_declared(&program, "vectors", "one", VECTOR(16) "|one");
	assert_declared(&program, "vectors", "few", VECTOR(16) "|few[3]");
	assert_declared(&program, "vectors", "at", VECTOR(16) " *|at");
	assert_declared(&program, "calls", "compare", "int|(*compare)(const void *, const void *)");
	assert_declared(&program, "calls", "print", "void|(*print)(const char *, ...)");
	assert_declared(&program, "calls", "table", "int|(*table[2])(void)");
	assert_declared(&program, "calls", "pick", "void|(*(*pick)(int))(long int)");
	debug_program_close(&program);
}

static void test_references(void **state)
{
	static const struct debug_source sources[] = {
		{ "declarators.cc", NULL },
		{ NULL, NULL },
	};
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "c++", "-g", sources))
		skip_because("there is no compiler here");
	assert_declared(&program, "refs", "one", "int &|one");
	assert_declared(&program, "refs", "moved", "int &&|moved");
	assert_declared(&program, "refs", "row", "int|(&row)[3]");
	debug_program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
