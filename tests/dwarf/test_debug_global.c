// SPDX-License-Identifier: GPL-2.0-or-later
/* Static variables by address and name, functions by name, source lines. */
#include "tests/support/unit.h"

#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "tests/support/debug_program.h"

static const struct debug_source sources[] = {
	{ "globals_a.c", NULL },
	{ "globals_b.c", NULL },
	{ NULL, NULL },
};

static const debug_form forms[] = {
	{ "gcc", "-gdwarf-5 -O1" },
	{ "gcc", "-gdwarf-4 -O1" },
	{ "gcc", "-gdwarf-2 -O0" },
	{ "gcc", "-gdwarf-4 -O1 -gsplit-dwarf" },
	{ "gcc", "-gdwarf-5 -O1 -gsplit-dwarf" },
	{ "gcc", "-g -O1 -no-pie" },
	{ "clang", "-gdwarf-5 -O1" },
	{ "clang", "-gdwarf-4 -O1" },
	{ "clang", "-gdwarf-5 -O1 -gsplit-dwarf" },
};

static void check_global(struct debug_program *program, const char *symbol_name, const char *type,
			 uint64_t size)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, symbol_name);
	struct global global;

	assert_non_null(symbol);
	assert_true(debug_reader_global_at(program->reader, symbol->address, 0, &global));
	assert_string_equal(global.name, symbol_name);
	assert_string_equal(name_of(global.type), type);
	assert_int_equal(global.address, symbol->address);
	assert_int_equal(global.size, size);
	assert_false(global.thread_local_);
	assert_true(
		debug_reader_global_at(program->reader, symbol->address + size - 1, 0, &global));
	assert_string_equal(global.name, symbol_name);
	if (debug_reader_global_at(program->reader, symbol->address + size, 0, &global))
		assert_string_not_equal(global.name, symbol_name);
}

static void by_address(struct debug_program *program)
{
	struct global global;

	check_global(program, "table", "struct node[]", 64);
	check_global(program, "words", "char*[]", 16);
	check_global(program, "elsewhere", "int[]", 32);
	check_global(program, "late", "struct late", 4);
	/* declared here, and copied from the C library */
	const struct symbol *symbol = elf_image_symbol_named(program->image, "stderr");

	if (symbol && symbol->size) {
		assert_true(
			debug_reader_global_at(program->reader, symbol->address + 3, 0, &global));
		assert_string_equal(global.name, "stderr");
		assert_string_equal(name_of(global.type), "struct _IO_FILE*");
	}
	assert_false(debug_reader_global_at(program->reader, 0, 0, &global));
	assert_false(debug_reader_global_at(program->reader, UINT64_MAX, 0, &global));
}

static uint64_t address_of(struct debug_program *program, const char *function)
{
	const struct symbol *symbol = elf_image_symbol_named(program->image, function);

	assert_non_null(symbol);
	return symbol->address;
}

static void by_name(struct debug_program *program)
{
	struct global first, second;

	assert_true(debug_reader_global_named(program->reader, "table", 0, &first));
	assert_int_equal(first.size, 64);
	/* each unit sees its own static */
	assert_true(debug_reader_global_named(program->reader, "hidden",
					      address_of(program, "main"), &first));
	assert_true(debug_reader_global_named(program->reader, "hidden", address_of(program, "far"),
					      &second));
	assert_int_equal(first.size, 4);
	assert_int_equal(second.size, 8);
	assert_int_not_equal(first.address, second.address);
	/* no other unit sees it */
	assert_false(debug_reader_global_named(program->reader, "hidden", 0, &first));
	assert_false(debug_reader_global_named(program->reader, "nowhere", 0, &first));
	/* declarations count, but have no address */
	if (debug_reader_global_named(program->reader, "stderr", 0, &first))
		assert_int_equal(first.address, 0);
}

static void static_locals(struct debug_program *program)
{
	struct global global;
	size_t count, found = 0;
	const struct symbol *symbols = elf_image_symbols(program->image, &count);

	for (size_t i = 0; i < count; i++) {
		if (strncmp(symbols[i].name, "cache.", 6) != 0 &&
		    strcmp(symbols[i].name, "twice.cache") != 0)
			continue;
		found++;
		assert_true(debug_reader_global_at(program->reader, symbols[i].address + 20, 0,
						   &global));
		assert_string_equal(global.name, "cache");
		assert_string_equal(name_of(global.type), "struct node[]");
	}
	assert_true(found > 0);
}

static void thread_locals(struct debug_program *program)
{
	struct global mine, at;

	assert_true(debug_reader_global_named(program->reader, "mine", 0, &mine));
	assert_true(mine.thread_local_);
	assert_string_equal(name_of(mine.type), "int");
	assert_true(debug_reader_tls_at(program->reader, mine.address + 3, &at));
	assert_string_equal(at.name, "mine");
	/* one word of .tdata, then .tbss */
	assert_true(mine.address < 64);
	assert_false(debug_reader_tls_at(program->reader, 4096, &at));
}

static void source_lines(struct debug_program *program)
{
	const char *file = NULL;
	unsigned int line = 0;
	uint64_t counted = address_of(program, "counted");

	assert_true(debug_reader_line(program->reader, counted, &file, &line));
	assert_string_equal(strrchr(file, '/'), "/globals_a.c");
	assert_int_equal(*file, '/');
	assert_in_range(line, 14, 25);
	assert_true(debug_reader_line(program->reader, address_of(program, "far"), &file, &line));
	assert_string_equal(strrchr(file, '/'), "/globals_b.c");
	assert_in_range(line, 8, 13);
	assert_false(debug_reader_line(program->reader, 0, &file, &line));
}

static void prototypes_by_name(struct debug_program *program)
{
	const struct prototype *printer =
		debug_reader_prototype_named(program->reader, "fprintf", 0);
	/* the name is a function in one unit and a variable in the other */
	const struct prototype *twice =
		debug_reader_prototype_named(program->reader, "twice", address_of(program, "main"));

	/* clang does not describe variables that are only declared */
	if (printer) {
		assert_true(printer->variadic);
		assert_int_equal(printer->parameter_count, 2);
	}
	assert_string_equal(debug_reader_prototype_named(program->reader, "far", 0)->name, "far");
	assert_non_null(twice);
	assert_int_equal(twice->parameter_count, 1);
	assert_null(
		debug_reader_prototype_named(program->reader, "twice", address_of(program, "far")));
}

static void everything(struct debug_program *program)
{
	by_address(program);
	by_name(program);
	static_locals(program);
	thread_locals(program);
	source_lines(program);
	prototypes_by_name(program);
}

static void globals_of_both_compilers(void **state)
{
	(void)state;
	debug_program_each_form(forms, sizeof(forms) / sizeof(*forms), sources, everything);
}

/* ---- all units at once ---- */

/* More than one thread takes at once (dwarf/dwarf/names.c). */
#define UNITS   100
#define THREADS 4

/* Each unit has a static variable, one in a function, and a table that gcc makes for a switch
 * statement. */
static struct debug_source *many_sources(struct arena *arena)
{
	struct debug_source *many = xcalloc(UNITS + 1, sizeof(*many));

	for (int i = 0; i < UNITS; i++) {
		_cleanup_free_ char *name = xasprintf("u%d.c", i);
		_cleanup_free_ char *text =
			xasprintf("static long file%d[3];\n"
				  "long *f%d(int x) { static int inner%d[5]; inner%d[x] += x;\n"
				  "\tswitch (x) { case 1: x = 55; break; case 2: x = 17; break; "
				  "case 3: x = 98; "
				  "break;\n\tcase 4: x = 31; break; case 5: x = %d; break; "
				  "default: x = 9; }\n"
				  "\treturn file%d + inner%d[x & 3] + x; }\n%s",
				  i, i, i, i, i, i, i, i ? "" : "int main(void) { return 0; }\n");

		many[i].name = arena_strdup(arena, name);
		many[i].text = arena_strdup(arena, text);
	}
	return many;
}

struct asking {
	struct debug_program *program;
	size_t found[2]; /* of a unit, of a function */
	size_t switch_tables;
	size_t wrong;
};

/* Asks without a unit, so that all units have to be read. */
static void *ask_for_all(void *argument)
{
	struct asking *asking = argument;
	struct debug_reader *reader = NULL;
	size_t count;
	const struct symbol *symbols = elf_image_symbols(asking->program->image, &count);

	reader = debug_reader_open(asking->program->object);
	if (!reader)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = symbols[i].name;
		bool inner = !strncmp(name, "inner", 5), file = !strncmp(name, "file", 4);
		struct global global;
		bool found = debug_reader_global_at(reader, symbols[i].address + 4, 0, &global);

		if (!strncmp(name, "CSWTCH.", 7)) {
			asking->switch_tables++;
			asking->wrong += found;
		} else if (inner || file) {
			asking->found[inner]++;
			asking->wrong += !found || global.address != symbols[i].address ||
					 global.size != (inner ? 20 : 24) ||
					 strncmp(name, global.name, strlen(global.name)) != 0;
		}
	}
	debug_reader_close(reader);
	return NULL;
}

static void variables_are_found_by_threads_that_ask_at_once(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct asking asking[THREADS];
	struct debug_program program;
	pthread_t threads[THREADS];

	(void)state;
	_cleanup_free_ struct debug_source *many = many_sources(&arena);

	if (!debug_program_build(&program, "gcc", "-g -O2", many))
		skip_because("there is no gcc");
	for (size_t i = 0; i < THREADS; i++) {
		asking[i] = (struct asking){ .program = &program };
		assert_int_equal(pthread_create(&threads[i], NULL, ask_for_all, &asking[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(asking[i].found[0], UNITS);
		assert_int_equal(asking[i].found[1], UNITS);
		assert_int_equal(asking[i].wrong, 0);
		assert_int_equal(asking[i].switch_tables, asking[0].switch_tables);
	}
	debug_program_close(&program);
}

/* The paths of sources that were compiled as "inner/lines.c", in the older forms, too. */
static void source_in_a_folder(void **state)
{
	static const struct debug_source source[] = {
		{ "lines.c", "int counted(int n) { return n + 1; }\n"
			     "int main(void) { return counted(0) - 1; }\n" },
		{ NULL, NULL },
	};
	static const char *const versions[] = { "5", "4", "3", "2" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(versions); i++) {
		_cleanup_free_ char *command = xasprintf("mkdir inner && mv lines.c inner && "
							 "gcc -gdwarf-%s -O1 -o prog inner/lines.c",
							 versions[i]);
		struct debug_program program;
		const char *file = NULL;
		unsigned int line = 0;

		if (!debug_program_build_with(&program, "gcc", "-g", source, command))
			skip_because("there is no gcc here");
		assert_true(debug_reader_line(program.reader, address_of(&program, "counted"),
					      &file, &line));
		assert_int_equal(*file, '/');
		assert_true(ends_with(file, "/inner/lines.c"));
		assert_int_equal(line, 1);
		debug_program_close(&program);
	}
}

/* As the kernel's jiffies and jiffies_64: each unit sees the name that it declares. */
static void variable_with_two_names(void **state)
{
	static const struct debug_source source[] = {
		{ "a.c",
		  "unsigned long long ticks_64 = 5;\n"
		  "unsigned long long all(void) { return ticks_64; }\n"
		  "__asm__(\".globl ticks\\n.type ticks, %object\\n.set ticks, ticks_64\");\n" },
		{ "b.c", "extern long ticks;\n"
			 "int main(void) { return (int)ticks; }\n" },
		{ NULL, NULL },
	};
	struct debug_program program;
	struct global global;

	(void)state;
	if (!debug_program_build(&program, "gcc", "-g", source))
		skip_because("there is no gcc here");
	uint64_t address = address_of(&program, "ticks");

	assert_int_equal(address, address_of(&program, "ticks_64"));
	assert_true(debug_reader_global_at(program.reader, address, address_of(&program, "main"),
					   &global));
	assert_string_equal(name_of(global.type), "long int");
	assert_true(debug_reader_global_at(program.reader, address, address_of(&program, "all"),
					   &global));
	assert_string_equal(name_of(global.type), "long long unsigned int");
	debug_program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variable_with_two_names),
		cmocka_unit_test(source_in_a_folder),
		cmocka_unit_test(globals_of_both_compilers),
		cmocka_unit_test(variables_are_found_by_threads_that_ask_at_once),
	};

	return cmocka_run_group_tests_name("globals", tests, NULL, NULL);
}
