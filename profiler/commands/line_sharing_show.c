// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of the cachelines of one type. */
#include <stdlib.h>
#include <string.h>

#include "annotate/member.h"
#include "dwarf/type.h"
#include "profiler/base/printable.h"
#include "profiler/base/search.h"
#include "profiler/commands/line_touches.h"

static bool is_of(const struct touch *touch, const struct histogram *histogram)
{
	return touch->object == histogram->object && touch->access->type == histogram->type;
}

static void add_field_name(const struct access *access, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_char(buffer, '\'');
	/* of a type without members the type */
	if (!access_member_path(access, buffer))
		strbuf_add_string(buffer, type_name_interned(access->type));
	make_printable(buffer->data + start, buffer->length - start);
	strbuf_add_char(buffer, '\'');
}

/* "'limit'", "'hits' of another object", "'lock' of struct pool" */
static const char *neighbour_name(const struct touch *writer, const struct touch *other, struct arena *texts)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
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

/* Of a processor's idle thread the processor's, below 0. */
static int32_t number_of(const struct touch *touch)
{
	return touch->tid || touch->cpu < 0 ? touch->tid : -1 - touch->cpu;
}

/* All pairs of one place that is written. */
static struct annotated_sharing sharing_of(const struct line_sharing *sharing, size_t first, size_t end,
					   struct arena *texts)
{
	size_t count = end - first;
	const char **neighbours = arena_alloc(texts, count * sizeof(*neighbours));
	int32_t *writers = arena_alloc(texts, count * sizeof(*writers)),
		*threads = arena_alloc(texts, count * sizeof(*threads));
	struct strbuf field _cleanup_strbuf_ = STRBUF_INIT;
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

	return line_sharing_compare_types(touch->object, touch->access->type, histogram->object,
					  histogram->type) < 0;
}

/* Index of the first pair that is not of a type before. */
static size_t first_pair(const struct line_sharing *sharing, const struct histogram *histogram)
{
	return partition_point(0, sharing->pair_count, i, is_before(sharing, &sharing->pairs[i], histogram));
}

static void show_sharings(const struct line_sharing *sharing, const struct histogram *histogram,
			  struct arena *texts, struct annotated_type *type)
{
	size_t first = first_pair(sharing, histogram), end = first, next;
	const struct pair *pairs = sharing->pairs;
	struct annotated_sharing *shown;

	while (end < sharing->pair_count && is_of(&sharing->touches[pairs[end].writer], histogram))
		end++;
	shown = arena_alloc(texts, (end - first) * sizeof(*shown));
	for (size_t i = first; i < end; i = next) {
		int64_t offset = sharing->touches[pairs[i].writer].access->offset;

		for (next = i; next < end && sharing->touches[pairs[next].writer].access->offset == offset;)
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
	size_t index = partition_point(0, count, i, seen_object_compare(&sharing->seen[i], &wanted) < 0);

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
