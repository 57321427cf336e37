/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LEB128 numbers and words of a given width from a cursor (DWARF 5, section 7.6). */
#ifndef DTPROF_DWARF_LEB128_H
#define DTPROF_DWARF_LEB128_H

#include "profiler/base/cursor.h"

/* A cursor over bytes of this machine's order; NULL with size 0, as of a section that is not there, is
 * nothing to read. */
static inline struct cursor bytes_cursor(const uint8_t *bytes, size_t size)
{
	static const uint8_t nothing;

	return cursor_of(bytes ? bytes : &nothing, bytes ? size : 0, false);
}

/* Bits past the 64th are dropped, as every consumer does; the length is bounded by the cursor. */
static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	const uint8_t *at = cursor->data + cursor->position, *end = at + cursor_left(cursor);
	uint64_t value = 0;

	/* most are of one byte */
	if (at < end && !(*at & 0x80)) {
		cursor->position++;
		return *at;
	}
	for (unsigned int shift = 0; at < end; shift += shift < 64 ? 7 : 0) {
		uint8_t byte = *at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			cursor->position = (size_t)(at - cursor->data);
			return value;
		}
	}
	cursor->failed = true;
	return value;
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = cursor_u8(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

/* An unsigned word of 1, 2, 3, 4 or 8 bytes; any other size fails the cursor. */
static inline uint64_t cursor_word(struct cursor *cursor, unsigned int size)
{
	switch (size) {
	case 1: return cursor_u8(cursor);
	case 2: return cursor_u16(cursor);
	case 3: {
		uint64_t low = cursor_u16(cursor);

		return low | (uint64_t)cursor_u8(cursor) << 16;
	}
	case 4: return cursor_u32(cursor);
	case 8: return cursor_u64(cursor);
	}
	cursor->failed = true;
	return 0;
}

#endif
