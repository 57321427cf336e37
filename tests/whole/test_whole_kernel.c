// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel and its module, of a few functions each (tests/workloads/kernel), in a recording as a
 * real one: moved (KASLR), with one sample for each memory instruction. The report is tested with
 * and without their files.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/report_rows.h"
#include "tests/support/workload.h"

#define SLIDE         UINT64_C(0x1b400000)
#define MODULE        UINT64_C(0xffffffffc0321000)
#define BUILD_ID      "1122334455667788990011223344556677889900"
#define FEATURE_BUILD 2
#define FEATURE_OS    4
#define RELEASE       "6.1.0-9-test-amd64"

struct kernel_test {
	const char *compiler;
	char *folder;
	char *vmlinux;
	char *module;
	char *data;
	char *kallsyms;
};

/* In the text, $1 is the compiler, $2 the folder, and $3 the argument. */
static void shell(const struct kernel_test *test, const char *text, const char *argument)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("set -- %s %s '%s'; %s", test->compiler, test->folder, argument, text);

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
}

#define FLAGS                                                                                      \
	"-g -O2 -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none "                \
	"-mcmodel=kernel -mno-sse "

static void build(const struct kernel_test *test)
{
	shell(test,
	      "$1 " FLAGS "-nostdlib -static -no-pie -o $2/vmlinux tests/workloads/kernel/$3 "
	      "-Wl,-T,tests/workloads/kernel/kernel.ld -Wl,--build-id=0x" BUILD_ID,
	      "kernel.c");
	shell(test,
	      "$1 " FLAGS "-c -o $2/lib/modules/" RELEASE
	      "/kernel/drivers/test-device.ko tests/workloads/kernel/$3",
	      "module.c");
}

/* Adds a sample for each memory instruction of the image, which ran `moved` bytes above its
 * addresses. */
static void add_samples(struct perf_image *records, FILE *kallsyms, const char *path,
			uint64_t moved, const char *module)
{
	struct decoder *decoder = NULL;
	struct elf_image *image = NULL;
	size_t count, available;

	assert_null(elf_image_open(path, &image));
	decoder = decoder_create(&arch_x86_64);
	moved -= elf_image_load_base(image);

	const struct symbol *symbols = elf_image_symbols(image, &count);

	/* the best of several names comes first in the image and last in a list */
	for (size_t i = count; i-- > 0;) {
		const uint8_t *bytes = elf_image_bytes(image, symbols[i].address, &available);
		struct elf_section section;

		fprintf(kallsyms, "%016lx %c %s%s\n",
			symbols[i].address + (symbols[i].address >> 32 || module ? moved : 0),
			symbols[i].type == STT_FUNC || !strcmp(symbols[i].name, "_text") ? 'T'
											 : 'D',
			symbols[i].name, module);
		if (symbols[i].type != STT_FUNC || !bytes ||
		    !elf_image_section_at(image, symbols[i].address, &section) ||
		    !strcmp(section.name, ".init.text"))
			continue;
		struct insn insn;

		for (uint64_t at = 0; at < symbols[i].size; at += insn.length) {
			decoder_decode(decoder, bytes + at, symbols[i].size - at,
				       symbols[i].address + at, &insn);
			assert_int_not_equal(insn.length, 0);
			if (insn_memory(&insn, false))
				add_sample(records, 10, 1, 1, symbols[i].address + at + moved,
					   PERF_RECORD_MISC_KERNEL);
		}
	}
	decoder_destroy(decoder);
	elf_image_close(image);
}

static void add_kernel_build_id(struct perf_image *image)
{
	struct strbuf *feature = &image->features[FEATURE_BUILD];
	static const char name[] = "[kernel.kallsyms]";
	size_t start = feature->length;

	put32(feature, 0);
	put16(feature, PERF_RECORD_MISC_KERNEL | 1 << 15); /* PERF_RECORD_MISC_BUILD_ID_SIZE */
	put16(feature, (uint16_t)(8 + 4 + 24 + 24));
	put32(feature, UINT32_MAX);
	for (size_t i = 0; i < 20; i++) {
		unsigned int byte;

		sscanf(&BUILD_ID[2 * i], "%2x", &byte);
		strbuf_add_char(feature, (char)byte);
	}
	put32(feature, 20);
	strbuf_add(feature, name, sizeof(name));
	while (feature->length - start < 8 + 4 + 24 + 24)
		strbuf_add_char(feature, '\0');
}

static void record(const struct kernel_test *test)
{
	_cleanup_perf_image_ struct perf_image image;
	FILE *kallsyms = fopen(test->kallsyms, "w");
	size_t size;

	assert_non_null(kallsyms);
	perf_image_init(&image);
	perf_records_event(&image);
	add_kernel_map(&image, 0, 0xffffffff81000000 + SLIDE, 0x1000, "[kernel.kallsyms]_text");
	add_kernel_map(&image, 0, MODULE, 0x5000,
		       "/lib/modules/" RELEASE "/kernel/drivers/test-device.ko");
	add_samples(&image, kallsyms, test->vmlinux, SLIDE, "");
	add_samples(&image, kallsyms, test->module, MODULE, "\t[test_device]");
	fclose(kallsyms);
	add_kernel_build_id(&image);
	put32(&image.features[FEATURE_OS], 24);
	strbuf_add(&image.features[FEATURE_OS], RELEASE, sizeof(RELEASE));
	while (image.features[FEATURE_OS].length < 4 + 24)
		strbuf_add_char(&image.features[FEATURE_OS], '\0');

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);
	file_write(test->data, bytes, size);
}

static int setup(void **state)
{
	struct kernel_test *test = *state;

	test->folder = scratch_create();
	test->vmlinux = xasprintf("%s/vmlinux", test->folder);
	test->data = xasprintf("%s/perf.data", test->folder);
	test->kallsyms = xasprintf("%s/kallsyms", test->folder);
	test->module =
		xasprintf("%s/lib/modules/" RELEASE "/kernel/drivers/test-device.ko", test->folder);
	setenv("HOME", test->folder, 1);
	unsetenv("DEBUGINFOD_URLS");
	if (!compiler_works(test->compiler))
		return 0;
	shell(test, "mkdir -p $2/lib/modules/" RELEASE "/kernel/drivers", "");
	build(test);
	record(test);
	return 0;
}

static int teardown(void **state)
{
	struct kernel_test *test = *state;

	scratch_remove(test->folder);
	free(test->vmlinux);
	free(test->module);
	free(test->data);
	free(test->kallsyms);
	return 0;
}

static void report(const struct kernel_test *test, const char *options, struct report_rows *rows,
		   char **errors)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s report --no-btf --blame=sampled -i %s -t '|' %s", dtprof_path(),
			  test->data, options);

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: status %d: %s", command, result.status, result.errors.data);
	report_rows_parse(rows, result.output.data);
	*errors = xstrdup(result.errors.data ? result.errors.data : "");
}

static bool has(const struct report_rows *rows, const char *symbol, const char *field)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!strcmp(rows->items[i].columns[0], symbol) &&
		    (!field || !strncmp(rows->items[i].columns[1], field, strlen(field))))
			return true;
	print_error("not found: %s %s\n", symbol, field ? field : "");
	return false;
}

static void types_of_a_moved_kernel_and_its_module(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_free_ char *options = NULL, *errors = NULL;
	struct report_rows rows;

	need_compiler(test->compiler);
	options = xasprintf("-k %s --symfs %s -s sym,typeoff", test->vmlinux, test->folder);
	report(test, options, &rows, &errors);
	assert_string_equal(errors, "");
	assert_true(has(&rows, "[k] queue_add", "struct queue +0 (head)"));
	assert_true(has(&rows, "[k] queue_add", "struct task +0 (next)"));
	assert_true(has(&rows, "[k] queue_add", "struct queue +8 (length)"));
	/* accessed through a per-cpu variable */
	assert_true(has(&rows, "[k] task_charge", "struct task +16 (runtime)"));
	assert_true(has(&rows, "[k] task_charge", "struct task +24 (limit)"));
	assert_true(has(&rows, "[k] queue_next", "struct queue +0 (head)"));
	/* the module: in its own types, its cold section, its own variable and an imported one */
	assert_true(has(&rows, "[k] device_read", "struct device +40 (registers)"));
	assert_true(has(&rows, "[k] device_fail", "struct device +36 (errors)"));
	assert_true(has(&rows, "[k] device_wake", "struct device +32 (users)"));
	/* clang does not describe it */
	if (!strcmp(test->compiler, "gcc"))
		assert_true(has(&rows, "[k] device_wake", "struct queue +8 (length)"));
	report_rows_deinit(&rows);
}

/* In a folder, the companion that "dtprof index vmlinux" wrote has that name. */
static void companions_of_a_stripped_kernel(void **state)
{
	static const char *const files[] = { "vmlinux", "vmlinuz-6.1" };
	const struct kernel_test *test = *state;

	need_compiler(test->compiler);
	if (!process_exists("strip"))
		skip_because("no strip (binutils)");
	setenv("INDEX", dtprof_path(), 1);
	shell(test,
	      "mkdir $2/kept && \"$INDEX\" index -q $2/$3 && mv $2/$3.dtp $2/kept && "
	      "cp $2/kept/$3.dtp $2/kept/$3-6.1.dtp && strip $2/$3 && cp $2/$3 $2/vmlinuz-6.1",
	      "vmlinux");
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		_cleanup_free_ char *options =
			xasprintf("-k %s/%s --kallsyms %s --companion %s/kept -s sym,typeoff",
				  test->folder, files[i], test->kallsyms, test->folder);
		_cleanup_free_ char *errors = NULL;
		struct report_rows rows;

		report(test, options, &rows, &errors);
		assert_true(has(&rows, "[k] queue_add", "struct queue +0 (head)"));
		report_rows_deinit(&rows);
	}
}

/* The code that annotate shows is that which ran. */
static void code_of_a_running_kernel(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_process_ struct process_result result = { 0 };

	need_compiler(test->compiler);
	shell_must(&result,
		   "%s annotate -i %s -k %s --stdio --blame=sampled --code-with-type queue_add",
		   dtprof_path(), test->data, test->vmlinux);
	assert_non_null(strstr(result.output.data, "<native_enable>"));
	assert_null(strstr(result.output.data, "<pv_ops"));
}

static void names_without_any_file(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_free_ char *options = NULL, *errors = NULL;
	struct report_rows rows;

	need_compiler(test->compiler);
	options = xasprintf("--kallsyms %s -s sym", test->kallsyms);
	report(test, options, &rows, &errors);
	assert_string_equal(errors, "");
	assert_true(has(&rows, "[k] queue_add", NULL));
	assert_true(has(&rows, "[k] task_charge", NULL));
	assert_true(has(&rows, "[k] device_wake", NULL));
	report_rows_deinit(&rows);
}

/* Copies the list of symbols of another boot into perf's cache. */
static void copy_symbols(const struct kernel_test *test, const char *path, uint64_t moved)
{
	FILE *from = fopen(test->kallsyms, "r"), *to = fopen(path, "w");
	uint64_t address;
	char line[256];
	int length;

	assert_non_null(from);
	assert_non_null(to);
	while (fgets(line, sizeof(line), from)) {
		assert_int_equal(sscanf(line, "%lx%n", &address, &length), 1);
		fprintf(to, "%016lx%s", address >> 32 ? address + moved : address, line + length);
	}
	fclose(from);
	fclose(to);
}

/* By the build id: in its folder, or in the single file that older versions of perf wrote. */
static void names_by_perfs_copy_of_the_symbols(void **state)
{
	const struct kernel_test *test = *state;

	need_compiler(test->compiler);
	for (size_t i = 0; i < 4; i++) {
		bool older = i % 2, other_boot = i / 2;
		_cleanup_free_ char *folder =
			xasprintf("%s/.debug/.build-id/%.2s%s%s", test->folder, BUILD_ID,
				  older ? "" : "/", older ? "" : &BUILD_ID[2]);
		_cleanup_free_ char *path =
			xasprintf("%s/%s", folder, older ? &BUILD_ID[2] : "kallsyms");
		_cleanup_free_ char *errors = NULL;
		struct report_rows rows;

		shell(test, "mkdir -p $2 $3", folder);
		copy_symbols(test, path, other_boot ? 0x3000000 : 0);
		report(test, "-s sym", &rows, &errors);
		shell(test, "rm -r $2/.debug", "");
		assert_true(has(&rows, "[k] queue_add", NULL));
		assert_true(has(&rows, "[k] task_charge", NULL));
		/* the list does not tell where modules were in this boot */
		if (other_boot) {
			assert_non_null(strstr(errors, "was written during another boot"));
		} else {
			assert_string_equal(errors, "");
			assert_true(has(&rows, "[k] device_wake", NULL));
		}
		report_rows_deinit(&rows);
	}
}

/* The file of -k is another kernel, here the module: names come from the list, and a message says
 * so. */
static void another_kernel_than_the_recorded_one(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_free_ char *options = NULL, *errors = NULL;
	struct report_rows rows;

	need_compiler(test->compiler);
	options = xasprintf("-k %s --kallsyms %s -s sym", test->module, test->kallsyms);
	report(test, options, &rows, &errors);
	assert_true(has(&rows, "[k] queue_add", NULL));
	assert_non_null(strstr(errors, test->module));
	assert_non_null(strstr(errors, BUILD_ID " was recorded: not used\n"));
	assert_ptr_equal(strchr(errors, '\n'), errors + strlen(errors) - 1);
	report_rows_deinit(&rows);
}

static void what_is_missing_is_one_line(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_free_ char *errors = NULL;
	struct report_rows rows;

	need_compiler(test->compiler);
	report(test, "-d '[kernel.kallsyms]' -s type", &rows, &errors);
	assert_non_null(strstr(errors, "in the kernel: no symbols without vmlinux (install "
				       "linux-image-" RELEASE "-dbg) or kallsyms: see "
				       "dtprof-report(1) KERNEL\n"));
	/* the account of the samples without a type, and that line */
	const char *second = strchr(errors, '\n');

	assert_non_null(second);
	assert_ptr_equal(strchr(second + 1, '\n'), errors + strlen(errors) - 1);
	report_rows_deinit(&rows);
}

/* Lines of samples without types lack symbols as well. */
static void what_lines_of_samples_lack(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_process_ struct process_result symbols = { 0 }, names = { 0 };
	_cleanup_free_ char *script = NULL, *other = NULL;

	need_compiler(test->compiler);
	script = xasprintf("%s script -i %s -F ip,sym", dtprof_path(), test->data);
	other = xasprintf("%s script -i %s -F comm,tid", dtprof_path(), test->data);
	process_shell(script, &symbols);
	process_check_status(&symbols, 0);
	assert_non_null(strstr(symbols.errors.data, "in the kernel: no symbols without vmlinux"));
	process_shell(other, &names);
	process_check_status(&names, 0);
	assert_true(!names.errors.data || !*names.errors.data);
}

/* With -v, how the file that is missing can be told, and where it is given. */
static void what_is_missing_is_told_in_full(void **state)
{
	const struct kernel_test *test = *state;
	_cleanup_free_ char *errors = NULL;
	struct report_rows rows;

	need_compiler(test->compiler);
	report(test, "-v -d '[kernel.kallsyms]' -s type", &rows, &errors);
	assert_non_null(strstr(errors,
			       "no vmlinux for [kernel.kallsyms] of " RELEASE ", build id " BUILD_ID
			       ": install linux-image-" RELEASE "-dbg, or give its path"));
	assert_non_null(strstr(errors, "with -k"));
	report_rows_deinit(&rows);
}

/* ---- a real kernel: ../shared/kernel, recordings of Debian's 6.1.0-56-cloud-amd64 ---- */

#define REAL_FOLDER "../shared/kernel/"
#define REAL_KERNEL "vmlinux-6.1.0-56-cloud-amd64"

static bool is_there(const char *path)
{
	return access(path, R_OK) == 0;
}

static void need(const char *path)
{
	if (is_there(path))
		return;
	skip_because("no %s here", path);
}

static void names_of_a_real_kernel(void **state)
{
	struct kernel_test test = { .data = REAL_FOLDER "kregs.data" };
	_cleanup_free_ char *errors = NULL;
	struct report_rows rows;

	(void)state;
	need(test.data);
	report(&test, "--kallsyms " REAL_FOLDER "kallsyms -s sym", &rows, &errors);
	assert_string_equal(errors, "");
	assert_true(has(&rows, "[k] clear_page_erms", NULL));
	assert_true(has(&rows, "[k] vp_notify", NULL)); /* of a module */
	for (size_t i = 0; i < rows.count; i++)
		assert_null(strstr(rows.items[i].columns[0], "0xffffffff"));
	report_rows_deinit(&rows);
}

static void data_names_of_a_real_kernel(void **state)
{
	struct kernel_test test = { .data = REAL_FOLDER "memsamp.data" };
	_cleanup_free_ char *errors = NULL;
	struct report_rows rows;

	(void)state;
	need(test.data);
	report(&test,
	       "--mem-mode --kallsyms " REAL_FOLDER "memsamp.kallsyms -s symbol_daddr,dso_daddr",
	       &rows, &errors);
	assert_true(has(&rows, "[k] physical_mask+0x0", "[kernel.kallsyms]"));
	assert_true(has(&rows, "[k] page_offset_base+0x0", "[kernel.kallsyms]"));
	assert_true(has(&rows, "[k] virtblk_fops+0x0", "[virtio_blk]"));
	/* in the per-cpu areas, if it is not known whose */
	for (size_t i = 0; i < rows.count; i++)
		assert_true(strncmp(rows.items[i].columns[0], "[k] 0xffff89", 12) != 0 ||
			    !strcmp(rows.items[i].columns[1], "[unknown]"));
	report_rows_deinit(&rows);
}

static void types_of_a_real_kernel(void **state)
{
	struct kernel_test test = { .data = REAL_FOLDER "kregs.data" };
	const char *vmlinux = getenv("DTPROF_VMLINUX");
	_cleanup_free_ char *options = NULL, *errors = NULL;
	struct report_rows rows;

	(void)state;
	vmlinux = vmlinux ? vmlinux : "/usr/lib/debug/boot/" REAL_KERNEL;
	if (!is_there(test.data) || !is_there(vmlinux))
		skip_because("no %s or no %s here (package "
			     "linux-image-6.1.0-56-cloud-amd64-dbg, or "
			     "DTPROF_VMLINUX)",
			     test.data, vmlinux);
	options = xasprintf("-k %s -d '[kernel.kallsyms]' -s sym,typeoff", vmlinux);
	report(&test, options, &rows, &errors);
	assert_true(has(&rows, "[k] finish_task_switch.isra.0", "struct task_struct"));
	assert_true(has(&rows, "[k] handle_mm_fault", "struct vm_area_struct"));
	for (size_t i = 0; i < rows.count; i++)
		assert_null(strstr(rows.items[i].columns[1], "paravirt_patch_template"));
	report_rows_deinit(&rows);
}

/* The names of locks by what their callers pass, and through DWARF. */
static void locks_of_a_real_kernel(void **state)
{
	static const char *const named[] = {
		"struct mm_struct +112 (mmap_lock)",        "struct inode +160 (i_rwsem)",
		"struct ext4_sb_info +600 (s_orphan_lock)", "struct pipe_inode_info +0 (mutex)",
		"struct journal_s +76 (j_state_lock)",
	};
	const char *vmlinux = getenv("DTPROF_VMLINUX");
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = NULL;

	(void)state;
	vmlinux = vmlinux ? vmlinux : "/usr/lib/debug/boot/" REAL_KERNEL;
	need(REAL_FOLDER "lock.data");
	need(vmlinux);
	command = xasprintf("%s --no-pager lock report --callers 1 -i " REAL_FOLDER
			    "lock.data --kallsyms " REAL_FOLDER "lock.kallsyms --vmlinux %s",
			    dtprof_path(), vmlinux);
	process_shell(command, &result);
	process_check_status(&result, 0);
	for (size_t i = 0; i < COUNT_OF(named); i++)
		assert_non_null(strstr(result.output.data, named[i]));
	assert_null(strstr(result.output.data, "(unknown"));
	assert_non_null(strstr(result.output.data, "     lock_mm_and_find_vma+0x9b\n"));
}

int main(void)
{
	static struct kernel_test gcc = { .compiler = "gcc" }, clang = { .compiler = "clang" };
	const struct CMUnitTest tests[] = {
		{ "gcc: types", types_of_a_moved_kernel_and_its_module, setup, teardown, &gcc },
		{ "clang: types", types_of_a_moved_kernel_and_its_module, setup, teardown, &clang },
		{ "companions_of_a_stripped_kernel", companions_of_a_stripped_kernel, setup,
		  teardown, &gcc },
		{ "code_of_a_running_kernel", code_of_a_running_kernel, setup, teardown, &gcc },
		{ "names_without_any_file", names_without_any_file, setup, teardown, &gcc },
		{ "names_by_perfs_copy_of_the_symbols", names_by_perfs_copy_of_the_symbols, setup,
		  teardown, &gcc },
		{ "another_kernel_than_the_recorded_one", another_kernel_than_the_recorded_one,
		  setup, teardown, &gcc },
		{ "what_lines_of_samples_lack", what_lines_of_samples_lack, setup, teardown, &gcc },
		{ "what_is_missing_is_one_line", what_is_missing_is_one_line, setup, teardown,
		  &gcc },
		{ "what_is_missing_is_told_in_full", what_is_missing_is_told_in_full, setup,
		  teardown, &gcc },
		cmocka_unit_test(names_of_a_real_kernel),
		cmocka_unit_test(data_names_of_a_real_kernel),
		cmocka_unit_test(types_of_a_real_kernel),
		cmocka_unit_test(locks_of_a_real_kernel),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
