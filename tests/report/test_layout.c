// SPDX-License-Identifier: GPL-2.0-or-later
/* Layouts: the keys that rows are sorted by and the columns that are shown, and how filters change
 * them. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/strbuf.h"
#include "report/filter.h"
#include "report/table.h"

static void add_names(struct strbuf *text, const struct key_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		strbuf_add_format(text, "%s%s", i ? "," : "", list->keys[i]->name);
}

static struct layout parse(struct layout_options options)
{
	struct layout layout;

	if (!options.default_sort)
		options.default_sort = "comm,dso,sym";

	struct error *error = layout_parse(&options, &layout);

	if (error)
		fail_msg("%s", error->message);
	return layout;
}

static void assert_keys(struct layout_options options, const char *order, const char *columns)
{
	struct layout layout = parse(options);
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	add_names(&text, &layout.order);
	assert_string_equal(text.data, order);
	strbuf_reset(&text);
	add_names(&text, &layout.columns);
	assert_string_equal(text.data, columns);
}

static void assert_refused(struct layout_options options, const char *message)
{
	struct layout layout;

	options.default_sort = "comm,dso,sym";

	struct error *error = layout_parse(&options, &layout);

	assert_non_null(error);
	assert_string_equal(error->message, message);
	error_destroy(error);
}

static void test_order_and_columns(void **state)
{
	(void)state;
	assert_keys((struct layout_options){ 0 }, "overhead,comm,dso,symbol",
		    "overhead,comm,dso,symbol");
	assert_keys((struct layout_options){ .sort = "type,typeoff" }, "overhead,type,typeoff",
		    "overhead,type,typeoff");
	assert_keys((struct layout_options){ .sort = "+type" }, "overhead,comm,dso,symbol,type",
		    "overhead,comm,dso,symbol,type");
	assert_keys((struct layout_options){ .sort = "type",
					     .show_samples = true,
					     .show_period = true },
		    "overhead,type", "overhead,sample,period,type");
	assert_keys((struct layout_options){ .sort = "type,overhead,period" },
		    "type,overhead,period", "overhead,type,period");
	assert_keys((struct layout_options){ .fields = "sample,type" }, "sample,type",
		    "sample,type");
	assert_keys((struct layout_options){ .fields = "overhead,type", .sort = "sym" },
		    "symbol,overhead,type", "overhead,type,symbol");
	assert_keys((struct layout_options){ .fields = "+sample,type", .sort = "sym" },
		    "overhead,symbol,sample,type", "overhead,sample,type,symbol");
}

/* If -s names a share, only that is shown. */
static void test_named_share(void **state)
{
	(void)state;
	assert_keys((struct layout_options){ .sort = "sym,overhead", .children = true },
		    "symbol,overhead", "overhead,symbol");
}

static void test_names_of_keys(void **state)
{
	(void)state;
	assert_keys((struct layout_options){ .sort = "SYM" }, "overhead,symbol", "overhead,symbol");
	assert_keys((struct layout_options){ .sort = "local" }, "overhead,local_weight",
		    "overhead,local_weight");
	assert_keys((struct layout_options){ .sort = "type" }, "overhead,type", "overhead,type");
	assert_keys((struct layout_options){ .sort = "typeo,type,,typeoff" },
		    "overhead,typeoff,type", "overhead,typeoff,type");
}

static void test_what_is_refused(void **state)
{
	(void)state;
	assert_refused((struct layout_options){ .sort = "tpyeoff" },
		       "unknown --sort key 'tpyeoff'; did you mean 'typeoff'?");
	assert_refused((struct layout_options){ .sort = "type,smybol" },
		       "unknown --sort key 'smybol'; did you mean 'symbol'?");
	assert_refused((struct layout_options){ .fields = "elephant" },
		       "unknown --fields key 'elephant' (dtprof report --help lists them)");
	assert_refused((struct layout_options){ .sort = "+" }, "--sort: no key after the '+'");
	assert_refused((struct layout_options){ .sort = "{comm,dso" }, "--sort: '{' without '}'");
	assert_refused((struct layout_options){ .sort = "comm}" },
		       "--sort: a '}' that does not fit");
	assert_refused((struct layout_options){ .widths = "8,x" },
		       "--column-widths takes numbers separated by commas, not 'x'");
}

static void test_levels(void **state)
{
	struct layout layout = parse((struct layout_options){
		.sort = "sample,{comm,dso},type,{sym,comm}", .hierarchy = true });

	(void)state;
	assert_int_equal(layout.level_count, 3);
	assert_int_equal(layout.levels[0].count, 2);
	assert_string_equal(layout.levels[0].keys[1]->name, "dso");
	assert_string_equal(layout.levels[1].keys[0]->name, "type");
	assert_int_equal(layout.levels[2].count, 1);
	layout = parse((struct layout_options){ .fields = "sample,comm,type", .hierarchy = true });
	assert_int_equal(layout.level_count, 2);
	assert_string_equal(layout.levels[1].keys[0]->name, "type");
}

static void test_needs(void **state)
{
	struct layout layout = parse((struct layout_options){ .sort = "cpu,type" });

	(void)state;
	assert_int_equal(layout_needs(&layout), NEED_CPU | NEED_TYPE);
	layout = parse((struct layout_options){ .fields = "overhead,sample" });
	assert_int_equal(layout_needs(&layout), 0);
}

static void assert_elided(const char *sort, const char *dsos, const char *lines,
			  const char *columns)
{
	struct filter filter = { 0 };
	struct layout layout = parse((struct layout_options){ .sort = sort });
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	word_list_parse(&filter.dsos, dsos);
	filter_elide(&filter, &layout, false, &text);
	assert_string_equal(text.data, lines);
	strbuf_reset(&text);
	add_names(&text, &layout.columns);
	assert_string_equal(text.data, columns);
	filter_deinit(&filter);
}

static void test_a_key_with_one_value_is_no_column(void **state)
{
	(void)state;
	assert_elided("comm,dso,sym", "libc.so.6", "# dso: libc.so.6\n", "overhead,comm,symbol");
	assert_elided("comm,dso,sym", "libc.so.6,lua", "", "overhead,comm,dso,symbol");
	assert_elided("comm", "libc.so.6", "", "overhead,comm");
	assert_elided("dso", "libc.so.6", "# dso: libc.so.6\n", "overhead,dso");
}

static void test_filters(void **state)
{
	struct filter filter = { 0 };
	struct result_place place = { .dso = "lua", .dso_path = "/usr/bin/lua", .symbol = "llex" };
	struct result result = { .place = &place, .comm = "lua", .pid = 7, .tid = 8 };

	(void)state;
	assert_true(filter_accepts(&filter, &result));
	/* Samples of virtual machines are left out unless asked for. */
	result.level = 'g';
	assert_false(filter_accepts(&filter, &result));
	assert_int_equal(filter_needs(&filter), NEED_DSO);
	filter.guests = true;
	assert_true(filter_accepts(&filter, &result));
	result.level = 'H';
	filter.guests = false;
	assert_true(filter_accepts(&filter, &result));
	word_list_parse(&filter.dsos, "libc,/usr/bin/lua");
	word_list_parse(&filter.symbols, "llex");
	assert_true(filter_accepts(&filter, &result));
	assert_int_equal(filter_needs(&filter), NEED_DSO | NEED_SYMBOL);
	place.symbol = NULL;
	assert_false(filter_accepts(&filter, &result));
	filter_deinit(&filter);

	assert_null(word_list_parse_numbers(&filter.pids, "1,7", "--pid"));
	assert_true(filter_accepts(&filter, &result));
	assert_null(word_list_parse_numbers(&filter.tids, "7", "--tid"));
	assert_false(filter_accepts(&filter, &result));

	struct error *error = word_list_parse_numbers(&filter.pids, "1,x", "--pid");

	assert_string_equal(error->message, "--pid takes numbers separated by commas, not 'x'");
	error_destroy(error);
	filter_deinit(&filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_columns),
		cmocka_unit_test(test_named_share),
		cmocka_unit_test(test_names_of_keys),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_a_key_with_one_value_is_no_column),
		cmocka_unit_test(test_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
