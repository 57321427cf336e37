/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups, which can limit what is recorded (-G), be a field of samples (--all-cgroups), and
 * be a term of --filter.
 */
#ifndef DTPROF_RECORD_CGROUP_H
#define DTPROF_RECORD_CGROUP_H

#include "profiler/base/error.h"
#include "profiler/record/event.h"
#include "profiler/record/synthesize.h"

/*
 * Sets *id to that of the group at `path`, below the root of version 2's hierarchy. Samples and BPF
 * have the same id.
 */
struct error *cgroup_id(const char *root, const char *path, uint64_t *id);
/*
 * Opens the folder of a group in the hierarchy of the perf_event controller, for
 * PERF_FLAG_PID_CGROUP of perf_event_open(2). The caller closes *fd.
 */
struct error *cgroup_open(const char *root, const char *path, int *fd);
/*
 * Assigns the groups of -G: one for all events, or "a,b,,c" with one for each event, an empty name
 * for none.
 */
struct error *cgroup_assign(struct event_list *events, const char *groups);
/* Adds a CGROUP record, which names the id in samples, for each group that exists. */
void synthesize_cgroups(const char *root, const struct synthesis_options *options,
			struct strbuf *records);

#endif
