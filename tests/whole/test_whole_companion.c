// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports of a stripped program with its companion are those with debug information, byte for byte.
 */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define FLAGS " -O2 -g -Wl,--build-id"

/* Builds a program with a sample of each of its accesses, or skips the test. */
static struct workload *build(const char *compiler, const char *source)
{
	_cleanup_free_ char *flags = xasprintf("%s" FLAGS, compiler);

	need_compiler(compiler);
	if (!process_exists("strip"))
		skip_because("no strip (binutils)");
	struct workload *workload = workload_build_accessed(flags, source, NULL);

	assert_non_null(workload);
	return workload;
}

/* Strips the program, and keeps the whole one beside it. */
static void strip(const struct workload *workload)
{
	_cleanup_process_ struct process_result result = { 0 };

	shell_must(&result, "cp %s %s.full && strip %s", workload->program, workload->program,
		   workload->program);
}

/* Commands whose output is compared; "%s" is the recording. */
static const char *const commands[] = {
	"report -i %s --stdio -s type,typeoff,sym,srcline",
	"report -i %s --stdio -s how,rule",
	"report -i %s --stdio -s lang,dso,sym",
	"report -i %s --json -s type,typeoff,sym",
	"report -i %s --stdio -s type,typecln",
	"annotate -i %s --stdio --data-type",
	"script -i %s -F ip,sym,type,typeoff,srcline",
	"export -i %s --format=data-type-json",
	"layout -i %s --json",
};

static void run(const char *command, const char *data, const char *more,
		struct process_result *result)
{
	_cleanup_free_ char *arguments = xasprintf("%s", command);
	char *place = strstr(arguments, "%s");
	_cleanup_free_ char *line =
		xasprintf("%s %.*s%s%s %s", dtprof_path(), (int)(place - arguments), arguments,
			  data, place + 2, more);

	process_shell(line, result);
}

/* Compares the commands with the whole program and with the stripped one. */
static void compare(const struct workload *workload)
{
	struct process_result with[COUNT_OF(commands)] = { 0 };
	_cleanup_process_ struct process_result indexed = { 0 };

	for (size_t i = 0; i < COUNT_OF(commands); i++)
		run(commands[i], workload->data, "--ignore-companion", &with[i]);
	shell_must(&indexed, "%s index -q %s", dtprof_path(), workload->program);
	strip(workload);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result without = { 0 };

		run(commands[i], workload->data, "", &without);
		if (with[i].status)
			fail_msg("%s: %s", commands[i], with[i].errors.data);
		assert_string_equal(without.errors.data, with[i].errors.data);
		assert_string_equal(without.output.data, with[i].output.data);
		assert_non_null(strchr(without.output.data, '\n'));
		process_result_deinit(&with[i]);
	}
}

static void test_c(void **state)
{
	(void)state;
	struct workload *workload = build("gcc", "tests/workloads/cache.c");

	compare(workload);
	workload_destroy(workload);
}

/* One of two equal functions has no place in the debug information, and equal records have no
 * names. */
static void test_equal(void **state)
{
	(void)state;
	struct workload *workload = build("gcc", "tests/workloads/equal.c");

	compare(workload);
	workload_destroy(workload);
}

/* Functions that C declares, and whose code is an assembler's, are not in C. */
static void test_assembler(void **state)
{
	(void)state;
	struct workload *workload =
		build("gcc", "tests/workloads/assembled.S tests/workloads/assembled.c");
	_cleanup_process_ struct process_result result = { 0 };

	run("report -i %s --csv -s sym,lang", workload->data, "--ignore-companion", &result);
	assert_non_null(strstr(result.output.data, "pair_turn,assembler"));
	compare(workload);
	workload_destroy(workload);
}

/* The companion of a program that others may not read is closed to them, too. */
static void test_mode(void **state)
{
	(void)state;
	struct workload *workload = build("gcc", "tests/workloads/cache.c");
	_cleanup_free_ char *companion = xasprintf("%s.dtp", workload->program);
	_cleanup_process_ struct process_result indexed = { 0 };
	struct stat status;

	umask(022);
	for (mode_t group = 0; group <= 050; group += 050) {
		assert_int_equal(chmod(workload->program, 0700 | group), 0);
		shell_must(&indexed, "%s index -q %s", dtprof_path(), workload->program);
		assert_int_equal(stat(companion, &status), 0);
		assert_int_equal(status.st_mode & 0777, 0600 | (group & 040));
		process_result_deinit(&indexed);
	}
	workload_destroy(workload);
}

static void test_cxx(void **state)
{
	(void)state;
	struct workload *workload = build("g++", "tests/workloads/classes.cc");

	compare(workload);
	workload_destroy(workload);
}

/* The linker of Go fills the room between functions with zeros, which seem to be instructions. */
static void test_go(void **state)
{
	(void)state;
	char *folder = scratch_create();
	_cleanup_free_ char *program = xasprintf("%s/go_rules", folder);
	_cleanup_free_ char *data = xasprintf("%s/perf.data", folder);
	struct workload workload = { folder, program, data };
	static const char *const functions[] = { "main.forward", "main.makeLarge", NULL };
	struct access_request request = { .object = program, .output = data, .repeat = 1 };
	_cleanup_process_ struct process_result built = { 0 };
	_cleanup_free_ char *build_line =
		xasprintf("cp tests/workloads/result_in_memory.go %s && cd %s && HOME=%s "
			  "GOPATH=%s/go GOCACHE=%s/cache "
			  "GO111MODULE=off GOFLAGS= timeout 300 go build -ldflags '-B 0x%040d' -o "
			  "%s result_in_memory.go; "
			  "chmod -R u+w %s",
			  folder, folder, folder, folder, folder, 1, program, folder);
	size_t samples;

	if (!process_exists("strip"))
		skip_because("no strip (binutils)");
	process_shell(build_line, &built);
	if (!access(program, X_OK)) {
		/* the first word of the result has the same type, whether its copy is asked about
		 * or not: only companions are asked about calls */
		request.functions = functions;
		assert_null(access_recorder_write(&request, &samples));
		compare(&workload);
		request.functions = NULL;
	}
	if (!kept_program("tests/kept/go_rules.go", "go build", program))
		skip_because("no program of Go is kept");
	assert_null(access_recorder_write(&request, &samples));
	compare(&workload);
	scratch_remove(folder);
}

/* Late samples, with callers. */
static void test_late(void **state)
{
	(void)state;
	need_compiler("gcc");
	if (!process_exists("strip"))
		skip_because("no strip (binutils)");
	struct workload *workload = workload_build("gcc" FLAGS, "tests/workloads/cache.c");
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s record -q -B -g -e cpu-clock:u -F 1000 -o %s -- %s 600000",
			  dtprof_path(), workload->data, workload->program);

	assert_non_null(workload);
	process_shell(command, &result);
	if (result.status || access(workload->data, R_OK))
		skip_because("cannot record here");
	compare(workload);
	workload_destroy(workload);
}

/* Orders of threads that are tried, each with another number of threads. */
#define ORDERS 6

/* The same bytes, however many threads there are, and whichever comes first. */
static void test_threads(void **state)
{
	(void)state;
	const char *build_folder = getenv("OUT");
	struct workload *workload = build("gcc", "tests/workloads/cache.c");
	_cleanup_free_ char *index = xasprintf("%s index -q %s -o %s", dtprof_path(),
					       workload->program, workload->folder);
	_cleanup_free_ char *report = xasprintf("%s report -i %s --stdio -s type,typeoff,sym",
						dtprof_path(), workload->data);
	_cleanup_free_ char *slow = xasprintf("ASAN_OPTIONS=verify_asan_link_order=0 "
					      "LD_PRELOAD=$PWD/%s/tests/inject/slow_threads.so",
					      build_folder ? build_folder : "build");

	for (int i = 0; i <= ORDERS; i++) {
		_cleanup_process_ struct process_result result = { 0 };

		shell_must(
			&result,
			"if [ %d = 0 ]; then %s/one --threads 1 && %s --threads 1 >%s/rows; else "
			"export SLOW_THREADS=%d %s; %s/more --threads %d && cmp %s/one %s/more && "
			"%s --threads %d | cmp - %s/rows; fi",
			i, index, report, workload->folder, i, slow, index, 1 + i, workload->folder,
			workload->folder, report, 1 + i, workload->folder);
	}
	workload_destroy(workload);
}

/* Returns whether a report with these variables and options shows the program's types. */
static bool shows_types(const struct workload *workload, const char *before, const char *after)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *line = xasprintf("%s %s report -i %s --stdio -s type %s", before,
					      dtprof_path(), workload->data, after);

	process_shell(line, &result);
	assert_int_equal(result.status, 0);
	return strstr(result.output.data, "struct entry");
}

/* Companions are found in the user's cache, and where --companion says; those that others may write
 * are not believed. */
static void test_places(void **state)
{
	(void)state;
	struct workload *workload = build("gcc", "tests/workloads/cache.c");
	_cleanup_free_ char *cache = xasprintf("XDG_CACHE_HOME=%s", workload->folder);
	_cleanup_free_ char *folder =
		xasprintf("--companion %s/dtprof/companions", workload->folder);
	_cleanup_process_ struct process_result result = { 0 }, changed = { 0 };

	shell_must(&result, "%s %s index -q --cache %s", cache, dtprof_path(), workload->program);
	strip(workload);
	assert_false(shows_types(workload, "", ""));
	assert_true(shows_types(workload, cache, ""));
	assert_false(shows_types(workload, cache, "--ignore-companion"));
	assert_true(shows_types(workload, "", folder));
	shell_must(&changed, "chmod o+w %s/dtprof/companions/*.dtp", workload->folder);
	assert_false(shows_types(workload, cache, ""));
	workload_destroy(workload);
}

/* An archive has the companion of a stripped program, and its report is the same elsewhere. */
static void test_archive(void **state)
{
	(void)state;
	need_compiler("gcc");
	if (!process_exists("strip"))
		skip_because("no strip (binutils)");
	struct workload *workload = workload_build("gcc" FLAGS, "tests/workloads/cache.c");
	_cleanup_process_ struct process_result result = { 0 }, indexed = { 0 }, moved = { 0 };
	_cleanup_process_ struct process_result before = { 0 }, after = { 0 };
	_cleanup_free_ char *archive = xasprintf("%s/perf.dtprof", workload->folder);
	_cleanup_free_ char *record = xasprintf(
		"HOME=%s %s record -N -q -e cpu-clock:u -F 1000 -o %s -- %s 600000 && HOME=%s %s "
		"archive -i %s -o %s",
		workload->folder, dtprof_path(), workload->data, workload->program,
		workload->folder, dtprof_path(), workload->data, archive);

	shell_must(&indexed, "%s index -q %s", dtprof_path(), workload->program);
	strip(workload);
	process_shell(record, &result);
	if (result.status)
		skip_because("cannot record or pack here: %s", result.errors.data);
	assert_non_null(strstr(result.output.data, "1 companion"));
	run("report -i %s --stdio -q -s type,typeoff,sym,srcline", workload->data, "", &before);
	shell_must(&moved, "rm %s %s.dtp %s.full", workload->program, workload->program,
		   workload->program);
	run("report -i %s --stdio -q -s type,typeoff,sym,srcline", archive, "", &after);
	assert_non_null(strstr(before.output.data, "struct entry"));
	assert_string_equal(after.output.data, before.output.data);
	workload_destroy(workload);
}

/* A companion that is damaged, or of another build, is refused with one line, or passed over. */
static void test_refused(void **state)
{
	(void)state;
	struct workload *workload = build("gcc", "tests/workloads/cache.c");
	_cleanup_free_ char *path = xasprintf("%s.dtp", workload->program);
	_cleanup_process_ struct process_result indexed = { 0 }, result = { 0 };
	size_t size;

	shell_must(&indexed, "%s index -q %s", dtprof_path(), workload->program);
	strip(workload);
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);

	bytes[size / 2] ^= 4;
	file_write(path, bytes, size);
	run(commands[0], workload->data, "", &result);
	assert_non_null(strstr(result.errors.data, "checksum"));
	assert_null(strstr(result.output.data, "struct entry"));
	workload_destroy(workload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mode),      cmocka_unit_test(test_c),
		cmocka_unit_test(test_equal),     cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_assembler), cmocka_unit_test(test_go),
		cmocka_unit_test(test_late),      cmocka_unit_test(test_threads),
		cmocka_unit_test(test_places),    cmocka_unit_test(test_archive),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
