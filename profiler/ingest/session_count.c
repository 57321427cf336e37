// SPDX-License-Identifier: GPL-2.0-or-later
/* Counting from the outside: threads, what is said of samples that did not count, sums by event. See
 * session.h. */
#include <inttypes.h>

#include "profiler/base/parallel.h"
#include "profiler/ingest/count.h"
#include "profiler/ingest/count_data.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"

/* What did not count is said, however often the session is counted, once. */
static void count_finish(struct session *session, const struct count_result *results, unsigned int threads)
{
	uint64_t first_bad = UINT64_MAX;

	session->totals.unknown_samples = 0;
	session->totals.bad_samples = 0;
	for (unsigned int i = 0; i < threads; i++) {
		session->totals.unknown_samples += results[i].unknown_samples;
		session->totals.bad_samples += results[i].bad_samples;
		if (results[i].bad_samples && results[i].first_bad < first_bad)
			first_bad = results[i].first_bad;
	}
	if (session->losses_said)
		return;
	session->losses_said = true;
	if (session->totals.bad_samples)
		session_warn(
			session,
			"%" PRIu64
			" samples are shorter than the fields of their event, the first at %s: not counted",
			session->totals.bad_samples, session_position_text(session, first_bad));
	if (session->totals.unknown_samples)
		session_warn(session,
			     "%" PRIu64
			     " samples have an event id that the file does not declare: not counted",
			     session->totals.unknown_samples);
}

static void count_event_totals(struct session *session, const struct sample_counts *counts)
{
	for (size_t i = 0; i < session->events.count; i++) {
		session->events.events[i].samples = 0;
		session->events.events[i].period = 0;
	}
	for (size_t i = 0; i < counts->count; i++) {
		struct event *event = &session->events.events[counts->entries[i].event];

		event->samples += counts->entries[i].samples;
		event->period += counts->entries[i].period;
	}
}

static bool checks_data(const struct session *session)
{
	for (size_t i = 0; i < session->events.count; i++)
		if (event_checks_data(&session->events.events[i]))
			return true;
	return false;
}

struct error *session_count_by(struct session *session, const struct count_options *options,
			       struct sample_counts **result)
{
	struct count_options wanted = *options;

	unsigned int threads =
		session->options.threads ? session->options.threads : parallel_default_threads();

	if (!session->events.count && session->totals.samples)
		return error_create(ERROR_FORMAT, "%s has samples, but does not say of which events",
				    session->file.name);
	if (threads > session->chunk_count)
		threads = session->chunk_count ? (unsigned int)session->chunk_count : 1;
	struct count_result *results = xcalloc(threads, sizeof(*results));

	/* what is implied is left out: the inner loop knows few sets of fields */
	if (wanted.fields & COUNT_PLACE)
		wanted.fields &= ~(unsigned int)COUNT_DSO;
	if (!checks_data(session))
		wanted.fields &= ~(unsigned int)COUNT_DATA_CHECK;
	/* implied, and one thing less to tell the inner loops apart by */
	if (wanted.fields & COUNT_PLACE)
		wanted.fields &= ~(unsigned int)COUNT_DSO;
	count_run(session, &wanted, threads, results);
	count_finish(session, results, threads);
	*result = count_merge(session, wanted.fields, results, threads);
	free(results);
	count_event_totals(session, *result);
	/* what follows is as large as the objects are, and looks at no sample */
	perf_file_done_with(&session->file);
	for (size_t i = 0; i < session->more_count; i++)
		perf_file_done_with(&session->more_files[i]);
	return NULL;
}

struct error *session_count(struct session *session, unsigned int fields, struct sample_counts **result)
{
	return session_count_by(session, &(struct count_options){ .fields = fields }, result);
}

static struct error *visit_time(const struct sample *sample, void *data)
{
	struct time_range *range = data;

	if (!(sample->type & PERF_SAMPLE_TIME))
		return NULL;
	if (sample->time < range->first)
		range->first = sample->time;
	if (sample->time > range->last)
		range->last = sample->time;
	return NULL;
}

bool session_sample_times(struct session *session, struct time_range *range)
{
	*range = (struct time_range){ .first = UINT64_MAX };
	error_free(session_each_sample(session, visit_time, range)); /* visit_time() has none */
	return range->first <= range->last;
}
