/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of perf stat, which have counts of events, in rounds, in place of samples. */
#ifndef DTPROF_COMMANDS_SCRIPT_COUNTS_H
#define DTPROF_COMMANDS_SCRIPT_COUNTS_H

#include <stdbool.h>

#include "profiler/cli/output.h"
#include "profiler/ingest/session.h"

/* Returns whether the recording has counts. */
bool session_has_counts(const struct session *session);

/*
 * Prints the counts after each round: the latest one of each event, thread and processor. Text is
 * that of `perf script`; JSON has one object per line. Returns an error if a record does not fit
 * the file, after printing the rounds before it.
 */
struct error *script_print_counts(struct session *session, enum output_format format);

#endif
