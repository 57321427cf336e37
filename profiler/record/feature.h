/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contents of a file's features: the machine, the command, the events. */
#ifndef DTPROF_RECORD_FEATURE_H
#define DTPROF_RECORD_FEATURE_H

#include "profiler/base/strbuf.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"
#include "profiler/record/writer.h"

/*
 * Adds the features that describe the machine below `root` (sysfs.h): names, processor, memory,
 * PMUs, topology; and `version`, that of this program.
 */
void feature_add_machine(struct writer *writer, const char *root, const char *version);
/* Adds the command line. */
void feature_add_command(struct writer *writer, int argc, const char *const *argv);
/* Adds the events with the ids of their counters, and their groups. */
void feature_add_events(struct writer *writer, const struct event_list *events,
			const struct counters *counters);
/* Adds the times of the first and the last sample, in ns. */
void feature_add_sample_time(struct writer *writer, uint64_t first, uint64_t last);

/* Append a number in this machine's byte order to the content of a feature. */
void feature_put_u32(struct strbuf *content, uint32_t value);
void feature_put_u64(struct strbuf *content, uint64_t value);

#endif
