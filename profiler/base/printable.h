/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from files that anybody may have written. On their way to a terminal they must not move its
 * cursor, nor start a line of their own.
 */
#ifndef DTPROF_BASE_PRINTABLE_H
#define DTPROF_BASE_PRINTABLE_H

#include <stddef.h>

#include "profiler/base/strbuf.h"

/* Control characters become '?', in place. */
static inline void make_printable(char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
}

/* Close a line of text: make what was added since `start` printable, and add the newline. */
static inline void strbuf_end_line(struct strbuf *buffer, size_t start)
{
	make_printable(buffer->data + start, buffer->length - start);
	strbuf_add_char(buffer, '\n');
}

#endif
