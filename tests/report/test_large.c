// SPDX-License-Identifier: GPL-2.0-or-later
/* Large results: many types, many events, names of thousands of characters, deep hierarchies. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/table.h"
#include "report/print/print.h"
#include "report/text.h"

#define TYPES       50000
#define EVENTS      200
#define NAME_LENGTH 2000
#define NAME_SHOWN  60

static size_t count_lines(const struct strbuf *text)
{
	size_t count = 0;

	for (size_t i = 0; i < text->length; i++)
		count += text->data[i] == '\n';
	return count;
}

/* The text of a table that was taken in pieces, and the most bytes of a piece. */
static struct strbuf taken;
static size_t largest_piece;

static void take_piece(struct strbuf *buffer)
{
	if (buffer->length > largest_piece)
		largest_piece = buffer->length;
	strbuf_add(&taken, buffer->data, buffer->length);
	strbuf_reset(buffer);
}

/* Type N has N samples, added in two rounds, so the last type comes first. */
static void test_many_types(void **state)
{
	char(*names)[24] _cleanup_free_ = xcalloc(TYPES, sizeof(*names));
	struct result_place *places _cleanup_free_ = xcalloc(TYPES, sizeof(*places));
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct layout layout;
	const char *at;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "type", .show_samples = true },
				 &layout));

	struct table *rows = table_create(&layout, 1);

	for (uint32_t i = 0; i < TYPES; i++) {
		snprintf(names[i], sizeof(names[i]), "struct type_%u", i);
		places[i] = (struct result_place){ .type = names[i], .typed = true };
	}
	for (uint32_t i = 0; i < 2 * TYPES; i++) {
		struct result result = { .place = &places[i % TYPES],
					 .level = '.',
					 .samples = 1 + i % TYPES,
					 .period = 1 + i % TYPES };

		table_add(rows, &result, 0);
	}
	table_sort(rows);
	assert_int_equal(rows->rows[ROW_ROOT].child_count, TYPES);
	assert_int_equal(rows->total_samples, (uint64_t)TYPES * (TYPES + 1));
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_int_equal(count_lines(&text), TYPES);
	/* it is never in memory as a whole */
	struct strbuf rest _cleanup_strbuf_ = STRBUF_INIT;

	print_table(rows, &(struct print_options){ .quiet = true, .flush = take_piece }, &rest);
	assert_in_range(largest_piece, 1, text.length / 4);
	take_piece(&rest);
	assert_int_equal(taken.length, text.length);
	assert_memory_equal(taken.data, text.data, text.length);
	strbuf_deinit(&taken);
	at = text.data;
	for (uint32_t i = TYPES; i-- > 0;) {
		const char *end = memchr(at, '\n', (size_t)(text.data + text.length - at));
		const char *name = memmem(at, (size_t)(end - at), "struct", strlen("struct"));

		assert_non_null(name);
		assert_int_equal(strcspn(name + strlen("struct "), " \n"),
				 strlen(names[i]) - strlen("struct "));
		assert_memory_equal(name, names[i], strlen(names[i]));
		at = end + 1;
	}
	table_destroy(rows);
}

/* Makes the name of a template; two of them differ only in the middle or at the end. */
static void long_name(char name[NAME_LENGTH + 1], const char *begin, char fill, const char *end)
{
	memset(name, fill, NAME_LENGTH);
	memcpy(name, begin, strlen(begin));
	memcpy(name + NAME_LENGTH - strlen(end), end, strlen(end) + 1);
}

static void add_type(struct table *rows, const struct result_place *place, uint64_t samples)
{
	struct result result = {
		.place = place, .level = '.', .samples = samples, .period = samples
	};

	table_add(rows, &result, 0);
}

static void test_long_names(void **state)
{
	static char names[3][NAME_LENGTH + 1];
	struct result_place places[3] = { 0 };
	struct layout layout;

	(void)state;
	long_name(names[0], "std::map<", 'k', "> >::node");
	long_name(names[1], "std::map<", 'v', "> >::node");
	long_name(names[2], "std::map<", 'k', "> >::tree");
	assert_null(layout_parse(&(struct layout_options){ .sort = "type" }, &layout));
	for (unsigned int max_name = 0; max_name <= NAME_SHOWN; max_name += NAME_SHOWN) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct table *rows = table_create(&layout, 1);
		const char *at;

		for (uint32_t i = 0; i < 3; i++) {
			places[i] = (struct result_place){ .type = names[i], .typed = true };
			add_type(rows, &places[i], 3 - i);
		}
		table_sort(rows);
		print_table(rows, &(struct print_options){ .quiet = true, .max_name = max_name },
			    &text);
		/* different rows, even if they look the same */
		assert_int_equal(count_lines(&text), 3);
		at = text.data;
		for (uint32_t i = 0; i < 3; i++, at = strchr(at, '\n') + 1) {
			const char *name = strstr(at, "std::map<");
			size_t shown = strcspn(name, "\n");

			assert_int_equal(text_columns(name, shown),
					 max_name ? max_name : NAME_LENGTH);
			assert_memory_equal(name + shown - 4, names[i] + NAME_LENGTH - 4, 4);
			assert_true(max_name || !memcmp(name, names[i], NAME_LENGTH));
		}
		table_destroy(rows);
	}
}

/* A row of a group has one column for each event's share. */
static void test_many_events(void **state)
{
	struct result_place place = { .type = "int", .typed = true };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct layout layout;
	const char *at;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .fields = "sample,type" }, &layout));

	struct table *rows = table_create(&layout, EVENTS);

	for (uint32_t event = 0; event < EVENTS; event++) {
		struct result result = { .place = &place,
					 .level = '.',
					 .event = event,
					 .samples = event + 1,
					 .period = event + 1 };

		table_add(rows, &result, event);
	}
	table_sort(rows);
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_int_equal(count_lines(&text), 1);
	at = text.data;
	for (uint64_t event = 0; event < EVENTS; event++) {
		char *end;

		assert_int_equal(strtoull(at, &end, 10), event + 1);
		at = end;
	}
	assert_string_equal(at, "  int      \n");
	table_destroy(rows);
}

static void test_deep_hierarchy(void **state)
{
	static const char *const names[2] = { "a", "b" };
	struct layout layout;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	assert_null(layout_parse(&(struct layout_options){ .sort = "comm,pid,cpu,dso,type,weight",
							   .hierarchy = true },
				 &layout));

	struct table *rows = table_create(&layout, 1);
	struct result_place places[4];

	for (unsigned int i = 0; i < 4; i++)
		places[i] = (struct result_place){ .dso = names[i & 1],
						   .type = names[i >> 1],
						   .typed = true };
	for (int i = 0; i < 64; i++) {
		struct result result = { .place = &places[i & 3],
					 .level = '.',
					 .comm = names[i >> 2 & 1],
					 .thread = names[i >> 2 & 1],
					 .tid = i >> 3 & 1, /* the key "pid" shows it */
					 .cpu = i >> 4 & 1,
					 .weight = (uint64_t)(i >> 5),
					 .samples = 1,
					 .period = 1 };

		table_add(rows, &result, 0);
	}
	table_sort(rows);
	print_table(rows, &(struct print_options){ .quiet = true }, &text);
	assert_int_equal(count_lines(&text), 2 + 4 + 8 + 16 + 32 + 64);
	table_destroy(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_types),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_deep_hierarchy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
