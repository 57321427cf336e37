// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel without debug information, from its recording to the report: stripped, or in a boot
 * image; moved (KASLR); its symbols in a file of their own, its types in BTF.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "tests/support/btf_writer.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define TEXT  0xffffffff81000000ULL
#define SLIDE 0x1e400000ULL

/* read_state: mov 8(%rdi),%rax; ret    of_this_cpu: mov %gs:0x10,%rax; mov (%rax),%rcx; ret */
static const uint8_t code[] = { 0x48, 0x8b, 0x47, 0x08, 0xc3, 0x90, 0x90, 0x90, 0x65, 0x48, 0x8b,
				0x04, 0x25, 0x10, 0x00, 0x00, 0x00, 0x48, 0x8b, 0x08, 0xc3 };
#define READ_STATE  0
#define OF_THIS_CPU 8
#define SECOND_LOAD 17

/* the memory in the core file, and where in it BTF is */
#define CORE_SIZE 4096
#define CORE_BTF  1024

struct kernel {
	char *folder;
	char *data;
};

static char *file_in(const struct kernel *kernel, const char *name, const void *bytes, size_t size)
{
	char *path = xasprintf("%s/%s", kernel->folder, name);
	file_write(path, bytes, size);
	return path;
}

/* Writes BTF with the per-cpu variable at `offset`; another offset makes it another kernel's. */
static uint8_t *write_btf_with(uint32_t offset, size_t *size)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	uint32_t number = btf_writer_integer(writer, "long int", 8, BTF_INT_SIGNED);
	uint32_t task = btf_writer_record(writer, BTF_KIND_STRUCT, "task", 16, 2);

	btf_writer_member(writer, "flags", number, 0);
	btf_writer_member(writer, "state", number, 64);
	uint32_t pointer = btf_writer_pointer(writer, task);

	btf_writer_function(writer, "read_state", number, (uint32_t[]){ pointer }, 1);
	uint32_t variable =
		btf_writer_type(writer, "current_task", BTF_KIND_VAR, false, 0, pointer);

	btf_writer_word(writer, BTF_VAR_GLOBAL_ALLOCATED);
	btf_writer_type(writer, ".data..percpu", BTF_KIND_DATASEC, false, 1, 32);
	btf_writer_word(writer, variable);
	btf_writer_word(writer, offset);
	btf_writer_word(writer, 8);
	return btf_writer_finish(writer, size);
}

static uint8_t *write_btf(size_t *size)
{
	return write_btf_with(16, size);
}

/* Writes a vmlinux without symbols, with .BTF if asked for. */
static uint8_t *write_vmlinux_with(bool with_btf, bool with_symbols, size_t *size)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	static const uint8_t per_cpu[32];
	size_t btf_size;
	_cleanup_free_ uint8_t *btf = write_btf(&btf_size);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof(code));

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, TEXT, sizeof(code), 4096);
	elf_writer_section(writer, ".data..percpu", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, per_cpu,
			   sizeof(per_cpu));
	if (with_btf)
		elf_writer_section(writer, ".BTF", SHT_PROGBITS, 0, 0, btf, btf_size);
	elf_writer_build_id(writer, "a kernel of a test", 18);
	if (with_symbols) {
		elf_writer_symbol(writer, "_text", STT_NOTYPE, STB_GLOBAL, text, TEXT, 0);
		elf_writer_symbol(writer, "read_state", STT_FUNC, STB_GLOBAL, text,
				  TEXT + READ_STATE, OF_THIS_CPU - READ_STATE);
		elf_writer_symbol(writer, "of_this_cpu", STT_FUNC, STB_GLOBAL, text,
				  TEXT + OF_THIS_CPU, sizeof(code) - OF_THIS_CPU);
		elf_writer_symbol(writer, "current_task", STT_OBJECT, STB_GLOBAL, SHN_ABS, 0x10, 8);
	}
	return elf_writer_finish(writer, size);
}

static uint8_t *write_vmlinux(bool with_btf, size_t *size)
{
	return write_vmlinux_with(with_btf, false, size);
}

static char *write_kallsyms(const struct kernel *kernel)
{
	_cleanup_free_ char *text = xasprintf(
		"0000000000000010 A current_task\n%llx T _text\n%llx T read_state\n%llx t "
		"of_this_cpu\n"
		"%llx T __pi_of_this_cpu\n%llx T _etext\nffffffffc0000000 t read_state\t[module]\n",
		TEXT + SLIDE, TEXT + SLIDE + READ_STATE, TEXT + SLIDE + OF_THIS_CPU,
		TEXT + SLIDE + OF_THIS_CPU, TEXT + SLIDE + sizeof(code));

	return file_in(kernel, "kallsyms", text, strlen(text));
}

static int setup(void **state)
{
	struct kernel *kernel = xcalloc(1, sizeof(*kernel));
	struct perf_image image;
	size_t size;

	kernel->folder = scratch_create();
	setenv("HOME", kernel->folder, 1);
	unsetenv("DEBUGINFOD_URLS");
	perf_image_init(&image);
	perf_records_event(&image);
	add_kernel_map(&image, 0, TEXT + SLIDE, 0x1000, "[kernel.kallsyms]_text");
	add_sample(&image, 10, 1, 1, TEXT + SLIDE + READ_STATE, PERF_RECORD_MISC_KERNEL);
	add_sample(&image, 11, 1, 1, TEXT + SLIDE + OF_THIS_CPU, PERF_RECORD_MISC_KERNEL);
	add_sample(&image, 12, 1, 1, TEXT + SLIDE + SECOND_LOAD, PERF_RECORD_MISC_KERNEL);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	kernel->data = file_in(kernel, "perf.data", bytes, size);
	perf_image_deinit(&image);
	*state = kernel;
	return 0;
}

static int teardown(void **state)
{
	struct kernel *kernel = *state;

	scratch_remove(kernel->folder);
	free(kernel->data);
	free(kernel);
	return 0;
}

static void run(const struct kernel *kernel, const char *arguments, struct process_result *result)
{
	_cleanup_free_ char *command =
		xasprintf("%s %s --blame=sampled -i '%s'", dtprof_path(), arguments, kernel->data);

	process_shell(command, result);
}

static void has(const struct process_result *result, const char *text)
{
	if (!strstr(result->output.data, text))
		fail_msg("'%s' is not in:\n%s\n%s", text, result->output.data, result->errors.data);
}

/* Checks that every type is found that can be known. */
static void check_types(const struct kernel *kernel, const char *options)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *arguments = xasprintf("report --stdio -s sym,typeoff,how %s", options);

	run(kernel, arguments, &result);
	process_check_status(&result, 0);
	has(&result, "# Types of [kernel.kallsyms]: [btf] ");
	has(&result, "read_state   struct task +8 (state)");
	has(&result, "of_this_cpu  struct task* +0 (no field)");
	has(&result, "of_this_cpu  struct task +0 (flags)");
	assert_string_equal(result.errors.data, "");

	/* a table without types */
	_cleanup_process_ struct process_result lines = { 0 };
	_cleanup_free_ char *without = xasprintf("report --stdio -s sym,srcline %s", options);

	run(kernel, without, &lines);
	process_check_status(&lines, 0);
	has(&lines, "read_state");
	assert_null(strstr(lines.output.data, "[btf]"));
}

static void types_from_a_file_of_btf(void **state)
{
	const struct kernel *kernel = *state;
	size_t size, btf_size;
	_cleanup_free_ uint8_t *vmlinux = write_vmlinux(false, &size), *btf = write_btf(&btf_size);
	_cleanup_free_ char *image = file_in(kernel, "vmlinux.stripped", vmlinux, size);
	_cleanup_free_ char *types = file_in(kernel, "vmlinux", btf, btf_size);
	_cleanup_free_ char *symbols = write_kallsyms(kernel);
	_cleanup_free_ char *by_file =
		xasprintf("-k %s --kallsyms %s --btf %s", image, symbols, types);
	_cleanup_free_ char *by_folder =
		xasprintf("-k %s --kallsyms %s --btf %s", image, symbols, kernel->folder);

	check_types(kernel, by_file);
	check_types(kernel, by_folder);
}

/* BTF has no build id, but another kernel has its per-cpu variables elsewhere. */
static void types_of_another_kernel(void **state)
{
	const struct kernel *kernel = *state;
	size_t size, btf_size;
	_cleanup_free_ uint8_t *vmlinux = write_vmlinux(false, &size),
			       *btf = write_btf_with(8, &btf_size);
	_cleanup_free_ char *image = file_in(kernel, "vmlinux.stripped", vmlinux, size);
	_cleanup_free_ char *types = file_in(kernel, "vmlinux.other", btf, btf_size);
	_cleanup_free_ char *symbols = write_kallsyms(kernel);
	_cleanup_free_ char *arguments =
		xasprintf("report -s type -k %s --kallsyms %s --btf %s", image, symbols, types);
	_cleanup_process_ struct process_result result = { 0 };

	run(kernel, arguments, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.errors.data, "vmlinux.other is not the BTF of "));
	assert_null(strstr(result.output.data, "[btf]"));
	assert_null(strstr(result.output.data, "struct task"));
}

static void symbols_from_a_companion(void **state)
{
	const struct kernel *kernel = *state;
	size_t size, bare_size;
	_cleanup_free_ uint8_t *whole = write_vmlinux_with(true, true, &size);
	_cleanup_free_ uint8_t *bare = write_vmlinux(true, &bare_size);
	_cleanup_free_ char *file = file_in(kernel, "whole", whole, size);
	_cleanup_free_ char *image = file_in(kernel, "stripped", bare, bare_size);
	_cleanup_free_ char *arguments =
		xasprintf("report -s sym,typeoff -k %s --companion %s.dtp", image, file);
	_cleanup_process_ struct process_result indexed = { 0 }, result = { 0 };

	shell_must(&indexed, "%s index -q %s", dtprof_path(), file);
	run(kernel, arguments, &result);
	has(&result, "read_state   struct task +8 (state)");
	has(&result, "of_this_cpu  struct task +0 (flags)");
	assert_string_equal(result.errors.data, "");
}

static void types_from_the_kernel_itself(void **state)
{
	const struct kernel *kernel = *state;
	size_t size;
	_cleanup_free_ uint8_t *vmlinux = write_vmlinux(true, &size);
	_cleanup_free_ char *image = file_in(kernel, "vmlinux", vmlinux, size);
	_cleanup_free_ char *symbols = write_kallsyms(kernel);
	_cleanup_free_ char *options = xasprintf("-k %s --kallsyms %s", image, symbols);
	_cleanup_process_ struct process_result result = { 0 }, without = { 0 };
	_cleanup_free_ char *annotate = xasprintf("annotate --stdio --data-type=task %s", options);
	_cleanup_free_ char *no_btf = xasprintf("report --stdio -s type --no-btf %s", options);

	check_types(kernel, options);
	run(kernel, annotate, &result);
	has(&result, "Annotate type: 'struct task' in [kernel.kallsyms] [btf] (2 samples):");
	run(kernel, no_btf, &without);
	has(&without, "(unknown)");
	assert_null(strstr(without.output.data, "[btf]"));
	assert_null(strstr(without.output.data, "struct task"));
}

/* setup_sects, the boot flag and the header's magic, version 2.15, and the payload:
 * Documentation/arch/x86/boot.rst */
static uint8_t *write_boot_image(const uint8_t *payload, uint32_t payload_size, size_t *size)
{
	const uint32_t start = 2 * 512, offset = 0x40;
	uint8_t *image = xcalloc(1, start + offset + payload_size);

	image[0x1f1] = 1;
	memcpy(image + 0x1fe, "\x55\xaa", 2);
	memcpy(image + 0x202, "HdrS\x0f\x02", 6);
	memcpy(image + 0x248, &offset, 4);
	memcpy(image + 0x24c, &payload_size, 4);
	memcpy(image + start + offset, payload, payload_size);
	*size = start + offset + payload_size;
	return image;
}

static uint8_t *pack_gzip(const uint8_t *data, size_t size, size_t *packed_size)
{
	z_stream stream = { .next_in = (Bytef *)data, .avail_in = (uInt)size };
	uint8_t *packed = xmalloc(size + 1024);

	stream.next_out = packed;
	stream.avail_out = (uInt)size + 1024;
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*packed_size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

/* Packs into blocks of literals, which any compressor may write. */
static uint8_t *pack_lz4(const uint8_t *data, size_t size, size_t *packed_size)
{
	uint8_t *packed = xmalloc(size + size / 255 + 32), *at = packed;
	uint32_t length, whole = (uint32_t)size;
	size_t left = size - 15;

	memcpy(at, "\x02\x21\x4c\x18", 4);
	at += 8;
	*at++ = 0xf0;
	for (; left >= 255; left -= 255)
		*at++ = 255;
	*at++ = (uint8_t)left;
	memcpy(at, data, size);
	at += size;
	length = (uint32_t)(at - packed - 8);
	memcpy(packed + 4, &length, 4);
	memcpy(at, &whole, 4); /* in the form of boot images */
	*packed_size = (size_t)(at - packed) + 4;
	return packed;
}

static void check_boot_image(const struct kernel *kernel,
			     uint8_t *(*pack)(const uint8_t *, size_t, size_t *),
			     const char *symbols)
{
	size_t size, packed_size, image_size;
	_cleanup_free_ uint8_t *vmlinux = write_vmlinux(true, &size);
	_cleanup_free_ uint8_t *packed = pack(vmlinux, size, &packed_size);
	_cleanup_free_ uint8_t *image =
		write_boot_image(packed, (uint32_t)packed_size, &image_size);
	_cleanup_free_ char *path = file_in(kernel, "vmlinuz", image, image_size);
	_cleanup_free_ char *options = xasprintf("-k %s --kallsyms %s", path, symbols);

	check_types(kernel, options);

	/* half of it is an error that says so, and no crash */
	_cleanup_free_ char *cut =
		file_in(kernel, "vmlinuz.cut", image, image_size - packed_size / 2);
	_cleanup_free_ char *arguments =
		xasprintf("report -s type -k %s --kallsyms %s", cut, symbols);
	_cleanup_process_ struct process_result result = { 0 };

	run(kernel, arguments, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.errors.data, "vmlinuz.cut"));
}

static void a_kernel_in_its_boot_image(void **state)
{
	const struct kernel *kernel = *state;
	_cleanup_free_ char *symbols = write_kallsyms(kernel);

	check_boot_image(kernel, pack_gzip, symbols);
	check_boot_image(kernel, pack_lz4, symbols);
}

/* Writes a copy of /proc/kcore: the kernel at its running address, and its BTF in its own
 * memory. */
static uint8_t *write_core(uint64_t slide, size_t *size)
{
	struct elf_writer *writer = elf_writer_create(ET_CORE);
	size_t btf_size;
	_cleanup_free_ uint8_t *btf = write_btf(&btf_size);
	uint8_t *memory = xcalloc(1, CORE_SIZE);

	memcpy(memory, code, sizeof(code));
	memcpy(memory + CORE_BTF, btf, btf_size);
	unsigned int section = elf_writer_section(writer, "memory", SHT_PROGBITS, SHF_ALLOC,
						  TEXT + slide, memory, CORE_SIZE);

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, section, TEXT + slide, CORE_SIZE, 4096);
	free(memory);
	return elf_writer_finish(writer, size);
}

static char *write_core_kallsyms(const struct kernel *kernel)
{
	size_t btf_size;

	free(write_btf(&btf_size));
	_cleanup_free_ char *text =
		xasprintf("0000000000000000 A __per_cpu_start\n0000000000000010 A current_task\n"
			  "0000000000000020 A __per_cpu_end\n%llx T _text\n%llx T read_state\n%llx "
			  "t of_this_cpu\n"
			  "%llx T _etext\n%llx R __start_BTF\n%llx R __stop_BTF\n",
			  TEXT + SLIDE, TEXT + SLIDE + READ_STATE, TEXT + SLIDE + OF_THIS_CPU,
			  TEXT + SLIDE + sizeof(code), TEXT + SLIDE + CORE_BTF,
			  TEXT + SLIDE + CORE_BTF + btf_size);

	return file_in(kernel, "kallsyms", text, strlen(text));
}

static void a_kernel_in_its_memory(void **state)
{
	const struct kernel *kernel = *state;
	size_t size;
	_cleanup_free_ uint8_t *core = write_core(SLIDE, &size), *other = write_core(0, &size);
	_cleanup_free_ char *path = file_in(kernel, "kcore", core, size);
	_cleanup_free_ char *other_path = file_in(kernel, "kcore.other", other, size);
	_cleanup_free_ char *cut_path = file_in(kernel, "kcore.cut", core, 200);
	_cleanup_free_ char *symbols = write_core_kallsyms(kernel);
	_cleanup_free_ char *options = xasprintf("-k %s --kallsyms %s", path, symbols);
	_cleanup_free_ char *hidden = file_in(kernel, "hidden", "0000000000000000 T _text\n", 25);
	_cleanup_free_ char *hidden_options =
		xasprintf("report -s type -k %s --kallsyms %s", path, hidden);
	const char *const bad[] = { other_path, cut_path };

	check_types(kernel, options);
	/* from another boot, or truncated: a message says so, and no type is known */
	for (size_t i = 0; i < 2; i++) {
		_cleanup_free_ char *arguments =
			xasprintf("report -s type -k %s --kallsyms %s", bad[i], symbols);
		_cleanup_process_ struct process_result result = { 0 };

		run(kernel, arguments, &result);
		process_check_status(&result, 0);
		assert_non_null(strstr(result.errors.data, bad[i]));
		assert_null(strstr(result.output.data, "struct task"));
	}
	/* only the symbols tell where the code is */
	_cleanup_process_ struct process_result result = { 0 };

	run(kernel, hidden_options, &result);
	process_check_status(&result, 0);
	assert_non_null(strstr(result.errors.data, "kernel.kptr_restrict"));
}

static void what_is_missing_is_said(void **state)
{
	const struct kernel *kernel = *state;
	size_t size;
	_cleanup_free_ uint8_t *vmlinux = write_vmlinux(false, &size);
	_cleanup_free_ char *image = file_in(kernel, "bare", vmlinux, size);
	_cleanup_free_ char *symbols = write_kallsyms(kernel);
	_cleanup_free_ char *no_symbols = xasprintf("report -s type -k %s", image);
	_cleanup_free_ char *no_types =
		xasprintf("report -s type -k %s --kallsyms %s", image, symbols);
	_cleanup_free_ char *hidden = file_in(kernel, "hidden", "0000000000000000 T _text\n", 25);
	_cleanup_free_ char *hidden_symbols =
		xasprintf("report -s type -k %s --kallsyms %s", image, hidden);
	const struct {
		const char *arguments, *message;
	} cases[] = {
		{ no_symbols, "has no symbols: give them with --kallsyms" },
		{ no_types, "give the kernel's BTF with --btf" },
		{ hidden_symbols, "kernel.kptr_restrict" },
	};

	for (size_t i = 0; i < 3; i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(kernel, cases[i].arguments, &result);
		process_check_status(&result, 0);
		if (!strstr(result.errors.data, cases[i].message))
			fail_msg("'%s' is not in:\n%s", cases[i].message, result.errors.data);
	}
}

/* A user who may not see the kernel's addresses records samples but no map. */
static void a_kernel_without_a_map_is_said(void **state)
{
	const struct kernel *kernel = *state;
	struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_records_event(&image);
	add_sample(&image, 10, 1, 1, TEXT + SLIDE + READ_STATE, PERF_RECORD_MISC_KERNEL);
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	static const struct {
		const char *arguments, *message; /* the message is NULL: none is printed */
	} cases[] = {
		{ "report -s sym", "addresses were hidden when this was recorded "
				   "(kernel.kptr_restrict)" },
		{ "report -s type", "addresses were hidden when this was recorded "
				    "(kernel.kptr_restrict)" },
		{ "report -v -s sym", "no map of the kernel" },
		{ "report -v -s type", "no map of the kernel" },
		{ "report -s comm", NULL },
	};

	free(file_in(kernel, "perf.data", bytes, size));
	perf_image_deinit(&image);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(kernel, cases[i].arguments, &result);
		process_check_status(&result, 0);
		if (cases[i].message)
			assert_non_null(strstr(result.errors.data, cases[i].message));
		else
			assert_null(strstr(result.errors.data, "kernel"));
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(types_from_a_file_of_btf),   TEST(types_of_another_kernel),
		TEST(symbols_from_a_companion),   TEST(types_from_the_kernel_itself),
		TEST(a_kernel_in_its_boot_image), TEST(a_kernel_in_its_memory),
		TEST(what_is_missing_is_said),    TEST(a_kernel_without_a_map_is_said),
	};

	return cmocka_run_group_tests_name("whole_btf", tests, NULL, NULL);
}
