/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from files that anybody may have written. On their way to a terminal they must not move its
 * cursor, nor start a line of their own.
 */
#ifndef DTPROF_BASE_PRINTABLE_H
#define DTPROF_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "profiler/base/strbuf.h"

/* Is there a control character (or, rarely, a byte of 0x80 and more) among the eight? */
static inline bool may_be_unprintable(const char *text)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word, deleted;

	memcpy(&word, text, sizeof(word));
	deleted = word ^ 0x7f * each;
	return ((word - 0x20 * each) | (deleted - each) | word) & 0x80 * each;
}

/* Control characters become '?', in place. */
static inline void make_printable(char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		if (length - i >= 8 && !may_be_unprintable(text + i)) {
			i += 8;
			continue;
		}
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
		i++;
	}
}

/* Close a line of text: make what was added since `start` printable, and add the newline. */
static inline void strbuf_end_line(struct strbuf *buffer, size_t start)
{
	make_printable(buffer->data + start, buffer->length - start);
	strbuf_add_char(buffer, '\n');
}

#endif
