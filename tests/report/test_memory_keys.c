// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of data sources. The expected words are those of perf 7.2. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <string.h>

#include "report/table.h"
#include "report/print/print.h"

struct source_case {
	union perf_mem_data_src source;
	const char *shown; /* mem, snoop, tlb, locked, blocked */
};

static const struct source_case cases[] = {
	{ { .val = 0 }, "N/A|N/A|N/A|N/A|N/A" },
	{ { .mem_op = 2, .mem_lvl = 0xa, .mem_snoop = 2, .mem_lock = 1, .mem_dtlb = 0x1a },
	  "L1 hit|None|L1 or L2 hit|N/A|N/A" },
	{ { .mem_lvl = 0x14, .mem_snoop = 0x10, .mem_lock = 2, .mem_dtlb = 0x14 },
	  "LFB/MAB miss|HitM|L2 miss|Yes|N/A" },
	{ { .mem_lvl = 0x402, .mem_snoopx = 1 }, "Remote Cache (1 hop) hit|Fwd|N/A|No|N/A" },
	{ { .mem_lvl = 0x1040, .mem_snoopx = 2 }, "L3 or I/O|Peer|N/A|No|N/A" },
	{ { .mem_lvl = 1 }, "N/A|N/A|N/A|No|N/A" },
	{ { .mem_lvl = 2 }, "N/A|N/A|N/A|No|N/A" },
	/* mem_lvl_num wins over mem_lvl. */
	{ { .mem_lvl = 0xa, .mem_lvl_num = 3 }, "L3 hit|N/A|N/A|No|N/A" },
	{ { .mem_lvl = 2, .mem_lvl_num = 1, .mem_remote = 1, .mem_hops = 1 },
	  "Remote core, same node L1 hit|N/A|N/A|No|N/A" },
	{ { .mem_lvl = 4, .mem_lvl_num = 13, .mem_hops = 4 }, "board RAM miss|N/A|N/A|No|N/A" },
	{ { .mem_lvl_num = 11 }, "Any cache|N/A|N/A|No|N/A" },
	{ { .mem_lvl_num = 7 }, "Unknown level 7|N/A|N/A|No|N/A" },
	{ { .mem_lvl_num = 15, .mem_lvl = 0xa }, "L1 hit|N/A|N/A|No|N/A" },
	{ { .mem_lvl_num = 1, .mem_hops = 7 }, "L1|N/A|N/A|No|N/A" },
	{ { .mem_dtlb = 1 }, "N/A|N/A|N/A|No|N/A" },
	{ { .mem_dtlb = 0x66 }, "N/A|N/A|Walker or Fault hit miss|No|N/A" },
	{ { .mem_snoop = 6 }, "N/A|None or Hit|N/A|No|N/A" },
	{ { .mem_blk = 2 }, "N/A|N/A|N/A|No|Data" },
	{ { .mem_blk = 6 }, "N/A|N/A|N/A|No|Data Addr" },
	{ { .mem_blk = 1 }, "N/A|N/A|N/A|No|N/A" },
};

/* Checks the cells of one row, without the spaces around them. */
static void show(union perf_mem_data_src source, struct strbuf *shown)
{
	static const char *const names[] = { "mem", "snoop", "tlb", "locked", "blocked" };
	struct result_place place = { 0 };
	struct result result = { .place = &place, .data_source = source.val };
	struct figures figures = { 1, 1 };
	struct row_view row = { .result = &result, .figures = &figures, .event_count = 1 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct strbuf cell _cleanup_strbuf_ = STRBUF_INIT;
		struct cell_format format = { 0 };
		const struct key *key;

		assert_null(key_find(names[i], strlen(names[i]), "--sort", false, &key));
		format.width = key->width(key, &row, &format);
		key->cell(key, &row, &format, &cell);
		assert_true(cell.length >= format.width);
		while (cell.length && cell.data[cell.length - 1] == ' ')
			cell.data[--cell.length] = '\0';
		strbuf_add_format(shown, "%s%s", i ? "|" : "", cell.data + strspn(cell.data, " "));
	}
}

static void test_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strbuf shown _cleanup_strbuf_ = STRBUF_INIT;

		show(cases[i].source, &shown);
		assert_string_equal(shown.data, cases[i].shown);
	}
}

/* Any value has a text, and values with different texts are different rows. */
static void test_all_values_end(void **state)
{
	uint64_t value = 1;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		struct strbuf shown _cleanup_strbuf_ = STRBUF_INIT;

		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		show((union perf_mem_data_src){ .val = value ^ value >> 29 }, &shown);
		assert_true(shown.length < 500);
	}
}

static void test_weighed_table(void **state)
{
	struct result_place place = { 0 };
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "mem,locked" }, &layout));
	assert_int_equal(layout_needs(&layout), NEED_DATA_SOURCE);

	struct table *rows = table_create(&layout, 1);

	for (size_t i = 1; i <= 4; i++) {
		struct result result = { .place = &place,
					 .data_source = cases[i % 2 + 1].source.val,
					 .samples = 1,
					 .period = 10 * i };

		table_add(rows, &result, 0);
	}
	table_sort(rows);
	print_table_heading(rows,
			    &(struct table_heading){
				    .event = "loads", .weighing = "weight", .sort = "mem,locked" },
			    &text);
	print_table(rows, &(struct print_options){ 0 }, &text);
	assert_string_equal(text.data,
			    "# Samples: 4  of event 'loads'\n"
			    "# Total weight : 100\n"
			    "# Sort order   : mem,locked\n"
			    "#\n"
			    "# Overhead  Memory access                            Locked\n"
			    "# ........  .......................................  ......\n"
			    "#\n"
			    "    60.00%  L1 hit                                   N/A   \n"
			    "    40.00%  LFB/MAB miss                             Yes   \n");
	table_destroy(rows);
}

/* Tables call these without a test. */
static void test_keys_are_complete(void **state)
{
	(void)state;
	for (size_t i = 0; all_keys[i]; i++) {
		const struct key *key = all_keys[i];

		if (!key->name || !key->header || !key->summary || !key->order || !key->cell)
			fail_msg("the key %s lacks a name, a header, a summary, an order or a cell",
				 key->name ? key->name : "without a name");
	}
}

/* As in perf 7.2, offsets have 64 bits even if a cacheline begins before its variable. */
static void test_cachelines_by_their_variables(void **state)
{
	static const struct {
		uint64_t address;
		bool is_variable;
		const char *shown;
	} lines[] = {
		{ 0x1018, true, "[k] here+0xffffffffffffffe8" },
		{ 0x1048, true, "[k] here+0x28" },
		{ 0x1018, false, "[k] here" },
	};
	struct result_place place = { 0 };
	struct figures figures = { 1, 1 };
	const struct key *key;

	(void)state;
	assert_null(key_find("dcacheline", strlen("dcacheline"), "--sort", false, &key));
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct result_data data = { .dso_path = "[kernel.kallsyms]",
					    .address = lines[i].address,
					    .symbol = "here",
					    .symbol_address = 0x1018,
					    .is_variable = lines[i].is_variable };
		struct result result = { .place = &place, .data = &data, .level = 'k' };
		struct row_view row = { .result = &result, .figures = &figures, .event_count = 1 };
		struct strbuf cell _cleanup_strbuf_ = STRBUF_INIT;

		key->cell(key, &row, &(struct cell_format){ 0 }, &cell);
		assert_string_equal(cell.data, lines[i].shown);
	}
}

/* As in perf 7.2, each class that has samples has a column, with its share of the table's total. */
static void test_breakdown(void **state)
{
	static const union perf_mem_data_src sources[] = {
		{ .mem_op = 2, .mem_lvl_num = 1, .mem_snoop = 2, .mem_dtlb = 0x1a },
		{ .mem_op = 4, .mem_lvl_num = 13, .mem_snoop = 0x10, .mem_dtlb = 4 },
		{ .mem_op = 2, .mem_lvl_num = 3, .mem_snoop = 4, .mem_dtlb = 0xa },
	};
	struct result_place places[] = { { .dso = "a", .dso_path = "/a" },
					 { .dso = "b", .dso_path = "/b" } };
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(
		layout_parse(&(struct layout_options){ .fields = "overhead,op,cache,mem,snoop,dtlb",
						       .sort = "dso" },
			     &layout));
	assert_int_equal(layout_needs(&layout) & NEED_DATA_SOURCE, NEED_DATA_SOURCE);

	struct table *rows = table_create(&layout, 1);

	for (size_t i = 0; i < 6; i++)
		table_add(rows,
			  &(struct result){ .place = &places[i % 2],
					    .data_source = sources[i % 3].val,
					    .samples = 1,
					    .period = 1 << i },
			  0);
	table_sort(rows);
	print_table(rows, &(struct print_options){ 0 }, &text);
	assert_string_equal(text.data, "#           --- Mem Op ---  ------- Cache -------  --- "
				       "Memory ---  ------- Snoop -------  "
				       "------- D-TLB "
				       "-------               \n"
				       "# Overhead     Load  Store       L1     L3  Other      RAM "
				       " Other      Hit   HitM  Other   "
				       "L1-Hit L?-Hit   "
				       "Miss  Shared Object\n"
				       "# ........  ..............  .....................  "
				       "..............  .....................  "
				       ".....................  .............\n"
				       "#\n"
				       "    33.33%     7.9%  25.4%     1.6%   6.3%  25.4%    25.4% "
				       "  7.9%     6.3%  25.4%   1.6%    "
				       " 6.3%   1.6%  25.4%  "
				       "a            \n"
				       "    66.67%    63.5%   3.2%    12.7%  50.8%   3.2%     3.2% "
				       " 63.5%    50.8%   3.2%  12.7%    "
				       "50.8%  12.7%   3.2%  "
				       "b            \n");
	table_destroy(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_keys_are_complete),
		cmocka_unit_test(test_all_values_end),
		cmocka_unit_test(test_weighed_table),
		cmocka_unit_test(test_cachelines_by_their_variables),
		cmocka_unit_test(test_breakdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
