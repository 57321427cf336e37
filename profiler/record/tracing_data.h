/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of recorded tracepoints, in the form of trace-cmd's trace.dat header (trace-cmd.dat.v6(5)), as
 * perf.data carries it. */
#ifndef DTPROF_RECORD_TRACING_DATA_H
#define DTPROF_RECORD_TRACING_DATA_H

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/event.h"

/* Nothing is added to `content` if no event of the list is a tracepoint. */
struct error *tracing_data_read(const struct event_list *list, const char *root, struct strbuf *content);

#endif
