// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements memory.h. */
#include "base/memory.h"
#include "base/library.h"

#include <stdio.h>
#include <sys/mman.h>

/* The first chunk of an arena, and later ones: as much as the arena has, up to the second. */
#define ARENA_CHUNK_MIN ((size_t)4 * 1024)
#define ARENA_CHUNK_MAX ((size_t)64 * 1024)
#define PAGE_SIZE       ((uintptr_t)4096) /* madvise() fails if pages are larger */
#define LARGE_TABLE     (16 * PAGE_SIZE)  /* the faults of smaller tables cost less than a call */

void free_pointers(void *const *pointers, size_t count)
{
	/* most are NULL, and free() is in another library */
	for (size_t i = 0; i < count; i++)
		if (pointers[i])
			free(pointers[i]);
}

struct arena_chunk {
	struct arena_chunk *next;
	char data[];
};

static void (*end_with)(void);

void memory_end_with(void (*function)(void))
{
	end_with = function;
}

static void __attribute__((noreturn)) end(void)
{
	if (end_with)
		end_with();
	_exit(2);
}

/* Returns `memory`, or ends the program with a message if the allocation has failed. Others return
 * an error; here there is no memory for one. */
static void *check(void *memory, size_t size)
{
	if (memory || !size)
		return memory;
	fprintf(stderr, "dtprof: out of memory (%zu bytes wanted)\n", size);
	end();
}

void end_without_library(const char *message)
{
	fprintf(stderr, "dtprof: %s\n", message);
	end();
}

void check_library_memory(void)
{
	if (errno != ENOMEM)
		return;
	fputs("dtprof: out of memory\n", stderr);
	end();
}

void *xmalloc(size_t size)
{
	return check(malloc(size), size);
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count, size), count && size ? count * size : 0);
}

void *xcalloc_table(size_t count, size_t size)
{
	char *table = xcalloc(count, size);
	uintptr_t start = round_up((uintptr_t)table, PAGE_SIZE);
	uintptr_t end = ((uintptr_t)table + count * size) / PAGE_SIZE * PAGE_SIZE;

	/* Kernels before 5.14 refuse this, and fault the pages in one by one. */
	if (end > start && end - start >= LARGE_TABLE)
		(void)madvise((void *)start, end - start, MADV_POPULATE_WRITE);
	return table;
}

void *xmalloc_table(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total) || total > SIZE_MAX - LARGE_PAGE)
		return check(NULL, (size_t)-1);
	if (total < LARGE_PAGE)
		return xmalloc(total);
	total = round_up(total, LARGE_PAGE);
	void *table = check(aligned_alloc(LARGE_PAGE, total), total);

	(void)madvise(table, total, MADV_HUGEPAGE);
	return table;
}

void *xmalloc_sparse(size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return check(NULL, (size_t)-1);
	if (total < LARGE_TABLE)
		return xmalloc(total);
	/* the heap has large pages, of which one byte takes all */
	void *array = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return check(array == MAP_FAILED ? NULL : array, total);
}

void free_sparse(void *array, size_t count, size_t size)
{
	if (array && count * size >= LARGE_TABLE)
		munmap(array, count * size);
	else
		free(array);
}

void *xrealloc(void *memory, size_t size)
{
	return check(realloc(memory, size), size);
}

void *xrealloc_array(void *memory, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return check(NULL, (size_t)-1);
	return xrealloc(memory, total);
}

char *xstrdup(const char *string)
{
	return check(strdup(string), strlen(string) + 1);
}

char *xstrndup(const char *string, size_t length)
{
	return check(strndup(string, length), length + 1);
}

char *xvasprintf(const char *format, va_list arguments)
{
	char *string = NULL;

	if (vasprintf(&string, format, arguments) < 0)
		check(NULL, strlen(format));
	return string;
}

char *xasprintf(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *string = xvasprintf(format, arguments);
	va_end(arguments);
	return string;
}

static void arena_grow(struct arena *arena, size_t size)
{
	size_t room = arena->total > ARENA_CHUNK_MIN ? arena->total : ARENA_CHUNK_MIN;

	lower_to(room, ARENA_CHUNK_MAX);
	if (size > room / 4)
		room = size > ARENA_CHUNK_MAX / 4 ? size : 4 * size;
	struct arena_chunk *chunk = xmalloc(sizeof(*chunk) + room);

	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->total += sizeof(*chunk) + room;
	arena->next = chunk->data;
	arena->end = chunk->data + room;
}

/* Returns `size` bytes with undefined contents. */
static void *arena_take(struct arena *arena, size_t size)
{
	size_t rounded = (size + 7) & ~(size_t)7;

	if (rounded < size)
		check(NULL, size);
	if ((size_t)(arena->end - arena->next) < rounded || !arena->next)
		arena_grow(arena, rounded);
	void *memory = arena->next;

	arena->next += rounded;
	return memory;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return memset(arena_take(arena, size), 0, size);
}

void *arena_copy(struct arena *arena, const void *data, size_t size)
{
	void *copy = arena_take(arena, size);

	return size ? memcpy(copy, data, size) : copy;
}

char *arena_strndup(struct arena *arena, const char *string, size_t length)
{
	char *copy = arena_take(arena, length + 1);

	memcpy(copy, string, length);
	copy[length] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *string)
{
	return arena_strndup(arena, string, strlen(string));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	VARIADIC_TEXT(text, format);
	return arena_strdup(arena, text);
}

void arena_deinit(struct arena *arena)
{
	for (struct arena_chunk *chunk = arena->chunks; chunk;) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	memset(arena, 0, sizeof(*arena));
}

/* ---- sorting ---- */

int compare_strings(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

#define DIGIT_BITS 11U /* so that what is next for each digit fits into the first cache */

/* Sorts by the bits `shift` to `shift + bits` of the keys, at most DIGIT_BITS. */
static void sort_by_digit(const struct sort_key *keys, struct sort_key *sorted, size_t count,
			  unsigned int shift, unsigned int bits)
{
	uint64_t mask = low_bits(bits);
	size_t next[1U << DIGIT_BITS], start = 0;

	memset(next, 0, sizeof(*next) << bits);
	for (size_t i = 0; i < count; i++)
		next[keys[i].key >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		size_t here = next[i];

		next[i] = start;
		start += here;
	}
	for (size_t i = 0; i < count; i++)
		sorted[next[keys[i].key >> shift & mask]++] = keys[i];
}

/* Merges each two of the runs of sorted keys, which begin at starts[0 .. count), and end at
 * starts[count]. Returns how many runs there are then. */
static size_t merge_runs(const struct sort_key *keys, struct sort_key *sorted, size_t *starts,
			 size_t count)
{
	size_t merged = 0;

	for (size_t run = 0; run < count; run += 2) {
		size_t left = starts[run], middle = starts[run + 1], right = middle,
		       end = starts[run + 2 <= count ? run + 2 : count], at = left;

		starts[merged++] = left;
		while (left < middle && right < end)
			sorted[at++] =
				keys[right].key < keys[left].key ? keys[right++] : keys[left++];
		memcpy(sorted + at, keys + left, (middle - left) * sizeof(*keys));
		memcpy(sorted + at + middle - left, keys + right, (end - right) * sizeof(*keys));
	}
	starts[merged] = starts[count];
	return merged;
}

#define RUNS_MAX 8 /* merging them takes no longer than sorting by digits */

/* Sorts keys that are in few runs, such as the events of each processor. NULL: they are not. */
static struct sort_key *sort_runs(struct sort_key *keys, struct sort_key *other, size_t count)
{
	size_t starts[RUNS_MAX + 1] = { 0 }, runs = 1;

	for (size_t i = 1; i < count; i++) {
		if (keys[i].key >= keys[i - 1].key)
			continue;
		if (runs == RUNS_MAX)
			return NULL;
		starts[runs++] = i;
	}
	starts[runs] = count;
	while (runs > 1) {
		struct sort_key *from = keys;

		runs = merge_runs(keys, other, starts, runs);
		keys = other;
		other = from;
	}
	return keys;
}

struct sort_key *sort_keys(struct sort_key *keys, struct sort_key *other, size_t count)
{
	struct sort_key *sorted = sort_runs(keys, other, count);
	uint64_t differs = 0, top = 0;

	if (sorted)
		return sorted;
	/* the highest bits of addresses are all the same as the last one */
	for (size_t i = 0; i < count; i++) {
		differs |= keys[i].key ^ keys[0].key;
		top |= keys[i].key ^ keys[i].key << 1;
	}
	if (differs >> 63 && top)
		differs &= (((UINT64_C(1) << 63) >> __builtin_clzll(top)) - 1) | UINT64_C(1) << 63;
	/* few keys by few bits, so that there are not more digits than keys */
	unsigned int most = count < 1U << DIGIT_BITS ? 8 : DIGIT_BITS, shift = 0;

	while (differs) {
		struct sort_key *from = keys;
		uint64_t low = differs & ~(UINT64_C(1) << 63 >> shift) ?: differs;
		unsigned int same = (unsigned int)__builtin_ctzll(low),
			     left = 64 - same - (unsigned int)__builtin_clzll(low),
			     digits = (left + most - 1) / most, bits = (left + digits - 1) / digits;

		shift += same;
		sort_by_digit(keys, other, count, shift, bits);
		keys = other;
		other = from;
		differs = differs >> same >> bits;
		shift += bits;
	}
	return keys;
}

void sort_by_number(void *items, size_t count, size_t size, size_t place)
{
	_cleanup_free_ char *before = xmalloc(count * size);
	_cleanup_free_ struct sort_key *room = xrealloc_array(NULL, 2 * count, sizeof(*room));

	if (!count)
		return;
	memcpy(before, items, count * size);
	for (size_t i = 0; i < count; i++) {
		memcpy(&room[i].key, before + i * size + place, sizeof(room[i].key));
		room[i].index = i;
	}
	const struct sort_key *keys = sort_keys(room, room + count, count);

	for (size_t i = 0; i < count; i++)
		memcpy((char *)items + i * size, before + keys[i].index * size, size);
}

size_t sort_unique(void *items, size_t count, size_t size,
		   int (*compare)(const void *left, const void *right))
{
	char *start = items, *last = start;

	if (!count)
		return 0;
	qsort(items, count, size, compare);
	for (char *item = start + size; item < start + count * size; item += size)
		if (compare(last, item))
			memmove(last += size, item, size);
	return (size_t)(last - start) / size + 1;
}

/* A list of at most this many items is sorted where it is, without memory from qsort(). */
#define SHORT_LIST_MAX 16
#define SHORT_ITEM_MAX 256

void sort_unless_sorted(void *items, size_t count, size_t size,
			int (*compare)(const void *left, const void *right))
{
	char *start = items, moved[SHORT_ITEM_MAX];

	for (size_t i = 1; i < count; i++) {
		char *item = start + i * size, *to = item;

		while (to > start && compare(to - size, item) > 0)
			to -= size;
		if (to == item)
			continue;
		if (count > SHORT_LIST_MAX || size > sizeof(moved)) {
			qsort(items, count, size, compare);
			return;
		}
		memcpy(moved, item, size);
		memmove(to + size, to, (size_t)(item - to));
		memcpy(to, moved, size);
	}
}
