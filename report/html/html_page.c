// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements html_page.h. The assembler includes the sources of the page, so the program carries
 * them.
 */
#include "report/html/html_page.h"

#include <assert.h>
#include <inttypes.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "report/json.h"

// clang-format off
#define INCLUDE_FILE(name, path) \
	__asm__(".pushsection .rodata\n" \
		#name ": .incbin \"" path "\"\n" \
		".byte 0\n" \
		".popsection\n"); \
	extern const char name[] __attribute__((visibility("hidden")))
// clang-format on

INCLUDE_FILE(html_page_frame, "report/html/page.html");
INCLUDE_FILE(html_page_style, "report/html/page.css");
INCLUDE_FILE(html_advice_script, "report/html/advice.js");
INCLUDE_FILE(html_sharing_script, "report/html/sharing.js");
INCLUDE_FILE(html_page_script, "report/html/page.js");

#define LINE_BYTES 57 /* 76 characters of base64 */

struct html_page {
	struct output_file file;
	struct html_pack *pack;
	struct gzip_sink *gzip;   /* of the packed document */
	uint8_t rest[LINE_BYTES]; /* compressed bytes that do not fill a line yet */
	size_t rest_length;
	const char *tail; /* the part of the frame that follows the data */
};

static void write_bytes(struct html_page *page, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, page->file.stream);
}

static void write_base64_line(struct html_page *page)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	strbuf_add_base64(&line, page->rest, page->rest_length);
	strbuf_add_char(&line, '\n');
	write_bytes(page, line.data, line.length);
	page->rest_length = 0;
}

/* A gzip_receiver: `into` is a struct html_page. */
static void add_compressed(void *into, const char *bytes, size_t length)
{
	struct html_page *page = into;

	while (length) {
		size_t part = LINE_BYTES - page->rest_length;

		lower_to(part, length);
		memcpy(page->rest + page->rest_length, bytes, part);
		page->rest_length += part;
		bytes += part;
		length -= part;
		if (page->rest_length < LINE_BYTES)
			break;
		write_base64_line(page);
	}
}

/* Writes the frame up to @DATA@, with the style and the script in their places. */
static void write_head(struct html_page *page)
{
	const char *rest = html_page_frame, *data = strstr(rest, "@DATA@"),
		   *style = strstr(rest, "@STYLE@");

	write_bytes(page, rest, (size_t)(style - rest));
	write_bytes(page, html_page_style, strlen(html_page_style));
	rest = style + strlen("@STYLE@");
	write_bytes(page, rest, (size_t)(data - rest));
	page->tail = data + strlen("@DATA@");
}

static void write_tail(struct html_page *page)
{
	/* one script: its first part has "use strict", and its last part starts it */
	const char *const parts[] = { html_advice_script, html_sharing_script, html_page_script };
	const char *script = strstr(page->tail, "@SCRIPT@");

	write_bytes(page, page->tail, (size_t)(script - page->tail));
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		write_bytes(page, parts[i], strlen(parts[i]));
	script += strlen("@SCRIPT@");
	write_bytes(page, script, strlen(script));
}

struct error *html_page_open(const char *path, const char *input, struct html_page **result)
{
	struct output_file file;

	RETURN_ERROR(output_file_open(path, input, OUTPUT_PRIVATE, &file));

	struct html_page *page = xcalloc(1, sizeof(*page));
	struct error *error = gzip_sink_create(add_compressed, page, GZIP_SMALLEST, &page->gzip);

	if (error) {
		error_destroy(output_file_close(&file, false));
		free(page);
		return error;
	}
	page->pack = html_pack_create(gzip_sink_add, page->gzip);
	page->file = file;
	write_head(page);
	*result = page;
	return NULL;
}

void html_page_add(void *page, const char *text, size_t length)
{
	html_pack_add(((struct html_page *)page)->pack, text, length);
}

struct error *html_page_close(struct html_page *page, bool wanted)
{
	html_pack_destroy(page->pack);

	struct error *error = gzip_sink_destroy(page->gzip), *problem;

	if (page->rest_length)
		write_base64_line(page);
	write_tail(page);
	problem = output_file_close(&page->file, wanted && !error);
	if (error)
		error_destroy(problem);
	else
		error = problem;
	free(page);
	return error;
}

/*
 * ---- packed JSON ----
 *
 * The text is cut into tokens as it comes; each value becomes the number of its token in a column.
 * The columns are written at the end, because an object's shape is known only at its end and a
 * column's best form only from all of its values.
 */

#define FLUSH_AFTER ((size_t)1 << 16)
#define EXACT_MAX   (UINT64_C(1) << 53) /* a double has all integers up to this one */
#define NOT_MET     UINT32_MAX

/* A distinct value as it stands in the document. */
struct pack_token {
	const char *text;
	uint32_t length;
	bool is_integer, is_negative;
	uint64_t value; /* of an integer, modulo 2^64 */
};

struct pack_column {
	uint32_t *tokens;
	size_t count, capacity;
};

/* An open object or array. */
struct pack_level {
	bool is_array, wants_key;
	uint32_t place;
	size_t slot;        /* of its own value in the place's column */
	uint64_t count;     /* elements of an array so far */
	uint32_t key;       /* token of the member whose value comes next */
	struct strbuf keys; /* of an object, with commas between */
};

struct html_pack {
	html_pack_receiver *receive;
	void *data;
	struct string_pool pool;
	struct hash_map token_of; /* from interned texts to tokens */
	struct pack_token *tokens;
	size_t token_count, token_capacity;
	struct hash_map shape_of; /* from interned lists of keys to shapes */
	const char **shapes;
	size_t shape_count, shape_capacity;
	struct hash_map place_of; /* from a place and a key's token + 1 (elements: 0) to places */
	struct pack_column *columns; /* by place */
	size_t place_count, place_capacity;
	struct pack_level levels[JSON_DEPTH_MAX];
	size_t depth;
	struct strbuf token; /* the one that is being read */
	bool in_string, escaped;
};

struct html_pack *html_pack_create(html_pack_receiver *receive, void *data)
{
	struct html_pack *pack = xcalloc(1, sizeof(*pack));

	pack->receive = receive;
	pack->data = data;
	pack->token = (struct strbuf)STRBUF_INIT;
	return pack;
}

/* ---- tokens ---- */

/* Sets the token's value if it is an integer of 64 bits. */
static void parse_integer(struct pack_token *token)
{
	const char *digit = token->text + (*token->text == '-');
	uint64_t value = 0;

	if (!*digit)
		return;
	for (; *digit; digit++)
		if (*digit < '0' || *digit > '9' ||
		    __builtin_mul_overflow(value, UINT64_C(10), &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
			return;
	token->is_negative = *token->text == '-';
	if (token->is_negative && value > EXACT_MAX)
		return;
	token->is_integer = true;
	token->value = token->is_negative ? -value : value;
}

static uint32_t token_number(struct html_pack *pack, const char *text)
{
	const char *interned = string_pool_intern(&pack->pool, text);
	bool created;
	struct pack_token *token = hash_map_item(&pack->token_of, (uintptr_t)interned, pack->tokens,
						 pack->token_count, pack->token_capacity, &created);

	if (created) {
		token->text = interned;
		token->length = (uint32_t)strlen(interned);
		parse_integer(token);
	}
	return (uint32_t)(token - pack->tokens);
}

static uint32_t shape_number(struct html_pack *pack, const char *keys)
{
	const char *interned = string_pool_intern(&pack->pool, keys);
	const char **shape = hash_map_item(&pack->shape_of, (uintptr_t)interned, pack->shapes,
					   pack->shape_count, pack->shape_capacity, NULL);

	*shape = interned;
	return (uint32_t)(shape - pack->shapes);
}

/* ---- columns ---- */

/* Returns the place of the value that comes next. */
static uint32_t next_place(struct html_pack *pack)
{
	struct pack_level *level = pack->depth ? &pack->levels[pack->depth - 1] : NULL;
	uint64_t key = 0;

	if (level) {
		key = ((uint64_t)level->place + 1) << 32 |
		      (level->is_array ? 0 : (uint64_t)level->key + 1);
		level->count++;
	}
	return (uint32_t)(hash_map_item(&pack->place_of, key, pack->columns, pack->place_count,
					pack->place_capacity, NULL) -
			  pack->columns);
}

static size_t html_page_add_value(struct html_pack *pack, uint32_t place, uint32_t token)
{
	struct pack_column *column = &pack->columns[place];

	array_add(column->tokens, column->count, column->capacity) = token;
	return column->count - 1;
}

static void html_page_open_level(struct html_pack *pack, bool is_array)
{
	uint32_t place = next_place(pack);
	size_t slot = html_page_add_value(pack, place, 0);

	assert(pack->depth < JSON_DEPTH_MAX);
	pack->levels[pack->depth++] = (struct pack_level){ .is_array = is_array,
							   .wants_key = !is_array,
							   .place = place,
							   .slot = slot,
							   .keys = STRBUF_INIT };
}

static void close_level(struct html_pack *pack)
{
	struct pack_level *level = &pack->levels[--pack->depth];
	char text[32];

	if (level->is_array)
		snprintf(text, sizeof(text), "[%" PRId64 "]", -1 - (int64_t)level->count);
	else
		snprintf(text, sizeof(text), "[%" PRIu32 "]",
			 shape_number(pack, level->keys.length ? level->keys.data : ""));
	pack->columns[level->place].tokens[level->slot] = token_number(pack, text);
	strbuf_deinit(&level->keys);
}

/* Takes the token that was read, if there is one: a key or a value. */
static void end_token(struct html_pack *pack)
{
	struct pack_level *level = pack->depth ? &pack->levels[pack->depth - 1] : NULL;
	uint32_t token;

	if (!pack->token.length)
		return;
	token = token_number(pack, pack->token.data);
	if (level && level->wants_key) {
		level->key = token;
		level->wants_key = false;
		if (level->keys.length)
			strbuf_add_char(&level->keys, ',');
		strbuf_add(&level->keys, pack->token.data, pack->token.length);
	} else {
		html_page_add_value(pack, next_place(pack), token);
	}
	strbuf_reset(&pack->token);
}

/* Takes a character outside of strings. */
static void take(struct html_pack *pack, char character)
{
	switch (character) {
	case '{':
	case '[': html_page_open_level(pack, character == '['); break;
	case '}':
	case ']':
		end_token(pack);
		close_level(pack);
		break;
	case ',':
		end_token(pack);
		pack->levels[pack->depth - 1].wants_key = !pack->levels[pack->depth - 1].is_array;
		break;
	case ':':
	case ' ':
	case '\n':
	case '\t': end_token(pack); break;
	case '"': pack->in_string = true; __attribute__((fallthrough));
	default: strbuf_add_char(&pack->token, character);
	}
}

void html_pack_add(void *data, const char *text, size_t length)
{
	struct html_pack *pack = data;

	for (size_t i = 0; i < length; i++) {
		if (!pack->in_string) {
			take(pack, text[i]);
			continue;
		}
		strbuf_add_char(&pack->token, text[i]);
		if (pack->escaped)
			pack->escaped = false;
		else if (text[i] == '\\')
			pack->escaped = true;
		else if (text[i] == '"')
			pack->in_string = false;
	}
}

/* ---- writing ---- */

struct pack_output {
	struct html_pack *pack;
	struct strbuf text;
	uint32_t *index_of; /* of each token among a column's distinct ones; NOT_MET */
	uint32_t *distinct; /* tokens */
	size_t distinct_count;
};

static void html_page_flush(struct pack_output *output)
{
	output->pack->receive(output->pack->data, output->text.data, output->text.length);
	strbuf_reset(&output->text);
}

static void add_comma(struct pack_output *output, size_t index)
{
	if (output->text.length >= FLUSH_AFTER)
		html_page_flush(output);
	if (index)
		strbuf_add_char(&output->text, ',');
}

static size_t decimal_length(int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	size_t length = 1 + (value < 0);

	for (; rest >= 10; rest /= 10)
		length++;
	return length;
}

/* Returns value i of the column minus the one before it; the first one minus 0. */
static int64_t difference(const struct html_pack *pack, const struct pack_column *column, size_t i)
{
	uint64_t before = i ? pack->tokens[column->tokens[i - 1]].value : 0;

	return (int64_t)(pack->tokens[column->tokens[i]].value - before);
}

/* The bytes that a column takes in each form. */
struct pack_sizes {
	size_t plain, indexed, differences;
	bool integers;
	bool wide; /* integers, some of which scripts cannot read as numbers */
};

static struct pack_sizes measure(struct pack_output *output, const struct pack_column *column)
{
	struct pack_sizes sizes = { .integers = true };
	bool negative = false;

	output->distinct_count = 0;
	for (size_t i = 0; i < column->count; i++) {
		uint32_t number = column->tokens[i];
		const struct pack_token *token = &output->pack->tokens[number];

		if (output->index_of[number] == NOT_MET) {
			output->index_of[number] = (uint32_t)output->distinct_count;
			output->distinct[output->distinct_count++] = number;
			sizes.indexed += token->length + 1;
		}
		sizes.plain += token->length + 1;
		sizes.indexed += decimal_length(output->index_of[number]) + 1;
		sizes.integers &= token->is_integer;
		sizes.wide |= token->is_integer && !token->is_negative && token->value > EXACT_MAX;
		negative |= token->is_negative;
		if (sizes.integers)
			sizes.differences +=
				decimal_length(difference(output->pack, column, i)) + 1;
	}
	sizes.wide &= sizes.integers && !negative;
	return sizes;
}

static void add_indexed(struct pack_output *output, const struct pack_column *column)
{
	strbuf_add_string(&output->text, "{\"u\":[");
	for (size_t i = 0; i < output->distinct_count; i++) {
		add_comma(output, i);
		strbuf_add_string(&output->text, output->pack->tokens[output->distinct[i]].text);
	}
	strbuf_add_string(&output->text, "],\"i\":[");
	for (size_t i = 0; i < column->count; i++) {
		add_comma(output, i);
		strbuf_add_format(&output->text, "%" PRIu32, output->index_of[column->tokens[i]]);
	}
	strbuf_add_string(&output->text, "]}");
}

static void add_differences(struct pack_output *output, const struct pack_column *column, bool wide)
{
	strbuf_add_string(&output->text, wide ? "{\"b\":[" : "{\"d\":[");
	for (size_t i = 0; i < column->count; i++) {
		int64_t value = difference(output->pack, column, i);
		bool quoted = wide && (value > (int64_t)EXACT_MAX || value < -(int64_t)EXACT_MAX);

		add_comma(output, i);
		strbuf_add_format(&output->text, quoted ? "\"%" PRId64 "\"" : "%" PRId64, value);
	}
	strbuf_add_string(&output->text, "]}");
}

static void add_plain(struct pack_output *output, const struct pack_column *column)
{
	strbuf_add_char(&output->text, '[');
	for (size_t i = 0; i < column->count; i++) {
		add_comma(output, i);
		strbuf_add_string(&output->text, output->pack->tokens[column->tokens[i]].text);
	}
	strbuf_add_char(&output->text, ']');
}

static void add_column(struct pack_output *output, const struct pack_column *column)
{
	struct pack_sizes sizes = measure(output, column);

	if (sizes.wide)
		add_differences(output, column, true);
	else if (output->distinct_count == 1)
		strbuf_add_format(&output->text, "{\"c\":%s}",
				  output->pack->tokens[output->distinct[0]].text);
	else if (sizes.integers && sizes.differences < sizes.plain &&
		 sizes.differences < sizes.indexed)
		add_differences(output, column, false);
	else if (sizes.indexed < sizes.plain)
		add_indexed(output, column);
	else
		add_plain(output, column);
	for (size_t i = 0; i < output->distinct_count; i++)
		output->index_of[output->distinct[i]] = NOT_MET;
}

static void write_packed(struct html_pack *pack)
{
	struct pack_output output = {
		.pack = pack,
		.text = STRBUF_INIT,
		.index_of = xcalloc(pack->token_count + 1, sizeof(*output.index_of)),
		.distinct = xcalloc(pack->token_count + 1, sizeof(*output.distinct))
	};

	for (size_t i = 0; i < pack->token_count; i++)
		output.index_of[i] = NOT_MET;
	strbuf_add_string(&output.text, "{\"shapes\":[");
	for (size_t i = 0; i < pack->shape_count; i++) {
		add_comma(&output, i);
		strbuf_add_format(&output.text, "[%s]", pack->shapes[i]);
	}
	strbuf_add_string(&output.text, "],\"columns\":[");
	for (size_t i = 0; i < pack->place_count; i++) {
		add_comma(&output, i);
		add_column(&output, &pack->columns[i]);
	}
	strbuf_add_string(&output.text, "]}");
	html_page_flush(&output);
	strbuf_deinit(&output.text);
	free_all(output.index_of, output.distinct);
}

void html_pack_destroy(struct html_pack *pack)
{
	if (!pack)
		return;
	end_token(pack);
	write_packed(pack);
	for (size_t i = 0; i < pack->place_count; i++)
		free(pack->columns[i].tokens);
	while (pack->depth)
		strbuf_deinit(&pack->levels[--pack->depth].keys);
	free_all(pack->columns, pack->tokens, pack->shapes);
	strbuf_deinit(&pack->token);
	hash_map_deinit(&pack->token_of);
	hash_map_deinit(&pack->shape_of);
	hash_map_deinit(&pack->place_of);
	string_pool_deinit(&pack->pool);
	free(pack);
}
