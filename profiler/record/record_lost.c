// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Losses that the kernel counts for each counter (PERF_FORMAT_LOST), as records that perf report reads: LOST
 * records in the ring count what did not fit of all kinds, and one that comes too late for a last record is
 * never written.
 */
#include <string.h>

#include "profiler/record/recording.h"

/* A LOST_SAMPLES record of one counter with its sample_id trailer: perf_event_open(2). */
static size_t build_record(const struct perf_event_attr *attr, const struct counter *counter, uint64_t lost,
			   uint64_t time, uint64_t record[10])
{
	struct perf_event_header header = { .type = PERF_RECORD_LOST_SAMPLES };
	size_t count = 1;

	record[count++] = lost;
	if (attr->sample_type & PERF_SAMPLE_TID)
		record[count++] =
			counter->tid < 0 ? UINT64_MAX : (uint32_t)counter->tid | (uint64_t)counter->tid << 32;
	if (attr->sample_type & PERF_SAMPLE_TIME)
		record[count++] = time;
	if (attr->sample_type & PERF_SAMPLE_ID)
		record[count++] = counter->id;
	if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
		record[count++] = counter->id;
	if (attr->sample_type & PERF_SAMPLE_CPU)
		record[count++] = (uint32_t)counter->cpu;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		record[count++] = counter->id;
	header.size = count * sizeof(*record);
	memcpy(record, &header, sizeof(header));
	return header.size;
}

struct error *recording_add_lost(struct recording *recording)
{
	for (size_t i = 0; i < recording->counters.count; i++) {
		const struct counter *counter = &recording->counters.items[i];
		const struct perf_event_attr *attr = &recording->events.items[counter->event].attr;
		uint64_t lost = counter_lost(counter, attr), record[10];

		if (lost) {
			size_t size = build_record(attr, counter, lost, recording->scan.last_time, record);

			RETURN_ERROR(recording_add(recording, record, size));
		}
	}
	return NULL;
}
