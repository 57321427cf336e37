/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The best event of this machine for memory accesses. */
#ifndef DTPROF_RECORD_EVENT_DEFAULT_H
#define DTPROF_RECORD_EVENT_DEFAULT_H

#include "profiler/record/event.h"

enum memory_source {
	MEMORY_SOURCE_INTEL, /* PEBS loads with latency and stores, of each kind of core */
	MEMORY_SOURCE_AMD,   /* instruction based sampling */
	MEMORY_SOURCE_CLOCK, /* no hardware: a timer, with the registers that hold the operands */
};

/* Which accesses are wanted; IBS and the timer do not tell them apart. */
enum memory_operation { MEMORY_LOADS = 1, MEMORY_STORES = 2 };

/* What the machine under `root` has. */
enum memory_source memory_source_find(const char *root);
/* One clause: what it is and why it was chosen. */
const char *memory_source_reason(enum memory_source source);
/* Events of `source` for a set of enum memory_operation, as text for event_parse(), to be freed; "" where it
 * has none. `latency` is ldlat, in cycles. */
char *memory_source_events(const char *root, enum memory_source source, unsigned int operations,
			   unsigned int latency);

#endif
