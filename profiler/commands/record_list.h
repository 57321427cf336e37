/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --stats, --tasks and --mmaps: what a file holds, instead of tables; in perf's forms. */
#ifndef DTPROF_COMMANDS_RECORD_LIST_H
#define DTPROF_COMMANDS_RECORD_LIST_H

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

/* How many records of each kind, and how many samples of each event: after session_count(). */
void print_record_stats(const struct session *session, struct strbuf *text);
/* A line for each task, its name below and to the right of its parent's; `with_maps`: and one for each map
 * that it had in the end.
 */
void print_tasks(const struct session *session, bool with_maps, struct strbuf *text);

#endif
