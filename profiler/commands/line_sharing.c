// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/line_touches.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/type.h"

#define KERNEL_START UINT64_C(0x8000000000000000)
#define TOUCHES_MAX  2048 /* of one line that are held against each other */

struct line_sharing *line_sharing_create(uint64_t cacheline)
{
	struct line_sharing *sharing = xcalloc(1, sizeof(*sharing));

	sharing->cacheline = cacheline;
	return sharing;
}

void line_sharing_destroy(struct line_sharing *sharing)
{
	if (!sharing)
		return;
	free(sharing->touches);
	free(sharing->pairs);
	free(sharing->seen);
	free(sharing);
}

void line_sharing_add(struct line_sharing *sharing, const struct result *result, const void *object,
		      const struct access *access, const struct access_count *count)
{
	/* what is on a stack is one thread's, one after the other */
	if (!result->data_known || !result->data_address || !result->time ||
	    access->memory == ACCESS_MEMORY_STACK)
		return;

	uint64_t size = access->size ? access->size : 1,
		 line = result->data_address / sharing->cacheline * sharing->cacheline,
		 line_end = line + sharing->cacheline;
	struct touch touch = {
		.pid = result->data_address >= KERNEL_START ? 0 : result->pid,
		.line = line,
		.tid = result->tid,
		.cpu = result->cpu,
		.begin = result->data_address,
		.end = size < line_end - result->data_address ? result->data_address + size : line_end,
		.first = result->time,
		.last = result->time,
		.access = access,
		.object = object,
		.writes = count->stores,
	};

	array_reserve(sharing->touches, sharing->count, sharing->capacity);
	sharing->touches[sharing->count++] = touch;
}

/* ---- lines ---- */

int line_sharing_compare_types(const void *object, const struct type *type, const void *other_object,
			       const struct type *other)
{
	COMPARE((uintptr_t)object, (uintptr_t)other_object);
	COMPARE((uintptr_t)type, (uintptr_t)other);
	return 0;
}

int seen_object_compare(const void *left, const void *right)
{
	const struct seen_object *a = left, *b = right;
	int order = line_sharing_compare_types(a->object, a->type, b->object, b->type);

	if (order)
		return order;
	COMPARE(a->pid, b->pid);
	COMPARE(a->base, b->base);
	return 0;
}

/* By lines, then by threads and by what they do. */
static int compare_touches(const void *left, const void *right)
{
	const struct touch *a = left, *b = right;

	COMPARE(a->pid, b->pid);
	COMPARE(a->line, b->line);
	COMPARE(a->tid, b->tid);
	COMPARE(a->cpu, b->cpu);
	COMPARE(a->begin, b->begin);
	COMPARE(a->end, b->end);
	COMPARE(a->access->offset, b->access->offset);
	COMPARE(a->access->indexed, b->access->indexed);
	COMPARE(a->writes, b->writes);
	return line_sharing_compare_types(a->object, a->access->type, b->object, b->access->type);
}

static void merge_touch(struct touch *touch, const struct touch *more)
{
	if (more->first < touch->first)
		touch->first = more->first;
	if (more->last > touch->last)
		touch->last = more->last;
}

static void merge_touches(struct line_sharing *sharing)
{
	size_t kept = 0;

	if (sharing->count)
		qsort(sharing->touches, sharing->count, sizeof(*sharing->touches), compare_touches);
	for (size_t i = 0; i < sharing->count; i++) {
		if (kept && compare_touches(&sharing->touches[kept - 1], &sharing->touches[i]) == 0)
			merge_touch(&sharing->touches[kept - 1], &sharing->touches[i]);
		else
			sharing->touches[kept++] = sharing->touches[i];
	}
	sharing->count = kept;
}

/* Each processor has an idle thread of its own, and all are number 0. */
static bool same_thread(const struct touch *a, const struct touch *b)
{
	return a->tid == b->tid && (a->tid || a->cpu == b->cpu);
}

static bool overlap(const struct touch *a, const struct touch *b)
{
	return a->begin < b->end && b->begin < a->end;
}

static void add_pair(struct line_sharing *sharing, size_t writer, size_t other)
{
	array_reserve(sharing->pairs, sharing->pair_count, sharing->pair_capacity);
	sharing->pairs[sharing->pair_count++] =
		(struct pair){ .writer = (uint32_t)writer, .other = (uint32_t)other };
}

/* One of them comes back to the line when the other one was there. */
static bool take_turns(const struct touch *a, const struct touch *b)
{
	return a->first < b->last && b->first < a->last;
}

/* A thread that uses what is written, too, shares the line truly. */
static void find_disturbed(struct line_sharing *sharing, size_t first, size_t end, size_t writer)
{
	const struct touch *touches = sharing->touches, *written = &touches[writer];
	size_t next;

	for (size_t i = first; i < end; i = next) {
		bool shares = same_thread(&touches[i], written);
		struct touch thread = touches[i];

		for (next = i; next < end && same_thread(&touches[next], &touches[i]); next++) {
			merge_touch(&thread, &touches[next]);
			shares = shares || overlap(&touches[next], written);
		}
		for (size_t other = i; other < next && !shares && take_turns(&thread, written); other++)
			if (written->cpu < 0 || touches[other].cpu != written->cpu)
				add_pair(sharing, writer, other);
	}
}

static void look_through_line(struct line_sharing *sharing, size_t first, size_t end)
{
	if (end - first > TOUCHES_MAX)
		end = first + TOUCHES_MAX;
	if (same_thread(&sharing->touches[first], &sharing->touches[end - 1]))
		return;
	for (size_t i = first; i < end; i++)
		if (sharing->touches[i].writes)
			find_disturbed(sharing, first, end, i);
}

/* By the writer's type and place in it, then by line. */
static int compare_pairs(const void *left, const void *right, void *data)
{
	const struct line_sharing *sharing = data;
	const struct pair *a = left, *b = right;
	const struct touch *x = &sharing->touches[a->writer], *y = &sharing->touches[b->writer];
	int order = line_sharing_compare_types(x->object, x->access->type, y->object, y->access->type);

	if (order)
		return order;
	COMPARE(x->access->offset, y->access->offset);
	/* touches are in the order of their lines */
	COMPARE(a->writer, b->writer);
	COMPARE(a->other, b->other);
	return 0;
}

static void collect_seen(struct line_sharing *sharing)
{
	size_t count = 0;

	sharing->seen = xcalloc(sharing->count, sizeof(*sharing->seen));
	for (size_t i = 0; i < sharing->count; i++) {
		const struct touch *touch = &sharing->touches[i];

		if (touch_base(touch) != BASE_UNKNOWN)
			sharing->seen[count++] = (struct seen_object){ .object = touch->object,
								       .type = touch->access->type,
								       .pid = touch->pid,
								       .base = touch_base(touch) };
	}
	if (count)
		qsort(sharing->seen, count, sizeof(*sharing->seen), seen_object_compare);
	for (size_t i = 0; i < count; i++)
		if (!i ||
		    seen_object_compare(&sharing->seen[sharing->seen_count - 1], &sharing->seen[i]) != 0)
			sharing->seen[sharing->seen_count++] = sharing->seen[i];
}

void line_sharing_finish(struct line_sharing *sharing)
{
	size_t end;

	merge_touches(sharing);
	for (size_t first = 0; first < sharing->count; first = end) {
		const struct touch *touches = sharing->touches;

		for (end = first; end < sharing->count && touches[end].pid == touches[first].pid &&
				  touches[end].line == touches[first].line;)
			end++;
		look_through_line(sharing, first, end);
	}
	if (sharing->pair_count)
		qsort_r(sharing->pairs, sharing->pair_count, sizeof(*sharing->pairs), compare_pairs, sharing);
	collect_seen(sharing);
}
