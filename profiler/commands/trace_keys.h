/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort keys of tracepoint fields, as perf has them: EVENT.FIELD, EVENT.*, FIELD (of all events that have it)
 * and trace_fields (all of them). Which there are, the file says; those that a report names are made keys.
 */
#ifndef DTPROF_COMMANDS_TRACE_KEYS_H
#define DTPROF_COMMANDS_TRACE_KEYS_H

#include "profiler/base/error.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session.h"
#include "report/key_trace.h"
#include "report/layout.h"

/* Zero-initialized is empty. */
struct trace_keys {
	struct key keys[TRACE_KEYS];
	const struct key *list[TRACE_KEYS + 1]; /* the same, NULL-terminated */
	struct trace_choice choices[TRACE_KEYS];
	size_t count;
	struct arena arena; /* names, and the options' texts as they were rewritten */
};

/* Whether an event of the file is a tracepoint of which it has the fields. */
bool trace_keys_of(const struct session *session);
/*
 * Make keys of the fields that the options name, which are rewritten to name each by EVENT.FIELD; for
 * layout_parse(). `raw`: they show values, whatever the kernel prints for
 * them, as with /raw behind a name. `keys` must outlive the layout. What is no such name is left to
 * layout_parse().
 */
struct error *trace_keys_choose(struct trace_keys *keys, const struct session *session,
				struct layout_options *options, bool raw);
void trace_keys_release(struct trace_keys *keys);

#endif
