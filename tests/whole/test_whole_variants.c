// SPDX-License-Identifier: GPL-2.0-or-later
/* An annotated Rust enum: its variants with their members, and the discriminant. rustc chooses the
 * places of members, so names, nesting and counts are asserted, and no offsets. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/workload.h"

static int set_up(void **state)
{
	static const char *const functions[] = { "area", NULL };

	*state = workload_build_accessed("rustc -g -C opt-level=1 --edition 2021",
					 "tests/workloads/golden.rs", functions);
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	workload_destroy(*state);
	return 0;
}

/* One line of the output: its indentation, its samples, and its text. */
struct line {
	unsigned int samples;
	size_t indent;
	char text[120];
};

static size_t annotate(const struct workload *workload, const char *options, struct line *lines,
		       size_t capacity)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s annotate -i %s -n %s", dtprof_path(), workload->data, options);
	char *rest, *text;
	size_t count = 0;

	process_shell(command, &result);
	if (result.status)
		fail_msg("%s: %s", command, result.errors.data);
	rest = result.output.data;
	while ((text = strsep(&rest, "\n")) && count < capacity) {
		struct line *line = &lines[count];
		int offset, size, end;

		if (sscanf(text, " %u %d %d  %n", &line->samples, &offset, &size, &end) != 3)
			continue;
		line->indent = strspn(text + 8 + 8 + 6 + 2, " ");
		snprintf(line->text, sizeof(line->text), "%s", text + 8 + 8 + 6 + 2 + line->indent);
		count++;
	}
	return count;
}

static const struct line *find(const struct line *lines, size_t count, size_t from,
			       const char *text)
{
	for (size_t i = from; i < count; i++)
		if (strncmp(lines[i].text, text, strlen(text)) == 0)
			return &lines[i];
	for (size_t i = 0; i < count; i++)
		print_message("%zu %s\n", lines[i].indent, lines[i].text);
	fail_msg("no line \"%s\"", text);
	return NULL;
}

static void test_members_stand_under_their_variants(void **state)
{
	const struct workload *workload = *state;
	struct line lines[40];
	size_t count = annotate(workload, "--data-type=golden::Shape", lines, 40);
	const struct line *circle = find(lines, count, 0, "golden::Shape::Circle Circle {");
	const struct line *square = find(lines, count, 0, "golden::Shape::Square Square {");
	const struct line *radius = find(lines, count, (size_t)(circle - lines), "f64 ");
	const struct line *center =
		find(lines, count, (size_t)(circle - lines), "golden::Point center {");
	const struct line *point =
		find(lines, count, (size_t)(square - lines), "golden::Point __0 {");

	find(lines, count, 0, "golden::Shape::Empty Empty {");
	assert_int_equal(lines[0].indent, 0);
	assert_int_equal(circle->indent, 4);
	assert_int_equal(square->indent, 4);
	assert_int_equal(center->indent, 8);
	assert_int_equal(point->indent, 8);
	assert_non_null(radius);
	assert_true(circle->samples > 0 && square->samples > 0);
	/* the discriminant belongs to no variant */
	assert_true(circle->samples < lines[0].samples && square->samples < lines[0].samples);
	assert_true(find(lines, count, 0, "u32 (discriminant);")->samples > 0);
	assert_int_equal(find(lines, count, 0, "golden::Shape::Empty")->samples, 0);
}

static void test_names_with_and_without_their_module(void **state)
{
	const struct workload *workload = *state;
	struct line lines[40], others[40];
	size_t count = annotate(workload, "--data-type=golden::Shape", lines, 40);

	assert_true(count > 8);
	assert_int_equal(annotate(workload, "--data-type=Shape", others, 40), count);
	assert_int_equal(annotate(workload, "--data-type='golden::*'", others, 40), count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_stand_under_their_variants),
		cmocka_unit_test(test_names_with_and_without_their_module),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
