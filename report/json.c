// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements json.h. */
#include "report/json.h"

#include <assert.h>
#include <zlib.h>

#include "base/memory.h"
#include "report/result.h"
#include "report/text.h"
#include "base/text.h"

#define FLUSH_AFTER ((size_t)1 << 16)

/* Returns how many characters from the start on need no escape: printable ones of ASCII. */
static size_t plain_length(const char *text)
{
	static const bool is_plain[256] = { [' ' ... '!'] = true,
					    ['#' ... '['] = true,
					    [']' ... '~'] = true };
	size_t length = 0;

	while (is_plain[(uint8_t)text[length]])
		length++;
	return length;
}

static void add_quoted(struct json *json, const char *text)
{
	struct strbuf *buffer = &json->text;
	size_t plain = plain_length(text);
	size_t left = strlen(text + plain) + plain;

	if (left == plain) {
		char *quoted = strbuf_extend(buffer, plain + 2);

		memcpy(quoted + 1, text, plain);
		quoted[0] = quoted[plain + 1] = '"';
		return;
	}
	strbuf_add_char(buffer, '"');
	for (; left; plain = plain_length(text)) {
		size_t size = plain ?: utf8_sequence(text, left);

		if (plain)
			strbuf_add(buffer, text, plain);
		else if (!size)
			strbuf_add_string(buffer, "\xef\xbf\xbd");
		else if (*text == '"' || *text == '\\')
			strbuf_add_format(buffer, "\\%c", *text);
		else if (json->printable && utf8_is_control(text, size))
			strbuf_add_char(buffer, '?');
		else if (*text == '\n')
			strbuf_add_string(buffer, "\\n");
		else if (*text == '\t')
			strbuf_add_string(buffer, "\\t");
		else if (utf8_is_control(text, size))
			strbuf_add_format(buffer, "\\u%04x", utf8_code_point(text, size));
		else
			strbuf_add(buffer, text, size);
		text += size ?: 1;
		left -= size ?: 1;
	}
	strbuf_add_char(buffer, '"');
}

static void flush(struct json *json)
{
	json->flush(json->data, json->text.data, json->text.length);
	strbuf_reset(&json->text);
}

/* Begins a line, after a comma if one is due. */
static void json_begin_line(struct json *json, bool comma)
{
	size_t size = json->compact ? 0 : 1 + json->depth;
	char *text = strbuf_extend(&json->text, comma + size);

	if (comma)
		*text++ = ',';
	if (size) {
		*text = '\n';
		memset(text + 1, ' ', json->depth);
	}
}

/* Appends the comma, indentation and name before a value. Flushes long text. */
static void begin(struct json *json, const char *name)
{
	if (json->flush && json->text.length >= FLUSH_AFTER)
		flush(json);
	if (!json->depth)
		return;
	assert((json->close[json->depth - 1] == '}') == (name != NULL));
	json_begin_line(json, json->filled[json->depth - 1]);
	json->filled[json->depth - 1] = true;
	if (name) {
		add_quoted(json, name);
		strbuf_add_string(&json->text, json->compact ? ":" : ": ");
	}
}

static void open_level(struct json *json, const char *name, char opening, char closing)
{
	begin(json, name);
	strbuf_add_char(&json->text, opening);
	assert(json->depth < JSON_DEPTH_MAX);
	json->filled[json->depth] = false;
	json->close[json->depth++] = closing;
}

void json_object(struct json *json, const char *name)
{
	open_level(json, name, '{', '}');
}

void json_start(struct json *json, const char *name, const char *format, unsigned int version)
{
	json_object(json, name);
	json_string(json, "format", format);
	json_unsigned(json, "version", version);
}

void json_array(struct json *json, const char *name)
{
	open_level(json, name, '[', ']');
}

void json_end(struct json *json)
{
	json->depth--;
	if (json->filled[json->depth])
		json_begin_line(json, false);
	strbuf_add_char(&json->text, json->close[json->depth]);
}

void json_string(struct json *json, const char *name, const char *value)
{
	if (!value) {
		json_null(json, name);
		return;
	}
	begin(json, name);
	add_quoted(json, value);
}

void json_unsigned(struct json *json, const char *name, uint64_t value)
{
	begin(json, name);
	strbuf_add_number(&json->text, value);
}

void json_signed(struct json *json, const char *name, int64_t value)
{
	begin(json, name);
	if (value < 0)
		strbuf_add_char(&json->text, '-');
	strbuf_add_number(&json->text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* Appends a number below 1e9 with the fewest decimals, at most 6, that read back as the number, as
 * a double or, if `single`, as a float. False: none do. Both parts of the division are exact, so
 * its result is the number that a reader gets of the text. */
static bool add_decimals(struct strbuf *text, double value, bool single)
{
	static const unsigned int powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };

	for (size_t i = 0; value < 1e9 && i < COUNT_OF(powers); i++) {
		uint64_t number = (uint64_t)(value * powers[i] + 0.5);
		double read = (double)number / powers[i];

		if (single ? (float)read != (float)value : read != value)
			continue;
		strbuf_add_number(text, number / powers[i]);
		if (i)
			strbuf_add_char(text, '.');
		for (unsigned int digit = powers[i] / 10; digit; digit /= 10)
			strbuf_add_char(text, (char)('0' + number / digit % 10));
		return true;
	}
	return false;
}

void json_double_exact(struct json *json, const char *name, double value, bool single)
{
	bool negative = value < 0 || (value == 0 && 1 / value < 0);

	if (value != value || value - value != 0) {
		json_null(json, name);
		return;
	}
	begin(json, name);
	if (negative)
		strbuf_add_char(&json->text, '-');
	value = negative ? -value : value;
	if (!add_decimals(&json->text, value, single))
		strbuf_add_format(&json->text, "%.*g", single ? 9 : 17, value);
}

void json_double(struct json *json, const char *name, double value)
{
	begin(json, name);
	if (value != value || value - value != 0)
		strbuf_add_string(&json->text, "null");
	else
		strbuf_add_format(&json->text, "%.6g", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	begin(json, name);
	strbuf_add_string(&json->text, value ? "true" : "false");
}

void json_null(struct json *json, const char *name)
{
	begin(json, name);
	strbuf_add_string(&json->text, "null");
}

void json_lines(struct json *json, const char *name, uint64_t first, uint64_t last)
{
	json_array(json, name);
	json_unsigned(json, NULL, first);
	if (last == LINES_OPEN)
		json_null(json, NULL);
	else
		json_unsigned(json, NULL, last);
	json_end(json);
}

void json_copy(struct json *json, const struct result_copy *copy)
{
	json_string(json, "text", copy->text);
	json_string(json, "type", copy->type);
	json_size(json, copy->size, !copy->size);
	if (copy->bytes)
		json_unsigned(json, "bytes", copy->bytes);
	else
		json_null(json, "bytes");
	json_string(json, "from", copy->from);
	json_string(json, "to", copy->to);
	json_string(json, "line", copy->line);
	json_string(json, "function", copy->function);
	json_string(json, "hint", copy->hint);
}

void json_finish(struct json *json)
{
	while (json->depth)
		json_end(json);
	strbuf_add_char(&json->text, '\n');
	flush(json);
	strbuf_deinit(&json->text);
}

void json_part_init(struct json *part, const struct json *whole)
{
	*part = (struct json){ .text = STRBUF_INIT,
			       .compact = whole->compact,
			       .printable = whole->printable,
			       .depth = whole->depth };
	memcpy(part->close, whole->close, sizeof(part->close));
}

void json_add_part(struct json *whole, struct json *part)
{
	assert(part->depth == whole->depth && part->depth);
	if (part->text.length) {
		if (whole->filled[whole->depth - 1])
			strbuf_add_char(&whole->text, ',');
		whole->filled[whole->depth - 1] = true;
		strbuf_add(&whole->text, part->text.data, part->text.length);
	}
	if (whole->flush && whole->text.length >= FLUSH_AFTER)
		flush(whole);
	strbuf_deinit(&part->text);
}

/* ---- comma-separated values ---- */

void csv_add_text(struct strbuf *buffer, const char *text)
{
	text = text ?: "";

	bool quoted = strpbrk(text, ",\"") || *text == ' ';
	size_t left = strlen(text);

	if (quoted)
		strbuf_add_char(buffer, '"');
	while (left) {
		size_t size = utf8_sequence(text, left);

		if (*text == '"')
			strbuf_add_char(buffer, '"');
		/* a spreadsheet or a terminal would act on it */
		if (size && utf8_is_control(text, size))
			strbuf_add_char(buffer, '?');
		else if (size)
			strbuf_add(buffer, text, size);
		else
			strbuf_add_string(buffer, "\xef\xbf\xbd");
		text += size ?: 1;
		left -= size ?: 1;
	}
	if (quoted)
		strbuf_add_char(buffer, '"');
}

void csv_add_texts(struct strbuf *buffer, const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		strbuf_add_char(buffer, ',');
		csv_add_text(buffer, texts[i]);
	}
}

/* ---- compression by zlib ---- */

#define GZIP_WINDOW (15 + 16) /* deflateInit2: the largest window, with a gzip header */
#define GZIP_MEMORY 9         /* deflateInit2: the most, 256 KB */

struct gzip_sink {
	z_stream stream;
	gzip_receiver *sink;
	void *data;
	bool failed;
};

struct error *gzip_sink_create(gzip_receiver *sink, void *data, int level,
			       struct gzip_sink **result)
{
	struct gzip_sink *gzip = xcalloc(1, sizeof(*gzip));

	*gzip = (struct gzip_sink){ .sink = sink, .data = data };
	if (deflateInit2(&gzip->stream, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return error_other("zlib cannot compress");
	}
	*result = gzip;
	return NULL;
}

static void compress_part(struct gzip_sink *gzip, const char *bytes, size_t length, int flush)
{
	char buffer[1 << 14];

	gzip->stream.next_in = (Bytef *)bytes;
	gzip->stream.avail_in = (uInt)length;
	do {
		gzip->stream.next_out = (Bytef *)buffer;
		gzip->stream.avail_out = sizeof(buffer);
		gzip->failed |= deflate(&gzip->stream, flush) == Z_STREAM_ERROR;
		gzip->sink(gzip->data, buffer, sizeof(buffer) - gzip->stream.avail_out);
	} while (!gzip->stream.avail_out && !gzip->failed);
}

void gzip_sink_add(void *into, const char *bytes, size_t length)
{
	/* zlib counts in unsigned int */
	for (size_t part; length; bytes += part, length -= part) {
		part = length < 1U << 30 ? length : 1U << 30;
		compress_part(into, bytes, part, Z_NO_FLUSH);
	}
}

struct error *gzip_sink_destroy(struct gzip_sink *gzip)
{
	struct error *error = NULL;

	compress_part(gzip, "", 0, Z_FINISH);
	if (gzip->failed)
		error = error_other("zlib cannot compress");
	deflateEnd(&gzip->stream);
	free(gzip);
	return error;
}
