// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring buffers of the kernel, and the records in them: see ring.h. */
#include "profiler/record/ring.h"

#include <errno.h>
#include <perf/event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- rings ---- */

struct error *ring_open(int fd, unsigned int pages, bool overwrite, struct ring *ring)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	size_t length = (pages + 1) * page_size;
	/* The kernel may overwrite a ring that is mapped without PROT_WRITE. */
	void *memory = mmap(NULL, length, overwrite ? PROT_READ : PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED && (errno == EPERM || errno == ENOMEM))
		return error_create(
			ERROR_PERMISSION,
			"cannot map a ring buffer of %u pages: more memory than may be locked; "
			"use a smaller -m, "
			"or as root: sysctl kernel.perf_event_mlock_kb=%zu",
			pages, (length + page_size) / 1024 * 2);
	if (memory == MAP_FAILED)
		return error_errno(errno, "cannot map a ring buffer of %u pages", pages);
	*ring = (struct ring){
		.fd = fd, .cpu = -1, .tid = -1, .page = memory, .overwrite = overwrite
	};
	ring->data = (uint8_t *)memory + page_size;
	ring->size = pages * page_size;
	return NULL;
}

void ring_close(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
	ring->page = NULL;
}

struct error *ring_pause(struct ring *ring, bool pause)
{
	return ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause)
		       ? error_errno(errno, "cannot pause a ring buffer")
		       : NULL;
}

static void set_span(const struct ring *ring, struct ring_span *span, uint64_t start, uint64_t end)
{
	uint64_t offset = start & (ring->size - 1), length = end - start;
	uint64_t first = length < ring->size - offset ? length : ring->size - offset;

	span->data[0] = ring->data + offset;
	span->size[0] = first;
	span->data[1] = ring->data;
	span->size[1] = length - first;
	span->end = end;
}

/*
 * In a ring that is written backward, the newest record is at the head. Older ones follow, up to
 * one that the kernel has overwritten in part, or to room that was never written.
 */
static bool peek_backward(struct ring *ring, struct ring_span *span, uint64_t head)
{
	uint64_t end = head, mask = ring->size - 1;
	/* Records that were taken before begin at the old head. */
	uint64_t limit = ring->tail - head < ring->size ? ring->tail - head : ring->size;

	while (end - head < limit) {
		const struct perf_event_header *header = (const void *)(ring->data + (end & mask));

		if (!header->size || header->size > limit - (end - head) ||
		    header->size < sizeof(*header) || (header->size & 7))
			break;
		end += header->size;
	}
	set_span(ring, span, head, end);
	span->end = head;
	return end != head;
}

bool ring_peek(struct ring *ring, struct ring_span *span)
{
	/* Pairs with the kernel's barrier between writing the data and data_head. */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	if (head == ring->tail)
		return false;
	if (ring->overwrite)
		return peek_backward(ring, span, head);
	set_span(ring, span, ring->tail, head);
	return true;
}

void ring_consume(struct ring *ring, const struct ring_span *span)
{
	ring->tail = span->end;
	/* All reads of the data must be done before the kernel may write there again. */
	if (!ring->overwrite)
		__atomic_store_n(&ring->page->data_tail, span->end, __ATOMIC_RELEASE);
}

/* ---- the records in a span ---- */

/*
 * Copies bytes of a span. Records are multiples of 8 bytes, so a record may wrap, but never a word
 * of it.
 */
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

static void scan_sample(struct record_scan *scan, const struct ring_span *span, size_t offset,
			size_t size)
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

/* Adds the object of an executable map; samples are in no other. */
static void scan_map(struct record_scan *scan, const struct ring_span *span, size_t offset,
		     size_t size)
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

	bool kernel =
		(record.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (record.header.misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	if (record.header.type == PERF_RECORD_MMAP) {
		object_table_add(&scan->objects, record.map.filename, kernel, NULL);
		return;
	}

	struct build_id id = { 0 };

	if (record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id.size = record.map2.build_id_size <= sizeof(id.bytes) ? record.map2.build_id_size
									: 0;
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
			return; /* no kernel writes this; readers of the file will judge it */
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
