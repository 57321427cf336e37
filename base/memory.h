/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: allocation that cannot fail, growing arrays, arenas and attributes that free locals; and
 * small algorithms: comparison, the common divisor, binary search, bits of numbers.
 *
 * If no memory is left, the program prints how much it wanted and exits with status 2. A caller
 * must check a size that comes from a file against the bytes that are left before it allocates.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number of elements of an array, which must not be a pointer. */
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* Sets a function to call when the program ends for lack of memory, which must not allocate any: it
 * removes what the program made. NULL: none. */
void memory_end_with(void (*function)(void));

/* As malloc(3) or calloc(3), but never NULL for lack of memory. The caller frees it. */
void *xmalloc(size_t size) __attribute__((malloc, warn_unused_result));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* Returns zeroed memory for a hash table, as xcalloc() does. A table is read and written all over,
 * so all of its pages are faulted in at once. A page that is read before it is written would cost
 * two faults, and the second one interrupts all processors that run the program. */
void *xcalloc_table(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* Returns memory for a large array that is filled from its beginning: on large pages, if the system
 * has them, also for threads, whose heaps have none. */
void *xmalloc_table(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* Returns memory for an array of which little may be used: its other pages take no memory. It is
 * freed by free_sparse() with the same numbers. */
void *xmalloc_sparse(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void free_sparse(void *array, size_t count, size_t size);
/* Ends the program if a failed call of a library lacked memory; `errno` was 0 before. */
void check_library_memory(void);
/* The pointer that a call of a library returns. NULL never means that memory was short. */
#define library_memory(call)                                                                       \
	({                                                                                         \
		errno = 0;                                                                         \
		__auto_type pointer_ = (call);                                                     \
		if (!pointer_)                                                                     \
			check_library_memory();                                                    \
		pointer_;                                                                          \
	})
/* For libiberty, whose own functions of these names are in one file of its library. */
void *xrealloc(void *memory, size_t size) __attribute__((warn_unused_result));
/* Resizes `memory` to count * size bytes; an overflow of the product counts as out of memory. */
void *xrealloc_array(void *memory, size_t count, size_t size) __attribute__((warn_unused_result));
char *xstrdup(const char *string) __attribute__((malloc, warn_unused_result));
char *xstrndup(const char *string, size_t length) __attribute__((malloc, warn_unused_result));
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), warn_unused_result));
char *xvasprintf(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0), warn_unused_result));

/* Declares a text that is freed: a function's format with the arguments after it. */
#define VARIADIC_TEXT(text, format)                                                                \
	va_list text##_arguments;                                                                  \
	va_start(text##_arguments, format);                                                        \
	_cleanup_free_ char *text = xvasprintf(format, text##_arguments);                          \
	va_end(text##_arguments)

/* Makes room for one more element in the array `items`, which has `count` elements and room for
 * `capacity` (both lvalues of size_t or uint32_t). The items may move. */
#define array_reserve(items, count, capacity)                                                      \
	do {                                                                                       \
		if ((count) >= (capacity)) {                                                       \
			size_t array_capacity_ = (capacity) ? 2 * (size_t)(capacity) : 8;          \
			(items) = xrealloc_array((items), array_capacity_, sizeof(*(items)));      \
			(capacity) = array_capacity_;                                              \
		}                                                                                  \
	} while (0)

/* Adds an element to such an array. It is an lvalue: array_add(items, count, capacity) = item. */
#define array_add(items, count, capacity)                                                          \
	(*({                                                                                       \
		array_reserve(items, count, capacity);                                             \
		&(items)[(count)++];                                                               \
	}))

/* Walks over the elements of an array, which does not move meanwhile:
 * array_each (const struct row, row, rows, count) ... */
#define array_each(type, item, items, count)                                                       \
	for (type *item = (items); (count) && item < (items) + (count); item++)

/* The same, and counts the elements from 0 on:
 * array_indexed (const struct row, row, i, rows, count) ... */
#define array_indexed(type, item, index, items, count)                                             \
	for (size_t index = 0, index##_once_ = 1; index##_once_; index##_once_ = 0)                \
		for (type *item = (items); (count) && item < (items) + (count); item++, index++)

/* Walks over the numbers of the bits that are set in a mask: bits_each (reg, written) ... */
#define bits_each(bit, mask)                                                                       \
	for (uint64_t bit##_left_ = (mask), bit;                                                   \
	     bit##_left_ && (bit = (uint64_t)__builtin_ctzll(bit##_left_), true);                  \
	     bit##_left_ &= bit##_left_ - 1)

/* Keeps the items for which the last argument, an expression that uses the variable `index`, is
 * true, in their order. */
#define array_keep(index, items, count, ...)                                                       \
	do {                                                                                       \
		size_t kept_ = 0;                                                                  \
		for (size_t index = 0; index < (count); index++)                                   \
			if (__VA_ARGS__)                                                           \
				(items)[kept_++] = (items)[index];                                 \
		(count) = kept_;                                                                   \
	} while (0)

/* Frees the unused room of an array, unless the array is empty. The items may move. */
#define array_fit(items, count, capacity)                                                          \
	do {                                                                                       \
		if ((count) && (count) < (capacity)) {                                             \
			(items) = xrealloc_array((items), (count), sizeof(*(items)));              \
			(capacity) = (count);                                                      \
		}                                                                                  \
	} while (0)

/* Frees each of the pointers, as free(3) does. All are read before the first is freed. */
#define free_all(...)                                                                              \
	free_pointers((void *const[]){ __VA_ARGS__ },                                              \
		      sizeof((void *const[]){ __VA_ARGS__ }) / sizeof(void *))
void free_pointers(void *const *pointers, size_t count);

/* An allocator for small objects that are freed together. Zero-initialized is ready to use. */
struct arena {
	struct arena_chunk *chunks;
	char *next; /* free room: [next, end) */
	char *end;
	size_t total; /* bytes taken from the system */
};

/* Returns memory of the arena, aligned to 8 bytes, which is valid until arena_deinit().
 * arena_alloc() zeroes it; the others copy their argument into it, or the text that it gives. */
void *arena_alloc(struct arena *arena, size_t size)
	__attribute__((malloc, warn_unused_result, returns_nonnull));
void *arena_copy(struct arena *arena, const void *data, size_t size)
	__attribute__((warn_unused_result, returns_nonnull));
char *arena_strdup(struct arena *arena, const char *string)
	__attribute__((warn_unused_result, returns_nonnull));
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result, returns_nonnull));
char *arena_strndup(struct arena *arena, const char *string, size_t length)
	__attribute__((warn_unused_result, returns_nonnull));
/* Frees everything that the arena gave out; the arena may be used again. */
void arena_deinit(struct arena *arena);

/* Functions for the cleanup attributes: each gets the address of the variable. */
static inline void freep(void *memory)
{
	free(*(void **)memory);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_  __attribute__((cleanup(freep), unused))
#define _cleanup_close_ __attribute__((cleanup(closep)))
#define _cleanup_arena_ __attribute__((cleanup(arena_deinit)))

/* A parameter that this one of several functions of a form does not need. */
#define _unused_ __attribute__((unused))

/* Functions whose callers leave no part of them out, so that it pays to have a copy in each. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The bytes of a large page, of those that a system without settings has. */
#define LARGE_PAGE ((size_t)2 << 20)

/* Returns from a comparison function of qsort(3) if `a` and `b` differ. */
#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

/*
 * Defines a function that compares two items for qsort() and the like, by one key after the other.
 * Those of ADDRESS_COMPARISON() are in an array of their addresses.
 *
 * 	COMPARISON(compare_rows, struct row, DESCENDING(samples) BY_TEXT(name))
 */
#define COMPARISON(name, item, ...)                                                                \
	COMPARISON_OF(name, const item *a = left, *b = right, __VA_ARGS__)
#define ADDRESS_COMPARISON(name, item, ...)                                                        \
	COMPARISON_OF(name, const item *a = *(item *const *)left, *b = *(item *const *)right,      \
		      __VA_ARGS__)
#define COMPARISON_OF(name, first, second, ...)                                                    \
	static int name(const void *left, const void *right)                                       \
	{                                                                                          \
		first, second;                                                                     \
                                                                                                   \
		__VA_ARGS__                                                                        \
		return 0;                                                                          \
	}
#define ASCENDING(member)  COMPARE(a->member, b->member);
#define DESCENDING(member) COMPARE(b->member, a->member);
#define BY_VALUE           COMPARE(*a, *b);
/* By two numbers, of a and of b. */
#define BY(of_a, of_b)  COMPARE(of_a, of_b);
#define BY_TEXT(member) COMPARE(compare_texts(a->member, b->member), 0);

/* Gives each of two variables the value of the other. */
#define exchange(a, b)                                                                             \
	do {                                                                                       \
		__auto_type exchanged_ = (a);                                                      \
		(a) = (b);                                                                         \
		(b) = exchanged_;                                                                  \
	} while (0)

/* Makes a variable at least, or at most, as large as a limit. */
#define raise_to(variable, limit)                                                                  \
	do {                                                                                       \
		__typeof__(1 ? (limit) : (variable)) limit_ = (limit);                             \
		if ((variable) < limit_)                                                           \
			(variable) = limit_;                                                       \
	} while (0)
#define lower_to(variable, limit)                                                                  \
	do {                                                                                       \
		__typeof__(1 ? (limit) : (variable)) limit_ = (limit);                             \
		if ((variable) > limit_)                                                           \
			(variable) = limit_;                                                       \
	} while (0)

/* Compares two texts as strcmp() does; NULL comes last. */
static inline int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : !a || !b ? !a - !b : strcmp(a, b);
}

/* Compares two elements of an array of strings. */
int compare_strings(const void *left, const void *right);

/* True in builds with AddressSanitizer (`make SAN=1`), which keeps freed memory for a while. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER true
#elif defined(__has_feature)
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_ADDRESS_SANITIZER false
#endif

/* Returns the greatest common divisor; that of 0 and a number is the number. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* ---- binary search ---- */

/*
 * Returns the first index in [first, end) for which `condition` is false, or `end` if it is true
 * for all. `condition` is an expression that uses the variable `index`; it must be true up to some
 * index and false from there on. For items sorted by address the condition
 *
 * 	items[i].low < address	finds the first item that begins at or after the address,
 * 	items[i].low <= address	finds the first item that begins after it.
 *
 * `first` must not exceed `end`. This is a macro so that the condition is compiled in place,
 * without a call.
 */
#define partition_point(first, end, index, condition)                                              \
	({                                                                                         \
		size_t partition_low_ = (first), partition_high_ = (end);                          \
		while (partition_low_ < partition_high_) {                                         \
			size_t index = partition_low_ + (partition_high_ - partition_low_) / 2;    \
			if (condition)                                                             \
				partition_low_ = index + 1;                                        \
			else                                                                       \
				partition_high_ = index;                                           \
		}                                                                                  \
		partition_low_;                                                                    \
	})

/* True if the last argument, an expression that uses the variable `index`, is true for one of the
 * indexes in [first, end), or for all of them. It is evaluated for no more than are needed. */
#define any_of(index, first, end, ...)                                                             \
	({                                                                                         \
		bool any_ = false;                                                                 \
		for (size_t index = (first), end_ = (end); !any_ && index < end_; index++)         \
			any_ = (__VA_ARGS__);                                                      \
		any_;                                                                              \
	})
#define all_of(index, first, end, ...) (!any_of(index, first, end, !(__VA_ARGS__)))

/* Returns the first of `count` elements for which the last argument, an expression that uses the
 * variable `index`, is true; or NULL. */
#define array_find(index, items, count, ...)                                                       \
	({                                                                                         \
		size_t index = 0, end_ = (count);                                                  \
		while (index < end_ && !(__VA_ARGS__))                                             \
			index++;                                                                   \
		index < end_ ? &(items)[index] : NULL;                                             \
	})

/* Returns the sum of what the last argument, an expression that uses the variable `index`, is for
 * the indexes in [first, end). */
#define sum_over(type, index, first, end, ...)                                                     \
	({                                                                                         \
		type sum_ = 0;                                                                     \
		for (size_t index = (first), end_ = (end); index < end_; index++)                  \
			sum_ += (__VA_ARGS__);                                                     \
		sum_;                                                                              \
	})

/* ---- sorting ---- */

/* A key, and the index of the item that it belongs to. */
struct sort_key {
	uint64_t key;
	size_t index;
};

/* Sorts `count` keys; equal ones stay in their order. `other` is as large as `keys`. Returns the
 * one of the two that has the sorted keys. This is a radix sort: it moves keys of 16 bytes and
 * compares nothing, so it takes less time than qsort() where there are thousands of items. */
struct sort_key *sort_keys(struct sort_key *keys, struct sort_key *other, size_t count);
/* Sorts items of `size` bytes in the same way, by the 64-bit number at offset `place` in each. */
void sort_by_number(void *items, size_t count, size_t size, size_t place);

/* Sorts an array, which may be empty, by qsort(). */
#define array_sort(items, count, compare)                                                          \
	do {                                                                                       \
		if ((count) > 0)                                                                   \
			qsort((items), (count), sizeof(*(items)), (compare));                      \
	} while (0)

/* Sorts an array by qsort(), and keeps the first of items that are equal. */
#define array_unique(items, count, compare)                                                        \
	((count) = sort_unique((items), (count), sizeof(*(items)), (compare)))
size_t sort_unique(void *items, size_t count, size_t size,
		   int (*compare)(const void *left, const void *right));

/* Sorts like qsort(), but items that are in order are only compared with their neighbours. */
void sort_unless_sorted(void *items, size_t count, size_t size,
			int (*compare)(const void *left, const void *right));

/* Returns the least multiple of `align` from `value` on. An alignment of 0 is 1. */
static inline uint64_t round_up(uint64_t value, uint64_t align)
{
	return align > 1 ? (value + align - 1) / align * align : value;
}

/* True if one bit is set, and no other: the number is a power of two. */
static inline bool has_one_bit(uint64_t number)
{
	return number && !(number & (number - 1));
}

static inline bool has_several_bits(uint64_t number)
{
	return number & (number - 1);
}

/* Returns a number whose lowest `count` bits are set, at most 64. */
static inline uint64_t low_bits(unsigned int count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Returns the signed number that is stored in the lowest `bits` bits (1 to 64) of `number`. */
static inline int64_t sign_extended(uint64_t number, unsigned int bits)
{
	return (int64_t)(number << (64 - bits)) >> (64 - bits);
}

/* Returns what is left of the division by `divisor`, from 0 on also for negative numbers. */
static inline int64_t positive_remainder(int64_t number, uint64_t divisor)
{
	int64_t rest = number % (int64_t)divisor;

	return rest < 0 ? rest + (int64_t)divisor : rest;
}
