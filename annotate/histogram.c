// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

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
		free(histograms->items[i].spots);
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

/* By offset; the rest tells spots apart and no more. */
static int compare_spots(const struct access_spot *a, const struct access_spot *b)
{
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->bits != b->bits)
		return a->bits < b->bits ? -1 : 1;
	if (a->indexed != b->indexed)
		return a->indexed < b->indexed ? -1 : 1;
	if (a->by.symbol != b->by.symbol)
		return (uintptr_t)a->by.symbol < (uintptr_t)b->by.symbol ? -1 : 1;
	return (a->by.thread > b->by.thread) - (a->by.thread < b->by.thread);
}

/* Index of the first spot that is not below `spot`. */
static size_t spot_index(const struct histogram *histogram, const struct access_spot *spot)
{
	return partition_point(0, histogram->spot_count, i, compare_spots(&histogram->spots[i], spot) < 0);
}

static struct access_count *counts_at(struct histogram *histogram, const struct access_spot *spot,
				      uint32_t event_count)
{
	size_t index = spot_index(histogram, spot), capacity = histogram->spot_capacity;

	if (index < histogram->spot_count && compare_spots(&histogram->spots[index], spot) == 0)
		return histogram->counts + index * event_count;
	array_reserve(histogram->spots, histogram->spot_count, histogram->spot_capacity);
	if (capacity != histogram->spot_capacity)
		histogram->counts = xrealloc_array(histogram->counts, histogram->spot_capacity,
						   event_count * sizeof(*histogram->counts));

	size_t behind = histogram->spot_count++ - index;
	struct access_count *counts = histogram->counts + index * event_count;

	memmove(histogram->spots + index + 1, histogram->spots + index, behind * sizeof(*histogram->spots));
	memmove(counts + event_count, counts, behind * event_count * sizeof(*counts));
	histogram->spots[index] = *spot;
	memset(counts, 0, event_count * sizeof(*counts));
	return counts;
}

void histograms_add(struct histograms *histograms, const void *object, const struct access *access,
		    struct accessor by, uint32_t event, const struct access_count *count)
{
	struct histogram *histogram = find_or_create(histograms, object, access->type);
	struct access_spot spot = {
		.offset = access->offset, .bits = access->bits, .indexed = access->indexed, .by = by
	};

	histogram->samples += count->samples;
	access_count_add(&histogram->totals[event], count);
	access_count_add(&counts_at(histogram, &spot, histograms->event_count)[event], count);
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
