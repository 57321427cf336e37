/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups: as whom to record (-G), as a field of samples (--all-cgroups), as a term of --filter. */
#ifndef DTPROF_RECORD_CGROUP_H
#define DTPROF_RECORD_CGROUP_H

#include "profiler/base/error.h"
#include "profiler/record/event.h"
#include "profiler/record/synthesize.h"

/* The id of the group at `path` below the root of version 2's hierarchy, as samples and BPF have it. */
struct error *cgroup_id(const char *root, const char *path, uint64_t *id);
/*
 * A descriptor of the group for perf_event_open(2)'s PERF_FLAG_PID_CGROUP: of the hierarchy that has the
 * perf_event controller.
 */
struct error *cgroup_open(const char *root, const char *path, int *fd);
/* -G: one group for all events, or one for each, an empty name for none; "a,b,,c". */
struct error *cgroup_assign(struct event_list *events, const char *groups);
/* A CGROUP record for each group there is: what the ids of samples are called. */
void synthesize_cgroups(const char *root, const struct synthesis_options *options, struct strbuf *records);

#endif
