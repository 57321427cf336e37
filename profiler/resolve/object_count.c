// SPDX-License-Identifier: GPL-2.0-or-later
/* How many objects of a type there are, judged by those that samples have met: see
 * layout_private.h. */
#include <math.h>

#include "base/memory.h"
#include "profiler/resolve/layout_private.h"

/* A gap between two objects that is this many times the mean of all smaller ones is no part of an
 * array. The largest of a thousand random gaps is about ten times their mean. */
#define GAP_FACTOR 32

#define SIGMAS 3 /* more objects that were met twice are no chance */

double objects_drawn_from(uint64_t samples, uint64_t distinct)
{
	double low = (double)distinct, high = (double)samples * (double)samples / 2 + 1;

	for (int i = 0; i < 60 && samples > distinct; i++) {
		/* (1 - 1/n)^s, the chance that an object is not drawn */
		double middle = (low + high) / 2, missed = exp(-(double)samples / middle);

		if (middle * (1 - missed) < (double)distinct)
			low = middle;
		else
			high = middle;
	}
	return samples > distinct ? (low + high) / 2 : high;
}

double objects_met_often(uint64_t samples, uint64_t once, uint64_t twice, double all)
{
	double expected = (double)samples * (double)samples / (2 * all),
	       least = (double)once * (double)once / (2 * fmax((double)twice, 1));

	return (double)twice > expected + SIGMAS * sqrt(expected) + SIGMAS && least < all / 2
		       ? least + (double)once + (double)twice
		       : 0;
}

COMPARISON(compare_gaps, uint64_t, BY_VALUE)

/* Returns the smallest gap that parts two arrays, or UINT64_MAX. The smaller half of the gaps parts
 * none: two neighbours that happen to be close would do. */
static uint64_t parting_gap(const uint64_t *objects, size_t count)
{
	size_t gaps = count - 1;
	_cleanup_free_ uint64_t *sorted = xcalloc(gaps + 1, sizeof(*sorted));
	double sum = 0;

	for (size_t i = 0; i < gaps; i++)
		sorted[i] = objects[i + 1] - objects[i];
	array_sort(sorted, gaps, compare_gaps);
	for (size_t i = 0; i < gaps; i++) {
		if (i > gaps / 2 && (double)sorted[i] * (double)i > GAP_FACTOR * sum)
			return sorted[i];
		sum += (double)sorted[i];
	}
	return UINT64_MAX;
}

double objects_in_arrays(const uint64_t *objects, size_t count, uint64_t size)
{
	uint64_t parting = parting_gap(objects, count);
	double elements = 0;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && objects[end] - objects[end - 1] < parting;)
			end++;
		uint64_t steps = (objects[end - 1] - objects[first]) / size; /* whole ones */
		double run = (double)(steps + 1);
		double here = (double)(end - first);

		/* the ends of the array lie beyond the samples */
		elements += here > 1 ? run * (here + 1) / (here - 1) : run;
	}
	return elements;
}
