/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each type is accessed, field by field and event by event. */
#ifndef DTPROF_ANNOTATE_HISTOGRAM_H
#define DTPROF_ANNOTATE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/access.h"
#include "annotate/member.h"

struct access_count {
	uint64_t samples;
	uint64_t period;
};

/* Of one type of one object. */
struct histogram {
	const struct type *type;
	const void *object;          /* whatever histograms_add() was given */
	uint64_t samples;            /* of all events */
	struct access_count *totals; /* by event */
	int64_t *offsets;            /* that were accessed; ascending after histograms_sort() */
	struct access_count *counts; /* of each offset, by event: counts[i * event_count + event] */
	size_t offset_count, offset_capacity;
};

struct histograms {
	uint32_t event_count;
	struct histogram *items;
	size_t count, capacity;
	uint32_t *slots; /* by hash of object and type: item + 1 */
	size_t slot_count;
};

struct histograms *histograms_create(uint32_t event_count);
void histograms_destroy(struct histograms *histograms);

/* `access` must be of kind ACCESS_TYPE. */
void histograms_add(struct histograms *histograms, const void *object, const struct access *access,
		    uint32_t event, struct access_count count);
/* By samples, most first; equal ones by name of the type, then in the order they were added. */
void histograms_sort(struct histograms *histograms);

/* A type's lines: the first is the type itself, the others its members (annotate/member.h). */
struct histogram_line {
	struct member_line member;
	const struct access_count *counts; /* by event: of all offsets within the member */
};

struct histogram_lines {
	struct histogram_line *lines;
	size_t count;
	struct access_count *counts;
};

void histogram_lines(const struct histogram *histogram, uint32_t event_count, struct histogram_lines *result);
void histogram_lines_release(struct histogram_lines *lines);

#endif
