// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of a kernel: where it ran, and which file, symbol and section they belong to. */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/session.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"

#define TEXT  0xffffffff81000000
#define SLIDE 0x2bc00000

struct kernel_test {
	char *folder;
	char *vmlinux;
	struct perf_image image;
	uint8_t *bytes;
	struct session *session;
	struct session_options options;
	struct sample_counts *counts;
};

/* _text and _stext at TEXT, "first" at TEXT + 0x100, "second" at TEXT + 0x200. */
static void write_vmlinux(const char *path)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	static const uint8_t code[0x400] = { 0xc3 };
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
					       code, sizeof(code));
	size_t size;

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, TEXT, sizeof(code), 4096);
	elf_writer_symbol(writer, "_text", STT_NOTYPE, STB_GLOBAL, (uint16_t)text, TEXT, 0);
	elf_writer_symbol(writer, "_stext", STT_NOTYPE, STB_GLOBAL, (uint16_t)text, TEXT, 0);
	elf_writer_symbol(writer, "first", STT_FUNC, STB_GLOBAL, (uint16_t)text, TEXT + 0x100, 0x80);
	elf_writer_symbol(writer, "second", STT_FUNC, STB_GLOBAL, (uint16_t)text, TEXT + 0x200, 0x80);
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	file_write(path, bytes, size);
}

static int setup(void **state)
{
	struct kernel_test *test = xcalloc(1, sizeof(*test));

	test->folder = scratch_create();
	test->vmlinux = xasprintf("%s/vmlinux", test->folder);
	setenv("HOME", test->folder, 1);
	unsetenv("DEBUGINFOD_URLS");
	write_vmlinux(test->vmlinux);
	perf_image_init(&test->image);
	perf_records_event(&test->image);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct kernel_test *test = *state;

	sample_counts_destroy(test->counts);
	session_close(test->session);
	free(test->bytes);
	perf_image_release(&test->image);
	scratch_remove(test->folder);
	free(test->vmlinux);
	free(test);
	return 0;
}

/* Counts the samples of the records so far by place. */
static void count(struct kernel_test *test)
{
	size_t size;

	test->bytes = perf_image_file(&test->image, &size);
	assert_null(session_open_memory(test->bytes, size, &test->options, &test->session));
	assert_null(session_count(test->session, COUNT_PLACE, &test->counts));
}

static const char *symbol_of(struct kernel_test *test, size_t entry)
{
	const struct counted *counted = &test->counts->entries[entry];
	const struct symbol *symbol =
		counted->dso ? dso_symbol_at(counted->dso, &test->options.dso, counted->address) : NULL;

	return symbol ? symbol->name : NULL;
}

/* The offset of the map is where its symbol was. */
static void a_kernel_that_moved_is_found_by_its_reference_symbol(void **state)
{
	struct kernel_test *test = *state;

	test->options.dso.vmlinux = test->vmlinux;
	add_kernel_map(&test->image, 0, TEXT + SLIDE, 0x400, "[kernel.kallsyms]_stext");
	add_sample(&test->image, 10, 1, 1, TEXT + SLIDE + 0x110, PERF_RECORD_MISC_KERNEL);
	add_sample(&test->image, 11, 1, 1, TEXT + SLIDE + 0x220, PERF_RECORD_MISC_KERNEL);
	count(test);
	assert_int_equal(test->counts->count, 2);
	assert_int_equal(test->counts->entries[0].address, TEXT + 0x110);
	assert_string_equal(symbol_of(test, 0), "first");
	assert_string_equal(symbol_of(test, 1), "second");
	assert_string_equal(test->counts->entries[0].dso->long_name, "[kernel.kallsyms]");
}

static void a_kernel_that_did_not_move(void **state)
{
	struct kernel_test *test = *state;

	test->options.dso.vmlinux = test->vmlinux;
	add_kernel_map(&test->image, 0, TEXT, 0x400, "[kernel.kallsyms]_text");
	add_sample(&test->image, 10, 1, 1, TEXT + 0x110, PERF_RECORD_MISC_KERNEL);
	count(test);
	assert_string_equal(symbol_of(test, 0), "first");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kernel_that_moved_is_found_by_its_reference_symbol),
		TEST(a_kernel_that_did_not_move),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
