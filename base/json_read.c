// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/json_read.h"

#include "base/strbuf.h"

struct json_reader json_reader_of(const char *text, size_t size, struct string_pool *strings)
{
	return (struct json_reader){ .text = text, .size = size, .strings = strings };
}

void json_reader_fail(struct json_reader *reader, const char *problem)
{
	if (!reader->problem)
		reader->problem = problem;
}

/* Returns the next character after spaces, which is not passed; 0: the text ends, or has failed. */
static char next_character(struct json_reader *reader)
{
	while (reader->position < reader->size &&
	       strchr(" \t\r\n", reader->text[reader->position]) && reader->text[reader->position])
		reader->position++;
	if (!reader->problem && reader->position == reader->size)
		json_reader_fail(reader, "the text ends too early");
	return reader->problem ? 0 : reader->text[reader->position];
}

static void read_character(struct json_reader *reader, char wanted, const char *problem)
{
	if (next_character(reader) == wanted)
		reader->position++;
	else
		json_reader_fail(reader, problem);
}

void json_read_object(struct json_reader *reader)
{
	read_character(reader, '{', "an object is missing");
	reader->fresh = true;
}

void json_read_array(struct json_reader *reader)
{
	read_character(reader, '[', "an array is missing");
	reader->fresh = true;
}

/* Passes the comma before one more item. False: the object or array ends. */
static bool read_item(struct json_reader *reader, char end)
{
	char next = next_character(reader);
	bool fresh = reader->fresh;

	reader->fresh = false;
	if (next == end) {
		reader->position++;
		return false;
	}
	if (!fresh)
		read_character(reader, ',', "a comma is missing");
	return !reader->problem;
}

bool json_read_element(struct json_reader *reader)
{
	return read_item(reader, ']');
}

/* Returns the number of four hexadecimal digits. */
static uint32_t read_unit(struct json_reader *reader)
{
	uint32_t unit = 0;

	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		char digit = reader->position < reader->size ? reader->text[reader->position] : 0;
		const char *place = digit ? strchr(digits, digit) : NULL;

		if (!place) {
			json_reader_fail(reader, "\\u needs four digits");
			return 0;
		}
		unit = unit << 4 | (uint32_t)((place - digits) % 16);
		reader->position++;
	}
	return unit;
}

static void add_utf8(struct strbuf *buffer, uint32_t code)
{
	char bytes[4];
	size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = count; i-- > 1; code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(count == 1 ? code : (0xf00 >> count & 0xff) | code);
	strbuf_add(buffer, bytes, count);
}

/* Reads what follows \u. */
static void read_code_point(struct json_reader *reader, struct strbuf *buffer)
{
	uint32_t code = read_unit(reader);

	if (code >= 0xd800 && code < 0xdc00 && reader->size - reader->position > 2 &&
	    reader->text[reader->position] == '\\' && reader->text[reader->position + 1] == 'u') {
		reader->position += 2;
		uint32_t low = read_unit(reader);

		code = low >= 0xdc00 && low < 0xe000
			       ? 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00
			       : 0;
	}
	if (!code || (code >= 0xd800 && code < 0xe000))
		json_reader_fail(reader, "\\u does not name a character");
	else
		add_utf8(buffer, code);
}

static void read_escape(struct json_reader *reader, struct strbuf *buffer)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	char name = reader->position < reader->size ? reader->text[reader->position++] : 0;
	const char *place = name ? strchr(names, name) : NULL;

	if (name == 'u')
		read_code_point(reader, buffer);
	else if (place)
		strbuf_add_char(buffer, values[place - names]);
	else
		json_reader_fail(reader, "an escape is not known");
}

static const char *read_text(struct json_reader *reader)
{
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	read_character(reader, '"', "a string is missing");
	while (!reader->problem) {
		if (reader->position == reader->size) {
			json_reader_fail(reader, "a string does not end");
			break;
		}
		char each = reader->text[reader->position++];

		if (each == '"')
			return string_pool_intern(reader->strings, buffer.data ?: "");
		if ((unsigned char)each < ' ')
			json_reader_fail(reader, "a control character is in a string");
		else if (each == '\\')
			read_escape(reader, &buffer);
		else
			strbuf_add_char(&buffer, each);
	}
	return NULL;
}

const char *json_read_member(struct json_reader *reader)
{
	const char *name = read_item(reader, '}') ? read_text(reader) : NULL;

	if (name)
		read_character(reader, ':', "a colon is missing");
	return reader->problem ? NULL : name;
}

/* Passes a word; false: it is not there. */
static bool read_word(struct json_reader *reader, const char *word)
{
	size_t length = strlen(word);

	if (next_character(reader) != *word || reader->size - reader->position < length ||
	    memcmp(reader->text + reader->position, word, length) != 0)
		return false;
	reader->position += length;
	return true;
}

const char *json_read_string(struct json_reader *reader)
{
	return read_word(reader, "null") ? NULL : read_text(reader);
}

static bool is_digit(const struct json_reader *reader)
{
	return reader->position < reader->size && reader->text[reader->position] >= '0' &&
	       reader->text[reader->position] <= '9';
}

uint64_t json_read_count(struct json_reader *reader)
{
	uint64_t number = 0;

	next_character(reader);
	if (!is_digit(reader))
		json_reader_fail(reader, "a whole number is missing");
	while (!reader->problem && is_digit(reader)) {
		unsigned int digit = (unsigned int)(reader->text[reader->position] - '0');

		if (number > (UINT64_MAX - digit) / 10) {
			json_reader_fail(reader, "a number is too large");
			break;
		}
		number = number * 10 + digit;
		reader->position++;
	}
	if (reader->position < reader->size && strchr(".eE", reader->text[reader->position]) &&
	    reader->text[reader->position])
		json_reader_fail(reader, "a whole number is missing");
	return reader->problem ? 0 : number;
}

int64_t json_read_integer(struct json_reader *reader)
{
	bool negative = next_character(reader) == '-';

	reader->position += negative;

	uint64_t number = json_read_count(reader);

	if (number > INT64_MAX)
		json_reader_fail(reader, "a number is too large");
	return reader->problem ? 0 : negative ? -(int64_t)number : (int64_t)number;
}

/* Passes a number, or another value that is one word. */
static void read_plain(struct json_reader *reader)
{
	size_t start = reader->position;

	if (read_word(reader, "true") || read_word(reader, "false") || read_word(reader, "null"))
		return;
	while (reader->position < reader->size && reader->text[reader->position] &&
	       strchr("+-.0123456789eE", reader->text[reader->position]))
		reader->position++;
	if (reader->position == start)
		json_reader_fail(reader, "a value is missing");
}

/* Objects and arrays around a value that is passed over, at most. */
#define DEPTH_MAX 64

void json_read_other(struct json_reader *reader)
{
	char ends[DEPTH_MAX];
	size_t depth = 0;

	do {
		char next = next_character(reader);

		if (next == '{' || next == '[') {
			if (depth == DEPTH_MAX) {
				json_reader_fail(reader, "values are nested too deeply");
				break;
			}
			ends[depth++] = next == '{' ? '}' : ']';
			reader->position++;
			reader->fresh = true;
		} else if (next == '"') {
			read_text(reader);
		} else {
			read_plain(reader);
		}
		/* up to the next value */
		while (depth && !reader->problem &&
		       !(ends[depth - 1] == '}' ? json_read_member(reader) != NULL
						: json_read_element(reader)))
			depth--;
	} while (depth && !reader->problem);
}

struct error *json_reader_finish(struct json_reader *reader, const char *path)
{
	size_t line = 1;

	while (!reader->problem && reader->position < reader->size)
		if (!strchr(" \t\r\n", reader->text[reader->position++]) ||
		    !reader->text[reader->position - 1])
			json_reader_fail(reader, "something follows the value");
	if (!reader->problem)
		return NULL;
	for (size_t i = 0; i < reader->position && i < reader->size; i++)
		line += reader->text[i] == '\n';
	return error_create(ERROR_FORMAT, "%s: line %zu: %s", path, line, reader->problem);
}
