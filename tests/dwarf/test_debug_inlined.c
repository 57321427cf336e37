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

/* Returns whether a scope and those around it hold an address. */
static bool holds(const struct function_outline *outline, size_t scope, uint64_t address)
{
	for (; scope != UINT32_MAX; scope = outline->scopes[scope].parent) {
		const struct inlined_scope *each = &outline->scopes[scope];

		if (!any_of(i, 0, each->range_count,
			    address >= each->ranges[i].low && address < each->ranges[i].high))
			return false;
	}
	return true;
}

/* The outline of a function, and its source lines, say of each address what the address alone
 * says. */
static void check_function(struct debug_program *program, const char *name)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, name);
	_cleanup_arena_ struct arena arena = { 0 };
	const struct function_outline *outline =
		debug_reader_outline(program->reader, symbol->address, &arena);
	uint64_t end = symbol->address + symbol->size;
	size_t row_count, row = 0, count;
	const struct source_row *rows =
		debug_reader_source_rows(program->reader, symbol->address, end, &arena, &row_count);

	assert_non_null(outline);
	assert_string_equal(outline->name, name);
	assert_int_equal(outline->ranges->low, symbol->address);
	for (uint64_t at = symbol->address; at < end; at++) {
		struct inlined_call calls[MOST];
		const char *file = NULL;
		unsigned int line = 0;

		count = debug_reader_inlined(program->reader, at, calls, MOST);
		for (size_t i = 0, k = 0; i <= outline->scope_count; i++) {
			if (i == outline->scope_count)
				assert_int_equal(k, count);
			else if (outline->scopes[i].inlined && holds(outline, i, at))
				assert_string_equal(outline->scopes[i].call.name, calls[k++].name);
		}
		while (row + 1 < row_count && rows[row + 1].address <= at)
			row++;
		if (debug_reader_line(program->reader, at, &file, &line)) {
			assert_true(rows[row].address <= at);
			assert_string_equal(rows[row].file, file);
			assert_int_equal(rows[row].line, line);
		}
	}
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
	assert_int_equal(inlined_at(&program, "in_bare", calls, MOST), 1);
	assert_string_equal(calls[0].name, "bare");
	check_function(&program, "function");
	check_function(&program, "holds_bare");
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
