/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A string that grows, and functions that make text from files safe to print.
 *
 * After STRBUF_INIT `data` is never NULL and always ends with a NUL.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct strbuf {
	char *data;
	size_t length;   /* bytes before the NUL */
	size_t capacity; /* 0: data is the static empty string */
	bool printable;  /* nothing moves a cursor or begins a line but literals of the program */
};

extern char strbuf_empty[];
#define STRBUF_INIT                                                                                \
	{                                                                                          \
		.data = strbuf_empty                                                               \
	}
/* Text to be printed: the only kind that print_text() accepts. Whatever is appended may come from a
 * file, so its control characters but tabs are replaced, as make_printable() does; only literals
 * and formats keep theirs. Lines of another such text are appended by strbuf_add_text(). */
#define STRBUF_TEXT                                                                                \
	{                                                                                          \
		.data = strbuf_empty, .printable = true                                            \
	}

/* ---- appending ---- */

/* Appends `length` bytes; `data` is not in the buffer, and may be NULL if `length` is 0. */
void strbuf_add(struct strbuf *buffer, const void *data, size_t length);
void strbuf_add_string(struct strbuf *buffer, const char *string);
void strbuf_add_char(struct strbuf *buffer, char character);
/* Appends `length` bytes, which the caller sets. Returns the first. */
char *strbuf_extend(struct strbuf *buffer, size_t length);
/* Appends text of the program itself, whose newlines and escape sequences are kept. */
void strbuf_add_trusted(struct strbuf *buffer, const char *text);
/* Appends the lines of a printable text. */
void strbuf_add_text(struct strbuf *buffer, const struct strbuf *text);

/* A string literal is an array of constant characters at a constant address; no name is. */
#define IS_LITERAL(string)                                                                         \
	(__builtin_types_compatible_p(__typeof__(string), char[sizeof(string)]) &&                 \
	 __builtin_constant_p(string))
#define strbuf_add_string(buffer, string)                                                          \
	(IS_LITERAL(string) ? strbuf_add_trusted : strbuf_add_string)(buffer, string)
void strbuf_add_repeated(struct strbuf *buffer, char character, size_t count);
/* Appends `number` in decimal. This is faster than strbuf_add_format(). */
void strbuf_add_number(struct strbuf *buffer, uint64_t number);
/* Appends a time of nanoseconds as seconds, of at least `width` digits or spaces, with 9 digits
 * after the point, or 6. */
void strbuf_add_seconds(struct strbuf *buffer, int width, uint64_t time, bool nanoseconds);
/* Appends a time since 1970 in this time zone: "2026-01-31 12:30:59.123456". */
void strbuf_add_wall_time(struct strbuf *buffer, uint64_t time, bool nanoseconds);
/* Appends spaces until the text from `start` on has `width` bytes. */
void strbuf_pad(struct strbuf *buffer, size_t start, size_t width);
void strbuf_add_format(struct strbuf *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_add_vformat(struct strbuf *buffer, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));

/* ---- the end ---- */

/* Drops everything from the byte at `length` on. `length` must not exceed that of the buffer. */
void strbuf_truncate(struct strbuf *buffer, size_t length);
/* Drops the blanks at the end of the text from the byte at `start` on. */
void strbuf_trim(struct strbuf *buffer, size_t start);
void strbuf_reset(struct strbuf *buffer);
/* Returns the string, which the caller frees, and empties the buffer. */
char *strbuf_detach(struct strbuf *buffer);
/* Appends the bytes in base64 (RFC 4648). */
void strbuf_add_base64(struct strbuf *buffer, const uint8_t *bytes, size_t length);
/* Appends the text for a comment of C, which it does not end. */
void strbuf_add_c_comment(struct strbuf *buffer, const char *text);
/* Frees the memory; the buffer is empty afterwards and may be used again. */
void strbuf_deinit(struct strbuf *buffer);

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_deinit)))

/* ---- text from files ---- */

/* Names come from files that anybody may have written. A printed name must not move the cursor of a
 * terminal or start a new line, so control characters are replaced. */

/* Returns whether one of the eight bytes at `text` may be a control character. Bytes from 0x80 on
 * count as well, because one test of the highest bits finds them together with bytes below 0x20 and
 * 0x7f (DEL). */
static inline bool may_be_unprintable(const char *text)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word, deleted;

	memcpy(&word, text, sizeof(word));
	deleted = word ^ 0x7f * each;
	return ((word - 0x20 * each) | (deleted - each) | word) & 0x80 * each;
}

/* Replaces the bytes of the first character by '?' if it is a control character, or a byte that an
 * 8-bit terminal takes for one. Returns the length of the character. `length` is not 0. */
size_t make_character_printable(char *text, size_t length);

/* Replaces control characters by '?', in place: those of utf8_is_control() (U+009B is ESC [). */
static inline void make_printable(char *text, size_t length)
{
	for (size_t i = 0; i < length;) {
		if (length - i >= 8 && !may_be_unprintable(text + i))
			i += 8;
		else if (length >= 8 && length - i < 8 && !may_be_unprintable(text + length - 8))
			return;
		else
			i += make_character_printable(text + i, length - i);
	}
}

/* Replaces control characters as make_printable() does, but keeps those in `kept`, such as the
 * newlines and tabs of text with several lines or columns. */
void make_lines_printable(char *text, size_t length, const char *kept);

void strbuf_add_printable(struct strbuf *buffer, const char *string);

/* Appends a word of a shell command for the reader, printable, and quoted where necessary. */
void strbuf_add_shell_word(struct strbuf *buffer, const char *word);

/* Makes the text from `start` on printable and appends a newline. */
static inline void strbuf_end_line(struct strbuf *buffer, size_t start)
{
	make_printable(buffer->data + start, buffer->length - start);
	strbuf_add_char(buffer, '\n');
}
