/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording, open in the kernel: one counter for each event, CPU and thread, by libperf; and
 * one ring buffer a CPU (or a thread, where counters are bound to no CPU), shared by all counters there.
 */
#ifndef DTPROF_RECORD_COUNTERS_H
#define DTPROF_RECORD_COUNTERS_H

#include "profiler/record/event.h"
#include "profiler/record/rights.h"
#include "profiler/record/ring.h"
#include "profiler/record/target.h"

struct counter {
	size_t event; /* index in the event list */
	int fd;
	int cpu;     /* -1: whichever the thread runs on */
	pid_t tid;   /* -1: all threads of the CPU */
	uint64_t id; /* PERF_EVENT_IOC_ID: what records call it by */
	size_t ring; /* index of its ring */
	bool own;    /* opened without libperf, which closes the others */
};

struct counters {
	struct perf_evlist **lists; /* libperf's: one for each group of events */
	size_t list_count;
	size_t list_capacity;
	struct perf_evsel **selected; /* libperf's event of each of the event list */
	struct counter *items;
	size_t count;
	size_t capacity;
	struct ring *rings;
	size_t ring_count;
	size_t ring_capacity;
};

struct counters_options {
	const char *cpu_list; /* -C; NULL: all that are online */
	bool per_thread;      /* bind counters to threads, not to CPUs: a ring a thread */
	unsigned int pages;   /* of each ring, a power of two */
};

/* Not a list of CPUs, or one of them is not online. */
struct error *cpu_list_check(const char *list);
/* Whether a CPU is in both of two lists as "0-3,8". */
bool cpu_lists_meet(const char *left, const char *right);

/* The CPUs of `list` that are not in `others`, of those in `wanted` (NULL: all): "2,7"; to be freed. */
char *cpu_list_without(const char *list, const char *others, const char *wanted);

/*
 * Try each event on its own, and drop from its attr what this kernel or PMU does not know, from what is new
 * to what is old: the kernel says no more than EINVAL. For P the highest precision that works is found.
 * `system_wide` says how the counters will be opened.
 */
struct error *counters_probe(struct event_list *list, const struct rights *rights, bool system_wide,
			     int first_cpu);

/* Open all events of `list` for all `threads` (one -1: system-wide). ERROR_NOT_FOUND: a thread has ended
 * meanwhile. */
struct error *counters_open(const struct event_list *list, const struct thread_ids *threads,
			    const struct counters_options *options, const struct rights *rights,
			    struct counters *counters);
void counters_close(struct counters *counters);

/* Start or stop counting: of the followers (event.h), or of all others. */
void counters_enable(struct counters *counters, const struct event_list *list, bool followers);
void counters_disable(struct counters *counters, const struct event_list *list, bool followers);
/* The same for one event, by its index, or for the group that it leads. */
void counters_switch(struct counters *counters, size_t event, bool on);

/* Samples of a counter that the kernel could not deliver so far; 0 where it does not say (before Linux 6.0).
 */
uint64_t counter_lost(const struct counter *counter, const struct perf_event_attr *attr);

#endif
