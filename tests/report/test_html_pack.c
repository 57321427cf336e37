// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packed JSON: the form of columns, and that documents can be made again from them.
 *
 * With --unpack it reads a packed document from standard input and prints the document in one line,
 * as json.h writes it; the tests of whole pages use this.
 */
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/html/html_page.h"
#include "report/json.h"

/* ---- the reader ---- */

/* The values of an array of the packed text, as texts. */
struct texts {
	char **items;
	size_t count, capacity;
};

static void free_texts(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
	*texts = (struct texts){ 0 };
}

/* Returns the end of the value that begins at `text`. */
static const char *value_end(const char *text)
{
	unsigned int depth = 0;
	bool in_string = false;

	for (;; text++) {
		assert_true(*text);
		if (in_string) {
			if (*text == '\\')
				text++;
			else
				in_string = *text != '"';
			if (in_string || depth)
				continue;
			return text + 1;
		}
		if (*text == '"')
			in_string = true;
		depth += *text == '[' || *text == '{';
		if (*text == ']' || *text == '}') {
			if (!depth)
				return text;
			if (!--depth)
				return text + 1;
		} else if (*text == ',' && !depth) {
			return text;
		}
	}
}

/* Splits "[a,b]". */
static struct texts split(const char *text)
{
	struct texts texts = { 0 };

	assert_int_equal(*text, '[');
	for (text++; *text != ']'; text += *text == ',') {
		const char *end = value_end(text);

		array_reserve(texts.items, texts.count, texts.capacity);
		texts.items[texts.count++] = xstrndup(text, (size_t)(end - text));
		text = end;
	}
	return texts;
}

struct column {
	char form; /* '[' or the letter of its form */
	struct texts values, indexes;
	size_t next;
	uint64_t sum;
};

struct reader {
	struct texts shapes, columns;
	struct column *places;
	size_t place_count;
	struct {
		size_t place;
		char *key;
		size_t below;
	} * edges;
	size_t edge_count, edge_capacity;
	struct strbuf out;
};

static size_t new_place(struct reader *reader)
{
	assert_true(reader->place_count < reader->columns.count);

	const char *text = reader->columns.items[reader->place_count];
	struct column *column = &reader->places[reader->place_count];

	column->form = *text == '[' ? '[' : text[2];
	if (column->form == '[')
		column->values = split(text);
	else if (column->form == 'c') {
		column->values.items = xcalloc(1, sizeof(char *));
		column->values.items[0] = xstrndup(text + 5, strlen(text + 5) - 1);
		column->values.count = 1;
	} else {
		column->values = split(text + 5);
	}
	if (column->form == 'u')
		column->indexes = split(strstr(value_end(text + 5), "\"i\":") + 4);
	return reader->place_count++;
}

static size_t below(struct reader *reader, size_t place, const char *key)
{
	for (size_t i = 0; i < reader->edge_count; i++)
		if (reader->edges[i].place == place && !strcmp(reader->edges[i].key, key))
			return reader->edges[i].below;
	array_reserve(reader->edges, reader->edge_count, reader->edge_capacity);
	reader->edges[reader->edge_count].place = place;
	reader->edges[reader->edge_count].key = xstrdup(key);
	reader->edges[reader->edge_count].below = new_place(reader);
	return reader->edges[reader->edge_count++].below;
}

/* Returns the next value of a place's column; valid until the next call. */
static const char *next_value(struct column *column)
{
	static char number[32];
	size_t at = column->next++;
	const char *text;

	if (column->form == 'c')
		return column->values.items[0];
	if (column->form == 'u') {
		assert_true(at < column->indexes.count);
		return column->values.items[strtoul(column->indexes.items[at], NULL, 10)];
	}
	assert_true(at < column->values.count);
	text = column->values.items[at];
	if (column->form == '[')
		return text;
	column->sum += (uint64_t)strtoll(text + (*text == '"'), NULL, 10);
	if (column->form == 'b')
		snprintf(number, sizeof(number), "%" PRIu64, column->sum);
	else
		snprintf(number, sizeof(number), "%" PRId64, (int64_t)column->sum);
	return number;
}

static void read_value(struct reader *reader, size_t place)
{
	const char *value = next_value(&reader->places[place]);
	long number = *value == '[' ? strtol(value + 1, NULL, 10) : 0;

	if (*value != '[') {
		strbuf_add_string(&reader->out, value);
		return;
	}
	if (number < 0) {
		strbuf_add_char(&reader->out, '[');
		for (long i = 0; i < -1 - number; i++) {
			if (i)
				strbuf_add_char(&reader->out, ',');
			read_value(reader, below(reader, place, ""));
		}
		strbuf_add_char(&reader->out, ']');
		return;
	}

	struct texts keys = split(reader->shapes.items[number]);

	strbuf_add_char(&reader->out, '{');
	for (size_t i = 0; i < keys.count; i++) {
		strbuf_add_format(&reader->out, "%s%s:", i ? "," : "", keys.items[i]);
		read_value(reader, below(reader, place, keys.items[i]));
	}
	strbuf_add_char(&reader->out, '}');
	free_texts(&keys);
}

/* Returns the document that was packed. All values of all columns must be used. */
static char *unpack(const char *packed)
{
	const char *shapes = packed + strlen("{\"shapes\":");
	const char *columns = value_end(shapes) + strlen(",\"columns\":");
	struct reader reader = { .shapes = split(shapes),
				 .columns = split(columns),
				 .out = STRBUF_INIT };

	reader.places = xcalloc(reader.columns.count + 1, sizeof(*reader.places));
	read_value(&reader, new_place(&reader));
	assert_int_equal(reader.place_count, reader.columns.count);
	for (size_t i = 0; i < reader.place_count; i++) {
		struct column *column = &reader.places[i];

		if (column->form != 'c')
			assert_int_equal(column->next, column->form == 'u' ? column->indexes.count
									   : column->values.count);
		free_texts(&column->values);
		free_texts(&column->indexes);
	}
	for (size_t i = 0; i < reader.edge_count; i++)
		free(reader.edges[i].key);
	free(reader.edges);
	free(reader.places);
	free_texts(&reader.shapes);
	free_texts(&reader.columns);
	return strbuf_detach(&reader.out);
}

/* ---- tests ---- */

static void receive(void *data, const char *text, size_t length)
{
	strbuf_add(data, text, length);
}

/* Packs a document that comes in pieces of `step` bytes. */
static char *packed_by(const char *text, size_t step)
{
	struct strbuf out = STRBUF_INIT;
	struct html_pack *pack = html_pack_create(receive, &out);

	for (size_t left = strlen(text); left;
	     text += step < left ? step : left, left -= step < left ? step : left)
		html_pack_add(pack, text, step < left ? step : left);
	html_pack_destroy(pack);
	return strbuf_detach(&out);
}

static void assert_packed(const char *text, const char *expected)
{
	_cleanup_free_ char *packed = packed_by(text, SIZE_MAX);

	assert_string_equal(packed, expected);
}

static void assert_comes_back(const char *text)
{
	for (size_t step = 1; step < 8; step++) {
		_cleanup_free_ char *packed = packed_by(text, step);
		_cleanup_free_ char *document = unpack(packed);

		assert_string_equal(document, text);
	}
}

static void test_forms_of_columns(void **state)
{
	(void)state;
	assert_packed("[7,7,7]\n", "{\"shapes\":[],\"columns\":[{\"c\":[-4]},{\"c\":7}]}");
	assert_packed("[\"a\",1.5,null]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-4]},[\"a\",1.5,null]]}");
	assert_packed("[70000,70001,69999]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-4]},{\"d\":[70000,1,-2]}]}");
	assert_packed("[\"redis-server\",\"lua\",\"redis-server\"]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-4]},"
		      "{\"u\":[\"redis-server\",\"lua\"],\"i\":[0,1,0]}]}");
	assert_packed("{\"a\":1,\"b\":{}}",
		      "{\"shapes\":[[],[\"a\",\"b\"]],\"columns\":[{\"c\":[1]},{\"c\":1},"
		      "{\"c\":[0]}]}");
}

/* A script would round such an integer, even a single one. */
static void test_integers_above_doubles(void **state)
{
	(void)state;
	assert_packed("[18446744071589079472]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-2]},{\"b\":[-2120472144]}]}");
	assert_packed("[9223372036854775808,1]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-3]},"
		      "{\"b\":[\"-9223372036854775808\",\"-9223372036854775807\"]}]}");
	assert_packed("[9007199254740992,9007199254740992]",
		      "{\"shapes\":[],\"columns\":[{\"c\":[-3]},{\"c\":9007199254740992}]}");
}

static void test_documents_come_back(void **state)
{
	static const char *const documents[] = {
		"7",
		"\"{[,:\\\"\\\\\"",
		"[]",
		"{}",
		"[[],[1],[2,[3,\"x\"]],{\"a\":[]},null,true,-1.5e+10]",
		"[{\"name\":\"a\",\"size\":8},{\"name\":\"b\",\"size\":8},{\"size\":1},{}]",
		("{\"rows\":[{\"address\":18446744071589079472,\"at\":[1,2]},"
		 "{\"address\":18446744071589079480,\"at\":[3]},{\"address\":64,\"at\":[]}]}"),
		"[-5,18446744073709551615,0,-9007199254740992,99999999999999999999]",
		"{\"\":{\"\":[\"\",\"\"]},\"a,b\":\"\\u0001\\n\xe2\x82\xac\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(documents); i++)
		assert_comes_back(documents[i]);
}

/* The column is longer than the part that is flushed at once. */
static void test_a_long_column(void **state)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_add_char(&text, '[');
	for (uint64_t i = 0; i < 30000; i++)
		strbuf_add_format(&text, "%s%" PRIu64, i ? "," : "", i * i * 7919 % 100003);
	strbuf_add_char(&text, ']');

	_cleanup_free_ char *packed = packed_by(text.data, 4096);
	_cleanup_free_ char *document = unpack(packed);

	assert_string_equal(document, text.data);
}

static int unpack_input(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char buffer[1 << 16];
	size_t got;

	while ((got = fread(buffer, 1, sizeof(buffer), stdin)))
		strbuf_add(&text, buffer, got);
	if (!text.length)
		return EXIT_FAILURE;

	_cleanup_free_ char *document = unpack(text.data);

	puts(document);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms_of_columns),
		cmocka_unit_test(test_integers_above_doubles),
		cmocka_unit_test(test_documents_come_back),
		cmocka_unit_test(test_a_long_column),
	};

	if (argc == 2 && !strcmp(argv[1], "--unpack"))
		return unpack_input();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
