// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects that no linker made or that are for another machine: code of a just-in-time compiler as
 * `perf inject -j` writes it, and 32-bit programs. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "dwarf/elf/image.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/perf_data_writer.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define PROCESS 100

/* The offset of the code in the file, after the header, and its address. */
#define JITTED_TEXT sizeof(Elf64_Ehdr)

struct place {
	char *folder;
	char *object;
	char *data;
};

static int set_up(void **state)
{
	struct place *place = xcalloc(1, sizeof(*place));

	place->folder = scratch_create();
	place->object = xasprintf("%s/work.so", place->folder);
	place->data = xasprintf("%s/perf.data", place->folder);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	scratch_remove(place->folder);
	free(place->object);
	free(place->data);
	free(place);
	return 0;
}

/* Writes samples at these offsets of an object's only map. */
static void write_samples(const struct place *place, uint64_t start, uint64_t file_offset,
			  const uint64_t *offsets, size_t count)
{
	struct perf_data_writer writer;

	perf_data_writer_init(&writer);
	perf_data_add_comm(&writer, PROCESS, PROCESS, "runtime");
	perf_data_add_map(&writer, PROCESS, start, 0x40, file_offset, place->object);
	for (size_t i = 0; i < count; i++)
		perf_data_add_sample(&writer, &(struct written_sample){ .ip = start + offsets[i],
									.address = 0x7000,
									.pid = PROCESS,
									.tid = PROCESS,
									.period = 1,
									.weight = 1 });
	assert_null(perf_data_write(&writer, place->data));
	perf_data_writer_deinit(&writer);
}

static void run(const struct place *place, const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command =
		xasprintf("%s %s -i %s", dtprof_path(), arguments, place->data);

	process_shell(command, result);
	if (result->status)
		fail_msg("%s: status %d: %s", command, result->status, result->errors.data);
}

static void assert_warns(const struct place *place, const char *arguments, const char *text);

/* The account of samples without a type tells code of other machines, of unknown kinds of these,
 * and of other PID namespaces from what is gone, and from accesses that the code leaves open. */
static void the_account_names_what_is_elsewhere(void **state)
{
	static const struct written_machine arm64 = { .arch = "aarch64", .events = { "cycles" } };
	static const struct written_machine x86 = { .arch = "x86_64", .events = { "cycles" } };
	static const struct written_machine other = { .arch = "armv7l", .events = { "cycles" } };
#ifdef __x86_64__
	const struct written_machine *here = &x86, *elsewhere = &arm64;
#else
	const struct written_machine *here = &arm64, *elsewhere = &x86;
#endif
	const struct {
		const struct written_machine *machine;
		const char *map, *account;
		uint32_t pid;
	} cases[] = {
		{ elsewhere, "/none/app", ": 100.0% app of another machine, not here\n", 10 },
		{ &other, "/none/app", " they are of armv7l, and types are found in code of", 10 },
		{ here, "/none/app", ": 100.0% app gone or replaced\n", 10 },
		{ here, "/none/app", ": 100.0% code outside of the PID namespace\n", 0 },
		{ here, NULL, ": 100.0% code in no file\n", 10 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct place *place = *state;
		struct perf_data_writer writer;

		perf_data_writer_init(&writer);
		writer.machine = cases[i].machine;
		perf_data_add_comm(&writer, cases[i].pid, cases[i].pid, "app");
		if (cases[i].map)
			perf_data_add_map(&writer, cases[i].pid, 0x700000, 0x1000, 0, cases[i].map);
		perf_data_add_sample(&writer, &(struct written_sample){ .ip = 0x700010,
									.pid = cases[i].pid,
									.tid = cases[i].pid });
		assert_null(perf_data_write(&writer, place->data));
		perf_data_writer_deinit(&writer);
		assert_warns(place, "report --stdio -s type", cases[i].account);
	}
}

static void assert_says(const struct place *place, const char *arguments, const char *text)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(place, arguments, &result);
	if (!strstr(result.output.data, text))
		fail_msg("%s: not in its output: %s\n%s%s", arguments, text, result.output.data,
			 result.errors.data);
}

/* Asserts that the warning is on standard error, and the report is printed. */
static void assert_warns(const struct place *place, const char *arguments, const char *text)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(place, arguments, &result);
	if (!strstr(result.errors.data, text))
		fail_msg("%s: it does not say: %s\n%s", arguments, text, result.errors.data);
}

/* Writes mov %edi, %ecx; mov (%rsi), %eax; ret in the form of perf's genelf.c: .text at its offset
 * in the file, one local function in .symtab, a build id, and since 6.1 a program header. */
static void write_jitted(struct place *place, bool with_segment)
{
	static const uint8_t code[] = { 0x89, 0xf9, 0x8b, 0x06, 0xc3 }, id[20] = { 1, 2, 3 };
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
				   JITTED_TEXT, code, sizeof(code));
	size_t size;

	elf_writer_section_details(writer, text, 0, 0, 0, 16);
	if (with_segment)
		elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, JITTED_TEXT, sizeof(code),
				   8);
	elf_writer_symbol(writer, "work*script.js:10", STT_FUNC, STB_LOCAL, (uint16_t)text,
			  JITTED_TEXT, sizeof(code));
	elf_writer_build_id(writer, id, sizeof(id));
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	free(place->object);
	place->object = xasprintf("%s/jitted-%d-7.so", place->folder, PROCESS);
	file_write(place->object, bytes, size);
}

static void code_that_was_made_at_run_time(void **state)
{
	static const uint64_t offsets[] = { 2, 2, 2, 4 };
	struct place *place = *state;

	for (int with_segment = 0; with_segment < 2; with_segment++) {
		write_jitted(place, with_segment);
		write_samples(place, 0x700000, JITTED_TEXT, offsets, 4);
		assert_says(place, "report -t '|' -s comm,dso,sym",
			    "100.00%|runtime|jitted-100-7.so|[.] work*script.js:10\n");
		assert_says(place, "report -t '|' -s symoff",
			    "75.00% |[.] work*script.js:10+0x2\n");
		/* the object has no debug information */
		assert_says(place, "report -t '|' -s type,symoff",
			    "75.00% |(unknown)|[.] work*script.js:10+0x2\n");
		assert_warns(place, "report -s type", "75.0% code made at run time\n");
		assert_warns(place, "report -s type", "it has no types\n");
		assert_says(place, "annotate -s 'work*script.js:10'", "movl    (%rsi), %eax\n");
	}
}

static unsigned int count_of(const char *text, const char *part)
{
	unsigned int count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* The file was rebuilt since the recording: both build ids are named once, where its symbols or
 * types are asked for. */
static void another_file_than_the_recorded_one(void **state)
{
	static const char *const keys[] = { "comm,dso,sym", "sym,type", "dso,srcline,sym",
					    "comm,dso" };
	static const uint8_t recorded[20] = { 0xab, 0xcd, 0xef };
	struct place *place = *state;
	struct perf_data_writer writer;

#ifndef __x86_64__
	skip_because("a recording of x86-64 is of another machine here, whose files may differ");
#endif
	write_jitted(place, true);
	perf_data_writer_init(&writer);
	perf_data_add_comm(&writer, PROCESS, PROCESS, "runtime");
	perf_data_add_map(&writer, PROCESS, 0x700000, 0x40, JITTED_TEXT, place->object);
	perf_data_add_build_id(&writer, place->object, recorded, sizeof(recorded));
	for (unsigned int i = 0; i < 3; i++)
		perf_data_add_sample(&writer, &(struct written_sample){ .ip = 0x700000 + i,
									.pid = PROCESS,
									.tid = PROCESS });
	assert_null(perf_data_write(&writer, place->data));
	perf_data_writer_deinit(&writer);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command = xasprintf("%s report --stdio -i %s -s %s",
							 dtprof_path(), place->data, keys[i]);
		unsigned int wanted = strcmp(keys[i], "comm,dso") != 0;

		process_shell(command, &result);
		process_check_status(&result, 0);
		assert_int_equal(count_of(result.errors.data, "abcdef00"), wanted);
		assert_int_equal(count_of(result.errors.data, "01020300"), wanted);
		/* a report of types accounts for the samples without one before that */
		bool account = strstr(keys[i], "type") != NULL;

		assert_int_equal(
			count_of(result.errors.data, ": 100.0% jitted-100-7.so gone or replaced\n"),
			account);
		assert_int_equal(count_of(result.errors.data, "\n"), wanted + account);
	}
}

/* Compiles a shared object, and writes a sample in the first instruction of its function work(). */
static void write_compiled(const struct place *place, const char *flags, const char *source)
{
	_cleanup_process_ struct process_result built = { 0 }, offset = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/source.c", place->folder);

	file_copy(source, path);
	shell_must(&built, "cd %s && %s %s -O1 -fPIC -fcf-protection=none -shared -o %s source.c",
		   place->folder, process_compiler(), flags, place->object);
	shell_must(&offset, "nm %s | sed -n 's/ [Tt] work$//p'", place->object);
	uint64_t address = strtoull(offset.output.data, NULL, 16);

	/* a linker gives the first code segment the same layout as in the file */
	write_samples(place, 0x700000 + address, address, (const uint64_t[]){ 0 }, 1);
}

/* A runtime may link the code that it compiles, with debug information: its types are then
 * found. */
static void made_code_with_debug_information(void **state)
{
	struct place *place = *state;

	write_compiled(place, "-g", "tests/workloads/counter.c");
	assert_says(place, "report -t '|' -s sym,typeoff",
		    "100.00%|[.] work|struct counter +8 (misses)\n");
	assert_says(place, "annotate --data-type=counter", " misses;");
}

#define WITHOUT_A_FILE " without a file of its debug information\n"

/* No package and no compiler option restores what -gsplit-dwarf wrote to another file, so that file
 * is named. */
static void debug_information_put_aside_and_gone(void **state)
{
	struct place *place = *state;
	_cleanup_process_ struct process_result removed = { 0 };
	_cleanup_free_ char *text =
		xasprintf("%s: its debug information is split, and neither ", place->object);
	_cleanup_free_ char *folder =
		xasprintf(".dwo (in %s) nor %s.dwp is there", place->folder, place->object);

	write_compiled(place, "-g -gsplit-dwarf", "tests/workloads/counter.c");
	assert_says(place, "report -t '|' -s sym,type", "100.00%|[.] work|struct counter");
	shell_must(&removed, "cd %s && ls *.dwo && rm *.dwo", place->folder);
	assert_warns(place, "report --stdio -s type", text);
	assert_warns(place, "report --stdio -s type", folder);
	assert_warns(place, "report --stdio -s type", WITHOUT_A_FILE);
}

/* No compiler option restores an alternate file (dwz -m) either. A stripped program that names one
 * is built without -g, as far as this system knows. */
static void an_alternate_file_that_is_gone(void **state)
{
	struct place *place = *state;
	_cleanup_process_ struct process_result linked = { 0 }, stripped = { 0 }, result = { 0 };

	if (!process_exists("objcopy"))
		skip_because("objcopy (of binutils) is not installed");
	write_compiled(place, "-g", "tests/workloads/counter.c");
	shell_must(&linked,
		   "cd %s && printf 'common.dwz\\0%%020d' 1 >link && "
		   "objcopy --add-section .gnu_debugaltlink=link %s && touch %s",
		   place->folder, place->object, place->data);
	assert_warns(place, "report --stdio -s type", "continues in common.dwz (build id ");
	assert_warns(place, "report --stdio -s type", WITHOUT_A_FILE);
	run(place, "report --stdio -s type", &result);
	assert_null(strstr(result.errors.data, "build with -g"));
	shell_must(&stripped, "strip -g %s && touch %s", place->object, place->data);
	assert_warns(place, "report --stdio -s type", "without debug information: build with -g");
}

/* Writes mov 4(%esp), %eax; dec %eax; ret. As 64-bit code, the second would be a prefix of the
 * third. */
static void write_narrow(const struct place *place)
{
	static const uint8_t code[] = { 0x8b, 0x44, 0x24, 0x04, 0x48, 0xc3 };
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	size_t size;

	elf_writer_set_narrow(writer);

	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
				   0x8048040, code, sizeof(code));

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, 0x8048040, sizeof(code), 16);
	elf_writer_symbol(writer, "narrow", STT_FUNC, STB_GLOBAL, (uint16_t)text, 0x8048040,
			  sizeof(code));
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	file_write(place->object, bytes, size);
}

/* An instruction that no decoder knows is told from accesses that the code leaves open, with
 * the version of the decoder. */
static void an_instruction_that_is_not_decoded(void **state)
{
	struct place *place = *state;
	_cleanup_free_ char *source = xasprintf("%s/source.c", place->folder);
	static const char text[] = "long work(long *p)\n{\n\tlong r;\n"
				   "\t__asm__(\".byte 0x06\" : \"=a\"(r) : \"D\"(p));\n"
				   "\treturn r + *p;\n}\n";
	_cleanup_process_ struct process_result built = { 0 }, offset = { 0 };

	file_write(source, text, sizeof(text) - 1);
	shell_must(&built, "cd %s && %s -g -O1 -fPIC -fcf-protection=none -shared -o %s source.c",
		   place->folder, process_compiler(), place->object);
	shell_must(&offset, "nm %s | sed -n 's/ [Tt] work$//p'", place->object);
	uint64_t address = strtoull(offset.output.data, NULL, 16);

	write_samples(place, 0x700000 + address, address, (const uint64_t[]){ 0 }, 1);
	assert_warns(place, "report --stdio -s type",
		     ": 100.0% instructions that are not decoded\n");
	assert_warns(place, "report --stdio -s type", " and those that capstone ");
}

/* Symbols are shown; instructions are not decoded, because they would be others. */
static void programs_of_32_bits(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, code = { 0 };
	struct place *place = *state;

	write_narrow(place);
	write_samples(place, 0x8048040, JITTED_TEXT, (const uint64_t[]){ 0, 0, 4 }, 3);
	assert_says(place, "report -t '|' -s sym,type", "100.00%|[.] narrow|(unknown)\n");
	run(place, "annotate --insn-stat", &result);
	assert_non_null(strstr(result.output.data, "total 3, ok 0 (0.0%), bad 3 (100.0%)\n"));
	assert_non_null(strstr(result.output.data, "  ?                   :     0     3\n"));
	assert_null(strstr(result.output.data, "mov"));
	_cleanup_free_ char *command =
		xasprintf("%s annotate -s narrow -i %s", dtprof_path(), place->data);

	process_shell(command, &code);
	assert_non_null(
		strstr(code.errors.data, "32-bit program, whose instructions are not decoded"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* The package of split units is the program's: it is beside the debug file that was split off. */
static void a_package_beside_the_debug_file(void **state)
{
	struct place *place = *state;
	_cleanup_process_ struct process_result made = { 0 };

	if (!process_exists("dwp"))
		skip_because("dwp (of binutils) is not installed");
	write_compiled(place, "-gdwarf-4 -gsplit-dwarf -Wl,--build-id",
		       "tests/workloads/counter.c");
	shell_must(&made,
		   "cd %s && dwp -e %s -o app.dwp && objcopy --only-keep-debug %s app.debug && "
		   "objcopy -S --add-gnu-debuglink=app.debug %s && touch %s && rm *.dwo",
		   place->folder, place->object, place->object, place->object, place->data);
	assert_says(place, "report -t '|' -s sym,type", "100.00%|[.] work|struct counter");
	/* or beside the program itself */
	process_result_deinit(&made);
	shell_must(&made, "cd %s && mkdir .debug && mv app.debug .debug && mv app.dwp %s.dwp",
		   place->folder, place->object);
	assert_says(place, "report -t '|' -s sym,type", "100.00%|[.] work|struct counter");
}

/* Programs as distributions ship them: stripped, with the names of functions that are not exported
 * in a section. */
static void stripped_programs_that_carry_names_along(void **state)
{
	struct place *place = *state;
	_cleanup_process_ struct process_result made = { 0 }, damaged = { 0 };
	_cleanup_free_ char *bad = xasprintf("%s: .gnu_debugdata: bad xz data", place->object);

	if (!process_exists("xz"))
		skip_because("xz is not installed");
	write_compiled(place, "-Wl,--build-id", "tests/workloads/hidden_function.c");
	shell_must(&made,
		   "cd %s && objcopy --only-keep-debug %s full && objcopy -S --keep-symbol=work "
		   "full names && "
		   "xz names && strip --strip-all %s && cp %s bare && "
		   "objcopy --add-section .gnu_debugdata=names.xz bare %s && touch %s",
		   place->folder, place->object, place->object, place->object, place->object,
		   place->data);
	assert_says(place, "report -t '|' -s sym", "100.00%|[.] work");
	assert_says(place, "annotate --stdio -s work", "<work>:");
	shell_must(&damaged,
		   "cd %s && head -c 90 names.xz >cut && objcopy --add-section .gnu_debugdata=cut "
		   "bare %s && touch %s",
		   place->folder, place->object, place->data);
	assert_warns(place, "report --stdio -s sym", bad);
}

/* ---- kernels of arm64 with larger pages ---- */

/* Writes the maps that a kernel with pages of `page` bytes makes of the kept program, whose .bss
 * begins in the last bytes of a page of 64K, and samples of a loop over `table` in it. */
static void write_paged(const struct place *place, uint64_t page)
{
	static const struct written_machine machine = { .arch = "aarch64",
							.events = { "arm_spe_0" } };
	const uint64_t bss = 0x41ffe8, first = bss & ~(page - 1), text = 0x400000;
	struct perf_data_writer writer;
	struct elf_image *image;

	assert_null(elf_image_open(place->object, &image));
	const uint64_t load = elf_image_symbol_named(image, "sum_of")->address,
		       table = elf_image_symbol_named(image, "table")->address;

	assert_int_equal(table, bss);
	perf_data_writer_init(&writer);
	perf_data_add_comm(&writer, PROCESS, PROCESS, "paged");
	perf_data_add_map(&writer, PROCESS, text, page, 0, place->object);
	perf_data_add_data_map(&writer, &(struct written_data_map){ .pid = PROCESS,
								    .start = first,
								    .length = 0x420000 - first,
								    .offset = 0xffe8 & ~(page - 1),
								    .path = place->object });
	perf_data_add_data_map(&writer, &(struct written_data_map){ .pid = PROCESS,
								    .start = 0x420000,
								    .length = page,
								    .path = "//anon" });
	/* the maps before it have no inode that the file could be held against */
	writer.machine = &machine;
	for (uint64_t i = 0; i < 32; i++)
		perf_data_add_sample(&writer,
				     &(struct written_sample){ .ip = load + i % 8 * 4,
							       .address = table + i / 8 * 32 + 16,
							       .pid = PROCESS,
							       .tid = PROCESS,
							       .period = 1,
							       .weight = 1 });
	assert_null(perf_data_write(&writer, place->data));
	perf_data_writer_deinit(&writer);
	elf_image_close(image);
}

/* The size of a page decides where maps begin and which bytes of the file they show twice. Tables
 * are those of a kernel with 4K. */
static void pages_of_16_and_64_kilobytes(void **state)
{
	static const char *const tables[] = {
		"report -t '|' -s sym,type,typeoff",
		"report -t '|' --mem-mode -s symbol_daddr,dso_daddr,sym",
		"script -F ip,sym,addr,type,typeoff",
		"annotate --stdio --data-type=node",
		"c2c report --stdio",
		"layout --type=node",
	};
	struct place *place = *state;
	struct process_result small[COUNT_OF(tables)] = { 0 };

	assert_true(kept_program("tests/kept/arm64.c",
				 "aarch64-linux-gnu-gcc -O2 -g -fno-pie -no-pie -nostdlib "
				 "-mno-outline-atomics -Wl,-e,of_thread "
				 "-Wl,--unresolved-symbols=ignore-all",
				 place->object));
	for (uint64_t page = 4096; page <= 65536; page *= 4) {
		write_paged(place, page);
		for (size_t i = 0; i < COUNT_OF(tables); i++) {
			struct process_result large = { 0 };

			run(place, tables[i], page > 4096 ? &large : &small[i]);
			if (page > 4096)
				assert_string_equal(large.output.data, small[i].output.data);
			process_result_deinit(&large);
		}
	}
	assert_says(place, tables[0], "sum_of|struct node");
	assert_says(place, tables[1], "[.] table+0x10");
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		process_result_deinit(&small[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_account_names_what_is_elsewhere),
		TEST(code_that_was_made_at_run_time),
		TEST(made_code_with_debug_information),
		TEST(debug_information_put_aside_and_gone),
		TEST(an_alternate_file_that_is_gone),
		TEST(another_file_than_the_recorded_one),
		TEST(a_package_beside_the_debug_file),
		TEST(stripped_programs_that_carry_names_along),
		TEST(an_instruction_that_is_not_decoded),
		TEST(programs_of_32_bits),
		TEST(pages_of_16_and_64_kilobytes),
	};

	return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
