/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring buffer that the kernel fills with records: perf_event_open(2), "MMAP layout".
 *
 * libperf has ring buffers too; Documentation/design.md says what they cannot do.
 */
#ifndef DTPROF_RECORD_RING_H
#define DTPROF_RECORD_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

struct ring {
	int fd;  /* of the event that was mapped; not owned */
	int cpu; /* -1: of a thread */
	int tid; /* -1: of all */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size;  /* of the data: a power of two */
	uint64_t tail;  /* all before it has been taken */
	bool overwrite; /* written backward and never full: attr.write_backward */
};

/* What can be taken: whole records, in two parts if they wrap. */
struct ring_span {
	const uint8_t *data[2];
	size_t size[2];
	uint64_t end; /* what ring_consume() wants */
};

/* `pages` is a power of two. `fd` must stay open for as long as the ring. */
struct error *ring_open(int fd, unsigned int pages, bool overwrite, struct ring *ring);
void ring_close(struct ring *ring);

/* False if there is nothing. */
bool ring_peek(struct ring *ring, struct ring_span *span);
/* A ring that the kernel overwrites must not be written while it is read. */
struct error *ring_pause(struct ring *ring, bool pause);
/* Give the room back to the kernel; the span's memory must not be used any more. */
void ring_consume(struct ring *ring, const struct ring_span *span);

#endif
