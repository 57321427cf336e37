// SPDX-License-Identifier: GPL-2.0-or-later
/* The perf.data file: see writer.h. */
#include "profiler/record/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/pipe_format.h"

#define MAX_BOUNDARIES 64

/* A place where a record begins, and how many samples are before it. */
struct boundary {
	uint64_t position;
	uint64_t samples;
};

struct writer {
	int fd;
	bool stream; /* what was written cannot be changed any more */
	char *path;
	char *old_path; /* what was `path` before; NULL: nothing was there */
	struct file_header header;
	uint64_t position;
	uint64_t samples; /* before position, as writer_add() was told */
	uint64_t flushed; /* position at the last writer_flush() */
	/*
	 * Places where records begin, spread evenly over the file: where it can be cut when the disk is full.
	 * Once there are too many every second one goes, and new ones come half as often.
	 */
	struct boundary boundaries[MAX_BOUNDARIES];
	size_t boundary_count;
	uint64_t boundary_distance;
	struct strbuf features[FEATURE_COUNT];
	bool set[FEATURE_COUNT];
};

static struct error *write_error(const struct writer *writer, int error_number)
{
	return error_errno(error_number, "cannot write %s", writer->path);
}

static struct error *write_at(const struct writer *writer, const void *data, size_t size, uint64_t offset)
{
	const uint8_t *bytes = data;

	while (size) {
		ssize_t written = pwrite(writer->fd, bytes, size, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return write_error(writer, written < 0 ? errno : ENOSPC);
		bytes += written;
		offset += written;
		size -= written;
	}
	return NULL;
}

static struct error *write_stream(const struct writer *writer, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	while (size) {
		ssize_t written = write(writer->fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return write_error(writer, errno);
		bytes += written;
		size -= written;
	}
	return NULL;
}

static struct error *append(struct writer *writer, const void *data, size_t size)
{
	if (writer->stream)
		RETURN_ERROR(write_stream(writer, data, size));
	else
		RETURN_ERROR(write_at(writer, data, size, writer->position));
	writer->position += size;
	return NULL;
}

/* perf.data -> perf.data.old, so that the last recording is not lost by a slip. */
static void keep_old(struct writer *writer)
{
	struct stat status;

	if (stat(writer->path, &status) || !S_ISREG(status.st_mode) || !status.st_size)
		return;
	writer->old_path = xasprintf("%s.old", writer->path);
	if (rename(writer->path, writer->old_path)) {
		free(writer->old_path);
		writer->old_path = NULL;
	}
}

static struct error *write_header(struct writer *writer)
{
	return write_at(writer, &writer->header, sizeof(writer->header), 0);
}

/* The ids of an event, to be freed. */
static uint64_t *event_ids(const struct counters *counters, size_t event, size_t *count)
{
	uint64_t *ids = xcalloc(counters->count ? counters->count : 1, sizeof(*ids));

	*count = 0;
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].event == event)
			ids[(*count)++] = counters->items[i].id;
	}
	return ids;
}

static struct error *write_attrs(struct writer *writer, const struct event_list *events,
				 const struct counters *counters)
{
	_cleanup_free_ struct file_attr *attrs = xcalloc(events->count ? events->count : 1, sizeof(*attrs));

	writer->position = sizeof(writer->header);
	for (size_t i = 0; i < events->count; i++) {
		size_t count;
		_cleanup_free_ uint64_t *ids = event_ids(counters, i, &count);

		attrs[i].attr = events->items[i].attr;
		attrs[i].ids = (struct file_section){ writer->position, count * sizeof(*ids) };
		RETURN_ERROR(append(writer, ids, count * sizeof(*ids)));
	}
	writer->header.attrs = (struct file_section){ writer->position, events->count * sizeof(*attrs) };
	RETURN_ERROR(append(writer, attrs, events->count * sizeof(*attrs)));
	writer->header.data.offset = writer->position;
	return write_header(writer);
}

static struct error *open_file(struct writer *writer, const struct event_list *events,
			       const struct counters *counters)
{
	keep_old(writer);
	/* Addresses of the kernel and of others' processes: for the owner alone, as perf has it. */
	writer->fd = open(writer->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (writer->fd < 0)
		return error_errno(errno, "cannot create %s", writer->path);
	return write_attrs(writer, events, counters);
}

static struct error *open_stream(struct writer *writer, const struct event_list *events,
				 const struct counters *counters)
{
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;

	if (isatty(STDOUT_FILENO))
		return error_create(ERROR_OTHER, "-o -: a terminal cannot read this; send it through a pipe");
	writer->stream = true;
	writer->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (writer->fd < 0)
		return error_errno(errno, "cannot write to standard output");
	RETURN_ERROR(pipe_put_events(&records, events, counters));
	return append(writer, records.data, records.length);
}

struct error *writer_create(const char *path, const struct event_list *events,
			    const struct counters *counters, struct writer **result)
{
	struct writer *writer = xcalloc(1, sizeof(*writer));
	struct error *error;

	writer->fd = -1;
	writer->path = xstrdup(strcmp(path, "-") ? path : "standard output");
	writer->header = (struct file_header){ .magic = PERF_MAGIC_V2,
					       .size = sizeof(struct file_header),
					       .attr_size = sizeof(struct file_attr) };
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		writer->features[i] = (struct strbuf)STRBUF_INIT;
	error = strcmp(path, "-") ? open_file(writer, events, counters)
				  : open_stream(writer, events, counters);
	if (error) {
		writer_abandon(writer);
		return error;
	}
	writer->boundaries[0].position = writer->flushed = writer->position;
	writer->boundary_count = 1;
	writer->boundary_distance = 4096;
	*result = writer;
	return NULL;
}

static void add_boundary(struct writer *writer)
{
	const struct boundary boundary = { .position = writer->position, .samples = writer->samples };

	if (boundary.position - writer->boundaries[writer->boundary_count - 1].position <
	    writer->boundary_distance)
		return;
	if (writer->boundary_count == MAX_BOUNDARIES) {
		for (size_t i = 0; i < MAX_BOUNDARIES / 2; i++)
			writer->boundaries[i] = writer->boundaries[2 * i];
		writer->boundary_count = MAX_BOUNDARIES / 2;
		writer->boundary_distance *= 2;
		return;
	}
	writer->boundaries[writer->boundary_count++] = boundary;
}

/* End the records at `position`, or at the last boundary before it. */
static void cut_back(struct writer *writer, uint64_t position)
{
	while (writer->boundary_count > 1 &&
	       writer->boundaries[writer->boundary_count - 1].position > position)
		writer->boundary_count--;
	writer->position = writer->boundaries[writer->boundary_count - 1].position;
	writer->samples = writer->boundaries[writer->boundary_count - 1].samples;
}

/* What lies behind the end was written in vain. Where it cannot be cut off no harm is done: the header names
 * none of it. */
static void cut_off(const struct writer *writer)
{
	if (ftruncate(writer->fd, writer->position))
		return;
}

struct error *writer_add(struct writer *writer, const struct iovec *parts, int count, uint64_t samples)
{
	uint64_t start = writer->position;

	add_boundary(writer);
	for (int i = 0; i < count; i++) {
		struct error *error = append(writer, parts[i].iov_base, parts[i].iov_len);

		if (error) {
			writer->position = start;
			return error;
		}
	}
	writer->samples += samples;
	return NULL;
}

struct error *writer_add_record(struct writer *writer, const void *record, size_t size)
{
	return writer_add(writer, &(struct iovec){ .iov_base = (void *)record, .iov_len = size }, 1, 0);
}

struct error *writer_flush(struct writer *writer)
{
	uint64_t size = writer->position - writer->header.data.offset;

	if (writer->stream || writer->flushed == writer->position)
		return NULL;
	writer->flushed = writer->position;
	writer->header.data.size = size;
	return write_at(writer, &size, sizeof(size),
			offsetof(struct file_header, data) + offsetof(struct file_section, size));
}

static struct error *stream_feature(struct writer *writer, enum feature feature, const struct strbuf *content)
{
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;

	pipe_put_feature(&records, feature, content);
	return append(writer, records.data, records.length);
}

void writer_set_feature(struct writer *writer, enum feature feature, struct strbuf *content)
{
	if (writer->stream) {
		/* What cannot be written now cannot be written later: the next records' error tells. */
		error_free(stream_feature(writer, feature, content));
		strbuf_release(content);
		return;
	}
	strbuf_release(&writer->features[feature]);
	writer->features[feature] = *content;
	writer->set[feature] = true;
	*content = (struct strbuf)STRBUF_INIT;
}

static struct error *write_features(struct writer *writer)
{
	struct file_section table[FEATURE_COUNT];
	uint64_t start = writer->position, offset;
	size_t count = 0;

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		count += writer->set[i];
	offset = start + count * sizeof(*table);
	count = 0;
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		if (!writer->set[i])
			continue;
		table[count++] = (struct file_section){ offset, writer->features[i].length };
		RETURN_ERROR(write_at(writer, writer->features[i].data, writer->features[i].length, offset));
		offset += writer->features[i].length;
		writer->header.features[i / 64] |= 1ULL << (i % 64);
	}
	RETURN_ERROR(write_at(writer, table, count * sizeof(*table), start));
	writer->position = offset;
	return NULL;
}

static uint64_t features_size(const struct writer *writer)
{
	uint64_t size = 0;

	for (size_t i = 0; i < FEATURE_COUNT; i++)
		size += writer->set[i] ? sizeof(struct file_section) + writer->features[i].length : 0;
	return size;
}

/* Features where the records end; on an error the header names none. */
static struct error *finish_at_end(struct writer *writer)
{
	uint64_t end = writer->position;
	struct error *error;

	writer->header.data.size = end - writer->header.data.offset;
	error = write_features(writer);
	if (error) {
		writer->position = end;
		memset(writer->header.features, 0, sizeof(writer->header.features));
	}
	return error;
}

struct error *writer_finish(struct writer *writer)
{
	struct error *error, *header_error;
	uint64_t size;

	if (writer->stream)
		return NULL;
	size = features_size(writer);
	error = finish_at_end(writer);

	/* The names of the events and the build ids are worth more than the last records. */
	if (error && writer->position > size) {
		cut_back(writer, writer->position - size);
		cut_off(writer);

		struct error *again = finish_at_end(writer);

		if (!again) {
			error_free(error);
			error = NULL;
		}
		error_free(again);
	}
	header_error = write_header(writer);
	cut_off(writer);
	if (error) {
		error_free(header_error);
		return error;
	}
	return header_error;
}

uint64_t writer_samples(const struct writer *writer)
{
	return writer->samples;
}

uint64_t writer_size(const struct writer *writer)
{
	return writer->position;
}

uint64_t writer_data_size(const struct writer *writer)
{
	return writer->position - writer->header.data.offset;
}

void writer_abandon(struct writer *writer)
{
	struct stat status;

	if (!writer->stream && writer->fd >= 0 && fstat(writer->fd, &status) == 0 && S_ISREG(status.st_mode))
		unlink(writer->path);
	if (writer->old_path)
		rename(writer->old_path, writer->path);
	writer_destroy(writer);
}

void writer_destroy(struct writer *writer)
{
	if (!writer)
		return;
	closep(&writer->fd);
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		strbuf_release(&writer->features[i]);
	free(writer->path);
	free(writer->old_path);
	free(writer);
}
