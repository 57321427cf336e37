// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as a perf.data file (header, events, records and samples) and counts samples with
 * all options. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "profiler/ingest/session.h"
#include "tests/support/session_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns whether samples read counters. Such a sample counts once for each counter that has moved,
 * any other sample once or never. */
static bool reads_counters(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.sample_type & PERF_SAMPLE_READ)
			return true;
	return false;
}

static void count(struct session *session, uint64_t fields)
{
	struct sample_counts *counts;
	struct error *error = session_count(session, fields, &counts);
	uint64_t samples = 0;

	if (error) {
		error_destroy(error);
		return;
	}
	for (size_t i = 0; i < counts->count; i++)
		samples += counts->entries[i].samples;
	if (samples > session_totals(session)->samples && !reads_counters(session))
		abort();
	sample_counts_destroy(counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct session_options options = { .force = true, .threads = 1 };
	struct session *session;
	struct error *error = session_open_memory(data, size, &options, &session);
	size_t dsos;

	if (error) {
		error_destroy(error);
		return 0;
	}
	count(session, COUNT_COMM | COUNT_DSO);
	count(session, COUNT_CHAIN);
	count(session, COUNT_PLACE | COUNT_PID | COUNT_TID | COUNT_CPU | COUNT_WEIGHT |
			       COUNT_DATA_SOURCE | COUNT_DATA_ADDRESS | COUNT_STORE);
	(void)session_dsos(session, &dsos);
	session_close(session);
	return 0;
}
