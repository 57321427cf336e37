/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a recording, open in the kernel: one counter for each event, CPU and thread, opened
 * by libperf; and one ring buffer for each CPU (or for each thread, where counters are bound to no
 * CPU), shared by all counters there.
 */
#pragma once

#include "base/error.h"
#include "profiler/record/event.h"
#include "profiler/record/rights.h"
#include "profiler/record/ring.h"
#include "profiler/record/target.h"

/* ---- counters ---- */

struct counter {
	size_t event; /* index in the event list */
	int fd;
	int cpu;     /* -1: any CPU that the thread runs on */
	pid_t tid;   /* -1: all threads of the CPU */
	uint64_t id; /* PERF_EVENT_IOC_ID: what records call it */
	size_t ring; /* index of its ring */
	bool own;    /* opened and closed by dtprof; libperf closes the others */
};

struct counters {
	struct perf_evlist **lists; /* libperf's: one for each group of events */
	size_t list_count;
	size_t list_capacity;
	struct perf_evsel **selected; /* libperf's event for each item of the event list */
	struct counter *items;        /* one for each event, CPU and thread */
	size_t count;
	size_t capacity;
	struct ring *rings; /* one for each CPU, or for each thread */
	size_t ring_count;
	size_t ring_capacity;
	/* After an error: the wanted rings, if that is more than may be locked; else 0. */
	size_t rings_refused;
};

struct counters_options {
	const char *cpu_list; /* -C; NULL: all CPUs that are online */
	bool per_thread;      /* bind counters to threads, not to CPUs: one ring for each thread */
	unsigned int pages;   /* of each ring, a power of two */
	unsigned int aux_pages; /* of the AUX area of an event that writes one, a power of two */
};

/* Returns an error if `list` is not a list of CPUs, or if one of them is offline. */
struct error *cpu_list_check(const char *list);
/* Returns whether two lists such as "0-3,8" have a CPU in common. */
bool cpu_lists_meet(const char *left, const char *right);

/* Returns the CPUs of `list` that are `wanted` (NULL: all) and not in `others`, to be freed. */
char *cpu_list_without(const char *list, const char *others, const char *wanted);

/* Tries each event alone and drops the parts of its attr that this kernel or PMU does not know. The
 * newest parts are dropped first, since the kernel says no more than EINVAL. Finds the highest
 * precision that works for modifier P. `system_wide` says how the counters will be opened. After an
 * error, *failed is the index of the event. */
struct error *counters_probe(struct event_list *list, const struct rights *rights, bool system_wide,
			     int first_cpu, size_t *failed);

/* Opens all events for all `threads` (-1: system-wide). ERROR_NOT_FOUND: one has ended. */
struct error *counters_open(const struct event_list *list, const struct thread_ids *threads,
			    const struct counters_options *options, const struct rights *rights,
			    struct counters *counters);
/* Closes the counters and unmaps their rings. */
void counters_close(struct counters *counters);

/* Starts or stops counting: of the followers (event.h), or of all other events. */
void counters_enable(struct counters *counters, const struct event_list *list, bool followers);
void counters_disable(struct counters *counters, const struct event_list *list, bool followers);
/* Returns how many samples of a counter were not delivered; 0 before Linux 6.0. */
uint64_t counter_lost(const struct counter *counter, const struct perf_event_attr *attr);
/* Returns what the counter has counted, also in ended children; 0: not known. */
uint64_t counter_value(const struct counter *counter, const struct perf_event_attr *attr);

/* ---- control groups ---- */

/* Assigns the control groups of -G to the events: one name for all, or "a,b,,c" with one for each
 * event; an empty name stands for none. Returns an error if there are more names than events, or if
 * events of one event group get different control groups. */
struct error *cgroup_assign(struct event_list *events, const char *groups);
