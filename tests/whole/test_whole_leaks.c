// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing is lost: no descriptor and no memory over a thousand reports in one process, and no block
 * at the end of any subcommand. */
#include "tests/support/unit.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/cli/input.h"
#include "profiler/commands/print_memory.h"
#include "profiler/store/store.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

#define REPORTS   1000
#define WARM_UP   20           /* reports after which caches of libraries are filled */
#define GROWTH    (256u << 10) /* bytes: some blocks of malloc()'s own; a leak of 300 a report */
#define LOST_EXIT 99           /* status of valgrind if a block was lost */

static struct workload *workload;

static int set_up(void **state)
{
	static const char *const functions[] = { "spin", "main", NULL };
	_cleanup_free_ char *compiler =
		xasprintf("%s -O1 -g -w -Wl,--build-id", process_compiler());
	const char *source = scratch_file("program.c");
	static const char text[] =
		"struct inner { long a, b; };\n"
		"struct node { struct node *next; struct inner inner; union { int i; float f; } "
		"u;\n"
		"	unsigned int x : 3, y : 5; char name[16]; };\n"
		"struct node nodes[4];\n"
		"__attribute__((noinline)) long spin(struct node *node)\n"
		"{\n"
		"	long sum = 0;\n"
		"	for (; node; node = node->next)\n"
		"		sum += node->inner.b + node->u.i + node->name[3], node->inner.a = "
		"sum;\n"
		"	return sum;\n"
		"}\n"
		"int main(void) { nodes[0].next = &nodes[1]; return (int)spin(nodes); }\n";

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	file_write(source, text, strlen(text));
	workload = workload_build_accessed(compiler, source, functions);
	return !workload;
}

static int tear_down(void **state)
{
	workload_destroy(workload);
	return scratch_tear_down(state);
}

static unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	if (!folder)
		return 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void report_thousand_times(const struct input_options *options)
{
	const struct input_needs needs = { .needs = NEED_TYPE | NEED_SYMBOL | NEED_SOURCE_LINE };
	unsigned int descriptors = 0;
	size_t used = 0;

	if (!count_descriptors())
		skip_because("/proc is not mounted");
	for (int i = 0; i < REPORTS; i++) {
		struct input input = { 0 };

		assert_null(input_open(options, &input));
		assert_null(input_resolve(options, &needs, &input));
		assert_true(input.counts->count);
		input_close(&input);
		if (i != WARM_UP)
			continue;
		descriptors = count_descriptors();
		used = mallinfo2().uordblks;
	}
	assert_int_equal(count_descriptors(), descriptors);
#ifdef __SANITIZE_ADDRESS__
	(void)used;
#else
	if (mallinfo2().uordblks > used + GROWTH)
		fail_msg("%zu bytes after %d reports, %zu after %d", used, WARM_UP,
			 mallinfo2().uordblks, REPORTS);
#endif
}

static void test_a_thousand_reports(void **state)
{
	(void)state;
	report_thousand_times(
		&(struct input_options){ .path = workload->data, .quiet = true, .threads = 2 });
}

static void test_a_thousand_companions(void **state)
{
	const char *companion = scratch_file("program.dtp");
	_cleanup_free_ char *command =
		xasprintf("%s index -q -o %s %s", dtprof_path(), companion, workload->program);
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	report_thousand_times(&(struct input_options){ .path = workload->data,
						       .quiet = true,
						       .threads = 2,
						       .dso = { .companion = companion } });
}

/* Opens a store, adds to it and asks it. */
static void use_store(const char *path)
{
	static const enum store_key keys[] = { STORE_TYPE, STORE_DAY };
	const struct store_fact fact = { .event = "cycles",
					 .object = "/bin/a",
					 .build = "ab",
					 .type = "node",
					 .field = "next",
					 .function = "spin",
					 .samples = 1 };
	const struct store_batch batch = {
		.id = "one", .host = "here", .kernel = "6.1", .processor = "", .samples = 1
	};
	const struct store_choice all = { 0 };
	_cleanup_answer_ struct store_answer rows = { 0 }, batches = { 0 };
	struct store *store;
	bool known;

	assert_null(store_open(&(struct store_place){ .path = path, .create = true }, &store));
	assert_null(store_add(store, &batch, &fact, 1, &known));
	assert_null(store_select(store, keys, 2, &all, STORE_BY_SAMPLES, 0, &rows));
	assert_null(store_batches(store, &all, &batches));
	assert_int_equal(rows.total.samples, 1);
	store_close(store);
}

/* Opens the memory of this process, and reads a number of it. */
static void use_memory(void)
{
	struct process_memory memory;
	long number = 0;

	assert_null(process_memory_open(getpid(), &memory));
	assert_int_equal(
		process_memory_read(&memory, (uintptr_t)&workload, &number, sizeof(number)),
		sizeof(number));
	assert_int_equal(number, (long)workload);
	process_memory_close(&memory);
}

static void test_a_thousand_stores_and_memories(void **state)
{
	const char *path = scratch_file("store.db");
	unsigned int descriptors = 0;
	size_t used = 0;

	(void)state;
	if (!count_descriptors())
		skip_because("/proc is not mounted");
	for (int i = 0; i < REPORTS; i++) {
		use_store(path);
		use_memory();
		if (i != WARM_UP)
			continue;
		descriptors = count_descriptors();
		used = mallinfo2().uordblks;
	}
	assert_int_equal(count_descriptors(), descriptors);
#ifdef __SANITIZE_ADDRESS__
	(void)used;
#else
	if (mallinfo2().uordblks > used + GROWTH)
		fail_msg("%zu bytes after %d, %zu after %d", used, WARM_UP, mallinfo2().uordblks,
			 REPORTS);
#endif
}

/* The second time, the charges are those of the first: the samples are the same. */
static void test_kept_answers(void **state)
{
	const struct input_options options = { .path = workload->data, .quiet = true };
	struct input_needs needs = { .needs = NEED_TYPE | NEED_SYMBOL, .again = true };
	const struct access *accesses;
	struct input input = { 0 };

	(void)state;
	assert_null(input_open(&options, &input));
	assert_null(input_resolve(&options, &needs, &input));

	size_t count = input.resolution->place_count, kept = input.kept.count;
	_cleanup_free_ struct resolved_place *places = xcalloc(count, sizeof(*places));

	assert_true(kept);
	memcpy(places, input.resolution->places, count * sizeof(*places));
	input_forget(&input);
	needs.again = false;
	needs.needs |= NEED_SOURCE_LINE | NEED_LANGUAGE;
	assert_null(input_resolve(&options, &needs, &input));
	assert_int_equal(input.resolution->place_count, count);
	for (size_t i = 0; i < count; i++) {
		accesses = &input.resolution->places[i].access;
		assert_int_equal(accesses->kind, places[i].access.kind);
		assert_ptr_equal(accesses->type, places[i].access.type);
		assert_int_equal(accesses->offset, places[i].access.offset);
		assert_int_equal(input.resolution->places[i].samples, places[i].samples);
	}
	assert_int_equal(input.kept.uses, kept);
	input_close(&input);
}

static void test_at_exit(void **state)
{
	static const char *const commands[] = {
		"report --stdio -s type,typeoff,sym,srcline -i %s",
		"report --json -s type,sym -i %s",
		"report --html=/dev/null -i %s",
		"report -D -i %s",
		"report --header-only -I -i %s",
		"annotate --stdio -i %s",
		"annotate --stdio --data-type --layout -i %s",
		"c2c report --stdio -i %s",
		"layout --emit=c -i %s",
		"script -F +type,+srcline -i %s",
		"export --format=pprof -o /dev/null -i %s",
		"mem report --stdio -i %s",
		"diff %s %s",
		"check %2$s %s",
		"archive -f -o %3$s -i %s",
		"list rules",
		"lock report -i %s",
		"lock contention -l -i %s",
		"print --object %4$s node",
		"print --object %4$s -C node --count 3 --json %4$s",
		"print -p $$ environ",
		"print --core=%s node",
		"export --format=data-type-json -o /dev/null -i %s",
		"index -q -o %5$s %4$s",
		"report --stdio -s type,typeoff,sym,srcline --companion=%5$s -i %s",
		"annotate --data-type --companion=%5$s -i %s",
		"layout --emit=patch -i %s",
		"try --type=node --source=/dev -i %s -- true -- true",
		"print --object %4$s --hot 3 node --core=%s -i %s",
		"store add --store %6$s %s",
		"store top --store %6$s",
		"store report --json --store %6$s -s type,typeoff,sym,dso,host,day",
		"store report --csv --store %6$s --type node --sym 's*'",
		"store history --store %6$s node.next",
		"store list --store %6$s",
		"store diff --all --store %6$s 0 1",
		"store gc --keep 1d --store %6$s",
		"agent --times 2 --for 0.1s --every 0.2s --budget 100 --store %6$s --spool %7$s "
		"-- -e cpu-clock",
	};
	const char *rules = scratch_file("rules"), *archive = scratch_file("a.dtprof"),
		   *companion = scratch_file("a.dtp"), *store = scratch_file("s.db"),
		   *spool = scratch_file("spool");
	_cleanup_process_ struct process_result tried = { 0 };

	(void)state;
	if (!process_exists("valgrind"))
		skip_because("valgrind is not installed");
	process_shell("valgrind -q --error-exitcode=99 true", &tried);
	if (tried.status)
		skip_because("valgrind does not work here");
#ifdef __SANITIZE_ADDRESS__
	skip_because("programs with sanitizers do not run in valgrind");
#endif
	file_write(rules, "sizeof(node) <= 64\n", 19);
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_strbuf_ struct strbuf command = STRBUF_INIT;

		strbuf_add_format(&command,
				  "valgrind -q --leak-check=full --show-leak-kinds=definite "
				  "--errors-for-leak-kinds=definite --undef-value-errors=no "
				  "--error-exitcode=%d %s ",
				  LOST_EXIT, dtprof_path());
		for (const char *at = commands[i]; *at; at++) {
			if (*at != '%') {
				strbuf_add_char(&command, *at);
				continue;
			}
			strbuf_add_string(&command, at[1] == '2'   ? rules
						    : at[1] == '3' ? archive
						    : at[1] == '4' ? workload->program
						    : at[1] == '5' ? companion
						    : at[1] == '6' ? store
						    : at[1] == '7' ? spool
								   : workload->data);
			at += at[1] == 's' ? 1 : 3;
		}
		process_shell(command.data, &result);
		if (result.status == LOST_EXIT)
			fail_msg("%s: %s", command.data, result.errors.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thousand_reports),
		cmocka_unit_test(test_a_thousand_companions),
		cmocka_unit_test(test_a_thousand_stores_and_memories),
		cmocka_unit_test(test_kept_answers),
		cmocka_unit_test(test_at_exit),
	};

	return cmocka_run_group_tests_name("whole/leaks", tests, set_up, tear_down);
}
