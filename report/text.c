// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements text.h. */
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"

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

static bool is_in(uint32_t code, const uint32_t (*ranges)[2], size_t count)
{
	return any_of(i, 0, count, code >= ranges[i][0] && code <= ranges[i][1]);
}

/* Returns the columns of a character: 0 for combining characters, 2 for East Asian wide ones and
 * emoji, else 1. Blocks of Unicode 15 (EastAsianWidth.txt, category Mn). */
static size_t code_columns(uint32_t code)
{
	static const uint32_t none[][2] = {
		{ 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },   { 0x610, 0x61a },
		{ 0x64b, 0x65f },   { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },
		{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }
	};
	static const uint32_t two[][2] = { { 0x1100, 0x115f },   { 0x2e80, 0x303e },
					   { 0x3041, 0xa4cf },   { 0xac00, 0xd7a3 },
					   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
					   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
					   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
					   { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };

	if (code < 0x300)
		return 1;
	if (is_in(code, none, COUNT_OF(none)))
		return 0;
	return is_in(code, two, COUNT_OF(two)) ? 2 : 1;
}

/* Returns the length of the character at `text` and sets *columns to its width. */
static size_t next_character(const char *text, size_t length, size_t *columns)
{
	size_t size = utf8_sequence(text, length);

	*columns = size ? code_columns(utf8_code_point(text, size)) : 1;
	return size ?: 1;
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

size_t text_visible_columns(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length;) {
		const char *escape = memchr(text + i, '\033', length - i);
		size_t plain = escape ? (size_t)(escape - text) - i : length - i;

		width += text_columns(text + i, plain);
		i += plain;
		while (i < length && text[i++] != 'm')
			;
	}
	return width;
}

/* ---- shortening ---- */

/* Replaces the middle by `ellipsis`, which has `dots` columns. */
static void cut_middle(struct strbuf *buffer, size_t start, size_t columns, const char *ellipsis,
		       size_t dots)
{
	const char *text = buffer->data + start;
	size_t length = buffer->length - start, total = text_columns(text, length),
	       bytes = strlen(ellipsis);
	size_t head, tail;

	if (total <= columns)
		return;
	if (columns <= dots) {
		strbuf_truncate(buffer, start + text_fitting(text, length, columns));
		return;
	}
	head = text_fitting(text, length, (columns - dots + 1) / 2);
	tail = text_fitting(text, length, total - (columns - dots) / 2);
	/* A wide character may straddle the cut: then the tail is one column too long. */
	while (text_columns(text + tail, length - tail) > (columns - dots) / 2) {
		size_t each;

		tail += next_character(text + tail, length - tail, &each);
	}
	_cleanup_free_ char *rest = xstrndup(text + tail, length - tail);

	buffer->length = start + head;
	strbuf_add(buffer, ellipsis, bytes);
	strbuf_add(buffer, rest, length - tail);
}

void text_shorten(struct strbuf *buffer, size_t start, size_t columns)
{
	cut_middle(buffer, start, columns, "...", 3);
}

/* Returns whether the angle bracket at text[i] is part of an operator's name or of an arrow. */
static bool is_operator(const char *text, size_t i)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1, start = i;

	if (text[i] == '>' && i && text[i - 1] == '-')
		return true;
	while (start && i - start < 2 && strchr("<>=-", text[start - 1]))
		start--;
	return start >= length && !memcmp(text + start - length, word, length);
}

/* Returns +1 if template arguments begin at text[i], -1 if they end there, else 0. */
static int bracket(const char *text, size_t i)
{
	if (text[i] != '<' && text[i] != '>')
		return 0;
	return is_operator(text, i) ? 0 : text[i] == '<' ? 1 : -1;
}

/* Returns how deep template arguments are nested; 0 also if the brackets do not match. */
static size_t nesting(const char *text, size_t length)
{
	size_t depth = 0, deepest = 0;

	for (size_t i = 0; i < length; i++) {
		int step = bracket(text, i);

		if (step < 0 && !depth)
			return 0;
		depth += (size_t)step;
		deepest = depth > deepest ? depth : deepest;
	}
	return depth ? 0 : deepest;
}

/* Appends the text with all template arguments that are nested `limit` deep replaced. */
static void add_collapsed(struct strbuf *buffer, const char *text, size_t length, size_t limit,
			  const char *ellipsis)
{
	size_t depth = 0;

	for (size_t i = 0; i < length; i++) {
		int step = bracket(text, i);

		if (step < 0 && depth-- == limit)
			strbuf_add_string(buffer, ellipsis);
		if (depth < limit)
			strbuf_add_char(buffer, text[i]);
		depth += step > 0;
	}
}

/* Returns the length of the first of a list of template arguments. */
static size_t argument_length(const char *text, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; i < length; i++) {
		int step = bracket(text, i);

		if (!depth && (text[i] == ',' || step < 0))
			return i;
		depth += (size_t)step + (text[i] == '(') - (text[i] == ')' && depth);
	}
	return length;
}

/* Appends the first arguments of a list, as many as fit into *room columns, and the ellipsis for
 * the others, for which there is room besides. Sets *room to what the arguments leave. */
static void add_arguments(struct strbuf *buffer, const char *text, size_t length,
			  const char *ellipsis, size_t *room)
{
	size_t dots = text_columns(ellipsis, strlen(ellipsis)), used = 0;

	while (length) {
		size_t argument = argument_length(text, length), start = buffer->length, columns;
		bool last = argument == length;

		strbuf_add_string(buffer, used ? "," : "");
		add_collapsed(buffer, text, argument, 1, ellipsis);
		columns = used + text_columns(buffer->data + start, buffer->length - start);
		if (last ? columns > *room + dots : columns + 2 > *room) {
			buffer->length = start;
			strbuf_add_string(buffer, used ? ", " : "");
			strbuf_add_string(buffer, ellipsis);
			*room -= used ? used + 2 : 0;
			return;
		}
		used = columns;
		text += argument + !last;
		length -= argument + !last;
	}
	*room = *room + dots - used;
}

/* Appends the text with template arguments that are nested `limit` deep, except for those that
 * there is `room` for. The first of a list tell more than the last, which are usually defaults. */
static void add_partly_collapsed(struct strbuf *buffer, const char *text, size_t length,
				 size_t limit, size_t room, const char *ellipsis)
{
	size_t depth = 0, inside = 0;

	for (size_t i = 0; i < length; i++) {
		int step = bracket(text, i);

		if (step < 0 && depth-- == limit)
			add_arguments(buffer, text + inside, i - inside, ellipsis, &room);
		if (depth < limit)
			strbuf_add_char(buffer, text[i]);
		if (step > 0 && ++depth == limit)
			inside = i + 1;
	}
}

void text_shorten_name(struct strbuf *buffer, size_t start, size_t columns, const char *ellipsis)
{
	size_t length = buffer->length - start, depth;

	if (text_columns(buffer->data + start, length) <= columns)
		return;
	_cleanup_free_ char *whole = xstrndup(buffer->data + start, length);

	for (depth = nesting(whole, length); depth; depth--) {
		size_t taken;

		buffer->length = start;
		add_collapsed(buffer, whole, length, depth, ellipsis);
		taken = text_columns(buffer->data + start, buffer->length - start);
		if (taken > columns)
			continue;
		buffer->length = start;
		add_partly_collapsed(buffer, whole, length, depth, columns - taken, ellipsis);
		return;
	}
	cut_middle(buffer, start, columns, ellipsis, text_columns(ellipsis, strlen(ellipsis)));
}

void text_add_grouped(struct strbuf *buffer, uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			strbuf_add_char(buffer, ',');
		strbuf_add_char(buffer, digits[i]);
	}
}

void text_add_lines(struct strbuf *buffer, uint64_t first, uint64_t last)
{
	strbuf_add_number(buffer, first);
	strbuf_add_char(buffer, '-');
	if (last != LINES_OPEN)
		strbuf_add_number(buffer, last);
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

void text_add_wrapped(struct strbuf *buffer, const char *words, size_t column, size_t width,
		      size_t indent)
{
	bool first = true;

	for (words += strspn(words, " \n"); *words; first = false) {
		size_t length = strcspn(words, " \n"), columns = text_columns(words, length);

		if (width && !first && column + 1 + columns > width) {
			strbuf_add_char(buffer, '\n');
			strbuf_add_repeated(buffer, ' ', indent);
			column = indent;
		} else if (!first) {
			strbuf_add_char(buffer, ' ');
			column++;
		}
		strbuf_add(buffer, words, length);
		column += columns;
		words += length;
		words += strspn(words, " \n");
	}
}

void text_add_sentence(struct strbuf *buffer, struct strbuf *words, size_t indent, size_t width)
{
	make_printable(words->data, words->length);
	strbuf_add_repeated(buffer, ' ', indent);
	text_add_wrapped(buffer, words->data, indent, width, 4);
	strbuf_add_char(buffer, '\n');
}

/* Returns the columns that `length` bytes take after `column`, with tab stops every eight. */
static size_t columns_after(const char *text, size_t length, size_t column)
{
	size_t start = column;

	for (size_t i = 0, each; i < length; column += each) {
		if (text[i] == '\t') {
			each = 8 - column % 8;
			i++;
		} else {
			i += next_character(text + i, length - i, &each);
		}
	}
	return column - start;
}

/* Returns how many bytes of a line that is too wide come before the break; at least one. */
static size_t fold_length(const char *line, size_t length, size_t column, size_t width)
{
	size_t fitting = 0, blank = 0, words = strspn(line, "# \t");

	while (fitting < length) {
		const char *at = line + fitting;
		size_t each, size = 1;

		if (*at != '\t')
			size = next_character(at, length - fitting, &each);
		column += columns_after(at, size, column);
		if (column > width)
			break;
		fitting += size;
		if (fitting < length && fitting > words && strchr(" \t", line[fitting]))
			blank = fitting;
	}
	return blank ?: fitting ?: 1;
}

/* Adds one line without its newline, folded; see text_fold(). */
static void fold_line(struct strbuf *buffer, const char *line, size_t length, size_t column,
		      size_t width, size_t indent)
{
	const char *mark = *line == '#' ? "#" : "";
	size_t blanks = strlen(mark) + strspn(line + strlen(mark), " \t");
	size_t next = column + columns_after(line, blanks, column) + indent;

	/* at least half of each line is for words */
	next = next > width / 2 ? width / 2 : next;
	while (column + columns_after(line, length, column) > width) {
		size_t part = fold_length(line, length, column, width);

		strbuf_add(buffer, line, part);
		strbuf_trim(buffer, 0);
		while (part < length && (line[part] == ' ' || line[part] == '\t'))
			part++;
		line += part;
		length -= part;
		if (!length)
			return;
		strbuf_add_format(buffer, "\n%s", mark);
		strbuf_add_repeated(buffer, ' ', next > strlen(mark) ? next - strlen(mark) : 0);
		column = next > strlen(mark) ? next : strlen(mark);
	}
	strbuf_add(buffer, line, length);
}

void text_fold(struct strbuf *buffer, size_t start, size_t column, size_t width, size_t indent)
{
	const char *line = buffer->data + start;
	size_t length = buffer->length - start;

	if (!width || columns_after(line, length, column) + column <= width)
		return;
	_cleanup_free_ char *whole = xstrndup(line, length);

	strbuf_truncate(buffer, start);
	for (size_t at = 0; at < length; column = 0) {
		const char *newline = memchr(whole + at, '\n', length - at);
		size_t end = newline ? (size_t)(newline - whole) : length;

		if (column + columns_after(whole + at, end - at, column) > width)
			fold_line(buffer, whole + at, end - at, column, width, indent);
		else
			strbuf_add(buffer, whole + at, end - at);
		if (newline)
			strbuf_add_char(buffer, '\n');
		at = end + (newline != NULL);
	}
}
