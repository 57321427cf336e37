// SPDX-License-Identifier: GPL-2.0-or-later
/* Variables in .bss beyond the last page of their file, in memory that no file is mapped to. */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/perf_data_writer.h"
#include "tests/support/process.h"

#define PAGE  UINT64_C(4096)
#define SHIFT UINT64_C(0x555500000000) /* where the program is loaded */

#define BUILD_ID "00112233445566778899aabbccddeeff00112233"

static const char source[] = "int first = 1;\n"
			     "struct lock { int word; char rest[60]; };\n"
			     "struct lock locks[4096], last[2];\n"
			     "int main(void) { return locks[first].word + last[first].word; }\n";

static uint64_t address_of(const char *program, const char *symbol)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf("nm %s | grep ' [bB] %s$'", program, symbol);

	process_shell(command, &result);
	if (result.status)
		skip_because("nm does not show the program's symbols");
	return strtoull(result.output.data, NULL, 16);
}

/* Adds the maps that the kernel makes of the program. */
static void add_maps(struct perf_data_writer *writer, const char *program)
{
	FILE *file = fopen(program, "re");
	Elf64_Ehdr header;
	Elf64_Phdr segments[16];

	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	assert_in_range(header.e_phnum, 1, COUNT_OF(segments));
	assert_int_equal(fseek(file, (long)header.e_phoff, SEEK_SET), 0);
	assert_int_equal(fread(segments, sizeof(*segments), header.e_phnum, file), header.e_phnum);
	fclose(file);
	for (size_t i = 0; i < header.e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];
		uint64_t start = segment->p_vaddr / PAGE * PAGE,
			 end = (segment->p_vaddr + segment->p_filesz + PAGE - 1) / PAGE * PAGE,
			 last = segment->p_vaddr + segment->p_memsz;

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_flags & PF_X)
			perf_data_add_map(writer, 100, SHIFT + start, end - start,
					  segment->p_offset / PAGE * PAGE, program);
		else
			perf_data_add_data_map(writer,
					       &(struct written_data_map){
						       .pid = 100,
						       .start = SHIFT + start,
						       .length = end - start,
						       .offset = segment->p_offset / PAGE * PAGE,
						       .inode = 7,
						       .path = program });
		if (last > end)
			perf_data_add_data_map(
				writer, &(struct written_data_map){ .pid = 100,
								    .start = SHIFT + end,
								    .length = last - end + 4 * PAGE,
								    .path = "//anon" });
	}
}

/* Records the build id: without one, the made-up inodes of the maps would be another file's. */
static void add_build_id(struct perf_data_writer *writer, const char *program)
{
	uint8_t bytes[20];

	for (size_t i = 0; i < COUNT_OF(bytes); i++)
		assert_int_equal(sscanf(&BUILD_ID[2 * i], "%2hhx", &bytes[i]), 1);
	perf_data_add_build_id(writer, program, bytes, sizeof(bytes));
}

static void add_sample(struct perf_data_writer *writer, uint64_t address)
{
	perf_data_add_sample(writer, &(struct written_sample){ .ip = SHIFT + 0x1000,
							       .address = SHIFT + address,
							       .pid = 100,
							       .tid = 100,
							       .period = 1,
							       .weight = 1 });
}

static void test_variables(void **state)
{
	static const struct written_machine machine = { .arch = "x86_64",
							.events = { "cpu/mem-loads,ldlat=30/P" },
							.cpus = 1 };
	_cleanup_free_ char *text = xstrdup(scratch_file("bss.c")),
			    *program = xstrdup(scratch_file("bss"));
	_cleanup_free_ char *compile =
		xasprintf("%s -O0 -pie -fPIE -Wl,--build-id=0x" BUILD_ID " -o %s %s",
			  process_compiler(), program, text);
	_cleanup_free_ char *report =
		xasprintf("%s mem report -q -s symbol_daddr,dso_daddr --stdio -i %s", dtprof_path(),
			  scratch_file("data"));
	_cleanup_process_ struct process_result compiled = { 0 }, result = { 0 };
	struct perf_data_writer writer;

	(void)state;
	file_write(text, source, strlen(source));
	process_shell(compile, &compiled);
	if (compiled.status)
		skip_because("%s does not make programs here", process_compiler());
	perf_data_writer_init(&writer);
	writer.machine = &machine;
	perf_data_add_comm(&writer, 100, 100, "bss");
	add_maps(&writer, program);
	add_build_id(&writer, program);
	add_sample(&writer, address_of(program, "locks") + 1500 * 64);
	add_sample(&writer, address_of(program, "last") + 64);
	add_sample(&writer, address_of(program, "_end") + PAGE); /* the heap, say */

	struct error *error = perf_data_write(&writer, scratch_file("data"));

	perf_data_writer_deinit(&writer);
	assert_null(error);
	process_shell(report, &result);
	process_check_status(&result, 0);
	if (!strstr(result.output.data, "locks+0x17700 ") ||
	    !strstr(result.output.data, "last+0x40 ") || !strstr(result.output.data, " anon "))
		fail_msg("%s", result.output.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
