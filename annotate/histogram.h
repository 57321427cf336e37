/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often each type is accessed, place by place and event by event. Its fields: histogram_lines.h. */
#ifndef DTPROF_ANNOTATE_HISTOGRAM_H
#define DTPROF_ANNOTATE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/access.h"
#include "annotate/access_count.h"

/* Who accessed it, as far as that is asked for: accesses are told apart by it. */
struct accessor {
	const char *symbol; /* of the function, interned; NULL: not told apart */
	int32_t thread;     /* tid or cpu; 0: not told apart */
};

/* What accesses have in common that are counted together. */
struct access_spot {
	int64_t offset; /* in the type */
	uint64_t bits;  /* of the bytes there: as in struct access */
	bool indexed;   /* as in struct access */
	struct accessor by;
};

/* Of one type of one object. */
struct histogram {
	const struct type *type;
	const void *object;          /* whatever histograms_add() was given */
	uint64_t samples;            /* of all events */
	struct access_count *totals; /* by event */
	struct access_spot *spots;   /* that were accessed, by offset */
	struct access_count *counts; /* of each spot, by event: counts[i * event_count + event] */
	size_t spot_count, spot_capacity;
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
		    struct accessor by, uint32_t event, const struct access_count *count);
/* By samples, most first; equal ones by name of the type, then in the order they were added. */
void histograms_sort(struct histograms *histograms);

#endif
