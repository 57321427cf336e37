// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Rust enum annotated: its variants, their members under them, and what tells them apart. Where rustc puts
 * the members is its own business: names, nesting and counts are asserted, no offsets.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/process.h"

struct setting {
	char *folder, *program, *data;
	bool skipped;
};

static int set_up(void **state)
{
	static const char *const functions[] = { "area", NULL };
	_cleanup_process_ struct process_result result = { 0 };
	struct setting *setting = xcalloc(1, sizeof(*setting));
	size_t samples;

	*state = setting;
	setting->folder = scratch_create();
	setting->program = xasprintf("%s/golden", setting->folder);
	setting->data = xasprintf("%s/perf.data", setting->folder);
	setting->skipped = !process_exists("rustc");
	if (setting->skipped)
		return 0;
	process_run((const char *const[]){ "rustc", "-g", "-C", "opt-level=1", "--edition", "2021", "-o",
					   setting->program, "tests/workloads/golden.rs", NULL },
		    &result);
	if (result.status) {
		print_error("%s", result.errors.data);
		return -1;
	}

	struct error *error = access_recorder_write(&(struct access_request){ .object = setting->program,
									      .output = setting->data,
									      .functions = functions },
						    &samples);

	if (error)
		print_error("%s\n", error->message);
	return error ? -1 : 0;
}

static int tear_down(void **state)
{
	struct setting *setting = *state;

	scratch_remove(setting->folder);
	free(setting->program);
	free(setting->data);
	free(setting);
	return 0;
}

/* One line of the output: how deep it is indented, its samples, and its text. */
struct line {
	unsigned int samples;
	size_t indent;
	char text[120];
};

static size_t annotate(const struct setting *setting, const char *options, struct line *lines,
		       size_t capacity)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command =
		xasprintf("%s annotate -i %s -n %s", dtprof_path(), setting->data, options);
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

static const struct line *find(const struct line *lines, size_t count, size_t from, const char *text)
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
	const struct setting *setting = *state;
	struct line lines[40];

	if (setting->skipped) {
		print_message("skipped: there is no rustc\n");
		skip();
	}
	size_t count = annotate(setting, "--data-type=golden::Shape", lines, 40);
	const struct line *circle = find(lines, count, 0, "golden::Shape::Circle Circle {");
	const struct line *square = find(lines, count, 0, "golden::Shape::Square Square {");
	const struct line *radius = find(lines, count, (size_t)(circle - lines), "f64 ");
	const struct line *center = find(lines, count, (size_t)(circle - lines), "golden::Point center {");
	const struct line *point = find(lines, count, (size_t)(square - lines), "golden::Point __0 {");

	find(lines, count, 0, "golden::Shape::Empty Empty {");
	assert_int_equal(lines[0].indent, 0);
	assert_int_equal(circle->indent, 4);
	assert_int_equal(square->indent, 4);
	assert_int_equal(center->indent, 8);
	assert_int_equal(point->indent, 8);
	assert_non_null(radius);
	assert_true(circle->samples > 0 && square->samples > 0);
	/* what tells which variant there is belongs to none of them */
	assert_true(circle->samples < lines[0].samples && square->samples < lines[0].samples);
	assert_true(find(lines, count, 0, "u32 (discriminant);")->samples > 0);
	assert_int_equal(find(lines, count, 0, "golden::Shape::Empty")->samples, 0);
}

static void test_names_with_and_without_their_module(void **state)
{
	const struct setting *setting = *state;
	struct line lines[40], others[40];

	if (setting->skipped)
		skip();
	size_t count = annotate(setting, "--data-type=golden::Shape", lines, 40);

	assert_true(count > 8);
	assert_int_equal(annotate(setting, "--data-type=Shape", others, 40), count);
	assert_int_equal(annotate(setting, "--data-type='golden::*'", others, 40), count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_stand_under_their_variants),
		cmocka_unit_test(test_names_with_and_without_their_module),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
