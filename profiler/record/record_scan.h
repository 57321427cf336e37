/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What record learns from the records on their way from a ring buffer to the file: how many samples there
 * are, from when to when, what was lost, which objects were mapped. Each record's header is looked at, no
 * more.
 */
#ifndef DTPROF_RECORD_RECORD_SCAN_H
#define DTPROF_RECORD_RECORD_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/record/object_table.h"
#include "profiler/record/ring.h"

struct record_scan {
	size_t sample_time_offset; /* attr_sample_time_offset(), the same for all events */
	uint64_t samples;
	uint64_t first_time; /* of samples, ns; 0: none yet */
	uint64_t last_time;
	uint64_t lost_records; /* sum of PERF_RECORD_LOST */
	uint64_t lost_samples; /* sum of PERF_RECORD_LOST_SAMPLES */
	uint64_t throttles;
	struct object_table objects;
};

void record_scan_span(struct record_scan *scan, const struct ring_span *span);
/* Where the records of the span from `offset` on have reached `size` bytes, or end; *samples of them are
 * samples. */
size_t record_scan_cut(const struct ring_span *span, size_t offset, size_t size, uint64_t *samples);
void record_scan_buffer(struct record_scan *scan, const void *records, size_t size);

#endif
