/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a recording besides samples, in perf's form: report --stats, --tasks and --mmaps. */
#ifndef DTPROF_COMMANDS_RECORDS_H
#define DTPROF_COMMANDS_RECORDS_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

/* Appends how many records of each type there are, and how many samples of each event. Call it
 * after session_count(). */
void print_record_stats(const struct session *session, struct strbuf *text);
/* Appends the tree of tasks, `with_maps` with the maps that each had at the end. */
void print_tasks(const struct session *session, bool with_maps, struct strbuf *text);

#endif
