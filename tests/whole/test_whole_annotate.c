// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An annotated type, from a compiled program to its members' lines: offsets and sizes are the
 * compiler's, shares those of the samples (one for each memory instruction of
 * tests/workloads/fields.c).
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/workload.h"

#define MAX_LINES 64

struct line {
	double percent;
	int offset;
	int size;
	char text[80]; /* of the column "field", with single spaces */
};

static int set_up(void **state)
{
	static const char *const functions[] = { "bodies_energy", "table_find", "nameless_count",
						 NULL };
	_cleanup_free_ char *compiler = xasprintf("%s -O1 -g", process_compiler());

	*state = workload_build_accessed(compiler, "tests/workloads/fields.c", functions);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	workload_destroy(*state);
	return 0;
}

static void squeeze(const char *from, char *to, size_t size)
{
	size_t length = 0;

	for (; *from && length + 1 < size; from++) {
		if (*from != ' ' || (length && to[length - 1] != ' '))
			to[length++] = *from;
	}
	to[length] = '\0';
}

/* Parses the lines of the one type in `output`; fails if its headline is not `headline`. */
static size_t annotated(struct workload *workload, const char *type, const char *headline,
			struct line lines[MAX_LINES])
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *option = xasprintf("--data-type=%s", type);
	size_t count = 0;

	process_run((const char *const[]){ dtprof_path(), "annotate", "--stdio", "-i",
					   workload->data, option, NULL },
		    &result);
	if (result.status)
		fail_msg("dtprof annotate: status %d: %s", result.status, result.errors.data);
	if (!strstr(result.output.data, headline))
		fail_msg("no line \"%s\" in: %s", headline, result.output.data);

	char *rest = result.output.data;
	char *text;

	while ((text = strsep(&rest, "\n")) && count < MAX_LINES) {
		struct line *line = &lines[count];
		char field[200] = "";

		/* the closing brace has no numbers */
		if (sscanf(text, " %lf %d %d %199[^\n]", &line->percent, &line->offset, &line->size,
			   field) != 4)
			continue;
		squeeze(field, line->text, sizeof(line->text));
		count++;
	}
	return count;
}

static void assert_line(const struct line *line, int offset, int size, const char *text)
{
	assert_string_equal(line->text, text);
	assert_int_equal(line->offset, offset);
	assert_int_equal(line->size, size);
}

static void test_layout_is_the_compilers(void **state)
{
	struct line lines[MAX_LINES];

	assert_int_equal(annotated(*state, "bucket", "Annotate type: 'struct bucket' in ", lines),
			 4);
	assert_line(&lines[0], 0, 16, "struct bucket {");
	assert_line(&lines[1], 0, 8, "struct node* first;");
	assert_line(&lines[2], 8, 4, "unsigned int length;");
	assert_line(&lines[3], 12, 4, "unsigned int limit;");
}

static void test_shares_are_those_of_the_samples(void **state)
{
	struct line lines[MAX_LINES];

	assert_int_equal(annotated(*state, "bucket", "Annotate type: 'struct bucket' in ", lines),
			 4);
	/* table_find() reads `first` and nothing else */
	assert_true(lines[0].percent == 100.0);
	assert_true(lines[1].percent == 100.0);
	assert_true(lines[2].percent == 0.0);
	assert_true(lines[3].percent == 0.0);
}

/* Types without a name are told apart by their first members, and a name may ask for one. */
static void test_types_without_a_name(void **state)
{
	struct workload *workload = *state;
	_cleanup_process_ struct process_result report = { 0 };
	struct line lines[MAX_LINES];

	assert_int_equal(annotated(workload, "struct {x, y, time}",
				   "Annotate type: 'struct {x, y, time}' in ", lines),
			 4);
	assert_line(&lines[0], 0, 16, "struct {");
	assert_line(&lines[3], 8, 8, "long int time;");
	process_run((const char *const[]){ dtprof_path(), "report", "--stdio", "-i", workload->data,
					   "-s", "typeoff", NULL },
		    &report);
	process_check_status(&report, 0);
	assert_non_null(
		strstr(report.output.data, "struct {hits, misses, unused, ...} +8 (misses)"));
	assert_non_null(strstr(report.output.data, "struct {x, y, time} +8 (time)"));
}

static void test_nested_members(void **state)
{
	static const struct line expected[] = {
		{ 0, 0, 64, "struct body {" },
		{ 0, 0, 4, "int id;" },
		{ 0, 8, 24, "struct point position {" },
		{ 0, 8, 8, "double x;" },
		{ 0, 16, 8, "double y;" },
		{ 0, 24, 8, "double z;" },
		{ 0, 32, 24, "struct point speed {" },
		{ 0, 32, 8, "double x;" },
		{ 0, 40, 8, "double y;" },
		{ 0, 48, 8, "double z;" },
		{ 0, 56, 8, "double mass;" },
	};
	struct line lines[MAX_LINES];
	size_t count = sizeof(expected) / sizeof(expected[0]);

	assert_int_equal(annotated(*state, "body", "Annotate type: 'struct body' in ", lines),
			 count);
	for (size_t i = 0; i < count; i++)
		assert_line(&lines[i], expected[i].offset, expected[i].size, expected[i].text);
	/* used: id, speed.y (and with it speed), mass */
	assert_true(lines[1].percent > 0 && lines[6].percent > 0 && lines[8].percent > 0 &&
		    lines[10].percent > 0);
	assert_true(lines[2].percent == 0 && lines[7].percent == 0 && lines[9].percent == 0);
	assert_true(lines[6].percent == lines[8].percent);

	double sum = lines[1].percent + lines[8].percent + lines[10].percent;

	assert_true(sum > 99.9 && sum < 100.1);
}

static void test_unknown_type_is_an_error(void **state)
{
	struct workload *workload = *state;
	_cleanup_process_ struct process_result result = { 0 };

	process_run((const char *const[]){ dtprof_path(), "annotate", "--stdio", "-i",
					   workload->data, "--data-type=no_such_struct", NULL },
		    &result);
	assert_int_not_equal(result.status, 0);
	assert_true(result.status < 126);
	assert_non_null(strstr(result.errors.data, "no_such_struct"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_is_the_compilers),
		cmocka_unit_test(test_shares_are_those_of_the_samples),
		cmocka_unit_test(test_types_without_a_name),
		cmocka_unit_test(test_nested_members),
		cmocka_unit_test(test_unknown_type_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
