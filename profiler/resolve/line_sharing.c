// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finding false sharing: see line_sharing.h for what counts as such.
 *
 * Samples become touches: thread, processor, bytes, first and last time. Touches are sorted by
 * line, equal ones merged, and those of one line compared in pairs. All orders here are by content
 * or by pointer equality alone, and names are sorted before they are shown, so that the result does
 * not depend on the order of the samples.
 */
#include "profiler/resolve/line_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/member.h"
#include "dwarf/types/type.h"
#include "profiler/base/strbuf.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session.h"

#define BASE_UNKNOWN UINT64_MAX

/* One use of some bytes of a line. */
struct touch {
	int32_t pid; /* 0: the kernel */
	uint64_t line;
	int32_t tid, cpu;     /* cpu is -1 if unknown */
	uint64_t begin, end;  /* addresses */
	uint64_t first, last; /* times in ns */
	const struct access *access;
	const void *object;
	bool writes;
};

/* A thread that writes and a thread that is disturbed, as indexes of touches. */
struct pair {
	uint32_t writer, other;
};

/* An object that samples accessed. */
struct seen_object {
	const void *object;
	const struct type *type;
	int32_t pid;
	uint64_t base;
};

struct line_sharing {
	uint64_t cacheline;
	struct touch *touches; /* sorted by compare_touches() once finished */
	size_t count, capacity;
	struct pair *pairs; /* sorted by compare_pairs() once finished */
	size_t pair_count, pair_capacity;
	struct seen_object *seen; /* sorted by compare_seen_objects() and unique once finished */
	size_t seen_count;
};

/* Returns the address of the accessed object, or BASE_UNKNOWN if the code does not tell. */
static inline uint64_t touch_base(const struct touch *touch)
{
	return touch->access->indexed ? BASE_UNKNOWN
				      : touch->begin - (uint64_t)touch->access->offset;
}

/* ---- the lines ---- */

#define TOUCHES_MAX 2048 /* of one line, because they are compared in pairs */

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
	/* A stack belongs to one thread at a time. */
	if (!result->data_known || !result->data_address || !result->time ||
	    access->memory == ACCESS_MEMORY_STACK)
		return;

	uint64_t size = access->size ? access->size : 1,
		 line = result->data_address / sharing->cacheline * sharing->cacheline,
		 line_end = line + sharing->cacheline;
	struct touch touch = {
		.pid = address_is_kernel(result->data_address) ? 0 : result->pid,
		.line = line,
		.tid = result->tid,
		.cpu = result->cpu,
		.begin = result->data_address,
		.end = size < line_end - result->data_address ? result->data_address + size
							      : line_end,
		.first = result->time,
		.last = result->time,
		.access = access,
		.object = object,
		.writes = count->stores,
	};

	array_reserve(sharing->touches, sharing->count, sharing->capacity);
	sharing->touches[sharing->count++] = touch;
}

/* ---- orders ---- */

/* Compares by an arbitrary total order. */
static int compare_types(const void *object, const struct type *type, const void *other_object,
			 const struct type *other)
{
	COMPARE((uintptr_t)object, (uintptr_t)other_object);
	COMPARE((uintptr_t)type, (uintptr_t)other);
	return 0;
}

static int compare_seen_objects(const void *left, const void *right)
{
	const struct seen_object *a = left, *b = right;
	int order = compare_types(a->object, a->type, b->object, b->type);

	if (order)
		return order;
	COMPARE(a->pid, b->pid);
	COMPARE(a->base, b->base);
	return 0;
}

/* Orders by line, then by thread, then by what it does. */
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
	return compare_types(a->object, a->access->type, b->object, b->access->type);
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

/* All idle threads have the number 0, but each processor has one of its own. */
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

/* Returns whether one of the threads used the line both before and after the other. */
static bool take_turns(const struct touch *a, const struct touch *b)
{
	return a->first < b->last && b->first < a->last;
}

/*
 * Adds pairs for the threads that use the line but not the bytes that `writer` wrote. A thread that
 * uses those bytes, too, truly shares them.
 */
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
		for (size_t other = i; other < next && !shares && take_turns(&thread, written);
		     other++)
			if (written->cpu < 0 || touches[other].cpu != written->cpu)
				add_pair(sharing, writer, other);
	}
}

/* Finds the pairs of one line, whose touches are [first, end). */
static void compare_touches_of_line(struct line_sharing *sharing, size_t first, size_t end)
{
	if (end - first > TOUCHES_MAX)
		end = first + TOUCHES_MAX;
	if (same_thread(&sharing->touches[first], &sharing->touches[end - 1]))
		return;
	for (size_t i = first; i < end; i++)
		if (sharing->touches[i].writes)
			find_disturbed(sharing, first, end, i);
}

/* Orders by the writer's type and offset, then by line. */
static int compare_pairs(const void *left, const void *right, void *data)
{
	const struct line_sharing *sharing = data;
	const struct pair *a = left, *b = right;
	const struct touch *x = &sharing->touches[a->writer], *y = &sharing->touches[b->writer];
	int order = compare_types(x->object, x->access->type, y->object, y->access->type);

	if (order)
		return order;
	COMPARE(x->access->offset, y->access->offset);
	/* Touches are sorted by line. */
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
		qsort(sharing->seen, count, sizeof(*sharing->seen), compare_seen_objects);
	for (size_t i = 0; i < count; i++)
		if (!i || compare_seen_objects(&sharing->seen[sharing->seen_count - 1],
					       &sharing->seen[i]) != 0)
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
		compare_touches_of_line(sharing, first, end);
	}
	if (sharing->pair_count)
		qsort_r(sharing->pairs, sharing->pair_count, sizeof(*sharing->pairs), compare_pairs,
			sharing);
	collect_seen(sharing);
}

/* ---- what is shown of a type ---- */

static bool is_of_histogram(const struct touch *touch, const struct histogram *histogram)
{
	return touch->object == histogram->object && touch->access->type == histogram->type;
}

static void add_field_name(const struct access *access, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_char(buffer, '\'');
	/* A type without members has no name of a field. */
	if (!access_member_path(access, buffer))
		strbuf_add_string(buffer, type_name_interned(access->type));
	make_printable(buffer->data + start, buffer->length - start);
	strbuf_add_char(buffer, '\'');
}

/* Returns "'limit'", "'hits' of another object" or "'lock' of struct pool". */
static const char *neighbour_name(const struct touch *writer, const struct touch *other,
				  struct arena *texts)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t base = touch_base(writer), other_base = touch_base(other);

	add_field_name(other->access, &text);
	if (other->object != writer->object || other->access->type != writer->access->type)
		strbuf_add_format(&text, " of %s", type_name_interned(other->access->type));
	else if (base != BASE_UNKNOWN && other_base != BASE_UNKNOWN && base != other_base)
		strbuf_add_string(&text, " of another object");
	return arena_strdup(texts, text.data);
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int compare_threads(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	COMPARE(*a, *b);
	return 0;
}

static size_t unique_texts(const char **texts, size_t count)
{
	size_t kept = 0;

	qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(texts[kept - 1], texts[i]) != 0)
			texts[kept++] = texts[i];
	return kept;
}

static size_t unique_threads(int32_t *threads, size_t count)
{
	size_t kept = 0;

	qsort(threads, count, sizeof(*threads), compare_threads);
	for (size_t i = 0; i < count; i++)
		if (!kept || threads[kept - 1] != threads[i])
			threads[kept++] = threads[i];
	return kept;
}

/* Returns the thread's number, or for an idle thread a number below 0 made from its processor's. */
static int32_t number_of(const struct touch *touch)
{
	return touch->tid || touch->cpu < 0 ? touch->tid : -1 - touch->cpu;
}

/* Sums up the pairs [first, end), which are all those of one written field. */
static struct annotated_sharing sharing_of(const struct line_sharing *sharing, size_t first,
					   size_t end, struct arena *texts)
{
	size_t count = end - first;
	const char **neighbours = arena_alloc(texts, count * sizeof(*neighbours));
	int32_t *writers = arena_alloc(texts, count * sizeof(*writers)),
		*threads = arena_alloc(texts, count * sizeof(*threads));
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;
	uint64_t lines = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pair *pair = &sharing->pairs[first + i];
		const struct touch *writer = &sharing->touches[pair->writer],
				   *other = &sharing->touches[pair->other],
				   *before = i ? &sharing->touches[pair[-1].writer] : NULL;

		neighbours[i] = neighbour_name(writer, other, texts);
		writers[i] = number_of(writer);
		threads[i] = number_of(other);
		lines += !before || before->pid != writer->pid || before->line != writer->line;
	}
	add_field_name(sharing->touches[sharing->pairs[first].writer].access, &field);
	return (struct annotated_sharing){ .field = arena_strdup(texts, field.data),
					   .writers = writers,
					   .writer_count = unique_threads(writers, count),
					   .neighbours = neighbours,
					   .neighbour_count = unique_texts(neighbours, count),
					   .threads = threads,
					   .thread_count = unique_threads(threads, count),
					   .cachelines = lines };
}

static int compare_sharings(const void *left, const void *right)
{
	const struct annotated_sharing *a = left, *b = right;

	COMPARE(b->cachelines, a->cachelines);
	return strcmp(a->field, b->field);
}

static bool is_before(const struct line_sharing *sharing, const struct pair *pair,
		      const struct histogram *histogram)
{
	const struct touch *touch = &sharing->touches[pair->writer];

	return compare_types(touch->object, touch->access->type, histogram->object,
			     histogram->type) < 0;
}

/* Returns the index of the first pair whose type is not ordered before the histogram's. */
static size_t first_pair(const struct line_sharing *sharing, const struct histogram *histogram)
{
	return partition_point(0, sharing->pair_count, i,
			       is_before(sharing, &sharing->pairs[i], histogram));
}

static void show_sharings(const struct line_sharing *sharing, const struct histogram *histogram,
			  struct arena *texts, struct annotated_type *type)
{
	size_t first = first_pair(sharing, histogram), end = first, next;
	const struct pair *pairs = sharing->pairs;
	struct annotated_sharing *shown;

	while (end < sharing->pair_count &&
	       is_of_histogram(&sharing->touches[pairs[end].writer], histogram))
		end++;
	shown = arena_alloc(texts, (end - first) * sizeof(*shown));
	for (size_t i = first; i < end; i = next) {
		int64_t offset = sharing->touches[pairs[i].writer].access->offset;

		for (next = i;
		     next < end && sharing->touches[pairs[next].writer].access->offset == offset;)
			next++;
		shown[type->sharing_count++] = sharing_of(sharing, i, next, texts);
	}
	if (type->sharing_count)
		qsort(shown, type->sharing_count, sizeof(*shown), compare_sharings);
	type->sharings = shown;
}

static void count_seen(const struct line_sharing *sharing, const struct histogram *histogram,
		       struct annotated_type *type)
{
	struct seen_object wanted = { .object = histogram->object,
				      .type = histogram->type,
				      .pid = INT32_MIN };
	size_t count = sharing->seen_count;
	size_t index =
		partition_point(0, count, i, compare_seen_objects(&sharing->seen[i], &wanted) < 0);

	for (; index < count && sharing->seen[index].object == wanted.object &&
	       sharing->seen[index].type == wanted.type;
	     index++) {
		type->objects++;
		type->aligned_objects += sharing->seen[index].base % sharing->cacheline == 0;
	}
}

void line_sharing_show(const struct line_sharing *sharing, const struct histogram *histogram,
		       struct arena *texts, struct annotated_type *type)
{
	type->addressed = sharing->count;
	count_seen(sharing, histogram, type);
	show_sharings(sharing, histogram, texts, type);
}
