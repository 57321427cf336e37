// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening and closing of sessions, and what can be asked without counting: see session.h. */
#include "profiler/ingest/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session_private.h"

void session_warn(const struct session *session, const char *format, ...)
{
	va_list arguments;

	if (!session->options.warn)
		return;
	va_start(arguments, format);
	_cleanup_free_ char *message = xvasprintf(format, arguments);

	va_end(arguments);
	session->options.warn(session->options.warn_data, message);
}

void session_add_stream(struct session *session, const struct stream *stream)
{
	array_reserve(session->streams, session->stream_count, session->stream_capacity);
	session->streams[session->stream_count++] = *stream;
}

static void session_main_stream(struct session *session)
{
	const struct perf_header *header = &session->header;
	const struct perf_file *file = &session->file;
	struct stream stream = {
		.data = file->data + header->data_offset,
		.size = header->data_size,
		.base = header->data_offset,
		.offset = header->data_offset,
		.name = file->name,
		.cut = header->unfinished || header->data_claimed > header->data_size,
	};

	if (header->unfinished)
		session_warn(session,
			     "%s: the size of the data was never written (was record killed?): all up to the "
			     "file's end is read",
			     file->name);
	else if (stream.cut)
		session_warn(session,
			     "%s: truncated: the file ends at offset %zu, its data at offset %" PRIu64,
			     file->name, file->size, header->data_offset + header->data_claimed);
	/* else that has been said */
	if (header->lost_features && !stream.cut)
		session_warn(
			session,
			"%s: truncated: %u of the header's features (names of events, build ids ...) lie "
			"beyond the file's %zu bytes",
			file->name, header->lost_features, file->size);
	session_add_stream(session, &stream);
}

/* Whether the time decides what was first. Without sample_id_all only samples have times, so that it cannot.
 */
static bool session_has_times(const struct session *session)
{
	for (size_t i = 0; i < session->events.count; i++) {
		const struct perf_event_attr *attr = &session->events.events[i].attr;

		if (attr->sample_id_all && attr->sample_type & PERF_SAMPLE_TIME)
			return true;
	}
	return false;
}

static void session_build_timeline(struct session *session)
{
	session->by_position = !session_has_times(session);
	for (size_t i = 0; session->by_position && i < session->state_count; i++)
		session->states[i].moment.time = session->states[i].moment.position;
	for (size_t i = 0; session->by_position && i < session->parallelism.count; i++)
		session->parallelism.steps[i].moment.time = session->parallelism.steps[i].moment.position;
	parallelism_build(&session->parallelism, session_processors(session));
	timeline_build(&session->timeline, session->states, session->state_count, session->header.swap);
	free(session->states);
	session->states = NULL;
	if (session->timeline.bad_records)
		session_warn(session,
			     "%zu records of processes are shorter than their fields, the first at %s: "
			     "passed over",
			     session->timeline.bad_records,
			     session_position_text(session, session->timeline.first_bad));
	if (session->timeline.cut_forks)
		session_warn(session,
			     "%zu processes were forked more than %d deep without exec: the maps of their "
			     "first ancestors are not searched",
			     session->timeline.cut_forks, ADDRESS_SPACE_DEPTH);
}

static struct error *session_load(struct session *session, const char *folder)
{
	const struct perf_file *file = &session->file;

	RETURN_ERROR(header_parse(file->data, file->size, file->name, &session->header, &session->events));
	session_main_stream(session);
	RETURN_ERROR(session_open_folder(session, folder));
	session->spools = xcalloc(session->stream_count, sizeof(*session->spools));
	for (size_t i = 0; i < session->stream_count; i++)
		session->spools[i] = (struct spool)SPOOL_INIT;
	RETURN_ERROR(session_collect(session));
	session_take_features(session);
	if (session->totals.aux_records)
		session_warn(session, "%s: %" PRIu64 " bytes of hardware traces (AUX) are not decoded",
			     file->name, session->totals.aux_bytes);
	if (!session->events.count)
		return error_create(ERROR_FORMAT, "%s: no event is declared%s", file->name,
				    session->totals.samples ? ", but there are samples" : "");
	if (session->events.count > 1 && !session->events.layouts[0].id && session->totals.samples)
		session_warn(session, "%s: the samples do not say of which event they are: all count as '%s'",
			     file->name, session->events.events[0].name);
	RETURN_ERROR(session_add_modules(session));
	session_build_timeline(session);
	return NULL;
}

static struct session *session_create(const struct session_options *options)
{
	struct session *session = xcalloc(1, sizeof(*session));

	if (options)
		session->options = *options;
	timeline_init(&session->timeline);
	return session;
}

static struct error *session_finish_open(struct session *session, struct error *error,
					 struct session **result)
{
	if (error)
		session_close(session);
	else
		*result = session;
	return error;
}

struct error *session_open(const char *path, const struct session_options *options, struct session **result)
{
	struct session *session = session_create(options);
	struct error *error = perf_file_open(path, session->options.force, &session->file);

	/* perf_file_open() has found "data" in it if it is a folder. */
	bool folder = !error && strcmp(path, "-") != 0 && strcmp(path, session->file.name) != 0;

	if (!error)
		error = session_load(session, folder ? path : NULL);
	return session_finish_open(session, error, result);
}

struct error *session_open_memory(const void *data, size_t size, const struct session_options *options,
				  struct session **result)
{
	struct session *session = session_create(options);

	perf_file_open_memory(data, size, &session->file);
	return session_finish_open(session, session_load(session, NULL), result);
}

void session_close(struct session *session)
{
	if (!session)
		return;
	timeline_deinit(&session->timeline);
	parallelism_deinit(&session->parallelism);
	event_table_deinit(&session->events);
	for (size_t i = 0; session->spools && i < session->stream_count; i++)
		spool_deinit(&session->spools[i]);
	for (size_t i = 0; i < session->stream_count; i++)
		free(session->streams[i].pieces);
	for (size_t i = 0; i < session->more_count; i++)
		perf_file_close(&session->more_files[i]);
	perf_file_close(&session->file);
	free(session->spools);
	free(session->more_files);
	free(session->streams);
	free(session->chunks);
	free(session->states);
	hash_map_deinit(&session->cgroup_by_id);
	free(session->cgroup_names);
	arena_deinit(&session->arena);
	free(session);
}

const struct event *session_events(const struct session *session, size_t *count)
{
	*count = session->events.count;
	return session->events.events;
}

const struct session_totals *session_totals(const struct session *session)
{
	return &session->totals;
}

struct dso *const *session_dsos(const struct session *session, size_t *count)
{
	*count = session->timeline.dsos.count;
	return session->timeline.dsos.dsos;
}

const char *session_comm(const struct session *session, uint32_t comm)
{
	return comm < session->timeline.comms.count ? session->timeline.comms.names[comm] : "";
}

uint32_t session_thread_comm(struct session *session, int32_t tid)
{
	char name[16];

	snprintf(name, sizeof(name), ":%d", tid);
	return comm_table_get(&session->timeline.comms, name);
}

const char *session_position_text(struct session *session, uint64_t position)
{
	const struct stream *stream = &session->streams[0];

	for (size_t i = 1; i < session->stream_count; i++)
		if (position >= session->streams[i].base)
			stream = &session->streams[i];
	return stream_place(session, stream, position - stream->base);
}

uint64_t session_file_address(struct session *session, struct dso *dso, uint64_t offset)
{
	return dso ? dso_file_address(dso, &session->options.dso, offset) : offset;
}
