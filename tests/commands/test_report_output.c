// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every form of report's tables, from recordings that are written here. Tables are compared byte by
 * byte with the golden files in tests/commands/golden. UPDATE_GOLDEN=1 rewrites these; look at the
 * changes.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "tests/support/files.h"
#include "tests/support/json_check.h"
#include "tests/support/perf_image.h"
#include "tests/support/perf_records.h"
#include "tests/support/process.h"

#define GOLDEN "tests/commands/golden"
#define SCHEMA "Documentation/report.schema.json"

#define KERNEL         0xffffffff81000000ULL
#define PROGRAM        0x400000ULL
#define MODE_K         PERF_RECORD_MISC_KERNEL
#define MODE_U         PERF_RECORD_MISC_USER
#define KERNEL_CONTEXT ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER_CONTEXT   ((uint64_t)PERF_CONTEXT_USER)

static const char *data, *kallsyms;

static const char symbols[] = "ffffffff81000000 T entry\n"
			      "ffffffff81000100 T sys_read\n"
			      "ffffffff81000200 T vfs_read\n"
			      "ffffffff81000300 T copy_out\n"
			      "ffffffff81000400 T page_fault\n"
			      "ffffffff81000500 T last\n";

struct call {
	uint64_t event; /* its id */
	uint64_t time;  /* ms */
	int tid;
	uint32_t cpu;
	uint64_t period;
	uint32_t weight, latency;
	uint16_t mode;
	uint64_t frames[8]; /* the first is the sample's own address; 0 ends them */
};

#define ENTRY (KERNEL + 0x10)
#define READ  (KERNEL + 0x110)
#define VFS   (KERNEL + 0x210)
#define COPY  (KERNEL + 0x310)
#define FAULT (KERNEL + 0x410)
#define MAIN  (PROGRAM + 0x10)
#define WORK  (PROGRAM + 0x20)

static const struct call calls[] = {
	{ 1, 100, 10, 0, 400, 50, 7, MODE_K, { COPY, VFS, READ, ENTRY, MAIN } },
	{ 1, 110, 10, 0, 100, 90, 7, MODE_K, { COPY + 4, VFS, READ, ENTRY, WORK, MAIN } },
	{ 1, 120, 10, 1, 100, 90, 9, MODE_K, { VFS + 8, READ, ENTRY, WORK, MAIN } },
	{ 1, 230, 11, 1, 200, 20, 3, MODE_U, { WORK, MAIN } },
	{ 1, 240, 11, 1, 100, 20, 3, MODE_U, { WORK, WORK, MAIN } },
	{ 1, 250, 12, 0, 50, 200, 1, MODE_K, { FAULT, ENTRY } },
	{ 1, 360, 12, 0, 50, 0, 0, MODE_U, { MAIN } },
	{ 2, 105, 10, 0, 10, 50, 7, MODE_K, { COPY, VFS, READ, ENTRY, MAIN } },
	{ 2, 370, 11, 1, 30, 20, 3, MODE_U, { WORK, MAIN } },
};

static void add_call(struct perf_image *image, const struct call *call)
{
	struct strbuf *body = &image->body;
	uint64_t count = 0;

	while (call->frames[count])
		count++;
	put64(body, call->event);
	put64(body, call->frames[0]);
	put32(body, (uint32_t)call->tid);
	put32(body, (uint32_t)call->tid);
	put64(body, call->time * 1000000);
	put32(body, call->cpu);
	put32(body, 0);
	put64(body, call->period);

	size_t length_at = body->length;
	uint64_t words = 0;
	bool user = false;

	put64(body, 0);
	for (uint64_t i = 0; i < count; i++) {
		bool is_user = call->frames[i] < KERNEL;

		if (!i || is_user != user) {
			put64(body, is_user ? USER_CONTEXT : KERNEL_CONTEXT);
			words++;
		}
		user = is_user;
		put64(body, call->frames[i]);
		words++;
	}
	memcpy(body->data + length_at, &words, sizeof(words));
	put64(body, call->weight | (uint64_t)call->latency << 32);
	put64(body, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1));
	perf_image_record(image, PERF_RECORD_SAMPLE, call->mode);
}

static int set_up(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES };
	struct perf_image image;
	size_t size;

	(void)state;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC;
	attr.sample_freq = 1000;
	attr.freq = 1;
	data = scratch_file("perf.data");
	kallsyms = scratch_file("kallsyms");
	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 1 }, 1);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	perf_image_event(&image, &attr, (const uint64_t[]){ 2 }, 1);
	add_kernel_map(&image, 0, KERNEL, 0x1000000, "[kernel.kallsyms]_text");
	add_comm(&image, 0, 10, 10, "reader", true);
	add_map(&image, 0, 10, PROGRAM, 0x1000, "/nowhere/prog");
	add_fork(&image, 0, 11, 11, 10, 10);
	add_fork(&image, 0, 13, 13, 11, 11);
	add_map(&image, 0, 13, PROGRAM + 0x400, 0x200,
		"/nowhere/within"); /* cuts the inherited map */
	add_comm(&image, 0, 11, 11, "work\"er,\xff", true);
	add_map(&image, 0, 11, PROGRAM, 0x1000, "/nowhere/prog");
	add_comm(&image, 0, 12, 12, "idle/7", true);
	add_map(&image, 0, 12, PROGRAM, 0x1000, "/nowhere/prog");
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		add_call(&image, &calls[i]);

	uint8_t *bytes = perf_image_file(&image, &size);

	file_write(data, bytes, size);
	file_write(kallsyms, symbols, sizeof(symbols) - 1);
	free(bytes);
	perf_image_deinit(&image);
	return 0;
}

/* ---- branches ---- */

struct branch {
	uint64_t from, to, flags;
};

#define MISPREDICTED   1
#define PREDICTED      2
#define IN_TRANSACTION 4
#define ABORT          8
#define CYCLES(n)      ((uint64_t)(n) << 4)
#define TYPE(type)     ((uint64_t)(type) << 20)

/* The branches of each sample, the newest first; from == 0 ends them. */
static const struct branch stacks[][6] = {
	{ { WORK, MAIN, PREDICTED | CYCLES(7) | TYPE(PERF_BR_COND) },
	  { MAIN + 8, WORK, PREDICTED | CYCLES(40000) | TYPE(PERF_BR_COND) },
	  { MAIN, ENTRY, MISPREDICTED | TYPE(PERF_BR_SYSCALL) } },
	{ { ENTRY + 4, MAIN + 8, PREDICTED | TYPE(PERF_BR_SYSRET) },
	  { READ, VFS, IN_TRANSACTION | PREDICTED | CYCLES(12) | TYPE(PERF_BR_CALL) },
	  { READ, VFS, IN_TRANSACTION | ABORT | MISPREDICTED | CYCLES(12) | TYPE(PERF_BR_CALL) },
	  { VFS + 8, READ + 4, PREDICTED | TYPE(PERF_BR_RET) } },
	/* to and from memory that is in no map */
	{ { WORK, 0x7000, PREDICTED }, { 0x7010, WORK + 2, 0 } },
	{ { 0 } },
	{ { WORK, MAIN, PREDICTED | CYCLES(7) | TYPE(PERF_BR_COND) } },
};

static void add_branches(struct perf_image *image, size_t number, uint64_t kind)
{
	struct strbuf *body = &image->body;
	uint64_t count = 0;

	while (stacks[number][count].from)
		count++;
	put64(body, 1);
	put64(body, MAIN + 12);
	put32(body, 10 + number % 2), put32(body, 10 + number % 2);
	put64(body, 1000000 * (number + 1));
	put64(body, 4000); /* the period */
	put64(body, count);
	if (kind & PERF_SAMPLE_BRANCH_HW_INDEX)
		put64(body, 1);
	for (uint64_t i = 0; i < count; i++) {
		put64(body, stacks[number][i].from);
		put64(body, stacks[number][i].to);
		put64(body, stacks[number][i].flags);
	}
	for (uint64_t i = 0; kind & BRANCH_COUNTERS && i < count; i++)
		put64(body, i);
	perf_image_record(image, PERF_RECORD_SAMPLE, MODE_U);
}

/* Writes a recording of branches. `kind` is added to its branch_sample_type. */
static void write_branches(const char *path, uint64_t kind)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.sample_period = 4000 };
	struct perf_image image;
	size_t size;

	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			   PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE | kind;
	perf_image_init(&image);
	perf_image_event(&image, &attr, (const uint64_t[]){ 1 }, 1);
	put64(&image.features[FEATURE_BRANCH_STACK], 0);
	add_kernel_map(&image, 0, KERNEL, 0x1000000, "[kernel.kallsyms]_text");
	for (int pid = 10; pid <= 11; pid++) {
		add_comm(&image, 0, pid, pid, pid == 10 ? "jumper" : "other", true);
		add_map(&image, 0, pid, PROGRAM, 0x1000, "/nowhere/prog");
	}
	for (size_t i = 0; i < COUNT_OF(stacks); i++)
		add_branches(&image, i, kind);

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(path, bytes, size);
	perf_image_deinit(&image);
}

static void run_report(const char *arguments, struct process_result *result)
{
	mkdir(scratch_file("empty"), 0755);

	_cleanup_free_ char *command = xasprintf(
		"HOME=%s %s --no-pager report -i %s --kallsyms %s --symfs %s/empty %s",
		scratch_folder(), dtprof_path(), data, kallsyms, scratch_folder(), arguments);

	process_shell(command, result);
	if (result->status)
		print_error("%s\n%s\n", command, result->errors.data);
	process_check_status(result, 0);
}

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "r");
	struct strbuf text = STRBUF_INIT;
	int character;

	if (!file)
		fail_msg("no file %s", path);
	while ((character = getc(file)) != EOF)
		strbuf_add_char(&text, (char)character);
	fclose(file);
	return strbuf_detach(&text);
}

struct form {
	const char *name;
	const char *arguments;
};

static const struct form texts[] = {
	{ "table", "--no-children -g none -n --show-total-period" },
	{ "children", "-g none -s comm,sym" },
	{ "graph", "-s comm --no-children" },
	{ "graph-caller", "-s sym --percent-limit 10" },
	{ "folded", "-s comm --no-children -g folded" },
	{ "hierarchy", "-s '{comm,cpu},dso,sym' --hierarchy -g none" },
	{ "separated", "-s comm,sym -t '|' -g none --no-children" },
	{ "group", "-s comm --group -g none --no-children -n" },
	{ "symbol-part", "-s comm --no-children -g none copy_" },
	{ "symbol-part-callers", "-s comm,sym --symbol-filter read -g none" },
	{ "fields-added", "-F +period,sample -s comm -g none --no-children" },
	{ "fields", "-F weight1,ins_lat,sample,comm -g none --no-children" },
	{ "latency", "-s ins_lat,local_weight --by weight -g none --no-children" },
	{ "by-samples", "-s comm --by samples -g none --no-children" },
	{ "time", "-s time,cpu -g none --no-children --time 0.11,0.3" },
	{ "sorted-by", "-s comm --sort-by sample,comm -n -g none --no-children" },
	{ "addresses", "-s addr,symoff,transaction,code_page_size,cgroup -g none --no-children" },
	{ "max-name", "-s symoff,comm --max-name 9 -g folded,0.5,callee --no-children" },
	{ "stats", "--stats" },
	{ "csv", "-s comm,sym --csv --no-children -g none" },
	{ "csv-graph", "-s comm --csv -g folded" },
	{ "csv-hierarchy", "-s comm,dso --hierarchy --csv -g none" },
	{ "csv-group", "-s comm --group --csv -g none --no-children" },
};

static const struct form objects[] = {
	{ "json", "-s comm,dso,sym --no-children -g none --json" },
	{ "json-graph", "-s comm --json" },
	{ "json-hierarchy", "-s comm,cpu,symoff --hierarchy --json -g none" },
	{ "json-group", "-s tid,time,local_weight,ins_lat --group --json -g none --no-children" },
	{ "json-figures", "-F weight1,tgid,addr,srcfile --json -g none --no-children" },
	{ "json-types", "-s type,typeoff,typecln,field,acc,how --json -g none" },
};

static void check_golden(const struct form *form, const char *output)
{
	_cleanup_free_ char *path = xasprintf(GOLDEN "/%s.txt", form->name);

	assert_golden(path, output);
}

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run_report(texts[i].arguments, &result);
		check_golden(&texts[i], result.output.data);
	}
}

/* --header puts the file's header before the counts of records, too. */
static void test_header_of_stats(void **state)
{
	_cleanup_process_ struct process_result header = { 0 }, plain = { 0 }, both = { 0 };
	_cleanup_free_ char *expected = NULL;

	(void)state;
	run_report("--header-only", &header);
	assert_true(header.output.length > 100);
	run_report("--stats", &plain);
	run_report("--header --stats", &both);
	expected = xasprintf("%s%s", header.output.data, plain.output.data);
	assert_string_equal(both.output.data, expected);
}

static void test_json(void **state)
{
	_cleanup_free_ char *schema = read_text(SCHEMA);

	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		struct strbuf problem _cleanup_strbuf_ = STRBUF_INIT;

		run_report(objects[i].arguments, &result);
		if (!json_check(result.output.data, schema, &problem))
			fail_msg("%s: %s\n%s", objects[i].name, problem.data, result.output.data);
		check_golden(&objects[i], result.output.data);
	}
}

/* Samples with branch stacks of all kinds count as others do. */
static void test_branches(void **state)
{
	static const uint64_t kinds[] = { 0, PERF_SAMPLE_BRANCH_HW_INDEX, BRANCH_COUNTERS };
	static const struct form form = { "branches", "-s comm,dso -n -q" };
	const char *samples = data;

	(void)state;
	data = scratch_file("branches.data");
	for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
		_cleanup_process_ struct process_result result = { 0 };

		write_branches(data, kinds[kind]);
		run_report(form.arguments, &result);
		check_golden(&form, result.output.data);
	}
	data = samples;
}

/* Writes a recording of `count` user samples that have only an address and a task. */
static void write_many(const char *path, size_t count)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1 };
	struct perf_image image;
	size_t size;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		put64(&image.body, PROGRAM + i % 64);
		put64(&image.body, 0); /* the task */
		perf_image_record(&image, PERF_RECORD_SAMPLE, MODE_U);
	}

	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(path, bytes, size);
	perf_image_deinit(&image);
}

/* The page of a long recording leaves advice out, and says so. */
static void test_long_page(void **state)
{
	const char *samples = data;

	(void)state;
	data = scratch_file("many.data");
	for (int more = 0; more <= 1; more++) {
		_cleanup_process_ struct process_result result = { 0 };
		_cleanup_free_ char *page = xasprintf("--html %s", scratch_file("page.html"));

		write_many(data, 1000000 + (size_t)more);
		run_report(page, &result);
		assert_true(access(scratch_file("page.html"), R_OK) == 0);
		assert_int_equal(strstr(result.errors.data, "no advice on layouts") != NULL, more);
	}
	data = samples;
}

/* The checker can fail. */
static void test_schema_refuses(void **state)
{
	static const char *const wrong[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
		"\"lost_samples\": 0, "
		"\"tables\": [],}",
		"{\"format\": \"dtprof-report\", \"version\": 2, \"by\": \"period\", "
		"\"lost_samples\": 0, "
		"\"tables\": []}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"hope\", "
		"\"lost_samples\": 0, "
		"\"tables\": []}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
		"\"lost_samples\": -1, "
		"\"tables\": []}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
		"\"lost_samples\": 0.5, "
		"\"tables\": []}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
		"\"lost_samples\": 0, "
		"\"tables\": [{}]}",
		"{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
		"\"lost_samples\": 0, "
		"\"tables\": [], \"x\": 1}",
	};
	_cleanup_free_ char *schema = read_text(SCHEMA);
	struct strbuf problem _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		strbuf_reset(&problem);
		assert_false(json_check(wrong[i], schema, &problem));
		assert_true(problem.length > 0);
	}
	strbuf_reset(&problem);
	assert_true(
		json_check("{\"format\": \"dtprof-report\", \"version\": 1, \"by\": \"period\", "
			   "\"lost_samples\": 0, \"tables\": []}",
			   schema, &problem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),      cmocka_unit_test(test_header_of_stats),
		cmocka_unit_test(test_json),      cmocka_unit_test(test_branches),
		cmocka_unit_test(test_long_page), cmocka_unit_test(test_schema_refuses),
	};

	return cmocka_run_group_tests(tests, set_up, scratch_tear_down);
}
