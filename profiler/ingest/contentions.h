/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long threads waited for locks of the kernel, by its events lock:contention_begin and
 * contention_end: the periods of samples of the first, for reports on time.
 */
#pragma once

#include "profiler/ingest/sample.h"

#define EVENT_BEGIN "lock:contention_begin"
#define EVENT_END   "lock:contention_end"

struct contention_event {
	uint64_t thread, lock, time, position; /* position: of the sample in the recording */
	bool begin;
};

struct contentions {
	struct contention_event *items; /* by thread, lock and time */
	size_t count, capacity;
	const struct event *begin, *end; /* NULL: the recording does not have both */
};

/* Finds the two events. False: the recording does not have both. */
bool contentions_init(struct contentions *contentions, const struct event *events, size_t count);
/* Notes a sample, if it is of one of the events; contentions_sort() must follow the last one. */
void contentions_add(struct contentions *contentions, const struct sample *sample, bool swap);
void contentions_sort(struct contentions *contentions);
void contentions_deinit(struct contentions *contentions);
/* Sets the period of a sample of contention_begin to the time that the thread waited. False: the
 * sample counts for nothing, as it ends a wait, goes on with one, or the end is not known. */
bool contentions_take(const struct contentions *contentions, struct sample *sample, bool swap);
