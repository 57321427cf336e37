/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as text in perf's words: report -D, --stats, --tasks and --mmaps, script
 * --show-...-events. */
#ifndef DTPROF_COMMANDS_RECORDS_H
#define DTPROF_COMMANDS_RECORDS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "profiler/ingest/session.h"

/*
 * Appends "PERF_RECORD_COMM exec: lua:10/10" and a newline; records of namespaces and of changed
 * code have several lines.
 */
void record_add_text(const struct record_view *record, struct strbuf *text);

/* The thread that a record is about, which need not be the one that it was taken in. */
struct record_task {
	int32_t pid, tid;
};

struct record_task record_task(const struct record_view *record);

/*
 * Calls `write` with the text of each record in the order of the file: where it lies, its bytes,
 * its time and its fields. `write` empties the text.
 */
void dump_records(struct session *session, void (*write)(struct strbuf *text));

#endif
