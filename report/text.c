// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements text.h.
 */
#include "report/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

/* Returns whether the text is ASCII, as nearly all names are; tests eight bytes at a time. */
static bool is_ascii(const char *text, size_t length)
{
	uint64_t all = 0, word;
	size_t i = 0;

	for (; i + 8 <= length; i += 8) {
		memcpy(&word, text + i, sizeof(word));
		all |= word;
	}
	for (; i < length; i++)
		all |= (unsigned char)text[i];
	return !(all & UINT64_C(0x8080808080808080));
}

static uint32_t code_point(const char *text, size_t size)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & first_bits[size];

	for (size_t i = 1; i < size; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

static bool is_in(uint32_t code, const uint32_t (*ranges)[2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

/* Returns the columns of a character: 0 for combining characters, 2 for East Asian wide ones and
 * emoji, else 1. The ranges are whole blocks of Unicode 15 (EastAsianWidth.txt, general category
 * Mn). */
static size_t code_columns(uint32_t code)
{
	static const uint32_t none[][2] = { { 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },
					    { 0x610, 0x61a },   { 0x64b, 0x65f },   { 0x1ab0, 0x1aff },
					    { 0x1dc0, 0x1dff }, { 0x200b, 0x200f }, { 0x20d0, 0x20ff },
					    { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f } };
	static const uint32_t two[][2] = { { 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
					   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
					   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
					   { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };

	if (code < 0x300)
		return 1;
	if (is_in(code, none, sizeof(none) / sizeof(*none)))
		return 0;
	return is_in(code, two, sizeof(two) / sizeof(*two)) ? 2 : 1;
}

/* Returns the length of the character at `text` and sets *columns to its width. */
static size_t next_character(const char *text, size_t length, size_t *columns)
{
	size_t size = utf8_sequence(text, length);

	*columns = size ? code_columns(code_point(text, size)) : 1;
	return size ? size : 1;
}

size_t text_columns(const char *text, size_t length)
{
	size_t columns = 0, each;

	if (is_ascii(text, length))
		return length;
	for (size_t i = 0; i < length; columns += each)
		i += next_character(text + i, length - i, &each);
	return columns;
}

size_t text_fitting(const char *text, size_t length, size_t columns)
{
	size_t i = 0;

	if (is_ascii(text, length))
		return length < columns ? length : columns;
	while (i < length) {
		size_t each, size = next_character(text + i, length - i, &each);

		if (each > columns)
			break;
		columns -= each;
		i += size;
	}
	return i;
}

void text_add_columns(struct strbuf *buffer, const char *text, size_t columns)
{
	size_t length = strlen(text), taken = text_columns(text, length);

	strbuf_add(buffer, text, length);
	strbuf_add_format(buffer, "%*s", (int)(taken < columns ? columns - taken : 0), "");
}

void text_shorten(struct strbuf *buffer, size_t start, size_t columns)
{
	static const char dots[] = "...";
	const char *text = buffer->data + start;
	size_t length = buffer->length - start, total = text_columns(text, length), head, tail;

	if (total <= columns)
		return;
	if (columns < sizeof(dots)) {
		buffer->length = start + text_fitting(text, length, columns);
		buffer->data[buffer->length] = '\0';
		return;
	}
	head = text_fitting(text, length, (columns - 3 + 1) / 2);
	tail = text_fitting(text, length, total - (columns - 3) / 2);
	/* A wide character may straddle the cut: then the tail is one column too long. */
	while (text_columns(text + tail, length - tail) > (columns - 3) / 2) {
		size_t each;

		tail += next_character(text + tail, length - tail, &each);
	}

	size_t rest = length - tail;

	memmove(buffer->data + start + head + 3, buffer->data + start + tail, rest);
	memcpy(buffer->data + start + head, dots, 3);
	buffer->length = start + head + 3 + rest;
	buffer->data[buffer->length] = '\0';
}

const char *page_size_text(uint64_t size, char text[PAGE_SIZE_TEXT])
{
	size_t unit = 0;

	if (!size)
		return "N/A";
	for (; size / 1024 > 1 && unit < 3; unit++)
		size /= 1024;
	snprintf(text, PAGE_SIZE_TEXT, "%" PRIu64 "%c", size, "BKMG"[unit]);
	return text;
}
