// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated types and statistics as text. */
#include "tests/support/unit.h"

#include "profiler/base/strbuf.h"
#include "report/annotated.h"

static const char *const event_names[] = { "cpu/mem-loads/", "cpu/mem-stores/" };

static const struct figures figures[][2] = {
	{ { 8, 80 }, { 4, 40 } }, { { 6, 60 }, { 1, 10 } }, { { 2, 20 }, { 3, 30 } },
	{ { 2, 20 }, { 0, 0 } },  { { 0, 0 }, { 3, 30 } },  { { 0, 0 }, { 0, 0 } },
};

static const struct annotated_line lines[] = {
	{ .type = "struct node", .size = 72, .opens = true, .figures = figures[0] },
	{ .type = "struct node*", .name = "next", .depth = 1, .size = 8, .figures = figures[1] },
	{ .type = "struct key",
	  .name = "key",
	  .depth = 1,
	  .offset = 8,
	  .size = 12,
	  .opens = true,
	  .figures = figures[2] },
	{ .type = "long int", .name = "id", .depth = 2, .offset = 8, .size = 8, .figures = figures[3] },
	{ .type = "unsigned int",
	  .name = "used",
	  .depth = 2,
	  .offset = 16,
	  .size = 4,
	  .bit_size = 1,
	  .figures = figures[4] },
	{ .type = "int", .name = "tail", .depth = 1, .offset = 68, .size = 4, .figures = figures[5] },
};

static void assert_shown(const struct annotated_type *type, const struct annotated_options *options,
			 const char *expected)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	print_annotated_type(type, options, &text);
	assert_string_equal(text.data, expected);
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
	assert_shown(&type, &(struct annotated_options){ .cacheline = 64 },
		     "Annotate type: 'struct node' in /usr/bin/prog (12 samples):\n"
		     " event[0] = cpu/mem-loads/\n"
		     " event[1] = cpu/mem-stores/\n"
		     "=========================================================\n"
		     "         Percent  offset  size  field\n"
		     "  100.00  100.00       0    72  struct node {\n"
		     "   75.00   25.00       0     8      struct node* next;\n"
		     "   25.00   75.00       8    12      struct key key {\n"
		     "   25.00    0.00       8     8          long int     id;\n"
		     "    0.00   75.00      16     4          unsigned int used:1;\n"
		     "                                    };\n"
		     "                                --- cacheline 1 (64 bytes, 4 bytes ago) ---\n"
		     "    0.00    0.00      68     4      int          tail;\n"
		     "                                };\n"
		     "\n");
}

static void test_one_event_in_hexadecimal(void **state)
{
	struct annotated_type type = node(1);

	type.line_count = 3;
	(void)state;
	/* only the first event's figures are the type's now: [0] of each pair */
	assert_shown(&type, &(struct annotated_options){ .hexadecimal = true, .show_samples = true },
		     "Annotate type: 'struct node' in /usr/bin/prog (12 samples):\n"
		     "=========================================================\n"
		     " Samples     offset       size  field\n"
		     "       8          0       0x48  struct node {\n"
		     "       6          0        0x8      struct node* next;\n"
		     "       2        0x8        0xc      struct key key {\n"
		     "                                    };\n"
		     "                                };\n"
		     "\n");
}

static void test_scalar_type(void **state)
{
	const struct annotated_line line = { .type = "int", .size = 4, .figures = figures[0] };
	const struct annotated_type type = { .name = "int",
					     .object = "prog",
					     .samples = 8,
					     .events = event_names,
					     .event_count = 1,
					     .lines = &line,
					     .line_count = 1 };

	(void)state;
	assert_shown(&type, &(struct annotated_options){ .show_period = true, .name_events = true },
		     "Annotate type: 'int' in prog (8 samples):\n"
		     " event[0] = cpu/mem-loads/\n"
		     "=========================================================\n"
		     "      Period  offset  size  field\n"
		     "          80       0     4  int;\n"
		     "\n");
}

static void test_unnamed_members_and_bases(void **state)
{
	const struct annotated_line class_lines[] = {
		{ .type = "Derived", .size = 16, .opens = true, .figures = figures[0] },
		{ .type = "Base",
		  .depth = 1,
		  .size = 8,
		  .opens = true,
		  .is_base = true,
		  .figures = figures[1] },
		{ .type = "int", .name = "id", .depth = 2, .size = 4, .figures = figures[1] },
		{ .type = "union", .depth = 1, .offset = 8, .size = 4, .opens = true, .figures = figures[2] },
	};
	const struct annotated_type type = { .name = "Derived",
					     .object = "prog",
					     .samples = 8,
					     .events = event_names,
					     .event_count = 1,
					     .lines = class_lines,
					     .line_count = 4 };

	(void)state;
	assert_shown(&type, &(struct annotated_options){ 0 },
		     "Annotate type: 'Derived' in prog (8 samples):\n"
		     "=========================================================\n"
		     " Percent  offset  size  field\n"
		     "  100.00       0    16  Derived {\n"
		     "   75.00       0     8      Base (base) {\n"
		     "   75.00       0     4          int id;\n"
		     "                            };\n"
		     "   25.00       8     4      union {\n"
		     "                            };\n"
		     "                        };\n"
		     "\n");
}

static void test_statistics(void **state)
{
	static const struct statistic statistics[] = {
		{ "rare", 1 }, { "never", 0 }, { "often", 30 }, { "also rare", 1 }
	};
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	print_statistics("How", statistics, 4, 40, &text);
	assert_string_equal(text.data, "How\n"
				       "-----------------------------------------------------------\n"
				       "        30   75.0% : often\n"
				       "         1    2.5% : also rare\n"
				       "         1    2.5% : rare\n"
				       "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_side_by_side), cmocka_unit_test(test_one_event_in_hexadecimal),
		cmocka_unit_test(test_scalar_type),         cmocka_unit_test(test_unnamed_members_and_bases),
		cmocka_unit_test(test_statistics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
