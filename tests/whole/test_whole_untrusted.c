// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording from an untrusted source, with hostile paths and names: nothing is written, started
 * or waited for, no device is opened, and no control character reaches the terminal. */
#include "tests/support/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define USER PERF_RECORD_MISC_USER

static char *folder;
static char *jit_maps[3];

static int set_up(void **state)
{
	(void)state;
	folder = scratch_create();
	for (unsigned int i = 0; i < 3; i++)
		jit_maps[i] = jit_map_path(i);
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		(void)unlink(jit_maps[i]);
		free(jit_maps[i]);
	}
	scratch_remove(folder);
	return 0;
}

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

/* Begins a line only if a newline in a name is printed as it is. */
#define FORGED "FORGED"

/* No name of a file moves the cursor, or begins a line of its own. */
static void assert_harmless(const char *command, const char *text)
{
	const char *bad = strpbrk(text, "\033\r\a\b");

	for (const char *line = strstr(text, FORGED); line && !bad; line = strstr(line + 1, FORGED))
		bad = line > text && line[-1] == '\n' ? line : NULL;
	if (bad)
		fail_msg("%s prints names as they are: %.60s", command,
			 bad - text > 20 ? bad - 20 : text);
}

/* Runs dtprof confined; it must end in time with a sensible message. A negative `status` accepts
 * any but the end by a signal. */
static void run(const char *const *arguments, int status)
{
	const char *argv[16] = { dtprof_path() };
	_cleanup_process_ struct process_result result = { 0 };

	for (size_t i = 0; arguments[i] && i < 14; i++)
		argv[i + 1] = arguments[i];
	alarm(120); /* whose signal ends the test */
	process_run_confined(argv, &result);
	alarm(0);
	if (result.status == 126)
		skip_because("seccomp is not to be had here");
	if (status < 0 ? result.status >= 128 && result.status != 129 : result.status != status)
		fail_msg("%s %s: status %d: %s", argv[1], argv[2], result.status,
			 result.errors.data);
	assert_harmless(argv[1], result.output.data);
	assert_harmless(argv[1], result.errors.data);
}

/* Runs every form in which names are printed. */
static void run_all_forms(const char *data)
{
	static const char *const forms[][8] = {
		{ "report", "--csv", "-s", "comm,dso,sym,type" },
		{ "report", "--json", "-s", "comm,dso,sym,type" },
		{ "report", "--stdio", "-t", ",", "-s", "comm,dso,sym" },
		{ "report", "--stdio", "--hierarchy", "-s", "comm,dso,sym" },
		{ "report", "--stdio", "-v", "-s", "comm,dso,sym" },
		{ "report", "--stats" },
		{ "report", "--debug", "type-profile" },
		{ "mem", "report", "--stdio" },
		{ "script" },
		{ "script", "--csv" },
		{ "script", "--json" },
		{ "annotate", "--csv" },
		{ "annotate", "--json" },
		{ "annotate", "--stdio", "--layout" },
		{ "annotate", "--stdio", "--code-with-type" },
		{ "c2c", "report", "--stdio" },
		{ "c2c", "report", "--csv" },
		{ "c2c", "report", "--json" },
		{ "layout" },
		{ "layout", "--emit=c" },
		{ "layout", "--emit=patch" },
		{ "layout", "--emit=rules" },
		{ "export", "--format=folded" },
		{ "export", "--format=speedscope" },
		{ "export", "--format=csv" },
		{ "export", "--format=json" },
	};

	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		const char *arguments[13] = { 0 };
		size_t count = 0;

		for (size_t k = 0; k < COUNT_OF(forms[i]) && forms[i][k]; k++)
			arguments[count++] = forms[i][k];
		arguments[count++] = "-i";
		arguments[count++] = data;
		run(arguments, -1);
	}
	run((const char *const[]){ "diff", data, data, NULL }, -1);
	run((const char *const[]){ "diff", "--csv", data, data, NULL }, -1);
}

/* Runs each command that reads a file. */
static void run_all(const char *data, bool has_code, bool has_work)
{
	run((const char *const[]){ "report", "--stdio", "-f", "-i", data, "-s",
				   "comm,dso,sym,symoff", NULL },
	    0);
	run((const char *const[]){ "report", "--stdio", "-f", "-i", data, "-s",
				   "type,typeoff,srcline", NULL },
	    0);
	run((const char *const[]){ "report", "--stdio", "-f", "-i", data, "--header", "--stats",
				   NULL },
	    0);
	/* the code, as perf annotate --stdio prints it, if a function has a name */
	run((const char *const[]){ "annotate", "--stdio", "-f", "-i", data, NULL }, !has_code);
	run((const char *const[]){ "annotate", "--stdio", "-f", "-i", data, "--data-type", NULL },
	    0);
	run((const char *const[]){ "annotate", "--stdio", "-f", "-i", data, "-s", "work", NULL },
	    !has_work);
}

/* If this fails, the other tests show nothing. */
static void what_is_confined_cannot_write(void **state)
{
	static const char *const commands[] = { "echo >\"$0\"", "/bin/true", "rm \"$0\"" };
	_cleanup_free_ char *path = path_of("written");

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		process_run_confined(
			(const char *const[]){ "/bin/sh", "-c", commands[i], path, NULL }, &result);
		if (result.status == 126)
			skip_because("seccomp is not to be had here");
		process_check_status(&result, 128 + SIGSYS);
		assert_int_equal(access(path, F_OK), -1);
	}
}

static void add_object(struct perf_image *image, const char *name)
{
	static uint64_t start = 0x100000;

	start += 0x10000;
	add_map(image, 2, 10, start, 0x1000, name);
	add_sample(image, 5, 10, 10, start + 0x10, USER);
}

static void write_image(struct perf_image *image, const char *path)
{
	size_t size;
	_cleanup_free_ uint8_t *data = perf_image_file(image, &size);

	file_write(path, data, size);
}

/* Each path is named as an object of the process, and as the map of a just-in-time compiler. */
static void paths_that_are_no_objects(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_free_ char *fifo = path_of("fifo"), *link = path_of("symlink"),
			    *sparse = path_of("sparse");
	_cleanup_free_ char *loop = path_of("loop"), *data = path_of("perf.data"),
			    *secret = path_of("secret");
	_cleanup_free_ char *big = path_of("big");
	const char *map_fifo = jit_maps[0], *map_link = jit_maps[1], *map_sparse = jit_maps[2];

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600) | mkfifo(map_fifo, 0600), 0);
	assert_int_equal(symlink(fifo, link) | symlink(loop, loop), 0);
	file_write(secret, "1000 10 secret\n", 15);
	assert_int_equal(symlink(secret, map_link), 0);
	file_write(sparse, "\177ELF\2\1\1", 7);
	file_write(big, "", 0);
	file_write(map_sparse, "1000 10 sparse\n", 15);
	assert_int_equal(truncate(sparse, (off_t)1 << 40), 0);
	assert_int_equal(truncate(big, (off_t)1 << 40), 0);
	assert_int_equal(truncate(map_sparse, (off_t)1 << 40), 0);

	const char *const names[] = {
		fifo,           link,          loop,         sparse,       big,
		map_fifo,       map_link,      map_sparse,   folder,       "/dev/full",
		"/dev/tty",     "/dev/ptmx",   "/dev/stdin", "/proc/kmsg", "/proc/self/mem",
		"/proc/1/fd/0", "/etc/shadow", "../../..",   "",           "\033[2J\033]0;owned\a"
	};

	perf_records_process(&image, 1);
	add_comm(&image, 3, 10, 10, "\033[31mred\r\b", false);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_object(&image, names[i]);
	add_kernel_map(&image, 1, 0xffffffffc0000000, 0x1000,
		       "/lib/modules/../../../dev/full/\033[5m.ko");
	add_sample(&image, 5, 10, 10, 0xffffffffc0000010, PERF_RECORD_MISC_KERNEL);
	write_image(&image, data);
	run_all(data, false, false);
}

/* The parts of a folder may be anything as well. */
static void a_folder_of_what_are_no_files(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_free_ char *recorded = path_of("folder"), *data = path_of("folder/data");
	_cleanup_free_ char *part = path_of("folder/data.0"), *device = path_of("folder/data.1");

	(void)state;
	assert_int_equal(mkdir(recorded, 0700) | mkfifo(data, 0600), 0);
	run((const char *const[]){ "report", "--stdio", "-f", "-i", recorded, NULL }, 1);
	assert_int_equal(unlink(data), 0);
	perf_records_process(&image, 1);
	write_image(&image, data);
	assert_int_equal(mkfifo(part, 0600), 0);
	run((const char *const[]){ "report", "--stdio", "-f", "-i", recorded, NULL }, 1);
	assert_int_equal(unlink(part), 0);
	file_write(part, "", 0);
	assert_int_equal(symlink("/dev/zero", device), 0);
	run((const char *const[]){ "report", "--stdio", "-f", "-i", recorded, NULL }, 1);
}

/* A hostile object names files as its debug information and source that would block or answer. */
static void objects_that_name_other_files(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_process_ struct process_result built = { 0 };
	_cleanup_free_ char *text = path_of("source.c"), *object = path_of("object.so"),
			    *data = path_of("perf.data");
	/* the split file becomes a FIFO, and the link to a separate debug file leads to another
	 * FIFO */
	_cleanup_free_ char *command = xasprintf(
		"cd %s && %s -g -O1 -fPIC -gsplit-dwarf -Wl,--build-id=none -shared -o object.so "
		"source.c && rm -f *.dwo && "
		"mkfifo object.so-source.dwo source.dwo object.dwo && mkfifo object.debug && "
		"printf 'object.debug\\0\\0\\0\\0\\1\\2\\3\\4' >link && "
		"objcopy --add-section .gnu_debuglink=link object.so && nm object.so | sed -n 's/ "
		"T work$//p'",
		folder, process_compiler());

	(void)state;
	file_copy("tests/workloads/device_line.c", text);
	process_shell(command, &built);
	if (built.status)
		fail_msg("%s", built.errors.data);
	uint64_t address = strtoull(built.output.data, NULL, 16);

	perf_records_process(&image, 1);
	add_map(&image, 2, 10, 0x800000, 0x10000, object);
	for (uint64_t offset = 0; offset < 8; offset++)
		add_sample(&image, 5, 10, 10, 0x800000 + address + offset, USER);
	write_image(&image, data);
	run_all(data, true, true);
}

/* Names in symbol tables may have any bytes. */
static void names_that_are_no_text(void **state)
{
	static const uint8_t code[32] = { 0x8b, 0x07, 0xc3 };
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_free_ char *object = path_of("named.so"), *data = path_of("perf.data");
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0x40, code, sizeof(code));
	size_t size;

	(void)state;
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, 0x40, sizeof(code), 16);
	elf_writer_symbol(writer, "work\033[2J\r\n" FORGED "\a", STT_FUNC, STB_GLOBAL,
			  (uint16_t)text, 0x40, sizeof(code));
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	file_write(object, bytes, size);
	perf_records_process(&image, 1);
	add_map(&image, 2, 10, 0x800000, 0x1000, object);
	add_sample(&image, 5, 10, 10, 0x800040, USER);
	write_image(&image, data);
	run_all(data, true, false);
	run_all_forms(data);
}

/* Names of threads and of objects may have newlines, and forge lines of a report. */
static void names_with_lines(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *data = path_of("lines.data"),
			    *object = path_of("lib\n" FORGED "\033[2J.so");
	_cleanup_free_ char *command =
		xasprintf("%s archive -v -f -i %s -o %s/lines.dtprof", dtprof_path(), data, folder);

	(void)state;
	perf_records_process(&image, 1);
	file_copy(dtprof_path(), object);
	add_comm(&image, 2, 10, 10, "a\n" FORGED "\033[1m", false);
	add_map(&image, 2, 10, 0x800000, 0x100000, object);
	for (uint64_t i = 0; i < 20; i++)
		add_sample(&image, 5 + i, 10, 10, 0x800000 + 0x1000 * i, USER);
	add_object(&image, "/nowhere/b\n" FORGED "\033[1m");
	write_image(&image, data);
	run_all(data, false, false);
	run_all_forms(data);
	process_shell(command, &result);
	assert_harmless(command, result.output.data);
	assert_harmless(command, result.errors.data);
}

/* Replaces each `from` of a file by as many bytes of `to`. */
static void replace_in_file(const char *path, const char *from, const char *to)
{
	size_t size, length = strlen(from);
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);
	unsigned int found = 0;

	assert_int_equal(length, strlen(to));
	for (size_t i = 0; i + length <= size; i++)
		if (!memcmp(bytes + i, from, length)) {
			memcpy(bytes + i, to, length);
			found++;
		}
	assert_true(found);
	file_write(path, bytes, size);
}

/* Names of types, members, variables, functions and sources are what a producer of debug
 * information writes. */
static void names_in_debug_information(void **state)
{
	static const char *const functions[] = { "sum_QZQ" FORGED, "main", NULL };
	static const char *const forms[] = {
		"report --stdio -s type,typeoff,typecln,sym,srcline,srcfile",
		"report --stdio -s type_QZQ" FORGED,
		"report --stdio --hierarchy -s type,typeoff,sym",
		"report --csv -s type,typeoff,sym,srcline",
		"report --json -s type,typeoff,sym,srcline",
		"report --stdio -v -s type",
		"annotate --stdio",
		"annotate --stdio --code -l",
		"annotate --stdio --data-type --type-stat",
		"annotate --insn-stat",
		"layout -v",
		"layout --dot",
		"layout --all",
		"c2c report --stdio --show-all -v",
		"script -F +sym,+symoff,+srcline,+type",
		"mem report -T",
	};
	const char *source = scratch_file("names_QZQ" FORGED ".c");
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g -w", process_compiler());
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
#define N(name) #name "_QZQ" FORGED
	strbuf_add_string(&text, "typedef long " N(number) ";\n"
							   "enum " N(
								   kind) " { " N(low) ", " N(high) " };\n"
												   "struct " N(inner) " { int " N(first) "; int pad[30]; };\n"
																	 "union " N(either) " { long " N(whole) "; struct " N(inner) " *" N(part) "; };\n"
																										  "struct"
																										  " " N(node) " { struct " N(node) " *" N(next) "; char " N(small) ";\n"
																																		   "	" N(
																																			   number) " " N(value) "; enum " N(kind) " " N(kind) ";\n"
																																									      "	struct " N(inner) " " N(inside) "; union " N(either) " " N(both) ";\n"
																																																		 "	char tail; };\n"
																																																		 "struct " N(node) " " N(
																																																			 table) "[4];\n"
																																																				"__attribute__((noinline)) long " N(
																																																					sum) "(struct " N(node) " *" N(at) ")\n"
																																																									   "{\n"
																																																									   "	long " N(total) " = 0;\n"
																																																												"	for (; " N(at) "; " N(
																																																													at) " = " N(at) "->" N(next) ")\n"
																																																																     "		" N(total) " += " N(at) "->" N(value) " + " N(
																																																																	     at) "->" N(inside) "." N(first) "\n"
																																																																					     "			+ " N(at) "->" N(both) "." N(part) "->" N(first) " + " N(
																																																																						     at) "->tail;\n"
																																																																							 "	return " N(total) ";\n"
																																																																										  "}\n"
																																																																										  "int main(void) { return " N(sum) "(" N(table) ") + " N(table) "[1]." N(
																																																																											  kind) "; }\n");
#undef N
	file_write(source, text.data, text.length);

	struct workload *workload = workload_build_accessed(compiler, source, functions);

	assert_non_null(workload);
	replace_in_file(workload->program, "QZQ", "\033\r\n");
	run_all_forms(workload->data);
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *command = xasprintf("timeout 60 %s %s -i %s", dtprof_path(),
							 forms[i], workload->data);

		process_shell(command, &result);
		assert_true(result.status < 124 || result.status == 129);
		assert_harmless(forms[i], result.output.data);
		assert_harmless(forms[i], result.errors.data);
	}
	workload_destroy(workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_confined_cannot_write),
		cmocka_unit_test(paths_that_are_no_objects),
		cmocka_unit_test(a_folder_of_what_are_no_files),
		cmocka_unit_test(objects_that_name_other_files),
		cmocka_unit_test(names_that_are_no_text),
		cmocka_unit_test(names_with_lines),
		cmocka_unit_test(names_in_debug_information),
	};

	return cmocka_run_group_tests_name("untrusted", tests, set_up, tear_down);
}
