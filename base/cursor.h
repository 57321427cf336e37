/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads input that cannot be trusted. Bytes from files and rings are read only through the checked
 * cursor below. Files whose paths come from such input are opened with checks, too. Temporary files
 * leave nothing behind.
 *
 * A read past the end sets `failed` and returns 0 or NULL; a LEB128 number or a word of 3 bytes
 * that is cut off has an undefined value. After a failure all later reads fail, too, so a parser
 * may read a whole record and test `failed` once at the end. `position <= size` always holds.
 */
#pragma once

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

struct cursor {
	const uint8_t *data;
	size_t size, position;
	bool swap;   /* numbers are stored in the other byte order */
	bool failed; /* a read went past the end */
};

/* Returns a cursor at the start of `size` bytes at `data`, which may be NULL, without a copy. */
static inline struct cursor cursor_of(const void *data, size_t size, bool swap)
{
	/* C11 6.5.6p8 forbids adding even 0 to a null pointer. */
	return (struct cursor){ .data = data ?: (const void *)"",
				.size = data ? size : 0,
				.swap = swap };
}

/* Returns how many bytes are left; 0 after a failure. */
static inline size_t cursor_left(const struct cursor *cursor)
{
	return cursor->failed ? 0 : cursor->size - cursor->position;
}

/* Returns the next `length` bytes in place, or NULL if fewer are left. */
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

#define CURSOR_NUMBER(bits)                                                                        \
	static inline uint##bits##_t cursor_u##bits(struct cursor *cursor)                         \
	{                                                                                          \
		const void *bytes = cursor_bytes(cursor, bits / 8);                                \
		uint##bits##_t value = 0;                                                          \
                                                                                                   \
		if (bytes)                                                                         \
			memcpy(&value, bytes, sizeof(value));                                      \
		return cursor->swap ? bswap_##bits(value) : value;                                 \
	}

CURSOR_NUMBER(16)
CURSOR_NUMBER(32)
CURSOR_NUMBER(64)
#undef CURSOR_NUMBER

/* Returns the string at the cursor in place and moves past its NUL, or NULL if no NUL is left. */
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

/* Returns an unsigned LEB128 number (DWARF 5, section 7.6), without bits past the 64th. */
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

/* Returns a signed LEB128 number. Bits past the 64th are dropped. */
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

/* Returns an unsigned word of 1, 2, 3, 4 or 8 bytes. Any other size fails the cursor. */
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

/* ---- files ---- */

/* The folder of this process's open files: this and a descriptor's number form a path. The
 * functions below accept such a path even if /proc is not mounted. */
#define OPEN_FILE_FOLDER "/proc/self/fd/"

/* Opens `path` for reading, and sets *status to the status of the file. Returns ERROR_FORMAT if it
 * is not a regular file: a path from a perf.data file or from debug information may name anything,
 * opening a device may have side effects, and opening a FIFO blocks. The caller closes *fd, which
 * is -1 after an error. */
struct error *ordinary_file_open(const char *path, int *fd, struct stat *status);
/* The same for the file `name` in a folder that is open. `path` is for messages. */
struct error *ordinary_file_open_in(int folder, const char *name, const char *path, int *fd,
				    struct stat *status);
/* Opens a folder and returns whether it is believed (files.h). As long as no other is asked for,
 * ordinary_file_open() opens what is below `path` in that folder from now on. */
bool folder_believe(const char *path);
/* Reads up to `size` bytes from the start of a regular file. Returns how many; 0 also on errors. */
size_t ordinary_file_begin(const char *path, void *bytes, size_t size);
/* Returns whether this process opened the file with one of the functions above but _begin(). */
bool file_was_read(const struct stat *status);
/* Returns whether `path` is a regular file at the moment. */
bool ordinary_file_exists(const char *path);
/* Returns whether two paths lead to the same file, or `unknown` if one cannot be examined. */
bool same_file(const char *left, const char *right, bool unknown);

/* Returns the folder for temporary files: $TMPDIR, or /tmp. */
const char *temporary_folder(void);
/* Opens a file without a name in the folder for temporary files, so that nothing is left behind
 * however the program ends. The caller closes *fd, which is -1 after an error. */
struct error *temporary_file_open(int *fd);
/* Returns the error for a failed write to a temporary file. `number` is the errno. */
struct error *temporary_file_error(int number);
