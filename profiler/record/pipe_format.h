/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a perf.data stream has in place of the seekable file's header: records for the events and the features
 * (perf.data-file-format.txt, "Pipe-mode data").
 */
#ifndef DTPROF_RECORD_PIPE_FORMAT_H
#define DTPROF_RECORD_PIPE_FORMAT_H

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/counters.h"
#include "profiler/record/event.h"
#include "profiler/record/file_format.h"

/* The stream's header and a HEADER_ATTR record for each event. An error if an event has more ids than fit. */
struct error *pipe_put_events(struct strbuf *stream, const struct event_list *events,
			      const struct counters *counters);
/* A feature's content as records. One that is too large for a record (64 KB) is left out: it is not vital. */
void pipe_put_feature(struct strbuf *stream, enum feature feature, const struct strbuf *content);

#endif
