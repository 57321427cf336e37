// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/histogram_lines.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

/* That a spot falls in a line. */
struct hit {
	uint32_t line;
	struct accessor by;
	int64_t element; /* ELEMENT_NONE where that is not the question */
	const struct access_count *counts;
};

struct hit_list {
	struct hit *items;
	size_t count, capacity;
};

struct line_counter {
	struct histogram_lines *lines;
	struct access_count *counts;
	uint32_t event_count;
	struct hit_list leaves, elements;
};

/* A spot on its way down: within arrays the offset becomes that in the first element. */
struct visit {
	const struct access_spot *spot;
	const struct access_count *counts; /* by event */
	int64_t offset;
};

static void add_hit(struct hit_list *list, size_t line, const struct visit *visit, struct accessor by,
		    int64_t element)
{
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] =
		(struct hit){ .line = line, .by = by, .element = element, .counts = visit->counts };
}

static bool line_holds(const struct member_line *line, const struct visit *visit)
{
	int64_t offset = member_first_byte(visit->offset, visit->spot->bits);

	if (line->bit_size && visit->spot->bits)
		return member_bits_overlap(line->offset, line->bit_offset, line->bit_size, visit->offset,
					   visit->spot->bits);
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

/*
 * Whether what others may lie over has something there itself. The variants of an enum lie over each other,
 * and over what tells which it is; in the padding of a base class, and where a virtual base would be, are
 * members of the class that inherits it.
 */
static bool overlaid_holds(const struct histogram_lines *lines, size_t line, const struct visit *visit)
{
	const struct member_line *member = &lines->lines[line].member;

	if (!(member->is_variant || member->is_base) || !member->has_members)
		return true;
	for (size_t i = line + 1, end = line_end(lines, line); i < end; i = line_end(lines, i))
		if (line_holds(&lines->lines[i].member, visit) && overlaid_holds(lines, i, visit))
			return true;
	return false;
}

static void count_members(struct line_counter *counter, size_t parent, const struct visit *visit);

/* All elements of an array of records count as the first one, whose members stand for all. */
static void count_member(struct line_counter *counter, size_t line, const struct visit *visit)
{
	const struct member_line *member = &counter->lines->lines[line].member;
	struct visit inner = *visit;
	int64_t within = visit->offset - member->offset;

	for (uint32_t event = 0; event < counter->event_count; event++)
		access_count_add(&counter->counts[line * counter->event_count + event],
				 &visit->counts[event]);
	if (member->element_size && type_strip(member->type)->kind == TYPE_ARRAY && within >= 0) {
		int64_t element = member_first_byte(visit->offset, visit->spot->bits) - member->offset;

		add_hit(&counter->elements, line, visit, (struct accessor){ 0 },
			visit->spot->indexed || !member->size ? ELEMENT_ANY
							      : element / (int64_t)member->element_size);
		inner.offset = member->offset + within % (int64_t)member->element_size;
	}
	if (member->has_members)
		count_members(counter, line, &inner);
	else
		add_hit(&counter->leaves, line, visit, visit->spot->by, ELEMENT_NONE);
}

/* Count an access for the members of `parent` that hold it, and for theirs. */
static void count_members(struct line_counter *counter, size_t parent, const struct visit *visit)
{
	size_t end = line_end(counter->lines, parent), last = 0;
	bool found = false;

	for (size_t line = parent + 1; line < end; line = line_end(counter->lines, line)) {
		last = line;
		if (!line_holds(&counter->lines->lines[line].member, visit) ||
		    is_empty(counter->lines, line) || !overlaid_holds(counter->lines, line, visit))
			continue;
		found = true;
		count_member(counter, line, visit);
	}
	if (found || !last)
		return;

	const struct member_line *member = &counter->lines->lines[last].member;

	/* an array without a count at the record's end goes on as far as the memory does */
	if (!member->size && type_strip(member->type)->kind == TYPE_ARRAY && visit->offset >= member->offset)
		count_member(counter, last, visit);
}

/* ---- parts ---- */

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->element != b->element)
		return a->element < b->element ? -1 : 1;
	if (a->by.symbol != b->by.symbol) {
		int order = !a->by.symbol || !b->by.symbol ? (a->by.symbol ? 1 : -1)
							   : strcmp(a->by.symbol, b->by.symbol);

		if (order)
			return order;
		/* one name of two objects */
		return (uintptr_t)a->by.symbol < (uintptr_t)b->by.symbol ? -1 : 1;
	}
	return (a->by.thread > b->by.thread) - (a->by.thread < b->by.thread);
}

/* Hits of one line by one accessor in one element, as one; in the order of compare_hits(). */
static size_t merge_hits(struct hit_list *hits, uint32_t event_count, struct histogram_part **parts,
			 struct access_count **counts)
{
	size_t count = 0;

	*parts = xcalloc(hits->count, sizeof(**parts));
	*counts = xcalloc(hits->count * event_count, sizeof(**counts));
	if (hits->count)
		qsort(hits->items, hits->count, sizeof(*hits->items), compare_hits);
	for (size_t i = 0; i < hits->count; i++) {
		const struct hit *hit = &hits->items[i];

		if (!i || compare_hits(&hits->items[i - 1], hit) != 0) {
			(*parts)[count] = (struct histogram_part){ .line = hit->line,
								   .by = hit->by,
								   .element = hit->element,
								   .counts = *counts + count * event_count };
			count++;
		}
		for (uint32_t event = 0; event < event_count; event++)
			access_count_add(&(*counts)[(count - 1) * event_count + event], &hit->counts[event]);
	}
	free(hits->items);
	return count;
}

static void give_parts(struct line_counter *counter)
{
	struct histogram_lines *lines = counter->lines;
	size_t part_count =
		merge_hits(&counter->leaves, counter->event_count, &lines->parts, &lines->part_counts);
	size_t element_count = merge_hits(&counter->elements, counter->event_count, &lines->elements,
					  &lines->element_counts);

	for (size_t i = part_count; i-- > 0;) {
		struct histogram_line *line = &lines->lines[lines->parts[i].line];

		line->parts = &lines->parts[i];
		line->part_count++;
	}
	for (size_t i = element_count; i-- > 0;) {
		struct histogram_line *line = &lines->lines[lines->elements[i].line];

		line->elements = &lines->elements[i];
		line->element_count++;
	}
}

void histogram_lines(const struct histogram *histogram, uint32_t event_count, struct histogram_lines *result)
{
	struct member_line *members _cleanup_free_ = NULL;
	struct line_counter counter = { .lines = result, .event_count = event_count };

	*result = (struct histogram_lines){ 0 };
	member_lines(histogram->type, &members, &result->count);
	result->lines = xcalloc(result->count, sizeof(*result->lines));
	result->counts = xcalloc(result->count * event_count, sizeof(*result->counts));
	for (size_t i = 0; i < result->count; i++) {
		result->lines[i].member = members[i];
		result->lines[i].counts = result->counts + i * event_count;
	}
	counter.counts = result->counts;
	for (size_t i = 0; i < histogram->spot_count; i++)
		count_member(&counter, 0,
			     &(struct visit){ .spot = &histogram->spots[i],
					      .counts = histogram->counts + i * event_count,
					      .offset = histogram->spots[i].offset });
	give_parts(&counter);
}

void histogram_lines_release(struct histogram_lines *lines)
{
	free(lines->lines);
	free(lines->counts);
	free(lines->parts);
	free(lines->elements);
	free(lines->part_counts);
	free(lines->element_counts);
	*lines = (struct histogram_lines){ 0 };
}
