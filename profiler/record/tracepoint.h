/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints: as events, and their formats, which perf.data carries in the form of the header of a
 * trace.dat file (trace-cmd.dat.v6(5)).
 */
#ifndef DTPROF_RECORD_TRACEPOINT_H
#define DTPROF_RECORD_TRACEPOINT_H

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/event.h"

/*
 * Adds SYSTEM:NAME, either of which may be a pattern. *modifiers points after the second colon of
 * `text`, or to "".
 */
struct error *tracepoint_add(struct event_list *list, const char *root, const char *text,
			     const char **modifiers);

/* Returns where tracefs is mounted and readable, without the root, to be freed; NULL if nowhere. */
char *tracepoint_directory(const char *root);

/* Adds the formats of the tracepoints of `list`; adds nothing if it has none. */
struct error *tracing_data_read(const struct event_list *list, const char *root,
				struct strbuf *content);

#endif
