/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When threads slept, by the records of context switches (PERF_RECORD_SWITCH of
 * perf_event_open(2)): how long a thread whose sample a context switch took did not run.
 */
#pragma once

#include "profiler/ingest/session.h"

/* perf's name of the event of threads that stop; the period is until they go on. */
#define OFF_CPU_EVENT "offcpu-time"

struct sleeps {
	struct session_switch *items; /* by thread and time */
	size_t count, capacity;
	uint64_t last; /* time of the last switch */
};

/* Reads all switches of the recording. The caller frees them with sleeps_deinit(). */
void sleeps_read(const struct session *session, struct sleeps *sleeps);
void sleeps_deinit(struct sleeps *sleeps);
/* True if a thread that stops at `time` goes to sleep rather than ends, and sets *end to when it
 * goes on; 0: not within the recording. A sample of the switch is taken before the record of it. */
bool sleeps_find(const struct sleeps *sleeps, int32_t tid, uint64_t time, uint64_t *end);
/* Returns whether a thread is known to sleep, or to have ended, at `time`. */
bool sleeps_has(const struct sleeps *sleeps, int32_t tid, uint64_t time);
