// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The browser's model: tables of entries, layouts and code that a source gives, keys, and the lines
 * of the screen. No terminal is involved.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/browse/browse.h"
#include "report/text.h"

/* ---- a recording ---- */

static const struct result_place lookup_key = { .dso = "app",
						.symbol = "lookup",
						.symbol_address = 0x100,
						.type = "struct entry",
						.field = "key",
						.offset = 8,
						.typed = true },
				 insert_next = { .dso = "app",
						 .symbol = "insert",
						 .symbol_address = 0x200,
						 .type = "struct entry",
						 .field = "next",
						 .offset = 0,
						 .typed = true },
				 table_size = { .dso = "libtable.so",
						.symbol = "resize",
						.symbol_address = 0x100,
						.type = "struct table",
						.field = "size",
						.offset = 4,
						.typed = true },
				 untyped = { .dso = "app",
					     .symbol = "main",
					     .symbol_address = 0x300,
					     .type = "(unknown)" },
				 hostile = { .dso = "a\033[2Jpp",
					     .symbol = "f\033]0;x\a\302\233g",
					     .symbol_address = 0x400,
					     .type = "struct \342\200\256evil\xff\n",
					     .typed = true };

static const struct browse_entry entries[] = {
	{ .event = 0,
	  .tid = 1,
	  .comm = "app",
	  .place = &lookup_key,
	  .samples = 60,
	  .period = 600,
	  .loads = 60 },
	{ .event = 0,
	  .tid = 2,
	  .comm = "app",
	  .place = &insert_next,
	  .samples = 10,
	  .period = 100,
	  .loads = 5,
	  .stores = 10 },
	{ .event = 0,
	  .tid = 2,
	  .comm = "app",
	  .place = &table_size,
	  .samples = 20,
	  .period = 200,
	  .loads = 20 },
	{ .event = 0,
	  .tid = 1,
	  .comm = "app",
	  .place = &untyped,
	  .samples = 9,
	  .period = 90,
	  .kernel = true },
	{ .event = 0,
	  .tid = 1,
	  .comm = "app",
	  .place = &hostile,
	  .samples = 1,
	  .period = 10,
	  .loads = 1 },
	{ .event = 1,
	  .tid = 1,
	  .comm = "app",
	  .place = &table_size,
	  .samples = 3,
	  .period = 3,
	  .stores = 3 },
};

static const struct browse_event events[] = {
	{ .name = "cycles", .samples = 100, .period = 1000, .coverage = "typed 91.0%" },
	{ .name = "misses", .samples = 3, .period = 3, .group = 1 },
};

static struct {
	unsigned int types, codes; /* calls */
	struct browse_zoom zoom;   /* of the last one */
} asked;

static struct error *open_type(void *data, const struct browse_zoom *zoom,
			       void (*receive)(void *into, const struct annotated_type *type),
			       void *into)
{
	static const struct access_count
		all = { .samples = 70, .period = 700, .loads = 65, .stores = 10 },
		next = { .samples = 10, .period = 100, .loads = 5, .stores = 10 },
		key = { .samples = 60, .period = 600, .loads = 60 }, none = { 0 };
	static const struct annotated_line lines[] = {
		{ .type = "struct entry", .name = NULL, .size = 80, .opens = true, .counts = &all },
		{ .type = "struct entry*", .name = "next", .depth = 1, .size = 8, .counts = &next },
		{ .type = "int",
		  .name = "key",
		  .depth = 1,
		  .offset = 8,
		  .size = 4,
		  .counts = &key },
		{ .type = "struct lock",
		  .name = "lock",
		  .depth = 1,
		  .offset = 16,
		  .size = 8,
		  .opens = true,
		  .counts = &none },
		{ .type = "int",
		  .name = "owner",
		  .depth = 2,
		  .offset = 16,
		  .size = 4,
		  .counts = &none },
		{ .type = "int",
		  .name = "count",
		  .depth = 2,
		  .offset = 20,
		  .size = 4,
		  .counts = &none },
		{ .type = "long[7]",
		  .name = "rest",
		  .depth = 1,
		  .offset = 24,
		  .size = 56,
		  .counts = &none },
	};
	static const struct annotated_cacheline cachelines[] = { { .first = 0, .counts = &all } };
	static const struct annotated_type type = { .name = "struct entry",
						    .object = "/bin/app",
						    .samples = 70,
						    .event_count = 1,
						    .lines = lines,
						    .line_count = sizeof(lines) / sizeof(*lines),
						    .cachelines = cachelines,
						    .cacheline_count = 1 };
	(void)data;
	asked.types++;
	asked.zoom = *zoom;
	if (!strcmp(zoom->type, "struct entry"))
		receive(into, &type);
	return NULL;
}

static struct error *open_code(void *data, const struct browse_zoom *zoom,
			       const struct result_place *place,
			       void (*receive)(void *into, const struct code_listing *listing),
			       void *into)
{
	static const struct access_count total = { .samples = 60, .period = 600 },
					 some = { .samples = 45, .period = 450 },
					 few = { .samples = 15, .period = 150 };
	static const struct code_line lines[] = {
		{ .source = "\tif (entry->key == key)", .file = "a.c", .number = 3 },
		{ .address = 0x100,
		  .mnemonic = "cmpl",
		  .operands = "%esi, 8(%rdi)",
		  .type = { "struct entry", "key", 8, true },
		  .counts = &few,
		  .charged = &some },
		{ .address = 0x104,
		  .mnemonic = "je",
		  .operands = "0x100",
		  .target = 0x100,
		  .counts = &some },
		{ .address = 0x106, .mnemonic = "retq", .operands = "", .charged = &few },
	};
	const struct code_listing listing = { .symbol = place->symbol,
					      .object = "/bin/app",
					      .events = "cycles",
					      .event_count = 1,
					      .address = 0x100,
					      .samples = 60,
					      .totals = &total,
					      .lines = lines,
					      .line_count = sizeof(lines) / sizeof(*lines) };
	(void)data;
	asked.codes++;
	asked.zoom = *zoom;
	if (!strcmp(place->symbol, "resize"))
		return error_create(ERROR_OTHER,
				    "cannot show the code of resize: the file is gone");
	receive(into, &listing);
	return NULL;
}

static const struct browse_source source = { .events = events,
					     .event_count = 2,
					     .entries = entries,
					     .entry_count = sizeof(entries) / sizeof(*entries),
					     .cacheline = 64,
					     .information = "hostname: box\n",
					     .open_type = open_type,
					     .open_code = open_code };

/* ---- another one: with call chains, a group of events, and a shared cacheline ---- */

static const struct result_place main_frame = { .dso = "app",
						.symbol = "main",
						.symbol_address = 0x300 },
				 serve_frame = { .dso = "app",
						 .symbol = "serve",
						 .symbol_address = 0x400 };

/* lookup <- serve <- main; lookup <- main; insert <- main */
static const struct result_frame frames[] = {
	{ 0 },
	{ .place = &main_frame },
	{ .place = &serve_frame, .caller = 1 },
	{ .place = &lookup_key, .caller = 2 },
	{ .place = &lookup_key, .caller = 1 },
	{ .place = &insert_next, .caller = 1 },
};

static const struct browse_entry chained_entries[] = {
	{ .place = &lookup_key, .chain = 3, .samples = 50, .period = 500 },
	{ .place = &lookup_key, .chain = 4, .samples = 30, .period = 300 },
	{ .place = &insert_next, .chain = 5, .samples = 20, .period = 200 },
	{ .event = 1, .place = &insert_next, .samples = 3, .period = 3 },
	{ .event = 1, .place = &table_size, .samples = 1, .period = 1 },
};

static const struct browse_event grouped_events[] = {
	{ .name = "cycles", .samples = 100, .period = 1000 },
	{ .name = "misses", .samples = 4, .period = 4 },
};

static struct error *open_sharing(void *data, const struct browse_shared_line **lines,
				  size_t *count)
{
	static const struct browse_use uses[] = {
		{ 0, 8, 11, 300, 0, 300, "struct stats sent", "send", "s.c:1" },
		{ 8, 8, 12, 200, 200, 0, "struct stats received", "receive", "s.c:2" }
	};
	static const struct browse_shared_line line = { "false sharing",
							"struct stats sent, struct stats received",
							99.5,
							500,
							0,
							2,
							0x1040,
							uses,
							COUNT_OF(uses) };

	(void)data;
	*lines = &line;
	*count = 1;
	return NULL;
}

static const struct browse_source chained = { .events = grouped_events,
					      .event_count = 2,
					      .entries = chained_entries,
					      .entry_count = COUNT_OF(chained_entries),
					      .frames = frames,
					      .cacheline = 64,
					      .information = "",
					      .open_type = open_type,
					      .open_code = open_code,
					      .open_sharing = open_sharing };

/* ---- helpers ---- */

static struct browser *open_browser(enum browse_start start)
{
	struct browser *browser = browser_create(&source, start, WEIGH_PERIOD);

	memset(&asked, 0, sizeof(asked));
	browser_resize(browser, 80, 24, true);
	return browser;
}

/* Returns line `index` of the screen without spaces at its end; the caller frees it. */
static char *screen_line(struct browser *browser, size_t index)
{
	size_t count;
	const struct browse_line *lines = browser_render(browser, &count);

	assert_true(index < count);

	size_t length = lines[index].text.length;

	while (length && lines[index].text.data[length - 1] == ' ')
		length--;
	return xstrndup(lines[index].text.data, length);
}

static void assert_line(struct browser *browser, size_t index, const char *expected)
{
	_cleanup_free_ char *text = screen_line(browser, index);

	assert_string_equal(text, expected);
}

static void assert_has(struct browser *browser, size_t index, const char *part)
{
	_cleanup_free_ char *text = screen_line(browser, index);

	if (!strstr(text, part))
		fail_msg("line %zu has not '%s': %s", index, part, text);
}

/* Returns the text of the line that the cursor is on; the caller frees it. */
static char *selected_line(struct browser *browser)
{
	size_t count;
	const struct browse_line *lines = browser_render(browser, &count);

	for (size_t i = 0; i < count; i++)
		if (lines[i].selected)
			return xstrdup(lines[i].text.data);
	return xstrdup("");
}

static void assert_selected(struct browser *browser, const char *part)
{
	_cleanup_free_ char *text = selected_line(browser);

	if (!strstr(text, part))
		fail_msg("the cursor is not on '%s': %s", part, text);
}

static void press(struct browser *browser, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(browser_key(browser, (unsigned char)*keys), BROWSE_GO_ON);
}

/* ---- tests ---- */

static void test_types(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	assert_line(browser, 0, "Types, by period of cycles (1/2)");
	assert_line(browser, 1, "100 samples, typed 91.0%");
	assert_line(browser, 3, " 70.00%        70 struct entry                        85.7% key");
	assert_line(browser, 4, " 20.00%        20 struct table                       100.0% size");
	assert_line(browser, 5, "  9.00%         9 (unknown)");
	press(browser, "w");
	assert_line(browser, 0, "Types, by samples of cycles (1/2)");
	/* no sample has a latency, so loads follow: 60 + 5 of 86 */
	press(browser, "w");
	assert_line(browser, 0, "Types, by loads of cycles (1/2)");
	assert_has(browser, 3, "75.58%");
	press(browser, "ww\t");
	assert_line(browser, 0, "Types, by period of misses (2/2)");
	assert_line(browser, 3, "100.00%         3 struct table                       100.0% size");
	browser_destroy(browser);
}

static void test_order(void **state)
{
	struct browser *browser = open_browser(BROWSE_FUNCTIONS);
	(void)state;

	assert_has(browser, 3, "lookup");
	/* by share, by samples, by name */
	press(browser, ">>>");
	assert_has(browser, 2, "Function\342\226\262");
	assert_has(browser, 4, "insert");
	assert_has(browser, 5, "lookup");
	press(browser, "r");
	assert_has(browser, 3, "resize");
	press(browser, "<");
	assert_has(browser, 2, "Samples\342\226\274");
	assert_has(browser, 3, "lookup");
	browser_destroy(browser);
}

static void test_filter(void **state)
{
	struct browser *browser = open_browser(BROWSE_FUNCTIONS);
	(void)state;

	press(browser, "/INSX");
	browser_key(browser, BROWSE_BACKSPACE);
	assert_line(browser, 23, "Rows with: INS");
	press(browser, "\n");
	assert_has(browser, 3, "insert");
	assert_line(browser, 4, "");
	assert_has(browser, 1, "with 'INS'");
	browser_key(browser, BROWSE_ESCAPE);
	assert_has(browser, 3, "lookup");
	browser_key(browser, BROWSE_ESCAPE);
	assert_line(browser, 23, "q leaves the browser");
	assert_int_equal(browser_key(browser, 'q'), BROWSE_QUIT);
	browser_destroy(browser);
}

static void test_layout(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	press(browser, "\n");
	assert_int_equal(asked.types, 1);
	assert_int_equal(asked.codes, 0);
	assert_string_equal(asked.zoom.type, "struct entry");
	assert_line(browser, 0, "Layout: struct entry, by period of cycles (1/2)");
	assert_line(browser, 1, "80 bytes, 70 samples, 1 of 2 cachelines used, of app");
	assert_has(browser, 4, "100.00% \342\224\200\342\224\200 cacheline 0 at +0");
	assert_has(browser, 5, "14.29%");
	assert_has(browser, 5, "struct entry* next");
	assert_has(browser, 6, "85.71%");
	assert_has(browser, 7, "hole of 4 bytes");
	assert_has(browser, 8, "- struct lock lock");
	/* folded, and unfolded again */
	for (int i = 0; i < 5; i++)
		browser_key(browser, BROWSE_DOWN);
	assert_selected(browser, "struct lock lock");
	press(browser, "e");
	assert_has(browser, 8, "+ struct lock lock");
	assert_has(browser, 9, "rest");
	press(browser, "E");
	assert_has(browser, 9, "int owner");
	/* sorted by a column: fields alone */
	press(browser, ">");
	assert_has(browser, 3, "int key");
	assert_has(browser, 4, "struct entry* next");
	press(browser, "<");
	assert_has(browser, 3, "- struct entry");
	/* search */
	press(browser, "/count\n");
	assert_selected(browser, "int count");
	browser_destroy(browser);
}

static void test_field_to_code(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	press(browser, "\n/key\n\n");
	assert_line(browser, 0, "Used by functions, by period of cycles (1/2)");
	assert_line(browser, 1, "struct entry : key");
	assert_has(browser, 3, "100.00%        60 lookup");
	assert_line(browser, 4, "");
	press(browser, "\n");
	assert_int_equal(asked.codes, 1);
	assert_line(browser, 0, "Code: lookup, by period of cycles (1/2)");
	assert_has(browser, 3, "if (entry->key == key)");
	assert_selected(browser, " 75.00%  25.00% 100");
	assert_selected(browser, "struct entry +8 (key)");
	/* the next hottest, and the jump back */
	press(browser, "\t");
	assert_selected(browser, "retq");
	browser_key(browser, BROWSE_BACK_TAB);
	assert_selected(browser, "cmpl");
	browser_key(browser, BROWSE_DOWN);
	press(browser, "\n");
	assert_selected(browser, "cmpl");
	press(browser, "s");
	assert_has(browser, 3, "cmpl");
	/* from the instruction to the layout, at the field */
	press(browser, "\n");
	assert_line(browser, 0, "Layout: struct entry, by period of cycles (1/2)");
	assert_selected(browser, "int key");
	for (int i = 0; i < 4; i++)
		browser_key(browser, BROWSE_ESCAPE);
	assert_line(browser, 0, "Types, by period of cycles (1/2)");
	browser_destroy(browser);
}

static void test_zoom(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	press(browser, "t");
	assert_line(browser, 0, "Threads, by period of cycles (1/2)");
	browser_key(browser, BROWSE_DOWN);
	assert_selected(browser, "2:app");
	press(browser, "\n");
	assert_line(browser, 1, "thread 2:app, 30 samples");
	assert_has(browser, 3, "66.67%        20 struct table");
	press(browser, "2");
	assert_has(browser, 3, "66.67%        20 resize");
	/* only the object of the function */
	press(browser, "d");
	assert_line(browser, 1, "thread 2:app, object libtable.so, 20 samples");
	browser_key(browser, BROWSE_ESCAPE);
	browser_key(browser, BROWSE_ESCAPE);
	browser_key(browser, BROWSE_ESCAPE);
	press(browser, "k");
	assert_line(browser, 1, "kernel, 9 samples");
	browser_destroy(browser);
}

static void test_errors(void **state)
{
	struct browser *browser = open_browser(BROWSE_FUNCTIONS);
	(void)state;

	press(browser, "/resize\n\n");
	assert_line(browser, 0, "Functions, by period of cycles (1/2)");
	assert_line(browser, 23, "cannot show the code of resize: the file is gone");
	press(browser, "1");
	browser_key(browser, BROWSE_DOWN);
	press(browser, "\n");
	assert_line(browser, 23, "No sample of this event accesses struct table");
	press(browser, "Z");
	assert_line(browser, 23, "'Z' is not a key: ? shows the keys");
	assert_false(browser_open_type(browser, "struct nothing"));
	assert_true(browser_open_type(browser, "entry"));
	browser_destroy(browser);
}

/* No control character reaches a line, and each line fits. */
static void test_hostile_names(void **state)
{
	static const bool unicodes[] = { true, false };
	(void)state;

	for (size_t u = 0; u < 2; u++)
		for (enum browse_start start = BROWSE_TYPES; start <= BROWSE_OBJECTS; start++) {
			struct browser *browser = open_browser(start);
			const struct browse_line *lines;
			size_t count;

			browser_resize(browser, 80, 24, unicodes[u]);
			press(browser, "/evil\n/f?g\n");
			lines = browser_render(browser, &count);
			assert_int_equal(count, 24);
			for (size_t i = 0; i < count; i++) {
				const char *text = lines[i].text.data;

				assert_true(text_columns(text, strlen(text)) <= 80);
				for (; *text; text++)
					assert_true((unsigned char)*text >= ' ' && *text != 0x7f &&
						    (unicodes[u] || !(*text & 0x80)));
				assert_null(strstr(lines[i].text.data, "\302\233"));
				assert_null(strstr(lines[i].text.data, "\342\200\256"));
			}
			browser_destroy(browser);
		}
}

static void test_sizes(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	for (unsigned int rows = 1; rows < 30; rows += 3)
		for (unsigned int columns = 1; columns < 300; columns += 7) {
			size_t count;

			browser_resize(browser, columns, rows, true);
			for (const char *key = "\n\n\n?\033\033\033\033i\033234\033\0331"; *key;
			     key++) {
				const struct browse_line *lines;

				browser_key(browser, *key);
				lines = browser_render(browser, &count);
				assert_int_equal(count, rows);
				for (size_t i = 0; i < count; i++)
					assert_true(text_columns(lines[i].text.data,
								 lines[i].text.length) <= columns);
			}
		}
	browser_destroy(browser);
}

static void test_texts(void **state)
{
	struct browser *browser = open_browser(BROWSE_TYPES);
	(void)state;

	assert_int_equal(browser_key(browser, 'c'), BROWSE_COPY);
	assert_string_equal(
		browser_text(browser),
		" 70.00%        70        65        10 struct entry                  85.7% key");
	browser_destroy(browser);
	browser = open_browser(BROWSE_FUNCTIONS);
	press(browser, "/lookup\n");
	assert_int_equal(browser_key(browser, 'P'), BROWSE_SAVE);
	assert_non_null(strstr(browser_text(browser),
			       "Functions, by period of cycles (1/2)\nwith 'lookup', "));
	assert_non_null(strstr(browser_text(browser), " 60.00%"));
	assert_null(strstr(browser_text(browser), "insert"));
	browser_message(browser, "Wrote %s", "a file");
	assert_line(browser, 23, "Wrote a file");
	browser_destroy(browser);
}

static struct browser *open_chained(enum browse_start start)
{
	struct browser *browser = browser_create(&chained, start, WEIGH_PERIOD);

	browser_resize(browser, 80, 24, false);
	return browser;
}

static void test_callers(void **state)
{
	struct browser *browser = open_chained(BROWSE_FUNCTIONS);
	(void)state;

	assert_has(browser, 3, "+ lookup");
	press(browser, "+");
	assert_has(browser, 3, " 80.00%");
	assert_has(browser, 3, "- lookup");
	assert_has(browser, 4, " 50.00%");
	assert_has(browser, 4, "  + serve");
	assert_has(browser, 5, " 30.00%");
	assert_has(browser, 5, "    main");
	assert_has(browser, 6, "+ insert");
	press(browser, "+e");
	assert_has(browser, 4, "  - serve");
	assert_has(browser, 5, "      main");
	assert_has(browser, 6, "    main");
	/* callers stay with their function in any order, and a filter finds them with it */
	press(browser, "r");
	assert_has(browser, 4, "insert");
	assert_has(browser, 5, "lookup");
	assert_has(browser, 6, "serve");
	assert_has(browser, 7, "main");
	press(browser, "/lookup\n");
	assert_has(browser, 3, "lookup");
	assert_has(browser, 4, "serve");
	press(browser, "C");
	assert_line(browser, 4, "");
	press(browser, "\033E");
	assert_has(browser, 4, "- insert");
	assert_has(browser, 5, "main");
	browser_destroy(browser);
	browser = open_browser(BROWSE_FUNCTIONS);
	press(browser, "e");
	assert_line(browser, 23, "The samples have no call chains (dtprof record -g)");
	browser_destroy(browser);
}

static void test_group_of_events(void **state)
{
	struct browser *browser = open_chained(BROWSE_TYPES);
	(void)state;

	assert_has(browser, 2, "Share  misses");
	assert_has(browser, 3, "100.00%  75.00%");
	/* a type that only the other event accesses */
	assert_has(browser, 4, "  0.00%  25.00%");
	assert_has(browser, 4, "struct table");
	press(browser, "\t");
	assert_has(browser, 2, "Share  cycles");
	assert_has(browser, 3, " 75.00% 100.00%");
	browser_destroy(browser);
}

static void test_sharing(void **state)
{
	struct browser *browser = open_chained(BROWSE_TYPES);
	(void)state;

	press(browser, "5");
	assert_line(browser, 0, "Shared cachelines");
	assert_line(browser, 3,
		    " 99.50%      500 false sharing  struct stats sent, struct stats received");
	press(browser, "\n");
	assert_line(browser, 0, "Cacheline: 0x1040");
	assert_line(browser, 1, "false sharing, 500 samples of 2 threads");
	assert_has(browser, 4, "struct stats received");
	press(browser, "/sent\n");
	assert_has(browser, 3, "send");
	assert_line(browser, 4, "");
	press(browser, "\033\033\033");
	assert_has(browser, 0, "Types");
	browser_destroy(browser);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),         cmocka_unit_test(test_order),
		cmocka_unit_test(test_filter),        cmocka_unit_test(test_layout),
		cmocka_unit_test(test_field_to_code), cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_errors),        cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_sizes),         cmocka_unit_test(test_texts),
		cmocka_unit_test(test_callers),       cmocka_unit_test(test_group_of_events),
		cmocka_unit_test(test_sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
