/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers, shares and names as text, and the width of UTF-8 text on a terminal, where a character
 * takes 0, 1 or 2 columns. A byte that is not UTF-8 takes one. */
#pragma once

#include "base/strbuf.h"

/* Returns how many columns `length` bytes of `text` take. */
size_t text_columns(const char *text, size_t length);
/* Returns how many whole characters' bytes at `text` fit into `columns`. */
size_t text_fitting(const char *text, size_t length, size_t columns);
/* Appends `text` and spaces up to `columns` columns. Longer text is not cut. */
void text_add_columns(struct strbuf *buffer, const char *text, size_t columns);
/* Shortens the buffer's text from `start` on to `columns` by replacing its middle with "...". */
void text_shorten(struct strbuf *buffer, size_t start, size_t columns);
/* The same for the name of a type or function. Template arguments are replaced by `ellipsis` first,
 * the innermost before those around them, since the names outside of them tell more:
 * "std::map<...>::node +24 (age)". */
void text_shorten_name(struct strbuf *buffer, size_t start, size_t columns, const char *ellipsis);
/* Returns how many columns `length` bytes of `text` take without escape sequences of colours. */
size_t text_visible_columns(const char *text, size_t length);

/* Appends a number in groups of three digits: "33,120". */
void text_add_grouped(struct strbuf *buffer, uint64_t number);

/* The number of a last line that is not known. */
#define LINES_OPEN UINT64_MAX

/* Appends the first and last of several lines: "0-7", or "3-" up to LINES_OPEN. */
void text_add_lines(struct strbuf *buffer, uint64_t first, uint64_t last);

/* Writes a page's size to `text` as perf does, "4K" or "2M"; "N/A" if it is 0. */
#define PAGE_SIZE_TEXT 24
const char *page_size_text(uint64_t size, char text[PAGE_SIZE_TEXT]);

/* Appends words with line breaks between them, so that lines have at most `width` columns; 0: no
 * limit. `column` columns are taken already. Further lines begin with `indent` blanks. A longer
 * word is not broken. */
void text_add_wrapped(struct strbuf *buffer, const char *words, size_t column, size_t width,
		      size_t indent);

/* Appends a sentence, which is made printable, in lines of at most `width` columns that begin with
 * `indent` blanks, the further ones with four. */
void text_add_sentence(struct strbuf *buffer, struct strbuf *words, size_t indent, size_t width);

/* Breaks each line from `start` on that has more than `width` columns (0: no limit): at its last
 * blank that fits, or within a word that is longer than a line. The first line has `column` columns
 * before `start`. Nothing is lost but the blanks at a break. Further lines begin as the line does
 * ("# " of a comment, its blanks) and with `indent` more blanks. Tab stops are eight apart. */
void text_fold(struct strbuf *buffer, size_t start, size_t column, size_t width, size_t indent);

/* Returns a share in percent; 0 of nothing. */
static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}
