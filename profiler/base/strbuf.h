/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A string that grows. `data` is always NUL-terminated and never NULL after STRBUF_INIT. */
#ifndef DTPROF_BASE_STRBUF_H
#define DTPROF_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct strbuf {
	char *data;
	size_t length;   /* bytes before the NUL */
	size_t capacity; /* 0: data is the static empty string */
};

extern char strbuf_empty[];
#define STRBUF_INIT                                                                                          \
	{                                                                                                    \
		.data = strbuf_empty                                                                         \
	}

void strbuf_add(struct strbuf *buffer, const void *data, size_t length);
void strbuf_add_string(struct strbuf *buffer, const char *string);
void strbuf_add_char(struct strbuf *buffer, char character);
void strbuf_add_repeated(struct strbuf *buffer, char character, size_t count);
/* Decimal. */
void strbuf_add_number(struct strbuf *buffer, uint64_t number);
/* Blanks, until `width` bytes stand behind `start`. */
void strbuf_pad(struct strbuf *buffer, size_t start, size_t width);
void strbuf_add_format(struct strbuf *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_add_vformat(struct strbuf *buffer, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/* Keeps the memory. */
void strbuf_reset(struct strbuf *buffer);
/* The string, to be freed by the caller; the buffer is empty afterwards. */
char *strbuf_detach(struct strbuf *buffer);
void strbuf_release(struct strbuf *buffer);

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_release)))

/*
 * Names come from files that anybody may have written. On their way to a terminal they must not move its
 * cursor, nor start a line of their own.
 */

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
