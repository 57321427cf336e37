// SPDX-License-Identifier: GPL-2.0-or-later
/* See breakpoints.h. */
#include "tests/support/breakpoints.h"

#include "tests/support/unit.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STORES 100

enum breakpoints breakpoints_try(void)
{
	static volatile uint64_t watched;
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&watched,
					.bp_len = 8,
					.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t hits;

	if (fd < 0)
		return BREAKPOINTS_REFUSED;
	for (unsigned int i = 0; i < STORES; i++)
		watched = i;
	assert_int_equal(read(fd, &hits, sizeof(hits)), sizeof(hits));
	close(fd);
	return hits ? BREAKPOINTS_HIT : BREAKPOINTS_DROPPED;
}

void breakpoints_or_skip(void)
{
	switch (breakpoints_try()) {
	case BREAKPOINTS_HIT: return;
	case BREAKPOINTS_DROPPED:
		skip_because("this machine's processor delivers no breakpoints");
		break;
	case BREAKPOINTS_REFUSED: skip_because("the kernel gives out no breakpoint here"); break;
	}
}
