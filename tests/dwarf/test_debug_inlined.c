// SPDX-License-Identifier: GPL-2.0-or-later
/* The calls that were inlined at an address, which labels in the source name. */
#include "tests/support/unit.h"

#include <string.h>

#include "tests/support/debug_program.h"

#define MOST 8

static const struct debug_source c_sources[] = { { "inlined.c", NULL }, { 0 } };

static size_t inlined_at(struct debug_program *program, const char *label,
			 struct inlined_call *calls, size_t capacity)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, label);

	assert_non_null(symbol);
	return debug_reader_inlined(program->reader, symbol->address, calls, capacity);
}

static void assert_called_at(struct debug_program *program, const char *label,
			     const struct inlined_call *call, uint64_t line)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, label);
	const char *file =
		debug_reader_call_file(program->reader, symbol->address, call->call_file);

	assert_int_equal(call->call_line, line);
	assert_non_null(file);
	assert_non_null(strstr(file, "inlined.c"));
}

static void check_c(const char *compiler, const char *flags)
{
	struct inlined_call calls[MOST];
	struct debug_program program;

	if (!debug_program_build(&program, compiler, flags, c_sources))
		return;
	assert_int_equal(inlined_at(&program, "in_innermost", calls, MOST), 2);
	assert_string_equal(calls[0].name, "middle");
	assert_string_equal(calls[1].name, "innermost");
	if (!strstr(flags, "split")) {
		assert_called_at(&program, "in_innermost", &calls[0], 19);
		assert_called_at(&program, "in_innermost", &calls[1], 12);
	}
	/* without room for all, the innermost are left out */
	assert_int_equal(inlined_at(&program, "in_innermost", calls, 1), 1);
	assert_string_equal(calls[0].name, "middle");
	assert_int_equal(inlined_at(&program, "in_middle", calls, MOST), 1);
	assert_string_equal(calls[0].name, "middle");
	assert_int_equal(inlined_at(&program, "in_function", calls, MOST), 0);
	assert_int_equal(debug_reader_inlined(program.reader, 1, calls, MOST), 0);
	assert_null(debug_reader_call_file(program.reader, 1, 1));
	debug_program_close(&program);
}

static void test_c(void **state)
{
	(void)state;
	check_c("gcc", "-O2 -g");
	check_c("gcc", "-O2 -gdwarf-4");
	check_c("gcc", "-O2 -g -gsplit-dwarf");
	check_c("clang", "-O2 -g");
}

/* Members of classes go by their linkage names, which have their scopes. */
static void test_cxx(void **state)
{
	static const struct debug_source sources[] = { { "inlined.cc", NULL }, { 0 } };
	struct inlined_call calls[MOST];
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "g++", "-O2 -g", sources))
		skip_because("there is no g++ here");
	assert_int_equal(inlined_at(&program, "in_method", calls, MOST), 1);
	assert_string_equal(calls[0].name, "_ZN5space5Thing6methodEi");
	debug_program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_cxx),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
