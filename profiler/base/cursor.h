/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way to read bytes that came from outside: a cursor that cannot pass its end.
 *
 * A read that does not fit sets `failed`, returns 0 and moves nothing; once failed, all later reads fail too.
 * So a parser may read a whole record and look at `failed` once. `position <= size` always holds.
 */
#ifndef DTPROF_BASE_CURSOR_H
#define DTPROF_BASE_CURSOR_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *data;
	size_t size;
	size_t position;
	bool swap;   /* the bytes are of the other byte order */
	bool failed; /* a read went past the end */
};

static inline struct cursor cursor_of(const void *data, size_t size, bool swap)
{
	/* A null pointer, even of no bytes, may not be moved by 0 (C11 6.5.6p8). */
	return (struct cursor){ .data = data ? data : (const void *)"",
				.size = data ? size : 0,
				.swap = swap };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return cursor->failed ? 0 : cursor->size - cursor->position;
}

/* `length` bytes in place, or NULL */
static inline const void *cursor_bytes(struct cursor *cursor, size_t length)
{
	if (cursor->failed || length > cursor->size - cursor->position) {
		cursor->failed = true;
		return NULL;
	}
	const void *bytes = cursor->data + cursor->position;

	cursor->position += length;
	return bytes;
}

static inline void cursor_skip(struct cursor *cursor, size_t length)
{
	(void)cursor_bytes(cursor, length);
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_bytes(cursor, 1);

	return bytes ? *bytes : 0;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 2);
	uint16_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 2);
	return cursor->swap ? bswap_16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 4);
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 4);
	return cursor->swap ? bswap_32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 8);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 8);
	return cursor->swap ? bswap_64(value) : value;
}

/* A NUL-terminated string in place whose NUL lies within the cursor, or NULL; moves past the NUL. */
static inline const char *cursor_string(struct cursor *cursor)
{
	size_t left = cursor_left(cursor);
	const char *string = (const char *)cursor->data + cursor->position;
	size_t length = left ? strnlen(string, left) : 0;

	if (length == left) {
		cursor->failed = true;
		return NULL;
	}
	cursor->position += length + 1;
	return string;
}

#endif
