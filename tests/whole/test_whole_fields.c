// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole way from a compiled program to its fields: tests/workloads/fields.c is built by each
 * installed compiler, with different optimization, PIE and not, and `dtprof report` reads one
 * sample for each memory instruction. Two things are asserted of each function: the fields that it
 * uses are found, and no struct is found that it does not use.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/process.h"
#include "tests/support/report_rows.h"

struct expectation {
	const char *function;
	const char *fields[6]; /* must be found, as the column typeoff shows them */
	const char *others[4]; /* structs that may be found besides those of `fields` */
};

static const struct expectation fields_expectations[] = {
	{ "list_largest",
	  { "struct node +0 (next)", "struct node +8 (key)", "struct node +16 (value)" },
	  { 0 } },
	/* gcc -O2 reads bucket->first and node->next by one instruction: two types, so neither is
	   right */
	{ "table_find",
	  { "struct table +0 (buckets)", "struct table +8 (mask)", "struct table +16 (lookups)",
	    "struct node +8 (key)" },
	  { "struct bucket" } },
	{ "table_flags", { "struct node +20 (flags)" }, { 0 } },
	{ "bodies_energy",
	  { "struct body +0 (id)", "struct body +40 (speed.y)", "struct body +56 (mass)" },
	  { 0 } },
	{ "values_sum", { "struct value +0 (kind)", "struct value +8 (as.number)" }, { 0 } },
	{ "settings_limit",
	  { "struct settings +0 (verbose)", "struct settings +8 (limit)" },
	  { 0 } },
	{ "nameless_count", { "struct +8 (misses)", "struct +8 (time)" }, { 0 } },
	{ "slots_use", { "struct slot +0 (key)", "struct slot +8 (uses)" }, { 0 } },
	{ "tasks_runtime",
	  { "struct task +0 (id)", "struct task +24 (runtime)" },
	  { "struct list" } },
	{ "file_rewind",
	  { "struct file +0 (ops)", "struct file +8 (position)", "struct file_ops +8 (seek)" },
	  { 0 } },
	{ "request_make", { "struct request +0 (id)", "struct request +8 (size)" }, { 0 } },
	{ "request_fill", { "struct request +0 (id)", "struct request +8 (size)" }, { 0 } },
	{ "buffer_count",
	  { "struct buffer +0 (data)", "char +0", "struct buffer +8 (length)" },
	  { 0 } },
};

static const struct expectation cache_expectations[] = {
	/*
	 * gcc passes cache->buckets for cache (isra), and the debug information does not say so;
	 * clang may read first and chain by one instruction
	 */
	{ "cache_find", { "struct entry +8 (key)" }, { "struct cache", "struct bucket" } },
	{ "object_create",
	  { "struct object +0 (references)", "struct object +4 (kind)",
	    "struct object +8 (expires)", "struct object +16 (length)",
	    "struct object +24 (words)" },
	  { 0 } },
	/* vector moves may copy the other members together */
	{ "object_answer",
	  { "struct object +4 (kind)", "struct object +8 (expires)", "struct answer +4 (kind)",
	    "struct answer +8 (expires)" },
	  { 0 } },
	{ "cache_evict",
	  { "struct entry +0 (chain)", "struct entry +8 (key)", "struct entry +16 (object)",
	    "struct bucket +8 (length)" },
	  { "struct cache", "struct list", "struct object" } },
	{ "cache_insert",
	  { "struct entry +0 (chain)", "struct entry +8 (key)", "struct entry +16 (object)",
	    "struct bucket +0 (first)" },
	  { "struct cache", "struct list", "struct bucket" } },
	{ "cache_serve",
	  { "struct cache +32 (hits)", "struct cache +40 (misses)", "struct entry +24 (hits)",
	    "struct entry +16 (object)" },
	  { "struct list" } },
	{ "clients_total",
	  { "struct client +8 (last_seen)", "struct client +16 (bytes)",
	    "struct client +24 (count.requests)" },
	  { 0 } },
	{ "clients_sweep",
	  { "struct client +4 (flags)", "struct client +8 (last_seen)",
	    "struct client +28 (count.errors)" },
	  { 0 } },
	{ "client_request",
	  { "struct client +4 (flags)", "struct client +8 (last_seen)", "struct client +16 (bytes)",
	    "struct client +24 (count.requests)" },
	  { 0 } },
};

static const struct workload {
	const char *name;
	const struct expectation *expectations;
	size_t count;
} workloads[] = {
	{ "fields", fields_expectations,
	  sizeof(fields_expectations) / sizeof(fields_expectations[0]) },
	{ "cache", cache_expectations, sizeof(cache_expectations) / sizeof(cache_expectations[0]) },
};

struct variant {
	const struct workload *workload;
	const char *compiler;
	const char *level;
	bool pie;
};

/*
 * "struct node" of "struct node +8 (key)" and of "struct node" itself; pointers to structs are not
 * structs.
 */
static bool is_struct(const char *type)
{
	return strncmp(type, "struct ", 7) == 0 && !strchr(type, '*');
}

static bool same_type(const char *type, const char *field)
{
	size_t length = strlen(type);

	return strncmp(type, field, length) == 0 && (field[length] == ' ' || field[length] == '\0');
}

static bool may_be_in(const struct expectation *expectation, const char *type)
{
	for (size_t i = 0; i < 6 && expectation->fields[i]; i++) {
		if (same_type(type, expectation->fields[i]))
			return true;
	}
	for (size_t i = 0; i < 4 && expectation->others[i]; i++) {
		if (same_type(type, expectation->others[i]))
			return true;
	}
	return false;
}

/* The column sym is "[.] name". */
static bool is_of(const struct report_row *row, const char *function)
{
	const char *name = strchr(row->columns[0], ']');

	if (!name)
		return false;
	name += strspn(name, "] ");

	size_t length = strlen(function);

	return strncmp(name, function, length) == 0 &&
	       (name[length] == '\0' || name[length] == '.');
}

/* The access may be to the members after it, too: "struct answer +8 (expires, length)". */
static bool begins_with_field(const char *place, const char *field)
{
	size_t length = strlen(field);
	const bool named = field[length - 1] == ')';

	length -= named;
	return strncmp(place, field, length) == 0 &&
	       (!named || strchr("),", place[length]) || strncmp(&place[length], "..", 2) == 0);
}

static bool found(const struct report_rows *rows, const char *function, const char *field)
{
	for (size_t i = 0; i < rows->count; i++) {
		const char *place = rows->items[i].columns[2];

		/* the line of a plain type may have only an offset: "char +0" */
		if (is_of(&rows->items[i], function) && begins_with_field(place, field))
			return true;
	}
	return false;
}

static unsigned int check_function(const struct report_rows *rows,
				   const struct expectation *expectation)
{
	unsigned int wrong = 0;

	for (size_t i = 0; i < 6 && expectation->fields[i]; i++) {
		if (found(rows, expectation->function, expectation->fields[i]))
			continue;
		print_error("%s: not found: %s\n", expectation->function, expectation->fields[i]);
		wrong++;
	}
	for (size_t i = 0; i < rows->count; i++) {
		const struct report_row *row = &rows->items[i];

		if (!is_of(row, expectation->function) || !is_struct(row->columns[1]) ||
		    may_be_in(expectation, row->columns[1]))
			continue;
		print_error("%s: does not use: %s\n", expectation->function, row->columns[2]);
		wrong++;
	}
	return wrong;
}

static void compile(const struct variant *variant, const char *program)
{
	_cleanup_free_ char *source = xasprintf("tests/workloads/%s.c", variant->workload->name);
	_cleanup_process_ struct process_result result = { 0 };

	process_run((const char *const[]){ variant->compiler, "-g", variant->level,
					   variant->pie ? "-fPIE" : "-fno-pie",
					   variant->pie ? "-pie" : "-no-pie", "-o", program, source,
					   NULL },
		    &result);
	if (result.status)
		fail_msg("%s: %s", variant->compiler, result.errors.data);
}

static void report(const char *data, struct report_rows *rows)
{
	_cleanup_process_ struct process_result result = { 0 };

	process_run((const char *const[]){ dtprof_path(), "report", "--stdio", "-i", data, "-s",
					   "sym,type,typeoff", "-t", "|", NULL },
		    &result);
	if (result.status)
		fail_msg("dtprof report: status %d: %s", result.status, result.errors.data);
	report_rows_parse(rows, result.output.data);
}

static void test_fields(void **state)
{
	const struct variant *variant = *state;

	need_compiler(variant->compiler);

	char *folder = scratch_create();
	_cleanup_free_ char *program = xasprintf("%s/program", folder);
	_cleanup_free_ char *data = xasprintf("%s/perf.data", folder);
	struct report_rows rows;
	unsigned int wrong = 0;
	size_t samples;

	compile(variant, program);

	struct error *error = access_recorder_write(
		&(struct access_request){ .object = program, .output = data }, &samples);

	if (error)
		fail_msg("%s", error->message);
	report(data, &rows);
	for (size_t i = 0; i < variant->workload->count; i++)
		wrong += check_function(&rows, &variant->workload->expectations[i]);
	report_rows_deinit(&rows);
	scratch_remove(folder);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const levels[] = { "-O0", "-O1", "-O2", "-O3" };
	static struct variant variants[32];
	static struct CMUnitTest tests[32];
	size_t count = 0;

	for (; count < 32; count++) {
		struct variant *variant = &variants[count];

		*variant = (struct variant){ &workloads[count / 16], compilers[count / 8 % 2],
					     levels[count / 2 % 4], count % 2 };
		tests[count] = (struct CMUnitTest){
			.name = xasprintf("%s %s %s %s", variant->workload->name, variant->compiler,
					  variant->level, variant->pie ? "PIE" : "no-PIE"),
			.test_func = test_fields,
			.initial_state = variant,
		};
	}

	int failed = cmocka_run_group_tests_name("fields", tests, NULL, NULL);

	for (size_t i = 0; i < count; i++)
		free((char *)tests[i].name);
	return failed;
}
