// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof store: a recording is added once, and asked about by types, days and builds. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

#include "base/memory.h"
#include "profiler/store/store.h"
#include "tests/support/files.h"
#include "tests/support/hit_recorder.h"
#include "tests/support/process.h"

/* Loads and stores of struct counter, 3 at `hits` and 1 at another place. */
static const struct hit hits[] = {
	{ "writer", 0, STORES, 101, 1, 4, 0 },
	{ "reader", 0, LOADS, 102, 2, 300, 0 },
	{ "reader", 2, LOADS, 102, 1, 5, 0 },
	{ NULL, 0, 0, 0, 0, 0, 0 },
};
static const uint64_t places[] = { 0x7f0000, 0x7f1008, 0x7f2000 };

/* Writes a recording of a program, which was made on 2026-11-01. */
static const char *record_program(const char *name, const char *flags)
{
	const struct utimbuf first = { 1793534400, 1793534400 };
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *program = xasprintf("%s/%s", scratch_folder(), name);
	_cleanup_free_ char *file = xasprintf("%s.data", name);
	const char *data = scratch_file(file);
	_cleanup_free_ char *command = xasprintf("gcc " HIT_PROGRAM_FLAGS " -Wl,--build-id=0x%s "
						 "-o %s tests/workloads/golden.c",
						 flags, program);

	/* clang does not say where parameters of naked functions are */
	need_compiler("gcc");
	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	hit_recorder_write_data(program, data, hits, places);
	/* a program that is newer than the recording is another one */
	assert_int_equal(utime(program, &first), 0);
	assert_int_equal(utime(data, &first), 0);
	return data;
}

/* Runs `dtprof store WORDS`, whose output and errors come together. */
static void run(struct process_result *result, int status, const char *words)
{
	_cleanup_free_ char *command =
		xasprintf("dtprof=$(realpath %s) && cd %s && $dtprof store %s 2>&1", dtprof_path(),
			  scratch_folder(), words);

	process_shell(command, result);
	if (result->status != status)
		fail_msg("%s: status %d\n%s", words, result->status, result->output.data);
}

static void has(const char *words, int status, const char *text)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(&result, status, words);
	if (!strstr(result.output.data, text))
		fail_msg("%s: there is no '%s' in:\n%s", words, text, result.output.data);
}

static void a_recording_is_added_once(void **state)
{
	(void)state;
	record_program("one", "aa01");
	has("add --store=s.db --blame=sampled one.data", 0, "one.data: was added to the store");
	has("add --store=s.db --blame=sampled one.data", 0, "one.data: is in the store already");
	has("list --store=s.db", 0, "2026-11-01 12:00:00           4  ");
	has("list --store=s.db --until=2026-11-01 -q", 0, "");
}

static void questions_have_shares_of_all(void **state)
{
	_cleanup_process_ struct process_result top = { 0 };

	(void)state;
	has("report --store=s.db -s type", 0, "   75.00%           3      1  struct counter\n");
	has("report --store=s.db -s sym --type=counter --sym=reader", 0,
	    "   50.00%           2      1  reader\n");
	has("history --store=s.db counter", 0, "2026-11-01     75.00%           3      1\n");
	has("history --store=s.db counter.nothing", 1, "no samples of 'counter.nothing'");
	has("report --store=s.db -s build --csv", 0, "aa01,4,");
	has("report --store=s.db -s type --json", 0, "\"type\": \"struct counter\",\n");
	run(&top, 0, "top --store=s.db -q -n 1");
	assert_non_null(strstr(top.output.data, "  struct counter +"));
	assert_ptr_equal(strchr(top.output.data, '\n') + 1, top.output.data + top.output.length);
}

static void builds_are_compared(void **state)
{
	(void)state;
	record_program("two", "bb02");
	has("add --store=s.db --blame=sampled two.data", 0, "was added");
	has("diff --store=s.db --event=cache-references aa bb", 0,
	    "no field's share changed beyond noise");
	has("diff --store=s.db --event=cache-references --all aa bb", 0, " +0.00% ");
	has("diff --store=s.db --event=cache-references aa cc", 1, "no samples of the build cc");
	has("diff --store=s.db aa bb", 1, "has samples of several events, such as");
	has("diff --store=s.db aa", 129, "usage: dtprof store diff");
}

/* Adds a recording of a build on a host: `flags` has so many of some 1,000 samples. */
static void add_host(struct store *store, const char *build, unsigned int host, uint64_t flags)
{
	static const char *const fields[] = { "flags", "next", "name" };
	const uint64_t samples[] = { flags, 600 + host % 5, 300 + host % 7 };
	struct store_fact facts[COUNT_OF(fields)];
	char name[32];
	bool known;
	struct store_batch batch = {
		.host = name, .kernel = "6.1", .processor = "", .time = 1793534400, .samples = 1000
	};

	snprintf(name, sizeof(name), "host%u", host);
	snprintf(batch.id, sizeof(batch.id), "%s%u", build, host);
	for (size_t i = 0; i < COUNT_OF(facts); i++)
		facts[i] = (struct store_fact){ .event = "cycles",
						.object = "/usr/bin/server",
						.build = build,
						.type = "struct item",
						.field = fields[i],
						.offset = 8 * (int64_t)i,
						.function = "walk",
						.samples = samples[i] };
	assert_null(store_add(store, &batch, facts, COUNT_OF(facts), &known));
}

static void a_field_that_rose_is_found(void **state)
{
	struct store *store;

	(void)state;
	assert_null(store_open(
		&(struct store_place){ .path = scratch_file("fleet.db"), .create = true }, &store));
	for (unsigned int host = 0; host < 12; host++) {
		add_host(store, "a1", host, 50 + host % 3);
		add_host(store, "a2", host + 12, 50 + host % 4);
		add_host(store, "b1", host + 24, 100 + host % 3);
	}
	add_host(store, "c1", 1, 100);
	store_close(store);
	has("regress --store=fleet.db a1 a2", 0, "no field's share rose beyond noise");
	has("regress --store=fleet.db a1 b1", 1, "  struct item +0 (flags)\n");
	has("regress --store=fleet.db a1 b1", 1, "dtprof layout -i FILE --type='struct item'");
	has("regress --store=fleet.db b1 a1 --json", 1, "\"typeoff\": \"struct item +8 (next)\"");
	has("diff --store=fleet.db a1 b1", 0, "  struct item +0 (flags)\n");
	has("diff --store=fleet.db a1 c1", 0, "a build has one host");
	has("regress --store=fleet.db a1 c1", 2, "the build c1 has one host");
	has("regress --store=fleet.db a1", 129, "usage: dtprof store regress");
}

/* The heat of a build is found again in its debug information: lines, members, records within. */
static void rules_are_checked_over_the_fleet(void **state)
{
	static const char source[] = "struct item { long flags; char name[80]; long next; };\n"
				     "struct holder { long id; struct item item; };\n"
				     "struct holder one; int main(void) { return (int)one.id; }\n";
	static const char rules[] = "sizeof(item) <= 96\n"
				    "heat of item in <= 1 lines\n"
				    "heat of item {flags} in <= 1 lines\n"
				    "95% of heat of item in <= 2 lines\n"
				    "no field of item written by two threads shares a line with a "
				    "hot read\n";
	static const struct store_fact facts[] = {
		{ "cycles", "/bin/a", "cc03", "struct item", "flags", 0, "f", 500, 0, 0, 500, 0, "",
		  "" },
		{ "cycles", "/bin/a", "cc03", "struct holder", "item.next", 96, "f", 400, 0, 0, 400,
		  0, "", "" },
		{ "cycles", "/bin/a", "cc03", "struct gone", "x", 0, "f", 7, 0, 0, 7, 0, "", "" },
		{ "cycles", "/bin/a", "dd04", "struct item", "name", 8, "f", 9000, 0, 0, 9000, 0,
		  "", "" },
	};
	struct store_batch batch = { .host = "a", .kernel = "", .processor = "", .id = "1" };
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf(
		"cd %s && gcc -g -Wl,--build-id=0xcc03 -o layouts layouts.c", scratch_folder());
	struct store *store;
	bool known;

	(void)state;
	need_compiler("gcc");
	file_write(scratch_file("layouts.c"), source, sizeof(source) - 1);
	file_write(scratch_file("rules"), rules, sizeof(rules) - 1);
	process_shell(command, &result);
	assert_int_equal(result.status, 0);
	assert_null(store_open(
		&(struct store_place){ .path = scratch_file("heat.db"), .create = true }, &store));
	assert_null(store_add(store, &batch, facts, COUNT_OF(facts), &known));
	store_close(store);
	has("check --store=heat.db rules layouts", 1,
	    "7 of 907 samples are left out: there is no type of their name");
	has("check --store=heat.db rules layouts", 1,
	    "rules:1: ok: sizeof(item) <= 96: the size is 96\n"
	    "rules:2: FAILED: heat of item in <= 1 lines: 55.6% of 900 samples are in the 1 "
	    "hottest lines\n"
	    "rules:3: ok: heat of item {flags} in <= 1 lines: hot fields are in 1 lines; the last "
	    "is 'flags'\n"
	    "rules:4: ok: 95% of heat of item in <= 2 lines: 100.0% of 900 samples are in the 2 "
	    "hottest lines\n"
	    "rules:5: unknown: ");
	has("check --store=heat.db rules layouts", 1, "a store does not know which threads write");
	has("check --store=heat.db --event=none rules layouts", 0, "has no samples of ");
	has("check --store=heat.db rules absent", 2, "cannot open absent");
}

static void old_days_go(void **state)
{
	(void)state;
	has("gc --store=s.db", 1, "--keep=90d says how long");
	has("gc --store=s.db --keep=2026-11-01", 0, "0 recordings were removed");
	has("gc --store=s.db --keep=2026-11-02", 0, "2 recordings were removed");
	has("top --store=s.db", 1, "the store has no samples of this choice");
}

static void what_cannot_be_done_is_said(void **state)
{
	(void)state;
	has("top --store=absent.db", 1, "there is no store yet: 'dtprof store add' makes it");
	has("report --store=s.db -s colour", 1, "-s takes type, typeoff");
	has("report --store=s.db --since=soon", 129, "--since takes a number of minutes");
	has("top one.data", 129, "usage: dtprof store top");
	has("nothing", 129, "store takes init, add, top, report");
	has("top --store=s.db --credentials=none", 1,
	    "--credentials and --cluster are for stores on");
	/* another attempt may succeed, which agents are told by the status */
	has("init --store=clickhouse://127.0.0.1:1/db", 3, "clickhouse://127.0.0.1:1/db");
	has("add --store=clickhouse://127.0.0.1:1/db one.data", 3, "clickhouse://127.0.0.1:1/db");
	has("list --store=clickhouse://127.0.0.1:1/db", 1, "clickhouse://127.0.0.1:1/db");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_added_once),
		cmocka_unit_test(questions_have_shares_of_all),
		cmocka_unit_test(builds_are_compared),
		cmocka_unit_test(a_field_that_rose_is_found),
		cmocka_unit_test(rules_are_checked_over_the_fleet),
		cmocka_unit_test(old_days_go),
		cmocka_unit_test(what_cannot_be_done_is_said),
	};

	return cmocka_run_group_tests_name("store command", tests, NULL, scratch_tear_down);
}
