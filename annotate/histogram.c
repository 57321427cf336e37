// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

struct histograms *histograms_create(uint32_t event_count)
{
	struct histograms *histograms = xcalloc(1, sizeof(*histograms));

	histograms->event_count = event_count;
	histograms->slot_count = 64;
	histograms->slots = xcalloc(histograms->slot_count, sizeof(*histograms->slots));
	return histograms;
}

void histograms_destroy(struct histograms *histograms)
{
	if (!histograms)
		return;
	for (size_t i = 0; i < histograms->count; i++) {
		free(histograms->items[i].totals);
		free(histograms->items[i].offsets);
		free(histograms->items[i].counts);
	}
	free(histograms->items);
	free(histograms->slots);
	free(histograms);
}

static uint32_t *find_slot(struct histograms *histograms, const void *object, const struct type *type)
{
	size_t mask = histograms->slot_count - 1;
	size_t slot = hash_combine((uintptr_t)object, (uintptr_t)type) & mask;

	for (; histograms->slots[slot]; slot = (slot + 1) & mask) {
		const struct histogram *item = &histograms->items[histograms->slots[slot] - 1];

		if (item->object == object && item->type == type)
			break;
	}
	return &histograms->slots[slot];
}

static void grow_slots(struct histograms *histograms)
{
	free(histograms->slots);
	histograms->slot_count *= 2;
	histograms->slots = xcalloc(histograms->slot_count, sizeof(*histograms->slots));
	for (size_t i = 0; i < histograms->count; i++)
		*find_slot(histograms, histograms->items[i].object, histograms->items[i].type) = i + 1;
}

static struct histogram *find_or_create(struct histograms *histograms, const void *object,
					const struct type *type)
{
	uint32_t *slot = find_slot(histograms, object, type);

	if (*slot)
		return &histograms->items[*slot - 1];
	array_reserve(histograms->items, histograms->count, histograms->capacity);

	struct histogram *item = &histograms->items[histograms->count++];

	*item = (struct histogram){ .type = type,
				    .object = object,
				    .totals = xcalloc(histograms->event_count, sizeof(*item->totals)) };
	*slot = histograms->count;
	if (histograms->count * 2 > histograms->slot_count)
		grow_slots(histograms);
	return item;
}

/* Index of the first offset that is not below `offset`. */
static size_t offset_index(const struct histogram *histogram, int64_t offset)
{
	size_t low = 0, high = histogram->offset_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (histogram->offsets[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct access_count *counts_at(struct histogram *histogram, int64_t offset, uint32_t event_count)
{
	size_t index = offset_index(histogram, offset), capacity = histogram->offset_capacity;

	if (index < histogram->offset_count && histogram->offsets[index] == offset)
		return histogram->counts + index * event_count;
	array_reserve(histogram->offsets, histogram->offset_count, histogram->offset_capacity);
	if (capacity != histogram->offset_capacity)
		histogram->counts = xrealloc_array(histogram->counts, histogram->offset_capacity,
						   event_count * sizeof(*histogram->counts));

	size_t behind = histogram->offset_count++ - index;
	struct access_count *counts = histogram->counts + index * event_count;

	memmove(histogram->offsets + index + 1, histogram->offsets + index,
		behind * sizeof(*histogram->offsets));
	memmove(counts + event_count, counts, behind * event_count * sizeof(*counts));
	histogram->offsets[index] = offset;
	memset(counts, 0, event_count * sizeof(*counts));
	return counts;
}

static void add_count(struct access_count *count, struct access_count more)
{
	count->samples += more.samples;
	count->period += more.period;
}

void histograms_add(struct histograms *histograms, const void *object, const struct access *access,
		    uint32_t event, struct access_count count)
{
	struct histogram *histogram = find_or_create(histograms, object, access->type);

	histogram->samples += count.samples;
	add_count(&histogram->totals[event], count);
	add_count(&counts_at(histogram, access->offset, histograms->event_count)[event], count);
}

struct sort_item {
	struct histogram histogram;
	size_t added;
};

static int compare_items(const void *left, const void *right)
{
	const struct sort_item *a = left, *b = right;

	if (a->histogram.samples != b->histogram.samples)
		return a->histogram.samples < b->histogram.samples ? 1 : -1;

	int order = strcmp(type_name_interned(a->histogram.type), type_name_interned(b->histogram.type));

	if (order)
		return order;
	return a->added < b->added ? -1 : a->added > b->added;
}

void histograms_sort(struct histograms *histograms)
{
	struct sort_item *items _cleanup_free_ = xcalloc(histograms->count, sizeof(*items));

	for (size_t i = 0; i < histograms->count; i++)
		items[i] = (struct sort_item){ .histogram = histograms->items[i], .added = i };
	qsort(items, histograms->count, sizeof(*items), compare_items);
	for (size_t i = 0; i < histograms->count; i++)
		histograms->items[i] = items[i].histogram;
	memset(histograms->slots, 0, histograms->slot_count * sizeof(*histograms->slots));
	for (size_t i = 0; i < histograms->count; i++)
		*find_slot(histograms, histograms->items[i].object, histograms->items[i].type) = i + 1;
}

/* ---- lines ---- */

struct line_counter {
	struct histogram_lines *lines;
	struct access_count *counts;
	uint32_t event_count;
};

static void count_line(struct line_counter *counter, size_t line, const struct access_count *counts)
{
	for (uint32_t event = 0; event < counter->event_count; event++)
		add_count(&counter->counts[line * counter->event_count + event], counts[event]);
}

static bool line_holds(const struct member_line *line, int64_t offset)
{
	return offset >= line->offset && (uint64_t)(offset - line->offset) < line->size;
}

/* The line after `line` and all its members. */
static size_t line_end(const struct histogram_lines *lines, size_t line)
{
	size_t end = line + 1;

	while (end < lines->count && lines->lines[end].member.depth > lines->lines[line].member.depth)
		end++;
	return end;
}

/* A record without data, such as an empty base class: it has a size, but what is accessed there is something
 * else. */
static bool is_empty(const struct histogram_lines *lines, size_t line)
{
	for (size_t i = line, end = line_end(lines, line); i < end; i++)
		if (!lines->lines[i].member.has_members)
			return false;
	return true;
}

static void count_members(struct line_counter *counter, size_t parent, int64_t offset,
			  const struct access_count *counts);

/* All elements of an array of records count as the first one, whose members stand for all. */
static void count_member(struct line_counter *counter, size_t line, int64_t offset,
			 const struct access_count *counts)
{
	const struct member_line *member = &counter->lines->lines[line].member;
	int64_t inner = offset - member->offset;

	count_line(counter, line, counts);
	if (member->element_size && type_strip(member->type)->kind == TYPE_ARRAY)
		inner %= member->element_size;
	if (member->has_members)
		count_members(counter, line, member->offset + inner, counts);
}

/* Count an access at `offset` for the members of `parent` that hold it, and for theirs. */
static void count_members(struct line_counter *counter, size_t parent, int64_t offset,
			  const struct access_count *counts)
{
	size_t end = line_end(counter->lines, parent), last = 0;
	bool found = false;

	for (size_t line = parent + 1; line < end; line = line_end(counter->lines, line)) {
		last = line;
		if (!line_holds(&counter->lines->lines[line].member, offset) ||
		    is_empty(counter->lines, line))
			continue;
		found = true;
		count_member(counter, line, offset, counts);
	}
	if (found || !last)
		return;

	const struct member_line *member = &counter->lines->lines[last].member;

	/* an array without a count at the record's end goes on as far as the memory does */
	if (!member->size && type_strip(member->type)->kind == TYPE_ARRAY && offset >= member->offset)
		count_member(counter, last, offset, counts);
}

static uint64_t innermost_element_size(const struct type *type)
{
	type = type_strip(type);
	for (int depth = 0; type->kind == TYPE_ARRAY && depth < 16; depth++)
		type = type_strip(type_target(type));
	return type->size;
}

void histogram_lines(const struct histogram *histogram, uint32_t event_count, struct histogram_lines *result)
{
	struct member_line *members _cleanup_free_ = NULL;
	size_t member_count;
	struct line_counter counter = { .lines = result, .event_count = event_count };

	member_lines(histogram->type, &members, &member_count);
	result->count = member_count + 1;
	result->lines = xcalloc(result->count, sizeof(*result->lines));
	result->counts = xcalloc(result->count * event_count, sizeof(*result->counts));
	result->lines[0].member =
		(struct member_line){ .type = histogram->type,
				      .size = type_strip(histogram->type)->size,
				      .element_size = innermost_element_size(histogram->type),
				      .has_members = member_count > 0 };
	for (size_t i = 0; i < result->count; i++) {
		if (i)
			result->lines[i].member = members[i - 1];
		result->lines[i].counts = result->counts + i * event_count;
	}
	counter.counts = result->counts;
	for (size_t i = 0; i < histogram->offset_count; i++)
		count_member(&counter, 0, histogram->offsets[i], histogram->counts + i * event_count);
}

void histogram_lines_release(struct histogram_lines *lines)
{
	free(lines->lines);
	free(lines->counts);
	*lines = (struct histogram_lines){ 0 };
}
