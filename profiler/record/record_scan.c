// SPDX-License-Identifier: GPL-2.0-or-later
/* A look at each record: see record_scan.h. */
#include "profiler/record/record_scan.h"

#include <perf/event.h>
#include <string.h>
#include <sys/mman.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* Bytes of a span from `offset`; records are multiples of 8 and rings larger, so words never wrap, records
 * may. */
static void copy_bytes(const struct ring_span *span, size_t offset, void *to, size_t size)
{
	uint8_t *bytes = to;

	if (offset < span->size[0]) {
		size_t first = size < span->size[0] - offset ? size : span->size[0] - offset;

		memcpy(bytes, span->data[0] + offset, first);
		bytes += first;
		size -= first;
		offset += first;
	}
	if (size)
		memcpy(bytes, span->data[1] + (offset - span->size[0]), size);
}

static uint64_t word_at(const struct ring_span *span, size_t offset)
{
	uint64_t word;

	copy_bytes(span, offset, &word, sizeof(word));
	return word;
}

static void scan_sample(struct record_scan *scan, const struct ring_span *span, size_t offset, size_t size)
{
	scan->samples++;
	if (scan->sample_time_offset + sizeof(uint64_t) > size)
		return;

	uint64_t time = word_at(span, offset + scan->sample_time_offset);

	if (!scan->first_time || time < scan->first_time)
		scan->first_time = time;
	if (time > scan->last_time)
		scan->last_time = time;
}

/* Only executable maps: samples are in no other. */
static void scan_map(struct record_scan *scan, const struct ring_span *span, size_t offset, size_t size)
{
	union {
		struct perf_event_header header;
		struct perf_record_mmap map;
		struct perf_record_mmap2 map2;
	} record;

	if (size > sizeof(record))
		return;
	memset((uint8_t *)&record + size - 8, 0, sizeof(record) - size + 8);
	copy_bytes(span, offset, &record, size);
	((uint8_t *)&record)[sizeof(record) - 1] = '\0';

	bool kernel = (record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (record.header.misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	if (record.header.type == PERF_RECORD_MMAP) {
		object_table_add(&scan->objects, record.map.filename, kernel, NULL);
		return;
	}

	struct build_id id = { 0 };

	if (record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id.size = record.map2.build_id_size <= sizeof(id.bytes) ? record.map2.build_id_size : 0;
		memcpy(id.bytes, record.map2.build_id, sizeof(id.bytes));
	}
	object_table_add(&scan->objects, record.map2.filename, kernel, &id);
}

void record_scan_span(struct record_scan *scan, const struct ring_span *span)
{
	size_t total = span->size[0] + span->size[1];
	struct perf_event_header header;

	for (size_t offset = 0; offset + sizeof(header) <= total; offset += header.size) {
		copy_bytes(span, offset, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > total - offset)
			return; /* not what a kernel writes: let whoever reads the file judge it */
		switch (header.type) {
		case PERF_RECORD_SAMPLE: scan_sample(scan, span, offset, header.size); break;
		case PERF_RECORD_MMAP:
		case PERF_RECORD_MMAP2: scan_map(scan, span, offset, header.size); break;
		case PERF_RECORD_LOST: /* header, id, lost */
			scan->lost_records += header.size >= 24 ? word_at(span, offset + 16) : 0;
			break;
		case PERF_RECORD_LOST_SAMPLES: /* header, lost */
			scan->lost_samples += header.size >= 16 ? word_at(span, offset + 8) : 0;
			break;
		case PERF_RECORD_THROTTLE: scan->throttles++; break;
		default: break;
		}
	}
}

size_t record_scan_cut(const struct ring_span *span, size_t offset, size_t size, uint64_t *samples)
{
	size_t total = span->size[0] + span->size[1], start = offset;
	struct perf_event_header header;

	*samples = 0;
	while (offset + sizeof(header) <= total && offset - start < size) {
		copy_bytes(span, offset, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > total - offset)
			return total;
		*samples += header.type == PERF_RECORD_SAMPLE;
		offset += header.size;
	}
	return offset + sizeof(header) <= total ? offset : total;
}

void record_scan_buffer(struct record_scan *scan, const void *records, size_t size)
{
	struct ring_span span = { .data = { records, records }, .size = { size, 0 } };

	record_scan_span(scan, &span);
}
