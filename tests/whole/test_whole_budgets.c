// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Input below 1 MB takes bounded memory and output, whatever it claims to hold: compressed
 * sections, archives, many events, records within records. Each input here is harmless: it is
 * large only for a reader that believes it.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <libelf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define INPUT_MAX  ((size_t)1 << 20)
#define MEMORY_MAX ((long)600 << 10) /* KB, as getrusage(2) counts */
#define OUTPUT_MAX ((size_t)64 << 20)
#ifdef __SANITIZE_ADDRESS__
#define LIMITED ""
#else
#define LIMITED "ulimit -v 2000000; " /* KB: far more than any needs */
#endif
#define SECONDS 120 /* far more than any needs: a hang */

/* Runs dtprof, which must end with `status`, and within the memory that any child may take. */
static void run(const char *arguments, int status, struct process_result *result)
{
	_cleanup_free_ char *command =
		xasprintf("timeout %d %s %s", SECONDS, dtprof_path(), arguments);
	struct rusage usage;

	process_shell(command, result);
	if (result->status != status)
		fail_msg("%s: status %d, not %d: %s", arguments, result->status, status,
			 result->errors.data);
	assert_true(result->output.length <= OUTPUT_MAX);
#ifndef __SANITIZE_ADDRESS__
	getrusage(RUSAGE_CHILDREN, &usage);
	if (usage.ru_maxrss > MEMORY_MAX)
		fail_msg("%s: %ld MB", arguments, usage.ru_maxrss >> 10);
#else
	(void)usage;
#endif
}

static const char *write_input(const char *name, const void *bytes, size_t size)
{
	const char *path = scratch_file(name);

	assert_true(size <= INPUT_MAX);
	file_write(path, bytes, size);
	return path;
}

/* Adds a compressed section of `size` zeros. */
static void add_zeros(struct elf_writer *writer, const char *name, size_t size)
{
	const Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB,
				    .ch_size = size,
				    .ch_addralign = 1 };
	uLongf length = compressBound(size);
	_cleanup_free_ uint8_t *zeros = xcalloc(1, size),
			       *packed = xmalloc(sizeof(header) + length);

	memcpy(packed, &header, sizeof(header));
	assert_int_equal(compress2(packed + sizeof(header), &length, zeros, size, 9), Z_OK);
	elf_writer_section(writer, name, SHT_PROGBITS, SHF_COMPRESSED, 0, packed,
			   sizeof(header) + length);
}

/* A program whose compressed .debug_info is nothing but the headers of broken units. */
static void test_compressed_sections(void **state)
{
	static const struct {
		size_t size;
		int sections;
		const char *message;
	} cases[] = {
		{ (size_t)48 << 20, 1, "units, too many for a file of its size" },
		{ (size_t)200 << 20, 1, "more than a file of this size may have" },
		/* each would pass by itself */
		{ (size_t)48 << 20, 2, "more than a file of this size may have" },
	};
	static const uint8_t code[64];
	const char *rules = write_input("rules", "sizeof(foo) <= 8\n", 17);

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct elf_writer *writer = elf_writer_create(ET_EXEC);
		_cleanup_process_ struct process_result result = { 0 };
		size_t size;

		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   code, sizeof(code));
		add_zeros(writer, ".debug_info", cases[i].size);
		if (cases[i].sections > 1)
			add_zeros(writer, ".debug_str", cases[i].size);
		elf_writer_section(writer, ".debug_abbrev", SHT_PROGBITS, 0, 0, "", 1);

		_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);
		const char *path = write_input("packed", bytes, size);
		_cleanup_free_ char *arguments = xasprintf("check %s %s", rules, path);

		run(arguments, 2, &result);
		if (!strstr(result.errors.data, cases[i].message))
			fail_msg("case %zu: %s", i, result.errors.data);
	}
}

/* Broken units are counted, not kept, and a file with no other has a message of its own. */
static void test_broken_units(void **state)
{
	static const uint8_t code[64];
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ uint8_t *zeros = xcalloc(1, 200000), *bytes = NULL;
	const char *rules = write_input("rules", "sizeof(foo) <= 8\n", 17), *path;
	_cleanup_free_ char *arguments = NULL;
	size_t size;

	(void)state;
	elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code,
			   sizeof(code));
	elf_writer_section(writer, ".debug_info", SHT_PROGBITS, 0, 0, zeros, 200000);
	elf_writer_section(writer, ".debug_abbrev", SHT_PROGBITS, 0, 0, "", 1);
	bytes = elf_writer_finish(writer, &size);
	path = write_input("broken", bytes, size);
	arguments = xasprintf("check %s %s", rules, path);
	run(arguments, 2, &result);
	if (!strstr(result.errors.data, "none of the 50000 units"))
		fail_msg("%s", result.errors.data);
}

/* Appends a tar member of `size` zeros (POSIX.1-1988, ustar). */
static void add_member(struct strbuf *tar, const char *name, size_t size)
{
	static const char zeros[512];
	char header[512] = "";
	unsigned int sum = 0;

	snprintf(header, 100, "%s", name);
	memcpy(header + 100, "0000644\0000000000\0000000000", 24);
	snprintf(header + 124, 12, "%011zo", size);
	memcpy(header + 136, "00000000000", 11);
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(header); i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	strbuf_add(tar, header, sizeof(header));
	for (size_t left = (size + 511) / 512; left; left--)
		strbuf_add(tar, zeros, sizeof(zeros));
}

static const char *write_archive(const char *name, const struct strbuf *tar)
{
	size_t bound = ZSTD_compressBound(tar->length);
	_cleanup_free_ char *packed = xmalloc(bound);
	size_t size = ZSTD_compress(packed, bound, tar->data, tar->length, 3);

	assert_false(ZSTD_isError(size));
	return write_input(name, packed, size);
}

static void assert_archive_fails(const char *path, const char *message)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *arguments = xasprintf("report --stdio -i %s", path);

	run(arguments, 1, &result);
	if (strstr(result.errors.data, "which is not installed"))
		skip_because("libarchive is not installed (libarchive13)");
	if (!strstr(result.errors.data, message))
		fail_msg("%s", result.errors.data);
}

/* Few packed bytes that unpack to a large file, and to many files. */
static void test_archives(void **state)
{
	_cleanup_strbuf_ struct strbuf large = STRBUF_INIT, many = STRBUF_INIT;

	(void)state;
	add_member(&large, "perf.data", (size_t)200 << 20);
	assert_archive_fails(write_archive("large.dtprof", &large), "larger than an archive");
	for (unsigned int i = 0; i < 3000; i++) {
		char name[64];

		snprintf(name, sizeof(name), ".debug/.build-id/%02x/%06x/elf", i & 0xff, i);
		add_member(&many, name, 0);
	}
	assert_archive_fails(write_archive("many.dtprof", &many), "too many members");
}

/* A table of many events has figures of all of them in each row: JSON grows with the input. */
static void test_grouped_events(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_process_ struct process_result result = { 0 };
	const unsigned int count = 3500;
	size_t size;

	(void)state;
	perf_image_init(&image);
	for (uint64_t i = 0; i < count; i++) {
		attr.config = i;
		perf_image_event(&image, &attr, (uint64_t[]){ i + 1 }, 1);
		put64(&image.body, i + 1), put64(&image.body, 0x1000 + 64 * i);
		perf_image_record(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	_cleanup_free_ char *arguments = xasprintf("report --group --json -s symoff -i %s",
						   write_input("groups.data", bytes, size));

	run(arguments, 0, &result);
	/* some hundred bytes for each event and row */
	if (result.output.length > (size_t)count * 1000)
		fail_msg("%zu bytes of JSON", result.output.length);
	assert_non_null(strstr(result.output.data, "\"event\": 3499"));
}

/* Appends levels of records, each with `count` members of each of the level's two records below. */
static void add_levels(struct strbuf *source, const char *prefix, int levels, int count)
{
	strbuf_add_format(source, "struct %s0 { int value; };\n", prefix);
	for (int level = 1; level <= levels; level++) {
		strbuf_add_format(source, "struct %s%d {", prefix, level);
		for (int i = 0; i < count; i++)
			strbuf_add_format(source, " struct %s%d m%d;", prefix, level - 1, i);
		strbuf_add_string(source, " };\n");
	}
	strbuf_add_format(source, "int read_%s(struct %s%d *p) { return ((int *)p)[3] + p->m0",
			  prefix, prefix, levels);
	for (int level = 1; level < levels; level++)
		strbuf_add_string(source, ".m0");
	strbuf_add_string(source, ".value; }\n");
}

/* Ordinary code that is generated has hundreds of members in some levels; no walk over them is
 * exponential. */
static void test_records_in_records(void **state)
{
	static const char *const functions[] = { "read_wide", "read_deep", NULL };
	static const char *const commands[] = { "layout", "report --html=/dev/null",
						"annotate --stdio", "c2c report --stdio",
						"report --stdio -s type,typeoff" };
	_cleanup_strbuf_ struct strbuf source = STRBUF_INIT;
	const char *path = scratch_file("levels.c");
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g -w", process_compiler());
	struct workload *workload;

	(void)state;
	add_levels(&source, "wide", 4, 200);
	add_levels(&source, "deep", 34, 2);
	strbuf_add_string(&source, "int main(void) { return 0; }\n");
	file_write(path, source.data, source.length);
	workload = workload_build_accessed(compiler, path, functions);
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *arguments = xasprintf("%s -i %s", commands[i], workload->data);

		run(arguments, 0, &result);
	}
	workload_destroy(workload);
}

/* Lists that the user names may be a device without lines. */
static void test_lists_without_lines(void **state)
{
	static const struct {
		const char *options, *message;
	} cases[] = {
		{ "--kallsyms=/dev/zero", "not a regular file" },
		{ "--modules=/dev/zero", "is not a list of modules" },
	};
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	add_kernel_map(&image, 1, 0xffffffff80000000, 0x1000000, "[kernel.kallsyms]_text");
	add_sample(&image, 5, 10, 10, 0xffffffff80000010, PERF_RECORD_MISC_KERNEL);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	const char *path = write_input("kernel.data", bytes, size);

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command =
			xasprintf(LIMITED "timeout %d %s report --stdio -v %s -i %s", SECONDS,
				  dtprof_path(), cases[i].options, path);

		process_shell(command, &result);
		if (result.status > 1 || !strstr(result.errors.data, cases[i].message))
			fail_msg("%s: status %d: %s", cases[i].options, result.status,
				 result.errors.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compressed_sections),
		cmocka_unit_test(test_broken_units),
		cmocka_unit_test(test_archives),
		cmocka_unit_test(test_grouped_events),
		cmocka_unit_test(test_records_in_records),
		cmocka_unit_test(test_lists_without_lines),
	};

	return cmocka_run_group_tests_name("whole/budgets", tests, NULL, scratch_tear_down);
}
