/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort keys for fields of tracepoints, as in perf: EVENT.FIELD, EVENT.*, FIELD (of all events that
 * have it) and trace_fields (all fields). Files differ in their events, so keys are made for the
 * fields that a report names.
 */
#ifndef DTPROF_COMMANDS_TRACE_KEYS_H
#define DTPROF_COMMANDS_TRACE_KEYS_H

#include "profiler/base/error.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session.h"
#include "report/key/key.h"
#include "report/layout.h"

/* Zero-initialized is empty. */
struct trace_keys {
	struct key keys[TRACE_KEYS_MAX];
	const struct key *list[TRACE_KEYS_MAX + 1]; /* pointers to them, NULL-terminated */
	struct trace_choice choices[TRACE_KEYS_MAX];
	size_t count;
	struct arena arena; /* owns names and rewritten options */
};

/* True if the file has a tracepoint whose fields it describes. */
bool trace_keys_of(const struct session *session);
/*
 * Make keys of the fields that the options name, and rewrite the options to name each as
 * EVENT.FIELD, for layout_parse(). With `raw` the keys show values instead of what the kernel
 * prints, as does /raw after a name. Words that are no field are left for layout_parse(). `keys`
 * must outlive the layout.
 */
struct error *trace_keys_choose(struct trace_keys *keys, const struct session *session,
				struct layout_options *options, bool raw);
void trace_keys_deinit(struct trace_keys *keys);

#endif
