// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of a kernel: the address at which it ran, and the file, symbol and section of each
 * sample. */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/objects/symbol_map.h"
#include "profiler/ingest/session.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/session_memory.h"

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
	char *kallsyms;
};

#define DATA   (TEXT + 0x100000)
#define MODULE 0xffffffffc0400000

/* _text and _stext at TEXT, "first" at TEXT + 0x100, "second" at TEXT + 0x200; "table" at DATA. */
static void write_vmlinux(const char *path)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	static const uint8_t code[0x400] = { 0xc3 };
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof(code));
	static const uint8_t table[0x40] = { 1 };
	unsigned int data = elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					       DATA, table, sizeof(table));
	size_t size;

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, TEXT, sizeof(code), 4096);
	elf_writer_symbol(writer, "_text", STT_NOTYPE, STB_GLOBAL, (uint16_t)text, TEXT, 0);
	elf_writer_symbol(writer, "_stext", STT_NOTYPE, STB_GLOBAL, (uint16_t)text, TEXT, 0);
	elf_writer_symbol(writer, "first", STT_FUNC, STB_GLOBAL, (uint16_t)text, TEXT + 0x100,
			  0x80);
	elf_writer_symbol(writer, "second", STT_FUNC, STB_GLOBAL, (uint16_t)text, TEXT + 0x200,
			  0x80);
	elf_writer_symbol(writer, "table", STT_OBJECT, STB_GLOBAL, (uint16_t)data, DATA,
			  sizeof(table));
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
	perf_image_deinit(&test->image);
	scratch_remove(test->folder);
	free(test->vmlinux);
	free(test->kallsyms);
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
		counted->dso ? dso_symbol_at(counted->dso, &test->options.dso, counted->address)
			     : NULL;

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

/* ---- data, by the kernel's own list ---- */

#define TEXT_SYMBOLS                                                                               \
	"ffffffff81000000 T _text\n"                                                               \
	"ffffffff81000100 T first\n"                                                               \
	"ffffffff81000200 t second\n"                                                              \
	"ffffffff81000400 T _etext\n"                                                              \
	"ffffffff81400000 T start_kernel\n"                                                        \
	"ffffffffc0400100 t probe\t[device]\n"

/* Offsets into the per-cpu section have the type "A" in some kernels' lists and "D" in others'. */
static const char text_and_data[] =
	"0000000000000000 A __per_cpu_start\n"
	"0000000000001000 D runqueues\n"
	"0000000000002000 d counters\n" TEXT_SYMBOLS "ffffffff81100000 D table\n"
	"ffffffff81100100 r constant\n"
	"ffffffff81200000 b counter\n"
	"ffffffff81500000 B _end\n"
	"ffffffffc0402000 d state\t[device]\n"
	"0000000000003000 d device_counters\t[device]\n";

/* Counts a sample of an access to each address, in this order. */
static void count_accesses(struct kernel_test *test, uint64_t moved, const uint64_t *addresses,
			   size_t count)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
		.sample_id_all = 1,
		.sample_period = 1,
	};
	size_t size;

	perf_image_deinit(&test->image);
	perf_image_init(&test->image);
	perf_image_event(&test->image, &attr, NULL, 0);
	add_kernel_map(&test->image, 0, TEXT + moved, 0x400, "[kernel.kallsyms]_text");
	add_kernel_map(&test->image, 0, MODULE, 0x4000, "[device]");
	for (size_t i = 0; i < count; i++) {
		put64(&test->image.body, TEXT + moved + 0x110 + i);
		put32(&test->image.body, 1);
		put32(&test->image.body, 1);
		put64(&test->image.body, 10 + i);
		put64(&test->image.body, addresses[i]);
		perf_image_record(&test->image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	}
	test->bytes = perf_image_file(&test->image, &size);
	assert_null(session_open_memory(test->bytes, size, &test->options, &test->session));
	assert_null(session_count(test->session, COUNT_PLACE | COUNT_DATA_ADDRESS, &test->counts));
	assert_int_equal(test->counts->count, count);
}

static const struct symbol *data_of(struct kernel_test *test, size_t entry)
{
	const struct counted *counted = &test->counts->entries[entry];

	return counted->data_dso ? dso_data_symbol_at(counted->data_dso, &test->options.dso,
						      counted->data_file_address)
				 : NULL;
}

static void assert_data(struct kernel_test *test, size_t entry, const char *name, uint64_t offset)
{
	const struct symbol *symbol = data_of(test, entry);

	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
	assert_int_equal(test->counts->entries[entry].data_file_address - symbol->address, offset);
}

static void use_kallsyms(struct kernel_test *test, const char *text)
{
	test->kallsyms = xasprintf("%s/kallsyms", test->folder);
	file_write(test->kallsyms, text, strlen(text));
	test->options.dso.no_vmlinux = true;
	test->options.dso.kallsyms = test->kallsyms;
}

static void data_of_a_moved_kernel_is_named_by_its_list(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = {
		DATA + SLIDE + 0x10,
		DATA + SLIDE + 0x110,
		TEXT + SLIDE + 0x200008,
		TEXT + SLIDE + 0x210,
		TEXT + SLIDE + 0x500,
		TEXT + SLIDE + 0x500010,
		TEXT + SLIDE - 0x1000000,
		0xffff893efbd00028,
		0x1008,
		0x2008,
	};
	size_t count = sizeof(addresses) / sizeof(*addresses);

	use_kallsyms(test, text_and_data);
	count_accesses(test, SLIDE, addresses, count);
	assert_data(test, 0, "table", 0x10);
	assert_true(symbol_is_data(data_of(test, 0)));
	assert_data(test, 1, "constant", 0x10);
	assert_data(test, 2, "counter", 8);
	assert_data(test, 3, "second", 0x10);
	assert_false(symbol_is_data(data_of(test, 3)));
	/* after the text, after everything, before everything, in memory, in the per-cpu section */
	for (size_t i = 4; i < count; i++) {
		assert_null(data_of(test, i));
		assert_null(test->counts->entries[i].data_dso);
	}
}

static void functions_are_not_named_by_data(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = { DATA + 0x10 };

	use_kallsyms(test, text_and_data);
	count_accesses(test, 0, addresses, 1);
	assert_data(test, 0, "table", 0x10);
	assert_string_equal(symbol_of(test, 0), "first");
	const struct symbol *symbol =
		dso_symbol_at(test->counts->entries[0].data_dso, &test->options.dso, DATA + 0x10);

	assert_true(!symbol || !symbol_is_data(symbol));
}

static void data_of_a_module(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = { MODULE + 0x2010, MODULE + 0x110, MODULE + 0x3ff8 };

	use_kallsyms(test, text_and_data);
	count_accesses(test, 0, addresses, 3);
	assert_data(test, 0, "state", 0x10);
	assert_data(test, 1, "probe", 0x10);
	assert_data(test, 2, "state", 0x1ff8);
}

/* As in perf, for all names, weak or not. */
static void of_several_names_the_last_of_the_list_is_shown(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = { TEXT + 0x310, TEXT + 0x390, MODULE + 0x210 };

	use_kallsyms(test, TEXT_SYMBOLS "ffffffff81000300 T __pi___copy\n"
					"ffffffff81000300 T __copy\n"
					"ffffffff81000380 T clear\n"
					"ffffffff81000380 W __long_clear\n"
					"ffffffffc0400200 t a_short\t[device]\n"
					"ffffffffc0400200 t __longer\t[device]\n"
					"ffffffffc0400300 t last\t[device]\n");
	count_accesses(test, 0, addresses, 3);
	assert_data(test, 0, "__copy", 0x10);
	assert_int_equal(data_of(test, 0)->size, 0x80);
	assert_data(test, 1, "__long_clear", 0x10);
	assert_data(test, 2, "__longer", 0x10);
}

/* The list of a kernel without CONFIG_KALLSYMS_ALL. */
static void a_list_without_data_names_none(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = { DATA + 0x10, TEXT + 0x400010, MODULE + 0x2010,
					      TEXT + 0x110 };

	use_kallsyms(test, TEXT_SYMBOLS);
	count_accesses(test, 0, addresses, 4);
	assert_null(data_of(test, 0));
	assert_null(data_of(test, 1));
	assert_null(data_of(test, 2));
	assert_data(test, 3, "first", 0x10);
}

static void data_of_a_moved_kernel_is_named_by_its_file(void **state)
{
	struct kernel_test *test = *state;
	static const uint64_t addresses[] = { DATA + SLIDE + 0x10, DATA + SLIDE + 0x40 };

	test->options.dso.vmlinux = test->vmlinux;
	count_accesses(test, SLIDE, addresses, 2);
	assert_data(test, 0, "table", 0x10);
	assert_null(data_of(test, 1));
}

/* ---- the running kernel, without a recorded build id ---- */

/*
 * Adds a sample in _printk() of a kernel whose map is that of the running one, with its start moved
 * by `moved` bytes and its size larger by `longer` bytes. Skips the test if the addresses are
 * hidden.
 */
static void add_running_kernel(struct kernel_test *test, uint64_t moved, uint64_t longer)
{
	struct kallsyms_mark marks[] = { { .name = "_text" },
					 { .name = "_etext" },
					 { .name = "_printk" } };

	error_destroy(kallsyms_find("/proc/kallsyms", marks, 3));
	if (!marks[0].address || !marks[1].address || !marks[2].address) {
		skip_because("/proc/kallsyms tells no addresses here");
	}
	test->options.dso.no_vmlinux = true;
	add_kernel_map(&test->image, 0, marks[0].address + moved,
		       marks[1].address - marks[0].address + longer, "[kernel.kallsyms]_text");
	add_sample(&test->image, 10, 1, 1, marks[2].address + moved, PERF_RECORD_MISC_KERNEL);
}

static void count_in_running_kernel(struct kernel_test *test, uint64_t moved, uint64_t longer)
{
	add_running_kernel(test, moved, longer);
	count(test);
}

static void put_release(struct kernel_test *test, const char *release)
{
	struct strbuf *feature = &test->image.features[FEATURE_OSRELEASE];

	put32(feature, (uint32_t)(strlen(release) + 1));
	put_string(feature, release);
}

static void put_running_release(struct kernel_test *test)
{
	struct utsname system;

	assert_int_equal(uname(&system), 0);
	put_release(test, system.release);
}

static void the_running_kernel_is_known_by_its_list(void **state)
{
	struct kernel_test *test = *state;

	put_running_release(test);
	count_in_running_kernel(test, 0, 0);
	assert_string_equal(symbol_of(test, 0), "_printk");
	assert_null(dso_symbol_problem(test->counts->entries[0].dso));
}

static void assert_other_kernel(struct kernel_test *test, const char *what)
{
	assert_null(symbol_of(test, 0));
	assert_non_null(strstr(dso_symbol_problem(test->counts->entries[0].dso), what));
	assert_non_null(strstr(dso_symbol_problem(test->counts->entries[0].dso), "--kallsyms"));
}

static void another_boot_is_not_the_running_kernel(void **state)
{
	struct kernel_test *test = *state;

	put_running_release(test);
	count_in_running_kernel(test, 0x200000, 0);
	assert_other_kernel(test, "describes another kernel or boot");
}

static void a_kernel_of_another_length_is_not_the_running_one(void **state)
{
	struct kernel_test *test = *state;

	put_running_release(test);
	count_in_running_kernel(test, 0, 8);
	assert_other_kernel(test, "describes another kernel or boot");
}

/* Such a kernel is not known to be the running one, so /proc/kallsyms is not read. */
static void a_kernel_of_no_known_release_is_not_the_running_one(void **state)
{
	struct kernel_test *test = *state;

	count_in_running_kernel(test, 0, 0);
	assert_other_kernel(test, "no vmlinux for [kernel.kallsyms]: ");
}

/* The list is from another boot: a message says so for the kernel, and for the module that its file
 * is missing. */
static void modules_of_another_boot_are_missing(void **state)
{
	struct kernel_test *test = *state;

	put_running_release(test);
	add_running_kernel(test, 0x200000, 0);
	add_kernel_map(&test->image, 0, 0xffffffffc0000000, 0x1000, "[somewhere]");
	add_sample(&test->image, 10, 1, 1, 0xffffffffc0000100, PERF_RECORD_MISC_KERNEL);
	count(test);
	assert_int_equal(test->counts->count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct dso *dso = test->counts->entries[i].dso;

		assert_null(symbol_of(test, i));
		assert_non_null(strstr(dso_symbol_problem(dso),
				       dso->kind == DSO_MODULE
					       ? "no file of the module [somewhere]"
					       : "describes another kernel or boot"));
	}
}

static void a_kernel_of_another_release_is_not_the_running_one(void **state)
{
	struct kernel_test *test = *state;

	put_release(test, "3.1.4-other");
	count_in_running_kernel(test, 0, 0);
	assert_other_kernel(test, "no vmlinux for [kernel.kallsyms] of 3.1.4-other");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_kernel_that_moved_is_found_by_its_reference_symbol),
		TEST(a_kernel_that_did_not_move),
		TEST(data_of_a_moved_kernel_is_named_by_its_list),
		TEST(functions_are_not_named_by_data),
		TEST(data_of_a_module),
		TEST(of_several_names_the_last_of_the_list_is_shown),
		TEST(a_list_without_data_names_none),
		TEST(data_of_a_moved_kernel_is_named_by_its_file),
		TEST(the_running_kernel_is_known_by_its_list),
		TEST(another_boot_is_not_the_running_kernel),
		TEST(a_kernel_of_another_length_is_not_the_running_one),
		TEST(a_kernel_of_another_release_is_not_the_running_one),
		TEST(a_kernel_of_no_known_release_is_not_the_running_one),
		TEST(modules_of_another_boot_are_missing),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
