// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated types and statistics, printed as text. */
#include "tests/support/unit.h"

#include "base/strbuf.h"
#include "base/memory.h"
#include "report/print/annotated.h"
#include "tests/support/files.h"

static const char *const event_names[] = { "cpu/mem-loads/", "cpu/mem-stores/" };

#define PERCENT                                                                                    \
	{                                                                                          \
		{ &field_percent }, 1                                                              \
	}
#define COUNT(count, sum)                                                                          \
	{                                                                                          \
		.samples = (count), .period = (sum)                                                \
	}

static const struct access_count figures[][2] = {
	{ COUNT(8, 80), COUNT(4, 40) }, { COUNT(6, 60), COUNT(1, 10) },
	{ COUNT(2, 20), COUNT(3, 30) }, { COUNT(2, 20), COUNT(0, 0) },
	{ COUNT(0, 0), COUNT(3, 30) },  { COUNT(0, 0), COUNT(0, 0) },
};

static const struct annotated_line lines[] = {
	{ .type = "struct node", .size = 72, .opens = true, .counts = figures[0] },
	{ .type = "struct node*", .name = "next", .depth = 1, .size = 8, .counts = figures[1] },
	{ .type = "struct key",
	  .name = "key",
	  .depth = 1,
	  .offset = 8,
	  .size = 12,
	  .opens = true,
	  .counts = figures[2] },
	{ .type = "long int",
	  .name = "id",
	  .depth = 2,
	  .offset = 8,
	  .size = 8,
	  .counts = figures[3] },
	{ .type = "unsigned int",
	  .name = "used",
	  .depth = 2,
	  .offset = 16,
	  .size = 4,
	  .bit_size = 1,
	  .counts = figures[4] },
	{ .type = "int",
	  .name = "tail",
	  .depth = 1,
	  .offset = 68,
	  .size = 4,
	  .counts = figures[5] },
};

static void assert_shown(const struct annotated_type *type, const struct annotated_options *options,
			 const char *name)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	_cleanup_free_ char *path = xasprintf("tests/report/golden/annotated-%s.txt", name);

	print_annotated_type(type, options, &text);
	assert_golden(path, text.data);
}

static struct annotated_type node(uint32_t event_count)
{
	return (struct annotated_type){ .name = "struct node",
					.object = "/usr/bin/prog",
					.samples = 12,
					.events = event_names,
					.event_count = event_count,
					.lines = lines,
					.line_count = sizeof(lines) / sizeof(*lines) };
}

static void test_events_side_by_side(void **state)
{
	struct annotated_type type = node(2);

	(void)state;
	assert_shown(&type, &(struct annotated_options){ .columns = PERCENT, .cacheline = 64 },
		     "events-side-by-side");
}

static void test_one_event_in_hexadecimal(void **state)
{
	struct annotated_type type = node(1);

	type.line_count = 3;
	(void)state;
	/* Now the type has only the first event's figures: [0] of each pair. */
	assert_shown(&type,
		     &(struct annotated_options){ .columns = { { &field_samples }, 1 },
						  .hexadecimal = true },
		     "one-event-in-hexadecimal");
}

/* rustc reorders members: `first` is declared before a member at a smaller offset. */
static void test_no_cachelines_out_of_order(void **state)
{
	static const struct annotated_line unordered[] = {
		{ .type = "Node", .size = 136, .opens = true, .counts = figures[0] },
		{ .type = "u64",
		  .name = "first",
		  .depth = 1,
		  .offset = 128,
		  .size = 8,
		  .counts = figures[1] },
		{ .type = "Key", .name = "second", .depth = 1, .size = 128, .counts = figures[2] },
	};
	struct annotated_type type = node(1);

	(void)state;
	type.lines = unordered;
	type.line_count = 3;
	assert_shown(&type,
		     &(struct annotated_options){ .columns = { { &field_samples }, 1 },
						  .cacheline = 64 },
		     "no-cachelines-out-of-order");
}

static struct annotated_type of_one_line(const char *name, const struct annotated_line *line)
{
	return (struct annotated_type){ .name = name,
					.object = "prog",
					.samples = 8,
					.events = event_names,
					.event_count = 1,
					.lines = line,
					.line_count = 1 };
}

static void test_scalar_type(void **state)
{
	const struct annotated_line line = { .type = "int", .size = 4, .counts = figures[0] };
	const struct annotated_type type = of_one_line("int", &line);

	(void)state;
	assert_shown(&type,
		     &(struct annotated_options){ .columns = { { &field_period }, 1 },
						  .name_events = true },
		     "scalar-type");
}

static void test_unnamed_members_and_bases(void **state)
{
	const struct annotated_line class_lines[] = {
		{ .type = "Derived", .size = 16, .opens = true, .counts = figures[0] },
		{ .type = "Base",
		  .depth = 1,
		  .size = 8,
		  .opens = true,
		  .is_base = true,
		  .counts = figures[1] },
		{ .type = "int", .name = "id", .depth = 2, .size = 4, .counts = figures[1] },
		{ .type = "union",
		  .depth = 1,
		  .offset = 8,
		  .size = 4,
		  .opens = true,
		  .counts = figures[2] },
	};
	const struct annotated_type type = { .name = "Derived",
					     .object = "prog",
					     .samples = 8,
					     .events = event_names,
					     .event_count = 1,
					     .lines = class_lines,
					     .line_count = 4 };

	(void)state;
	assert_shown(&type, &(struct annotated_options){ .columns = PERCENT },
		     "unnamed-members-and-bases");
}

static const struct access_count sourced[] = {
	{ .samples = 4,
	  .period = 40,
	  .weight = 200,
	  .weight_max = 90,
	  .loads = 3,
	  .stores = 1,
	  .sourced = 4,
	  .l1 = 1,
	  .ram = 2,
	  .remote = 1,
	  .hitm = 1,
	  .tlb_misses = 3,
	  .locked = 4 },
	{ .samples = 1, .period = 10, .weight = 90, .weight_max = 90, .loads = 1 },
	{ 0 },
};

static void test_columns_by_choice(void **state)
{
	const struct annotated_line counted[] = {
		{ .type = "struct node", .size = 16, .opens = true, .counts = &sourced[0] },
		{ .type = "long int",
		  .name = "used",
		  .depth = 1,
		  .size = 8,
		  .counts = &sourced[1] },
		{ .type = "long int",
		  .name = "rest",
		  .depth = 1,
		  .offset = 8,
		  .size = 8,
		  .counts = &sourced[2] },
	};
	const struct annotated_type type = { .name = "struct node",
					     .object = "prog",
					     .samples = 4,
					     .events = event_names,
					     .event_count = 1,
					     .lines = counted,
					     .line_count = 3 };
	struct annotated_options options = { 0 };

	(void)state;
	assert_null(field_columns_parse("samples,weight,weight_mean,weight_max,loads,stores",
					&options.columns));
	assert_shown(&type, &options, "columns-by-choice");
	assert_null(
		field_columns_parse("l1, L2,l3,ram,remote,hitm,tlb,locked,l1", &options.columns));
	assert_shown(&type, &options, "columns-by-choice-2");
}

static void assert_refused(const char *text, const char *message)
{
	struct field_columns columns = { 0 };
	struct error *error = field_columns_parse(text, &columns);

	assert_non_null(error);
	assert_string_equal(error->message, message);
	error_destroy(error);
}

static void test_column_names(void **state)
{
	struct field_columns columns = { { &field_samples }, 1 };

	(void)state;
	assert_null(field_columns_parse("+ram", &columns));
	assert_int_equal(columns.count, 2);
	assert_ptr_equal(columns.items[0], &field_samples);
	assert_string_equal(columns.items[1]->name, "ram");
	assert_refused("weihgt", "unknown column 'weihgt'; did you mean 'weight'?");
	assert_refused("colour", "unknown column 'colour' (dtprof annotate --help lists them)");
	assert_refused(" ,", "--columns needs the name of a column");
}

/* Names are aligned even if the types before them have wide or multi-byte characters. */
static void test_columns_of_wide_characters(void **state)
{
	static const struct annotated_line members[] = {
		{ .type = "struct t", .size = 24, .opens = true, .counts = figures[0] },
		{ .type = "\u7269\u54c1*",
		  .name = "a",
		  .depth = 1,
		  .size = 8,
		  .counts = figures[1] },
		{ .type = "Gr\u00f6\u00dfe",
		  .name = "b",
		  .depth = 1,
		  .offset = 8,
		  .size = 8,
		  .counts = figures[1] },
		{ .type = "char",
		  .name = "c",
		  .depth = 1,
		  .offset = 16,
		  .size = 1,
		  .counts = figures[1] },
	};
	struct annotated_type type = node(1);

	(void)state;
	type.lines = members;
	type.line_count = sizeof(members) / sizeof(*members);
	assert_shown(&type, &(struct annotated_options){ .columns = { { &field_samples }, 1 } },
		     "columns-of-wide-characters");
}

static void test_parts_of_a_line(void **state)
{
	const struct annotated_part parts[] = {
		{ .label = "[1]", .offset = 4, .size = 4, .counts = figures[2] },
		{ .label = "-> reader", .offset = -1, .counts = figures[1] },
	};
	const struct annotated_line line = {
		.type = "int[]", .size = 8, .counts = figures[0], .parts = parts, .part_count = 2
	};
	const struct annotated_type type = of_one_line("int[]", &line);

	(void)state;
	assert_shown(&type, &(struct annotated_options){ .columns = PERCENT }, "parts-of-a-line");
}

static void test_statistics(void **state)
{
	static const struct statistic statistics[] = {
		{ "rare", 1 }, { "never", 0 }, { "often", 30 }, { "also rare", 1 }
	};
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	print_statistics("How", statistics, 4, 40, &text);
	assert_string_equal(text.data,
			    "How\n"
			    "-----------------------------------------------------------\n"
			    "        30   75.0% : often\n"
			    "         1    2.5% : also rare\n"
			    "         1    2.5% : rare\n"
			    "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_side_by_side),
		cmocka_unit_test(test_one_event_in_hexadecimal),
		cmocka_unit_test(test_scalar_type),
		cmocka_unit_test(test_unnamed_members_and_bases),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_columns_by_choice),
		cmocka_unit_test(test_column_names),
		cmocka_unit_test(test_columns_of_wide_characters),
		cmocka_unit_test(test_parts_of_a_line),
		cmocka_unit_test(test_no_cachelines_out_of_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
