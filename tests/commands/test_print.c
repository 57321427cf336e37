// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof print. The texts of records with headers are those of pahole 1.24; it has no enums,
 * floating-point numbers, pointers and arrays of records.
 */
#include "tests/support/unit.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/debug_program.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/process.h"

static const char source[] =
	"enum color { RED, GREEN = 5, BLUE }; enum mode { READ = 1, WRITE = 2, RUN = 4 };\n"
	"struct pair { short a; signed char b; unsigned char raw[3]; };\n"
	"struct all { char name[8]; unsigned big; long low; enum color color; enum mode mode;\n"
	"	_Bool ok; float single; double twice; void *pointer; struct pair pairs[2];\n"
	"	int ints[3]; union { int number; unsigned char bytes[4]; } either;\n"
	"	struct { int x, y; }; unsigned three : 3, five : 5; int four : 4; char "
	"words[2][4]; };\n"
	"struct all all = { \"a\\\"b\", 4000000000u, -7, GREEN, READ | RUN, 1, 1.5f, -2.25,\n"
	"	(void *)0x1234, { { 1, -2, { 3, 4, 5 } }, { 6 } }, { 1, -2, 3 }, { 258 }, { 8, 9 "
	"},\n"
	"	5, 17, -3, { \"ab\", \"cd\" } };\n"
	"struct head { unsigned type; unsigned short misc, size; };\n"
	"enum kinds { KIND_NAME = 3, KIND_PLACE = 4 };\n"
	"struct kind_name { struct head header; char text[16]; };\n"
	"struct kind_place { struct head header; long place; };\n"
	"struct part { long offset, size; };\n"
	"struct file { long magic; struct part data; };\n"
	"struct { struct file file; struct head one; char name[8]; struct head two; long place;\n"
	"	struct head three; } records = { { 42, { sizeof(struct file), 40 } },\n"
	"	{ KIND_NAME, 0, 16 }, \"left\", { KIND_PLACE, 1, 16 }, 77, { 9, 0, 8 } };\n"
	"typedef int row[3]; typedef char tag[4];\n"
	"struct grid { row rows[2]; struct { int v; } cells[2][2]; tag tags[2]; __int128 wide;\n"
	"	signed char small[2]; };\n"
	"struct grid grid = { { { 1, 2, 3 }, { 4, 5, 6 } }, { { { 7 }, { 8 } }, { { 9 }, { 10 } } "
	"},\n"
	"	{ \"ab\", \"cd\" }, -2, { 65, 66 } };\n"
	"enum kinds used; struct kind_name used_name; struct kind_place used_place;\n"
	"int main(void) { return used + used_name.text[0] + (int)used_place.place; }\n";

static struct debug_program program;
static bool built;
static const char *all_data, *records_data, *grid_data;

/* Writes the bytes of a variable of the program to a file. */
static const char *write_variable(const char *name, const char *file)
{
	const struct symbol *symbol = elf_image_symbol_named(program.image, name);
	const char *path = scratch_file(file);
	uint8_t bytes[512];

	assert_non_null(symbol);
	assert_true(symbol->size <= sizeof(bytes));
	assert_true(elf_image_read(program.image, symbol->address, bytes, symbol->size, false));
	file_write(path, bytes, symbol->size);
	return path;
}

static int set_up(void **state)
{
	static const struct debug_source sources[] = { { "print.c", source }, { NULL, NULL } };

	(void)state;
	built = debug_program_build(&program, "gcc", "-g -O0", sources);
	if (built) {
		all_data = write_variable("all", "all");
		records_data = write_variable("records", "records");
		grid_data = write_variable("grid", "grid");
	}
	return 0;
}

static int tear_down(void **state)
{
	if (built)
		debug_program_close(&program);
	return scratch_tear_down(state);
}

/* Runs `dtprof print --object PROGRAM ARGUMENTS`. */
static void run(const char *arguments, struct process_result *result)
{
	if (!built)
		skip_because("no gcc");
	_cleanup_free_ char *command =
		xasprintf("HOME=%s %s print --object %s %s", scratch_folder(), dtprof_path(),
			  program.path, arguments);

	process_shell(command, result);
}

static void expect(const char *arguments, const char *file, const char *expected)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *all = xasprintf("%s %s", arguments, file ? file : "");

	run(all, &result);
	assert_string_equal(result.errors.data, "");
	assert_string_equal(result.output.data, expected);
	process_check_status(&result, 0);
}

static void each_kind_of_member(void **state)
{
	(void)state;
	expect("'struct all'", all_data,
	       "{\n\t.name = \"a\\\"b\",\n\t.big = 4000000000,\n\t.low = -7,\n\t.color = GREEN,\n"
	       "\t.mode = READ | RUN,\n\t.ok = true,\n\t.single = 1.5,\n\t.twice = -2.25,\n"
	       "\t.pointer = 0x1234,\n\t.pairs = {\n\t\t{\n\t\t\t.a = 1,\n\t\t\t.b = -2,\n"
	       "\t\t\t.raw = { 3, 4, 5 },\n\t\t},\n\t\t{\n\t\t\t.a = 6,\n\t\t\t.b = 0,\n"
	       "\t\t\t.raw = { 0, 0, 0 },\n\t\t},\n\t},\n\t.ints = { 1, -2, 3 },\n"
	       "\t.either = { /* union */\n\t\t.number = 258,\n\t\t.bytes = { 2, 1, 0, 0 },\n\t},\n"
	       "\t.x = 8,\n\t.y = 9,\n\t.three = 5,\n\t.five = 17,\n\t.four = -3,\n"
	       "\t.words = { \"ab\", \"cd\" },\n},\n");
}

static void numbers_in_other_forms(void **state)
{
	(void)state;
	expect("--hex -C part --seek_bytes 8 --count 1", records_data,
	       "{\n\t.offset = 0x18,\n\t.size = 0x28,\n},\n");
	expect("--byte-order big -C part --seek_bytes 8 --count 1", records_data,
	       "{\n\t.offset = 1729382256910270464,\n\t.size = 2882303761517117440,\n},\n");
	expect("--json -C pair --seek_bytes 0x38 --count 1", all_data,
	       "[\n {\n  \"a\": 1,\n  \"b\": -2,\n  \"raw\": [\n   3,\n   4,\n   5\n  ]\n }\n]\n");
}

/* An array of arrays has all of its elements, also where the inner one has a name. */
static void arrays_of_arrays(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *arguments = xasprintf("--json -C grid %s | tr -d ' \\n'", grid_data);

	(void)state;
	run(arguments, &result);
	assert_string_equal(result.output.data,
			    "[{\"rows\":[[1,2,3],[4,5,6]],\"cells\":[[{\"v\":7},{\"v\":8}],"
			    "[{\"v\":9},{\"v\":10}]],\"tags\":[\"ab\",\"cd\"],"
			    "\"wide\":\"0xfffffffffffffffffffffffffffffffe\",\"small\":[65,66]}]");
	expect("grid --count 1", grid_data,
	       "{\n\t.rows = { 1, 2, 3, 4, 5, 6 },\n\t.cells = {\n\t\t{\n\t\t\t.v = 7,\n\t\t},\n"
	       "\t\t{\n\t\t\t.v = 8,\n\t\t},\n\t\t{\n\t\t\t.v = 9,\n\t\t},\n\t\t{\n\t\t\t.v = 10,\n"
	       "\t\t},\n\t},\n\t.tags = { \"ab\", \"cd\" },\n"
	       "\t.wide = 0xfffffffffffffffffffffffffffffffe,\n\t.small = { 65, 66 },\n},\n");
}

#define NAME_RECORD                                                                                \
	"{\n\t.header = {\n\t\t.type = KIND_NAME,\n\t\t.misc = 0,\n\t\t.size = 16,\n\t},\n"        \
	"\t.text = \"left\",\n},\n"
#define PLACE_RECORD                                                                               \
	"{\n\t.header = {\n\t\t.type = KIND_PLACE,\n\t\t.misc = 1,\n\t\t.size = 16,\n\t},\n"       \
	"\t.place = 77,\n},\n"
#define PLAIN_RECORD "{\n\t.type = 9,\n\t.misc = 0,\n\t.size = 8,\n},\n"

static void records_of_a_file_with_a_header(void **state)
{
	(void)state;
	expect("--header file", records_data,
	       "{\n\t.magic = 42,\n\t.data = {\n\t\t.offset = 24,\n\t\t.size = 40,\n\t},\n},\n");
	expect("--header file --range data 'head(sizeof,type,type_enum=kinds)'", records_data,
	       NAME_RECORD PLACE_RECORD PLAIN_RECORD);
	expect("--header file --seek_bytes '$header.data.offset' --size_bytes 32 "
	       "-C 'head(sizeof=size,type,type_enum=kinds,filter=type==KIND_PLACE)'",
	       records_data, PLACE_RECORD);
	expect("--header file --range data 'head(sizeof,type,type_enum=kinds,type==NAME)'",
	       records_data, NAME_RECORD);
	expect("--header file --range data --skip 2 'head(sizeof)'", records_data, PLAIN_RECORD);
	/* several types, each with its range */
	expect("--header file -C 'head(range=data,sizeof,type,type_enum=kinds,type==PLACE),"
	       "head(range=data,sizeof,type==9)' --prettify",
	       records_data, PLACE_RECORD PLAIN_RECORD);
}

static void records_from_a_pipe(void **state)
{
	_cleanup_free_ char *input = xasprintf("- <%s", records_data ? records_data : "");

	(void)state;
	expect("--count 1 -C file", input,
	       "{\n\t.magic = 42,\n\t.data = {\n\t\t.offset = 24,\n\t\t.size = 40,\n\t},\n},\n");
}

/* At a terminal nobody types records. */
static void a_terminal_is_no_data(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	if (!built)
		skip_because("no gcc");
	_cleanup_free_ char *command = xasprintf("timeout 60 %s print --object %s 'struct all'",
						 dtprof_path(), program.path);

	terminal_run(command, 80, 24, &result);
	assert_non_null(strstr(result.output.data, "no data: name a file"));
	process_check_status(&result, 1);
}

static void what_cannot_be_printed_is_said(void **state)
{
	static const struct {
		const char *arguments, *error;
		int status;
	} cases[] = {
		{ "nothing", "has no type 'nothing'", 1 },
		{ "'head(sizeof=other)'", "head has no number 'other'", 1 },
		{ "'head(order)'", "'order' is none of sizeof, type,", 1 },
		{ "'head(type,type_enum=kinds,filter=type==KIND_OTHER)'",
		  "no constant of the type_enum is called 'KIND_OTHER'", 1 },
		{ "--seek_bytes 4096 head", "begin at byte 4096, and the data has only 64 bytes",
		  1 },
		{ "--seek_bytes -1 head", "--seek_bytes takes a number or $header.MEMBER", 1 },
		{ "--range data head", "'$header.data.offset' needs --header", 1 },
		/* the bytes of the file's header are no records */
		{ "'head(sizeof)'", "the record at byte 0 has the size 0, which is less than", 1 },
		{ "--seek_bytes 24 --size_bytes 12 'head(sizeof)'",
		  "the record at byte 24 has 16 bytes, and the data ends after 12", 1 },
		{ "'unsigned long[' ", "has no type 'unsigned long['", 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *arguments =
			xasprintf("%s %s", cases[i].arguments, records_data ? records_data : "");

		run(arguments, &result);
		if (!strstr(result.errors.data, cases[i].error))
			fail_msg("%s: %s", cases[i].arguments, result.errors.data);
		process_check_status(&result, cases[i].status);
	}
}

/* The discriminant of Shape is its first byte, in the order of the variants. */
static void only_the_variant_that_a_rust_enum_has(void **state)
{
	static const struct {
		uint8_t bytes[16];
		const char *shown;
	} shapes[] = {
		{ { 0, [15] = 0x40 }, "{\n\t.Circle = {\n\t\t.radius = 2,\n\t},\n},\n" },
		{ { 3, [4] = 7, [8] = 9 },
		  "{\n\t.Pair = {\n\t\t.__0 = 7,\n\t\t.__1 = 9,\n\t},\n},\n" },
		{ { 4 }, "{\n\t.Empty = {\n\t},\n},\n" },
	};
	const char *file = scratch_file("shape"), *object = scratch_file("shapes");

	(void)state;
	assert_true(kept_program("tests/annotate/cases/rust_variants.rs",
				 "rustc -C opt-level=3 -C debuginfo=2 --edition 2021 --crate-type "
				 "cdylib",
				 object));
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command =
			xasprintf("HOME=%s %s print --object %s Shape %s", scratch_folder(),
				  dtprof_path(), object, file);

		file_write(file, shapes[i].bytes, sizeof(shapes[i].bytes));
		process_shell(command, &result);
		assert_string_equal(result.errors.data, "");
		assert_string_equal(result.output.data, shapes[i].shown);
	}
}

/* As /sys/kernel/btf/vmlinux is: BTF without an ELF file around it. */
static void types_of_a_file_of_btf(void **state)
{
	static const int32_t data[] = { 7, -1 };
	const char *types = scratch_file("types.btf"), *file = scratch_file("point");
	_cleanup_process_ struct process_result result = { 0 };
	struct btf *btf = btf__new_empty();
	uint32_t size;
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);

	(void)state;
	btf__add_struct(btf, "point", sizeof(data));
	btf__add_field(btf, "x", number, 0, 0);
	btf__add_field(btf, "y", number, 32, 0);
	/* damaged: only records may be without a name */
	btf__add_struct(btf, "nameless", sizeof(data));
	btf__add_field(btf, "", number, 0, 0);

	const void *bytes = btf__raw_data(btf, &size);

	file_write(types, bytes, size);
	btf__free(btf);
	file_write(file, data, sizeof(data));

	_cleanup_free_ char *command = xasprintf("HOME=%s %s print --object %s point %s",
						 scratch_folder(), dtprof_path(), types, file);

	process_shell(command, &result);
	assert_string_equal(result.errors.data, "");
	assert_string_equal(result.output.data, "{\n\t.x = 7,\n\t.y = -1,\n},\n");

	_cleanup_process_ struct process_result nameless = { 0 };
	_cleanup_free_ char *other = xasprintf("HOME=%s %s print --json --object %s nameless %s",
					       scratch_folder(), dtprof_path(), types, file);

	process_shell(other, &nameless);
	assert_string_equal(nameless.output.data, "[\n {\n  \"\": 7\n }\n]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_member),
		cmocka_unit_test(numbers_in_other_forms),
		cmocka_unit_test(arrays_of_arrays),
		cmocka_unit_test(records_of_a_file_with_a_header),
		cmocka_unit_test(records_from_a_pipe),
		cmocka_unit_test(a_terminal_is_no_data),
		cmocka_unit_test(only_the_variant_that_a_rust_enum_has),
		cmocka_unit_test(types_of_a_file_of_btf),
		cmocka_unit_test(what_cannot_be_printed_is_said),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
