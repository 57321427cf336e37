/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For line_sharing.c and line_sharing_show.c only: what is known of the cachelines. */
#ifndef DTPROF_COMMANDS_LINE_TOUCHES_H
#define DTPROF_COMMANDS_LINE_TOUCHES_H

#include "profiler/commands/line_sharing.h"

#define BASE_UNKNOWN UINT64_MAX

/* That somebody uses some bytes of a line. */
struct touch {
	int32_t pid; /* 0: the kernel's */
	uint64_t line;
	int32_t tid, cpu;     /* cpu -1: not known */
	uint64_t begin, end;  /* bytes, in memory */
	uint64_t first, last; /* time, ns */
	const struct access *access;
	const void *object;
	bool writes;
};

/* What one thread does to the line of another: `writer` and `other` are indices of touches. */
struct pair {
	uint32_t writer, other;
};

/* An object of a type that was seen. */
struct seen_object {
	const void *object;
	const struct type *type;
	int32_t pid;
	uint64_t base;
};

struct line_sharing {
	uint64_t cacheline;
	struct touch *touches; /* in the order of compare_touches(), once finished */
	size_t count, capacity;
	struct pair *pairs; /* in the order of compare_pairs(), the same */
	size_t pair_count, pair_capacity;
	struct seen_object *seen; /* in the order of seen_object_compare(), each once, the same */
	size_t seen_count;
};

#define COMPARE(a, b)                                                                                        \
	do {                                                                                                 \
		if ((a) != (b))                                                                              \
			return (a) < (b) ? -1 : 1;                                                           \
	} while (0)

/* In some order, equal ones 0. */
int line_sharing_compare_types(const void *object, const struct type *type, const void *other_object,
			       const struct type *other);
int seen_object_compare(const void *left, const void *right);

/* Where the object begins that is accessed, if the code tells. */
static inline uint64_t touch_base(const struct touch *touch)
{
	return touch->access->indexed ? BASE_UNKNOWN : touch->begin - (uint64_t)touch->access->offset;
}

#endif
