// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring buffers of the kernel: see ring.h. */
#include "profiler/record/ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

struct error *ring_open(int fd, unsigned int pages, bool overwrite, struct ring *ring)
{
	size_t page_size = sysconf(_SC_PAGESIZE);
	size_t length = (pages + 1) * page_size;
	/* A ring that is mapped without PROT_WRITE is one that the kernel may overwrite. */
	void *memory = mmap(NULL, length, overwrite ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED && (errno == EPERM || errno == ENOMEM))
		return error_create(ERROR_PERMISSION,
				    "cannot map a ring buffer of %u pages: more memory than may be locked; "
				    "use a smaller -m, "
				    "or as root: sysctl kernel.perf_event_mlock_kb=%zu",
				    pages, (length + page_size) / 1024 * 2);
	if (memory == MAP_FAILED)
		return error_errno(errno, "cannot map a ring buffer of %u pages", pages);
	*ring = (struct ring){ .fd = fd, .cpu = -1, .tid = -1, .page = memory, .overwrite = overwrite };
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
 * A ring written backward: the newest record is at the head, older ones follow it, until the one that the
 * kernel has overwritten in part, or room that was never written.
 */
static bool peek_backward(struct ring *ring, struct ring_span *span, uint64_t head)
{
	uint64_t end = head, mask = ring->size - 1;
	/* What was taken before begins at the old head. */
	uint64_t limit = ring->tail - head < ring->size ? ring->tail - head : ring->size;

	while (end - head < limit) {
		const struct perf_event_header *header = (const void *)(ring->data + (end & mask));

		if (!header->size || header->size > limit - (end - head) || header->size < sizeof(*header) ||
		    (header->size & 7))
			break;
		end += header->size;
	}
	set_span(ring, span, head, end);
	span->end = head;
	return end != head;
}

bool ring_peek(struct ring *ring, struct ring_span *span)
{
	/* Pairs with the kernel's barrier between the data and data_head. */
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
	/* All reads of the data come before the kernel may write there again. */
	if (!ring->overwrite)
		__atomic_store_n(&ring->page->data_tail, span->end, __ATOMIC_RELEASE);
}
