// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of the browser: text that is safe to show, in spans of styles. */
#include "report/browse/view.h"

#include <string.h>

#include "report/json.h"
#include "report/text.h"

/* ---- safe text ---- */

static uint32_t code_of(const char *text, size_t size)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & first_bits[size];

	for (size_t i = 1; i < size; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/*
 * Returns whether a character may be shown. The controls of ISO 6429 (C0, DEL, C1) move the cursor,
 * those of Unicode's bidirectional algorithm (UAX 9) and its line separators reorder or break the
 * line.
 */
static bool is_shown(uint32_t code)
{
	return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && code != 0x200e && code != 0x200f &&
	       !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069) &&
	       code != 0x61c && code != 0xfeff;
}

void browse_printable(struct strbuf *buffer, const char *text, bool unicode)
{
	size_t length = strlen(text), size;

	for (size_t i = 0; i < length; i += size) {
		size = utf8_sequence(text + i, length - i);

		bool shown = size && is_shown(code_of(text + i, size)) && (size == 1 || unicode);

		if (shown)
			strbuf_add(buffer, text + i, size);
		else
			strbuf_add_char(buffer, text[i] == '\t' ? ' ' : '?');
		size = size ? size : 1;
	}
}

/* ---- lines ---- */

void browse_line_reset(struct browse_line *line)
{
	strbuf_reset(&line->text);
	line->span_count = 0;
	line->selected = false;
}

static void begin_span(struct browse_line *line, enum browse_style style)
{
	size_t last = line->span_count - 1;

	if (line->span_count && line->spans[last].style == style)
		return;
	if (line->span_count < BROWSE_SPANS_MAX)
		line->spans[line->span_count++] = (struct browse_span){ line->text.length, style };
}

void browse_line_add(struct browse_line *line, const struct browse_screen *screen,
		     enum browse_style style, const char *text, unsigned int columns)
{
	size_t start = line->text.length, taken;

	begin_span(line, style);
	browse_printable(&line->text, text, screen->unicode);
	if (!columns)
		return;
	text_shorten_name(&line->text, start, columns, screen->unicode ? "\u2026" : "..");
	taken = text_columns(line->text.data + start, line->text.length - start);
	strbuf_add_repeated(&line->text, ' ', taken < columns ? columns - taken : 0);
}

void browse_line_add_cut(struct browse_line *line, const struct browse_screen *screen,
			 enum browse_style style, const char *text, unsigned int columns)
{
	size_t start = line->text.length, length;
	const char *mark = screen->unicode ? "\u2026" : ">";

	begin_span(line, style);
	browse_printable(&line->text, text, screen->unicode);
	length = line->text.length - start;
	if (text_columns(line->text.data + start, length) > columns) {
		line->text.length =
			start + text_fitting(line->text.data + start, length, columns - 1);
		strbuf_add_string(&line->text, mark);
	}

	size_t taken = text_columns(line->text.data + start, line->text.length - start);

	strbuf_add_repeated(&line->text, ' ', taken < columns ? columns - taken : 0);
}

void browse_line_add_right(struct browse_line *line, const struct browse_screen *screen,
			   enum browse_style style, const char *text, unsigned int columns)
{
	size_t taken = text_columns(text, strlen(text));

	begin_span(line, style);
	strbuf_add_repeated(&line->text, ' ', taken < columns ? columns - taken : 0);
	browse_line_add(line, screen, style, text, 0);
}

void browse_line_end(struct browse_line *line, const struct browse_screen *screen)
{
	line->text.length = text_fitting(line->text.data, line->text.length, screen->columns);
	/* data of an empty buffer is static and may not be written */
	if (line->text.capacity)
		line->text.data[line->text.length] = '\0';
	while (line->span_count && line->spans[line->span_count - 1].start >= line->text.length)
		line->span_count--;
}
