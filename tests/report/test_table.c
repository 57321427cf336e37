// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables as text. The expected tables are in the form of perf 7.2's report --stdio: headings, dots,
 * widths, indents and the order of ties.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/filter.h"
#include "report/key/keys.h"
#include "report/table.h"
#include "report/print/print.h"

static const char lua[] = "lua", sh[] = "sh", kernel[] = "[kernel.kallsyms]",
		  unknown[] = "[unknown]";
static const char lua_path[] = "/usr/bin/lua";
static const char table[] = "struct Table", unknown_type[] = "(unknown)", integer[] = "int";

static const struct result_place places[] = {
	{ .dso = lua,
	  .dso_path = lua_path,
	  .address = 0x1010,
	  .symbol = "luaH_get",
	  .symbol_address = 0x1000,
	  .source_line = "ltable.c:10",
	  .type = table,
	  .field = "node",
	  .access = "load 8",
	  .how = "variable",
	  .rule = "-",
	  .offset = 24,
	  .typed = true },
	{ .dso = lua,
	  .dso_path = lua_path,
	  .address = 0x1020,
	  .symbol = "luaH_get",
	  .symbol_address = 0x1000,
	  .source_line = "ltable.c:12",
	  .type = table,
	  .field = "lsizenode",
	  .access = "load 1",
	  .how = "tracked",
	  .rule = "walked-array",
	  .offset = 11,
	  .typed = true },
	{ .dso = lua,
	  .dso_path = lua_path,
	  .address = 0x2000,
	  .symbol = "llex",
	  .symbol_address = 0x1ff0,
	  .source_line = "llex.c:7",
	  .type = integer,
	  .typed = true },
	{ .dso = kernel,
	  .dso_path = kernel,
	  .address = 0xffffffff81000010,
	  .symbol = "do_idle",
	  .symbol_address = 0xffffffff81000000,
	  .source_line = "idle.c:1",
	  .type = unknown_type },
	{ .dso = unknown,
	  .address = 0x7f0012345678,
	  .no_symbol = true,
	  .source_line = "??:0",
	  .type = unknown_type },
};

static struct result result_of(int place, uint64_t samples, uint64_t period)
{
	return (struct result){ .place = &places[place],
				.level = place == 3 ? 'k' : '.',
				.comm = place < 3 ? lua : sh,
				.pid = 42,
				.tid = place < 3 ? 42 : 43,
				.cpu = place,
				.weight = 50,
				.samples = samples,
				.period = period };
}

/* 100 samples of one event. */
static void fill(struct table *rows)
{
	static const struct {
		int place;
		uint64_t samples;
	} counted[] = { { 4, 1 }, { 0, 30 }, { 1, 20 }, { 3, 20 }, { 2, 19 }, { 0, 10 } };

	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
		struct result result =
			result_of(counted[i].place, counted[i].samples, 10 * counted[i].samples);

		table_add(rows, &result, 0);
	}
}

static void assert_table_shown(const struct layout_options *layout_options,
			       const struct print_options *print_options, const char *expected)
{
	struct layout_options with_default = *layout_options;
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	with_default.default_sort = "comm,dso,sym";
	assert_null(layout_parse(&with_default, &layout));

	struct table *rows = table_create(&layout, 1);

	fill(rows);
	table_sort(rows);
	print_table(rows, print_options, &text);
	assert_string_equal(text.data, expected);
	table_destroy(rows);
}

static void test_default_keys(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ 0 }, &(struct print_options){ 0 },
			   "# Overhead  Command  Shared Object      Symbol                \n"
			   "# ........  .......  .................  ......................\n"
			   "#\n"
			   "    60.00%  lua      lua                [.] luaH_get\n"
			   "    20.00%  sh       [kernel.kallsyms]  [k] do_idle\n"
			   "    19.00%  lua      lua                [.] llex\n"
			   "     1.00%  sh       [unknown]          [.] 0x00007f0012345678\n");
}

static void test_types_and_samples(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "type",
						     .show_samples = true,
						     .show_period = true },
			   &(struct print_options){ 0 },
			   "# Overhead       Samples        Period  Data Type\n"
			   "# ........  ............  ............  .........\n"
			   "#\n"
			   "    60.00%            60           600  struct Table\n"
			   "    21.00%            21           210  (unknown)\n"
			   "    19.00%            19           190  int      \n");
}

static void test_offsets_are_decimal_unless_hex(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "typeoff" },
			   &(struct print_options){ .quiet = true },
			   "    40.00%  struct Table +24 (node)\n"
			   "    21.00%  (unknown)\n"
			   "    20.00%  struct Table +11 (lsizenode)\n"
			   "    19.00%  int +0 (no field)\n");
	assert_table_shown(&(struct layout_options){ .sort = "typeoff" },
			   &(struct print_options){ .quiet = true, .hexadecimal = true },
			   "    40.00%  struct Table +0x18 (node)\n"
			   "    21.00%  (unknown)\n"
			   "    20.00%  struct Table +0xb (lsizenode)\n"
			   "    19.00%  int +0 (no field)\n");
}

static void test_hierarchy(void **state)
{
	(void)state;
	assert_table_shown(
		&(struct layout_options){ .sort = "type,typeoff,sym", .hierarchy = true },
		&(struct print_options){ 0 },
		"#       Overhead  Data Type / Data Type Offset / Symbol\n"
		"# ..............  .....................................\n"
		"#\n"
		"    60.00%        struct Table\n"
		"       40.00%        struct Table +24 (node)\n"
		"          40.00%        [.] luaH_get\n"
		"       20.00%        struct Table +11 (lsizenode)\n"
		"          20.00%        [.] luaH_get\n"
		"    21.00%        (unknown)\n"
		"       21.00%        (unknown)\n"
		"          20.00%        [k] do_idle\n"
		"           1.00%        [.] 0x00007f0012345678\n"
		"    19.00%        int      \n"
		"       19.00%        int +0 (no field)\n"
		"          19.00%        [.] llex\n");
}

static void test_hierarchy_with_groups_of_keys(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "{comm,dso},sym",
						     .hierarchy = true,
						     .show_samples = true },
			   &(struct print_options){ .percent_limit = 19.5 },
			   "#    Overhead       Samples  Command+Shared Object / Symbol\n"
			   "# .........................  ..............................\n"
			   "#\n"
			   "    79.00%            79     lua      lua              \n"
			   "       60.00%            60     [.] luaH_get\n"
			   "    20.00%            20     sh       [kernel.kallsyms]\n"
			   "       20.00%            20     [k] do_idle\n");
}

static void test_hierarchy_says_what_the_limit_hides(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "dso,type,symoff",
						     .hierarchy = true,
						     .show_samples = true },
			   &(struct print_options){ .quiet = true, .percent_limit = 45 },
			   "    79.00%            79        lua              \n"
			   "       60.00%            60        struct Table\n"
			   "                                      no entry >= 45.00%\n");
	assert_table_shown(
		&(struct layout_options){
			.sort = "dso,type,symoff", .hierarchy = true, .show_samples = true },
		&(struct print_options){ .quiet = true, .percent_limit = 45, .separator = "|" },
		" 79.00% | 79         |lua              \n"
		"    60.00% | 60         |struct Table\n"
		"                          no entry >= 45.00%\n");
}

static void test_separator(void **state)
{
	(void)state;
	assert_table_shown(
		&(struct layout_options){ .sort = "dso,type,typeoff", .show_samples = true },
		&(struct print_options){ .separator = "|" },
		"# Overhead|     Samples|Shared Object    |Data Type|Data Type Offset\n"
		" 40.00% | 40         |lua              |struct Table|struct Table +24 (node)\n"
		" 20.00% | 20         |[kernel.kallsyms]|(unknown)|(unknown)\n"
		" 20.00% | 20         |lua              |struct Table|struct Table +11 "
		"(lsizenode)\n"
		" 19.00% | 19         |lua              |int      |int +0 (no field)\n"
		" 1.00%  | 1          |[unknown]        |(unknown)|(unknown)\n");
}

static void test_separator_within_a_cell_becomes_a_dot(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "typeoff" },
			   &(struct print_options){ .separator = "+", .quiet = true },
			   " 40.00% +struct Table .24 (node)\n"
			   " 21.00% +(unknown)\n"
			   " 20.00% +struct Table .11 (lsizenode)\n"
			   " 19.00% +int .0 (no field)\n");
}

static void test_chosen_widths_cut_symbols_but_no_types(void **state)
{
	(void)state;
	assert_table_shown(
		&(struct layout_options){ .sort = "dso,sym,type", .widths = "12,0,8,4" },
		&(struct print_options){ 0 },
		"#     Overhead  Shared Object      Symbol    Data\n"
		"# ............  .................  ........  ....\n"
		"#\n"
		"        60.00%  lua                [.] luaH  struct Table\n"
		"        20.00%  [kernel.kallsyms]  [k] do_i  (unknown)\n"
		"        19.00%  lua                [.] llex  int \n"
		"         1.00%  [unknown]          [.] 0x00007f0012345678  (unknown)\n");
}

static void test_tasks_and_weights(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "pid,cpu,local_weight,weight" },
			   &(struct print_options){ 0 },
			   "# Overhead      Pid:Command  CPU  Local Weight  Weight      \n"
			   "# ........  ...............  ...  ............  ............\n"
			   "#\n"
			   "    40.00%       42:lua      000  50            2000        \n"
			   "    20.00%       42:lua      001  50            1000        \n"
			   "    20.00%       43:sh       003  50            1000        \n"
			   "    19.00%       42:lua      002  50            950         \n"
			   "     1.00%       43:sh       004  50            50          \n");
}

static void test_fields_choose_columns_and_order(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .fields = "sample,overhead", .sort = "sym" },
			   &(struct print_options){ 0 },
			   "#      Samples  Overhead  Symbol                \n"
			   "# ............  ........  ......................\n"
			   "#\n"
			   "            20    20.00%  [k] do_idle\n"
			   "            19    19.00%  [.] llex\n"
			   "            60    60.00%  [.] luaH_get\n"
			   "             1     1.00%  [.] 0x00007f0012345678\n");
}

static void test_places_in_detail(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "srcline,symoff" },
			   &(struct print_options){ .quiet = true },
			   "    40.00%  ltable.c:10  [.] luaH_get+0x10\n"
			   "    20.00%  idle.c:1     [k] do_idle+0x10\n"
			   "    20.00%  ltable.c:12  [.] luaH_get+0x20\n"
			   "    19.00%  llex.c:7     [.] llex+0x10\n"
			   "     1.00%  ??:0         [.] 0x7f0012345678\n");
	assert_table_shown(
		&(struct layout_options){ .sort = "dso,sym" },
		&(struct print_options){ .quiet = true, .verbose = true },
		"    60.00%  /usr/bin/lua       0x1010             [.] luaH_get\n"
		"    20.00%  [kernel.kallsyms]  0xffffffff81000010 [k] do_idle\n"
		"    19.00%  /usr/bin/lua       0x2000             [.] llex\n"
		"     1.00%  [unknown]          0x7f0012345678     [.] 0x00007f0012345678\n");
}

static void test_keys_of_an_access(void **state)
{
	(void)state;
	assert_table_shown(
		&(struct layout_options){ .sort = "field,acc,how,rule", .show_samples = true },
		&(struct print_options){ .percent_limit = 20 },
		"# Overhead       Samples  Field       Access  Type Found By  Rule        \n"
		"# ........  ............  ..........  ......  .............  ............\n"
		"#\n"
		"    40.00%            40  node        load 8  variable       -           \n"
		"    21.00%            21  (unknown)                                      \n"
		"    20.00%            20  lsizenode   load 1  tracked        walked-array\n");
	assert_table_shown(&(struct layout_options){ .sort = "typecln" },
			   &(struct print_options){ 0 },
			   "# Overhead  Data Type Cacheline\n"
			   "# ........  ...................\n"
			   "#\n"
			   "    60.00%  struct Table: cache-line 0\n"
			   "    21.00%  (unknown)\n"
			   "    19.00%  int: cache-line 0\n");
}

static void test_addresses_in_files(void **state)
{
	(void)state;
	assert_table_shown(&(struct layout_options){ .sort = "fileaddr,dso" },
			   &(struct print_options){ .percent_limit = 20 },
			   "# Overhead  File Address        Shared Object    \n"
			   "# ........  ..................  .................\n"
			   "#\n"
			   "    40.00%  0x1010              lua              \n"
			   "    20.00%  0xffffffff81000010  [kernel.kallsyms]\n"
			   "    20.00%  0x1020              lua              \n");
}

static void test_colours_take_no_room(void **state)
{
	(void)state;
	assert_table_shown(
		&(struct layout_options){ .sort = "comm,type" },
		&(struct print_options){ .quiet = true, .colour = true, .percent_limit = 20 },
		"  \033[31m  60.00%\033[m  lua      struct Table\n"
		"  \033[31m  21.00%\033[m  sh       (unknown)\n");
}

static void test_group_of_events(void **state)
{
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "type", .show_samples = true },
				 &layout));

	struct table *rows = table_create(&layout, 2);
	struct result first = result_of(0, 3, 30), second = result_of(2, 1, 10),
		      third = result_of(2, 4, 8);

	table_add(rows, &first, 0);
	table_add(rows, &second, 0);
	table_add(rows, &third, 1);
	table_sort(rows);
	print_table_heading(
		rows,
		&(struct table_heading){ .event = "anon group { loads, stores }", .plural = true },
		&text);
	print_table(rows, &(struct print_options){ 0 }, &text);
	assert_string_equal(text.data,
			    "# Samples: 8  of events 'anon group { loads, stores }'\n"
			    "# Event count (approx.): 48\n"
			    "#\n"
			    "#         Overhead                   Samples  Data Type\n"
			    "# ................  ........................  .........\n"
			    "#\n"
			    "    75.00%   0.00%             3           0  struct Table\n"
			    "    25.00% 100.00%             1           4  int      \n");
	table_destroy(rows);
}

static void test_large_numbers_are_shortened(void **state)
{
	static const struct {
		uint64_t samples;
		const char *shown;
	} cases[] = { { 1000, "# Samples: 1000  of event 'e'\n" },
		      { 1001, "# Samples: 1K of event 'e'\n" },
		      { 91952, "# Samples: 91K of event 'e'\n" },
		      { 4000000, "# Samples: 4M of event 'e'\n" } };
	struct layout layout;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "type" }, &layout));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct table *rows = table_create(&layout, 1);
		struct result result = result_of(0, cases[i].samples, 1);

		table_add(rows, &result, 0);
		print_table_heading(rows, &(struct table_heading){ .event = "e" }, &text);
		assert_memory_equal(text.data, cases[i].shown, strlen(cases[i].shown));
		table_destroy(rows);
	}
}

static void test_what_a_filter_leaves_out_counts_in_the_total(void **state)
{
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "comm" }, &layout));

	struct table *rows = table_create(&layout, 1);
	struct result shown = result_of(0, 1, 25), hidden = result_of(3, 3, 75);

	table_add(rows, &shown, 0);
	table_add_filtered(rows, &hidden, 0);
	table_sort(rows);
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_string_equal(text.data, "    25.00%  lua    \n");
	table_destroy(rows);
}

/* Two types with one name, from two objects, may have different fields at the same offset. */
static void test_one_name_with_two_fields(void **state)
{
	struct result_place one = { .type = table, .field = "a", .offset = 8, .typed = true };
	struct result_place other = { .type = table, .field = "b", .offset = 8, .typed = true };
	struct result first = { .place = &one, .samples = 1, .period = 1 };
	struct result second = { .place = &other, .samples = 1, .period = 1 };
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "typeoff" }, &layout));

	struct table *rows = table_create(&layout, 1);

	table_add(rows, &first, 0);
	table_add(rows, &second, 0);
	table_sort(rows);
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_string_equal(text.data, "    50.00%  struct Table +8 (b)\n"
				       "    50.00%  struct Table +8 (a)\n");
	table_destroy(rows);
}

static void test_names_do_not_move_the_cursor(void **state)
{
	struct result_place place = {
		.dso = "a\nb", .dso_path = "x", .symbol = "\033[2Jf", .no_symbol = false
	};
	struct result result = {
		.place = &place, .level = '.', .comm = "\rsh\t", .samples = 1, .period = 1
	};
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "comm,dso,sym" }, &layout));

	struct table *rows = table_create(&layout, 1);

	table_add(rows, &result, 0);
	table_sort(rows);
	print_table_heading(rows, &(struct table_heading){ .event = "cyc\nles" }, &text);
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_string_equal(text.data, "# Samples: 1  of event 'cyc?les'\n"
				       "# Event count (approx.): 1\n"
				       "#\n"
				       "   100.00%  ?sh?     a?b            [.] ?[2Jf\n");
	table_destroy(rows);
}

static void test_many_rows(void **state)
{
	struct layout layout;
	uint64_t samples = 0;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "cpu" }, &layout));

	struct table *rows = table_create(&layout, 1);

	for (int round = 0; round < 2; round++)
		for (int cpu = 0; cpu < 5000; cpu++) {
			struct result result = result_of(0, 1 + cpu, 1 + cpu);

			result.cpu = cpu;
			table_add(rows, &result, 0);
		}
	table_sort(rows);
	assert_int_equal(rows->rows[ROW_ROOT].child_count, 5000);
	for (uint32_t i = 0; i < 5000; i++) {
		struct row_view row = table_view(rows, rows->sorted[i]);

		assert_int_equal(row.result->cpu, 4999 - i);
		samples += row.figures[0].samples;
	}
	assert_int_equal(samples, rows->total_samples);
	table_destroy(rows);
}

/* On a narrow screen headings give way before cells do. */
static void test_headings_shrink_first(void **state)
{
	struct layout layout;
	struct result_place place = { 0 };
	struct result result = { .place = &place,
				 .comm = "a_long_command",
				 .transaction = 2, /* TX */
				 .samples = 1,
				 .period = 1 };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "comm,transaction" }, &layout));

	struct table *rows = table_create(&layout, 1);

	table_add(rows, &result, 0);
	table_sort(rows);
	print_table(rows,
		    &(struct print_options){ .screen = true, .line_width = 40, .ellipsis = "..." },
		    &text);
	assert_string_equal(text.data, "Overhead  Command         Transaction\n"
				       " 100.00%  a_long_command  TX NEITHER\n");
	table_destroy(rows);
}

/* Percentages are rounded as printf rounds them, which is to even in the middle. */
static void test_percentages_are_those_of_printf(void **state)
{
	static const uint64_t totals[] = { 1,     3,     7,     800,   1600,      20000,
					   20480, 32000, 40000, 99999, 123456789, 1ULL << 40 };
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(totals); i++)
		for (uint64_t k = 0; k < 4000; k++) {
			uint64_t total = totals[i],
				 part = total <= 4000 ? k % (total + 1) : total / 4000 * k + k;
			struct figures figures = { .period = part };
			struct row_view row = { .figures = &figures, .event_count = 1 };
			struct cell_format format = { .width = 9, .totals = &total };
			char expected[32];

			snprintf(expected, sizeof(expected), " %7.2f%%", 100.0 * part / total);
			strbuf_reset(&cell);
			key_overhead.cell(&key_overhead, &row, &format, &cell);
			assert_string_equal(cell.data, expected);
			part = k; /* the smallest shares */
			figures.period = part;
			snprintf(expected, sizeof(expected), " %7.2f%%", 100.0 * part / total);
			strbuf_reset(&cell);
			key_overhead.cell(&key_overhead, &row, &format, &cell);
			assert_string_equal(cell.data, expected);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headings_shrink_first),
		cmocka_unit_test(test_default_keys),
		cmocka_unit_test(test_types_and_samples),
		cmocka_unit_test(test_offsets_are_decimal_unless_hex),
		cmocka_unit_test(test_hierarchy),
		cmocka_unit_test(test_hierarchy_with_groups_of_keys),
		cmocka_unit_test(test_hierarchy_says_what_the_limit_hides),
		cmocka_unit_test(test_separator),
		cmocka_unit_test(test_separator_within_a_cell_becomes_a_dot),
		cmocka_unit_test(test_chosen_widths_cut_symbols_but_no_types),
		cmocka_unit_test(test_tasks_and_weights),
		cmocka_unit_test(test_fields_choose_columns_and_order),
		cmocka_unit_test(test_places_in_detail),
		cmocka_unit_test(test_keys_of_an_access),
		cmocka_unit_test(test_addresses_in_files),
		cmocka_unit_test(test_colours_take_no_room),
		cmocka_unit_test(test_group_of_events),
		cmocka_unit_test(test_large_numbers_are_shortened),
		cmocka_unit_test(test_what_a_filter_leaves_out_counts_in_the_total),
		cmocka_unit_test(test_one_name_with_two_fields),
		cmocka_unit_test(test_names_do_not_move_the_cursor),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_percentages_are_those_of_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
