// SPDX-License-Identifier: GPL-2.0-or-later
/* Are breakpoints delivered here: see breakpoint.h. */
#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profiler/record/breakpoint.h"

/* A thread that moves between CPUs, or a host that does, must not decide it. */
#define PROBE_TRIES 3
#define PROBE_HITS  10

enum probe_result {
	PROBE_UNKNOWN, /* the probe could not be made */
	PROBE_HIT,
	PROBE_MISSED,
};

static volatile uint64_t probed_data;

static __attribute__((noinline)) void probed_function(void)
{
	/* Keeps the compiler from dropping the call, or moving it. */
	__asm__ volatile("" ::: "memory");
}

/* The event as its file descriptor is read, in the order of read_format. */
struct probe_count {
	uint64_t hits;
	uint64_t time_running;
};

/*
 * Counts in this thread alone, on data and code of its own, and has ended before the workload is there. The
 * processor is to be blamed only for an event that was running all the while.
 */
static enum probe_result probe_once(uint32_t access)
{
	bool code = access & HW_BREAKPOINT_X;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.bp_type = access,
					.bp_addr =
						code ? (uintptr_t)probed_function : (uintptr_t)&probed_data,
					.bp_len = sizeof(long),
					.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING,
					.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct probe_count before, after;
	bool counted;

	if (fd < 0)
		return PROBE_UNKNOWN;
	counted = read(fd, &before, sizeof(before)) == sizeof(before);
	for (unsigned int i = 0; i < PROBE_HITS; i++) {
		probed_data = probed_data + 1;
		probed_function();
	}
	counted = counted && read(fd, &after, sizeof(after)) == sizeof(after);
	close(fd);
	if (!counted || after.time_running == before.time_running)
		return PROBE_UNKNOWN;
	return after.hits > 0 ? PROBE_HIT : PROBE_MISSED;
}

static bool never_delivered(uint32_t access)
{
	for (unsigned int i = 0; i < PROBE_TRIES; i++) {
		if (probe_once(access) != PROBE_MISSED)
			return false;
	}
	return true;
}

struct error *breakpoint_probe(const struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct event_spec *spec = &list->items[i];

		if (spec->attr.type == PERF_TYPE_BREAKPOINT && never_delivered(spec->attr.bp_type))
			return error_create(ERROR_UNSUPPORTED,
					    "event '%s': this machine's virtual processor delivers no "
					    "breakpoints: record another event, or on another machine",
					    spec->name);
	}
	return NULL;
}
