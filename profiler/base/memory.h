/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: allocation that does not fail, an arena, locals that free themselves.
 *
 * When there is no memory left the program says how much it wanted, and ends. Sizes that come from a file are
 * checked against what is left of the file before they get here.
 */
#ifndef DTPROF_BASE_MEMORY_H
#define DTPROF_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *xmalloc(size_t size) __attribute__((malloc, warn_unused_result));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* count * size with the overflow checked */
void *xrealloc_array(void *memory, size_t count, size_t size) __attribute__((warn_unused_result));
char *xstrdup(const char *string) __attribute__((malloc, warn_unused_result));
char *xstrndup(const char *string, size_t length) __attribute__((malloc, warn_unused_result));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), warn_unused_result));
char *xvasprintf(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0), warn_unused_result));

/*
 * Make room for one more element in the array `items`, of which `count` are used and `capacity` are there
 * (both size_t or uint32_t lvalues); items may move.
 */
#define array_reserve(items, count, capacity)                                                                \
	do {                                                                                                 \
		if ((count) >= (capacity)) {                                                                 \
			size_t array_capacity_ = (capacity) ? 2 * (size_t)(capacity) : 8;                    \
			(items) = xrealloc_array((items), array_capacity_, sizeof(*(items)));                \
			(capacity) = array_capacity_;                                                        \
		}                                                                                            \
	} while (0)

/* Give back the room that an array which stays as it is has too much. */
#define array_fit(items, count, capacity)                                                                    \
	do {                                                                                                 \
		if ((count) && (count) < (capacity)) {                                                       \
			(items) = xrealloc_array((items), (count), sizeof(*(items)));                        \
			(capacity) = (count);                                                                \
		}                                                                                            \
	} while (0)

/* Many small things that die together. Not thread-safe. Zero-initialized is ready to use. */
struct arena {
	struct arena_chunk *chunks;
	char *next; /* free room: [next, end) */
	char *end;
	size_t total; /* bytes taken from the system */
};

/* 8-byte aligned and zeroed */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, warn_unused_result));
void *arena_copy(struct arena *arena, const void *data, size_t size) __attribute__((warn_unused_result));
char *arena_strdup(struct arena *arena, const char *string) __attribute__((warn_unused_result));
char *arena_strndup(struct arena *arena, const char *string, size_t length)
	__attribute__((warn_unused_result));
/* Frees all that was allocated; the arena can be used again. */
void arena_release(struct arena *arena);

static inline void freep(void *memory)
{
	free(*(void **)memory);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_  __attribute__((cleanup(freep)))
#define _cleanup_close_ __attribute__((cleanup(closep)))
#define _cleanup_arena_ __attribute__((cleanup(arena_release)))

#endif
