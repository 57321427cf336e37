/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects of each type in memory of their own, so that a data address tells the type: what the programs of
 * this folder tell whoever steps them (tests/support/stepper.h). To be included once in a program.
 */
#pragma once

#include <stddef.h>
#include <sys/mman.h>

#define ARENA_SIZE ((size_t)1 << 20)

struct language_arena {
	const void *
		cells; /* a variable whose type is T*: the arena has objects of type T, one after the other */
	const char *type; /* where there is none: T's name */
	char *start;
	char *end;
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct language_arena language_arenas[64];
extern unsigned long language_arena_count;
/* Called twice: what runs between is stepped. */
void language_mark(void);
struct language_arena language_arenas[64];
unsigned long language_arena_count;
#ifdef __cplusplus
}
#endif

__asm__(".text\n.globl language_mark\n.type language_mark, @function\nlanguage_mark:\n\tint3\n\tret\n"
	".size language_mark, . - language_mark\n");

static inline char *arena_register(const void *cells)
{
	char *start =
		(char *)mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct language_arena *arena = &language_arenas[language_arena_count++];

	arena->cells = cells;
	arena->type = NULL;
	arena->start = start;
	arena->end = start + ARENA_SIZE;
	return start;
}

#ifdef __cplusplus

template <typename T> struct arena {
	static T *cells;
	static char *next;

	__attribute__((noinline)) static void *take(size_t count)
	{
		if (!next)
			next = arena_register(&cells);
		char *taken = next;

		next += count * sizeof(T);
		return taken;
	}
};

template <typename T> T *arena<T>::cells;
template <typename T> char *arena<T>::next;

/* For containers: their nodes and elements, each type in its own arena. */
template <typename T> struct arena_allocator {
	using value_type = T;

	arena_allocator() = default;
	template <typename U> arena_allocator(const arena_allocator<U> &)
	{
	}
	T *allocate(size_t count)
	{
		return static_cast<T *>(arena<T>::take(count));
	}
	void deallocate(T *, size_t)
	{
	}
	template <typename U> bool operator==(const arena_allocator<U> &) const
	{
		return true;
	}
	template <typename U> bool operator!=(const arena_allocator<U> &) const
	{
		return false;
	}
};

/* In a class: new gives objects of its arena. */
#define IN_ARENA(T)                                                                                          \
	static void *operator new(size_t)                                                                    \
	{                                                                                                    \
		return arena<T>::take(1);                                                                    \
	}                                                                                                    \
	static void operator delete(void *)                                                                  \
	{                                                                                                    \
	}

#else

/* A type's arena in C: the variable and what gives objects. */
#define ARENA_OF(type, name)                                                                                 \
	type *name##_cells;                                                                                  \
	static char *name##_next;                                                                            \
	static __attribute__((noinline)) type *name##_take(size_t count)                                     \
	{                                                                                                    \
		char *taken;                                                                                 \
		if (!name##_next)                                                                            \
			name##_next = arena_register(&name##_cells);                                         \
		taken = name##_next;                                                                         \
		name##_next += count * sizeof(type);                                                         \
		return (type *)taken;                                                                        \
	}

#endif
