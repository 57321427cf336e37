/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in columns of a terminal: UTF-8, where a character may take none, one or two of them. */
#ifndef DTPROF_REPORT_TEXT_H
#define DTPROF_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"

/* Columns that `length` bytes take; a byte that is no UTF-8 takes one. */
size_t text_columns(const char *text, size_t length);
/* The most bytes from the start that take no more than `columns`, and end behind a character. */
size_t text_fitting(const char *text, size_t length, size_t columns);
/* `text`, and blanks up to so many columns. */
void text_add_columns(struct strbuf *buffer, const char *text, size_t columns);
/* What stands in the buffer from `start` on takes no more than `columns`: else "..." stands for its middle.
 */
void text_shorten(struct strbuf *buffer, size_t start, size_t columns);

/* "4K", "2M", as perf writes the size of a page; "N/A": it was not recorded. */
#define PAGE_SIZE_TEXT 24
const char *page_size_text(uint64_t size, char text[PAGE_SIZE_TEXT]);

#endif
