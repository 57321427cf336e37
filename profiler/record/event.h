/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be recorded: events as written after -e, and what they mean to perf_event_open(2).
 *
 * event_parse() turns text into specs; attr_configure() (attr.h) adds what all events of a recording share;
 * counters.h opens them.
 */
#ifndef DTPROF_RECORD_EVENT_H
#define DTPROF_RECORD_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/record/pmu.h"

struct event_spec {
	char *name; /* as it stands in the file: the text with its modifiers */
	struct perf_event_attr attr;
	const struct pmu *pmu;  /* of the event list; NULL: an event that needs no PMU's description */
	size_t leader;          /* index of its group's first event; its own if it is in no group */
	bool memory;            /* samples of it carry a data address, its source and a weight */
	bool highest_precision; /* modifier P: as precise as the machine has it */
	bool group_read;        /* modifier S: the leader's samples read the whole group */
	bool weak_group;        /* modifier W: fall back to single events if the group cannot be scheduled */
	bool exclude_given;     /* u, k or h were given: do not add what the rights ask for */
	bool guest_given;       /* G or H were given */
	bool rate_given;        /* period= or freq= among its terms: -c and -F do not apply */
	bool follower;          /* follows processes alone, and is never switched off */
	char *symbol;           /* mem:SYMBOL: the address is not known before the target is; NULL: none */
	char *cgroup;           /* -G: counts only while one of its tasks runs; NULL: no matter which */
	char *tracepoint;       /* "sys/name": its format goes into the file; NULL: no tracepoint */
};

struct event_list {
	struct event_spec *items;
	size_t count;
	size_t capacity;
	struct pmu **pmus; /* those that items refer to */
	size_t pmu_count;
	size_t pmu_capacity;
};

/*
 * Add the events of `text`, `root` being where /sys is (sysfs.h): names of hardware, software and cache
 * events, rNNN, PMU/term=value,.../, SYSTEM:TRACEPOINT, mem:ADDRESS[/LENGTH][:rwx], {group,of,events}, each
 * with modifiers u k h G H I p P S D W e. On an error the list is as it was.
 */
struct error *event_parse(struct event_list *list, const char *root, const char *text);

/* A new spec at the end, its own leader; valid until the next one is added. */
struct event_spec *event_list_add(struct event_list *list, const char *name);
/* The PMU from the list's own, opened if it is not there yet. */
struct error *event_list_pmu(struct event_list *list, const char *root, const char *name,
			     struct pmu **result);
/* Take a group, or a single event, out of the list. */
void event_list_drop(struct event_list *list, size_t leader);
void event_list_release(struct event_list *list);

#endif
