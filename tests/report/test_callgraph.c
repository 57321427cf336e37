// SPDX-License-Identifier: GPL-2.0-or-later
/* The arguments of -g, and the graph below a row: its end, omitted branches, ties, limits and
 * recursion. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/strbuf.h"
#include "report/callgraph.h"
#include "report/print/print.h"

static const struct result_place places[] = {
	{ .dso = "prog",
	  .dso_path = "prog",
	  .symbol = "main",
	  .symbol_address = 0x10,
	  .address = 0x11 },
	{ .dso = "prog",
	  .dso_path = "prog",
	  .symbol = "work",
	  .symbol_address = 0x20,
	  .address = 0x21 },
	{ .dso = "prog",
	  .dso_path = "prog",
	  .symbol = "leaf",
	  .symbol_address = 0x30,
	  .address = 0x31 },
	{ .dso = "prog", .dso_path = "prog", .address = 0x99 },
};

/* The chains main > work > leaf, main > work > work > leaf, and main > 0x499. */
static const struct result_frame frames[] = {
	{ 0 },
	{ &places[0], 0, '.', 0x411 },
	{ &places[1], 1, '.', 0x421 },
	{ &places[2], 2, '.', 0x431 },
	{ &places[1], 2, '.', 0x422 },
	{ &places[2], 4, '.', 0x432 },
	{ &places[3], 1, '.', 0x499 },
};

#define FRAMES (sizeof(frames) / sizeof(*frames))

static struct callgraph_options parsed(const char *text)
{
	struct callgraph_options options = CALLGRAPH_OPTIONS_INIT;

	assert_null(callgraph_parse(&options, text));
	return options;
}

static void test_words(void **state)
{
	struct callgraph_options options = parsed("fold,2.5,7,callee,function,percent");

	(void)state;
	assert_true(options.folded);
	assert_true(options.threshold == 2.5);
	assert_int_equal(options.limit, 7);
	assert_true(options.order_chosen && !options.caller_first && options.asked);
	assert_int_equal(parsed("caller").caller_first, true);
	assert_false(parsed("folded,gr,per").folded);
	assert_true(parsed("none").none);
	assert_false(parsed("none").asked);
	assert_true(parsed(NULL).asked);
}

static void test_bad_words(void **state)
{
	static const char *const bad[] = { "grph",      "fractal", "graph,101", "graph,-1",
					   "graph,1,x", "1,2x",    ",",         "0.5,-3" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct callgraph_options options = CALLGRAPH_OPTIONS_INIT;
		struct error *error = callgraph_parse(&options, bad[i]);

		assert_non_null(error);
		error_destroy(error);
	}
}

/* Chains with periods of 50, 30 and 20; the row has 100 of a total of 200. */
static void assert_graph_in(unsigned int width, const char *how, unsigned int max_stack,
			    const char *expected)
{
	static const struct {
		uint32_t chain;
		uint64_t period;
	} counted[] = { { 3, 50 }, { 5, 30 }, { 6, 20 } };
	struct callgraph_options options = parsed(how);
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	uint32_t head = 0;

	options.max_stack = max_stack;

	struct callgraph *graph = callgraph_create(&options, frames, FRAMES);

	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++) {
		callgraph_take_path(graph, counted[i].chain);
		callgraph_note(graph, &head, 0,
			       &(struct result){ .samples = counted[i].period / 10,
						 .period = counted[i].period });
	}
	print_callgraph(
		graph, head,
		&(struct callgraph_print){
			.total = 200, .row_total = 100, .line_width = width, .ellipsis = ".." },
		&text);
	assert_string_equal(text.data, expected);
	callgraph_destroy(graph);
}

static void assert_graph(const char *how, unsigned int max_stack, const char *expected)
{
	assert_graph_in(0, how, max_stack, expected);
}

static void test_callers_below(void **state)
{
	(void)state;
	assert_graph("graph,callee", 127,
		     "            |          \n"
		     "            |--40.00%--leaf\n"
		     "            |          work\n"
		     "            |          |          \n"
		     "            |          |--25.00%--main\n"
		     "            |          |          \n"
		     "            |           --15.00%--work\n"
		     "            |                     main\n"
		     "            |          \n"
		     "             --10.00%--0x499\n"
		     "                       main\n"
		     "\n");
}

/* On a screen, levels take three columns each, not eleven. */
static void test_screen(void **state)
{
	(void)state;
	assert_graph_in(40, "graph,callee", 127,
			"    |  \n"
			"    |--40.00%--leaf\n"
			"    |  work\n"
			"    |  |  \n"
			"    |  |--25.00%--main\n"
			"    |  |  \n"
			"    |   --15.00%--work\n"
			"    |     main\n"
			"    |  \n"
			"     --10.00%--0x499\n"
			"       main\n"
			"\n");
}

static void test_callers_above(void **state)
{
	(void)state;
	assert_graph("graph,caller", 127,
		     "            |\n"
		     "            ---main\n"
		     "               |          \n"
		     "               |--40.00%--work\n"
		     "               |          |          \n"
		     "               |          |--25.00%--leaf\n"
		     "               |          |          \n"
		     "               |           --15.00%--work\n"
		     "               |                     leaf\n"
		     "               |          \n"
		     "                --10.00%--0x499\n"
		     "\n");
}

static void test_threshold_and_limit(void **state)
{
	(void)state;
	assert_graph("graph,20,callee", 127,
		     "            |          \n"
		     "             --40.00%--leaf\n"
		     "                       work\n"
		     "                       |          \n"
		     "                        --25.00%--main\n"
		     "\n");
	assert_graph("graph,0,1,callee", 127,
		     "            |          \n"
		     "            |--40.00%--leaf\n"
		     "            |          work\n"
		     "            |          |          \n"
		     "            |          |--25.00%--main\n"
		     "\n");
}

static void test_whole_chains(void **state)
{
	(void)state;
	assert_graph("folded,caller", 127,
		     "25.00% main;work;leaf\n15.00% main;work;work;leaf\n10.00% main;0x499\n");
	assert_graph("folded,20,caller", 127, "25.00% main;work;leaf\n");
}

/* --max-stack keeps the frames at the end where the graph begins. */
static void test_max_stack(void **state)
{
	(void)state;
	assert_graph("folded,callee", 2, "40.00% leaf;work\n10.00% 0x499;main\n");
	assert_graph("folded,caller", 2, "40.00% main;work\n10.00% main;0x499\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),         cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_callers_below), cmocka_unit_test(test_screen),
		cmocka_unit_test(test_callers_above), cmocka_unit_test(test_threshold_and_limit),
		cmocka_unit_test(test_whole_chains),  cmocka_unit_test(test_max_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
