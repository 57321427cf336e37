// SPDX-License-Identifier: GPL-2.0-or-later
/* The perf.data file, or stream: see writer.h. */
#include "profiler/record/writer.h"

#include <fcntl.h>
#include <zstd.h>

#include "base/files.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"

struct file_section {
	uint64_t offset, size;
};

struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

struct file_header {
	uint64_t magic, size;
	uint64_t attr_size; /* of struct file_attr */
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types; /* unused since Linux 3.10 */
	uint64_t features[4];            /* bit N: feature N follows the data */
};

/* The start of a stream. */
struct file_pipe_header {
	uint64_t magic, size;
};

/* The numbers of the features that this writer can write are below this. */
#define FEATURE_COUNT FEATURE_BITS

/* ---- a stream ---- */

static void put_header(struct strbuf *stream, uint32_t type, size_t size)
{
	struct perf_event_header header = { .type = type, .size = size };

	strbuf_add(stream, &header, sizeof(header));
}

static struct error *put_attr(struct strbuf *stream, const struct event_list *events, size_t event,
			      const struct counters *counters)
{
	size_t size,
		ids = sum_over(size_t, i, 0, counters->count, counters->items[i].event == event);

	size = sizeof(struct perf_event_header) + sizeof(struct perf_event_attr) +
	       ids * sizeof(uint64_t);
	if (size > RECORD_SIZE_MAX)
		return error_create(ERROR_UNSUPPORTED,
				    "event '%s' has %zu counters, more than a record of a stream "
				    "holds: write to a file",
				    events->items[event].name, ids);
	const struct perf_event_attr attr = event_file_attr(&events->items[event]);

	put_header(stream, PERF_RECORD_HEADER_ATTR, size);
	strbuf_add(stream, &attr, sizeof(attr));
	for (size_t i = 0; i < counters->count; i++)
		if (counters->items[i].event == event)
			strbuf_add(stream, &counters->items[i].id, sizeof(uint64_t));
	return NULL;
}

/* Puts the header of a stream and HEADER_ATTRs; fails if an event has too many ids. */
static struct error *pipe_put_events(struct strbuf *stream, const struct event_list *events,
				     const struct counters *counters)
{
	const struct file_pipe_header header = { .magic = PERF_MAGIC_V2, .size = sizeof(header) };

	strbuf_add(stream, &header, sizeof(header));
	for (size_t i = 0; i < events->count; i++)
		RETURN_ERROR(put_attr(stream, events, i, counters));
	return NULL;
}

static void put_padding(struct strbuf *stream, size_t size)
{
	static const char zeros[8];

	strbuf_add(stream, zeros, (8 - size % 8) % 8);
}

/* Puts a TRACING_DATA record, with its size alone, and the data after it. */
static void put_tracing_data(struct strbuf *stream, const struct strbuf *content)
{
	uint32_t sizes[2] = { round_up(content->length, 8), 0 };

	put_header(stream, PERF_RECORD_HEADER_TRACING_DATA,
		   sizeof(struct perf_event_header) + sizeof(sizes));
	strbuf_add(stream, sizes, sizeof(sizes));
	strbuf_add(stream, content->data, content->length);
	put_padding(stream, content->length);
}

/* Puts the records of the feature BUILD_ID, and sets their type, which it lacks. */
static void put_build_ids(struct strbuf *stream, const struct strbuf *content)
{
	size_t start = stream->length;
	struct perf_event_header header;

	strbuf_add(stream, content->data, content->length);
	for (size_t at = start; at + sizeof(header) <= stream->length; at += header.size) {
		memcpy(&header, stream->data + at, sizeof(header));
		header.type = PERF_RECORD_HEADER_BUILD_ID;
		memcpy(stream->data + at, &header, sizeof(header));
	}
}

/* Puts a feature as records, but none above 64 KB, which readers can do without. */
static void pipe_put_feature(struct strbuf *stream, enum feature feature,
			     const struct strbuf *content)
{
	const uint64_t id = feature;
	size_t size = sizeof(struct perf_event_header) + sizeof(id) + content->length;

	if (feature == FEATURE_TRACING_DATA) {
		put_tracing_data(stream, content);
	} else if (feature == FEATURE_BUILD_ID) {
		put_build_ids(stream, content);
	} else if (size + 7 <= RECORD_SIZE_MAX) {
		put_header(stream, PERF_RECORD_HEADER_FEATURE, round_up(size, 8));
		strbuf_add(stream, &id, sizeof(id));
		strbuf_add(stream, content->data, content->length);
		put_padding(stream, size);
	}
}

/* ---- a file ---- */

#define BOUNDARIES_MAX    64
#define BOUNDARY_DISTANCE 4096 /* bytes between boundaries, at first */

/* A position where a record begins, and the number of samples before it. */
struct boundary {
	uint64_t position, samples;
};

struct writer {
	int fd;
	bool stream; /* bytes cannot be changed once they are written */
	char *path;
	char *old_path; /* new name of the file that was at `path`; NULL: there was none */
	struct file_header header;
	uint64_t position;
	uint64_t samples; /* before `position`, by the argument of writer_add() */
	uint64_t flushed; /* position at the last writer_flush() */
	/* Positions where records begin, spread evenly over the file, which can be cut there when
	 * the disk is full. Once there are too many, every second one is dropped, and new ones come
	 * half as often. */
	struct boundary boundaries[BOUNDARIES_MAX];
	size_t boundary_count;
	uint64_t boundary_distance;
	struct strbuf features[FEATURE_COUNT];
	bool set[FEATURE_COUNT];
	uint64_t *traces; /* offsets of the AUXTRACE records */
	size_t trace_count, trace_capacity;
};

/* Writes at an offset, or (-1) where the file is. */
static struct error *write_at(const struct writer *writer, const void *data, size_t size,
			      int64_t offset)
{
	int number = file_write_all(writer->fd, data, size, offset);

	return number ? error_errno(number, "cannot write %s", writer->path) : NULL;
}

/* Writes bytes at the end of the file. The position does not change on an error. */
static struct error *append(struct writer *writer, const void *data, size_t size)
{
	if (writer->stream)
		RETURN_ERROR(write_at(writer, data, size, -1));
	else
		RETURN_ERROR(write_at(writer, data, size, writer->position));
	writer->position += size;
	return NULL;
}

/* Makes room at the path: renames perf.data to perf.data.old, so that the last recording is not
 * lost by mistake, and removes an empty file, whose owner and mode are not those of a recording.
 * Sets *is_file to false if the path is a device or a pipe, which stays where it is. */
static struct error *make_room(struct writer *writer, bool *is_file)
{
	struct stat status;

	*is_file = true;
	if (stat(writer->path, &status))
		return NULL;
	*is_file = S_ISREG(status.st_mode);
	if (!*is_file)
		return NULL;
	if (!status.st_size)
		return unlink(writer->path) ? error_errno(errno, "cannot replace %s", writer->path)
					    : NULL;
	writer->old_path = xasprintf("%s.old", writer->path);
	if (!rename(writer->path, writer->old_path))
		return NULL;

	struct error *error = error_errno(
		errno, "cannot keep %s as %s, so it is not replaced (-o FILE names another output)",
		writer->path, writer->old_path);

	free(writer->old_path);
	writer->old_path = NULL;
	return error;
}

static struct error *write_header(struct writer *writer)
{
	return write_at(writer, &writer->header, sizeof(writer->header), 0);
}

/* Returns the ids of an event, to be freed. */
static uint64_t *event_ids(const struct counters *counters, size_t event, size_t *count)
{
	uint64_t *ids = xcalloc(counters->count ?: 1, sizeof(*ids));

	*count = 0;
	for (size_t i = 0; i < counters->count; i++)
		if (counters->items[i].event == event)
			ids[(*count)++] = counters->items[i].id;
	return ids;
}

static struct error *write_attrs(struct writer *writer, const struct event_list *events,
				 const struct counters *counters)
{
	_cleanup_free_ struct file_attr *attrs = xcalloc(events->count ?: 1, sizeof(*attrs));

	writer->position = sizeof(writer->header);
	for (size_t i = 0; i < events->count; i++) {
		size_t count;
		_cleanup_free_ uint64_t *ids = event_ids(counters, i, &count);

		attrs[i].attr = event_file_attr(&events->items[i]);
		attrs[i].ids = (struct file_section){ writer->position, count * sizeof(*ids) };
		RETURN_ERROR(append(writer, ids, count * sizeof(*ids)));
	}
	writer->header.attrs =
		(struct file_section){ writer->position, events->count * sizeof(*attrs) };
	RETURN_ERROR(append(writer, attrs, events->count * sizeof(*attrs)));
	writer->header.data.offset = writer->position;
	writer->header.event_types.offset = FILE_RECORDING_MARK;
	return write_header(writer);
}

static struct error *open_file(struct writer *writer, const struct event_list *events,
			       const struct counters *counters)
{
	bool is_file;

	RETURN_ERROR(make_room(writer, &is_file));
	/* The file has addresses of the kernel and of processes of others, so only its owner may
	 * read it, as with perf. It is a new one, or it could have the owner of another. */
	writer->fd = is_file ? open(writer->path,
				    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
			     : in_place_open(writer->path, O_RDWR);
	if (writer->fd < 0)
		return error_errno(errno, "cannot create %s", writer->path);
	return write_attrs(writer, events, counters);
}

static struct error *open_stream(struct writer *writer, const struct event_list *events,
				 const struct counters *counters)
{
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;

	if (isatty(STDOUT_FILENO))
		return error_other("-o -: a terminal cannot read this; send it through a pipe");
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
	writer->boundary_distance = BOUNDARY_DISTANCE;
	*result = writer;
	return NULL;
}

static void add_boundary(struct writer *writer)
{
	const struct boundary boundary = { .position = writer->position,
					   .samples = writer->samples };

	if (boundary.position - writer->boundaries[writer->boundary_count - 1].position <
	    writer->boundary_distance)
		return;
	if (writer->boundary_count == BOUNDARIES_MAX) {
		for (size_t i = 0; i < BOUNDARIES_MAX / 2; i++)
			writer->boundaries[i] = writer->boundaries[2 * i];
		writer->boundary_count = BOUNDARIES_MAX / 2;
		writer->boundary_distance *= 2;
		return;
	}
	writer->boundaries[writer->boundary_count++] = boundary;
}

/* Cuts the records back to the last boundary at or before `position`. */
static void cut_back(struct writer *writer, uint64_t position)
{
	while (writer->boundary_count > 1 &&
	       writer->boundaries[writer->boundary_count - 1].position > position)
		writer->boundary_count--;
	writer->position = writer->boundaries[writer->boundary_count - 1].position;
	writer->samples = writer->boundaries[writer->boundary_count - 1].samples;
}

/* Cuts off what follows the contents, to which the header does not refer. */
static void cut_off(const struct writer *writer)
{
	if (ftruncate(writer->fd, writer->position))
		return;
}

struct error *writer_add(struct writer *writer, const struct iovec *parts, int count,
			 uint64_t samples)
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

struct error *writer_add_trace(struct writer *writer, const struct iovec *parts, int count)
{
	uint64_t start = writer->position;

	RETURN_ERROR(writer_add(writer, parts, count, 0));
	if (!writer->stream)
		array_add(writer->traces, writer->trace_count, writer->trace_capacity) = start;
	return NULL;
}

struct error *writer_add_record(struct writer *writer, const void *record, size_t size)
{
	return writer_add(writer, &(struct iovec){ .iov_base = (void *)record, .iov_len = size }, 1,
			  0);
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

static struct error *stream_feature(struct writer *writer, enum feature feature,
				    const struct strbuf *content)
{
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;

	pipe_put_feature(&records, feature, content);
	return append(writer, records.data, records.length);
}

void writer_set_feature(struct writer *writer, enum feature feature, struct strbuf *content)
{
	if (writer->stream) {
		/* If this cannot be written, the next records report it. */
		error_destroy(stream_feature(writer, feature, content));
		strbuf_deinit(content);
		return;
	}
	strbuf_deinit(&writer->features[feature]);
	writer->features[feature] = *content;
	writer->set[feature] = true;
	*content = (struct strbuf)STRBUF_INIT;
}

static struct error *write_features(struct writer *writer)
{
	struct file_section table[FEATURE_COUNT];
	uint64_t start = writer->position, offset;
	size_t count = sum_over(size_t, i, 0, FEATURE_COUNT, writer->set[i]);

	offset = start + count * sizeof(*table);
	count = 0;
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		if (!writer->set[i])
			continue;
		table[count++] = (struct file_section){ offset, writer->features[i].length };
		RETURN_ERROR(write_at(writer, writer->features[i].data, writer->features[i].length,
				      offset));
		offset += writer->features[i].length;
		writer->header.features[i / 64] |= 1ULL << (i % 64);
	}
	RETURN_ERROR(write_at(writer, table, count * sizeof(*table), start));
	writer->position = offset;
	return NULL;
}

/* Makes the feature AUXTRACE of the AUX data before the position: offsets and sizes of the records,
 * and before them their number (auxtrace_index__write() in perf's util/auxtrace.c). */
static void index_traces(struct writer *writer)
{
	struct strbuf content = STRBUF_INIT;

	while (writer->trace_count && writer->traces[writer->trace_count - 1] >= writer->position)
		writer->trace_count--;
	if (!writer->trace_count && !writer->set[FEATURE_AUXTRACE])
		return;
	feature_put_u64(&content, writer->trace_count);
	for (size_t i = 0; i < writer->trace_count; i++) {
		feature_put_u64(&content, writer->traces[i]);
		feature_put_u64(&content, sizeof(struct perf_record_auxtrace));
	}
	writer_set_feature(writer, FEATURE_AUXTRACE, &content);
}

/* Returns the bytes that the features and their table take. */
static uint64_t features_size(const struct writer *writer)
{
	return sum_over(uint64_t, i, 0, FEATURE_COUNT,
			writer->set[i] ? sizeof(struct file_section) + writer->features[i].length
				       : 0);
}

/* Writes the features where the records end. On an error the header names none. */
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
	index_traces(writer);
	size = features_size(writer);
	error = finish_at_end(writer);

	/* The disk is full. Event names and build ids are worth more than the last records. */
	if (error && writer->position > size) {
		cut_back(writer, writer->position - size);
		cut_off(writer);
		index_traces(writer);

		struct error *again = finish_at_end(writer);

		if (!again) {
			error_destroy(error);
			error = NULL;
		}
		error_destroy(again);
	}
	writer->header.event_types.offset = 0;
	header_error = write_header(writer);
	cut_off(writer);
	if (error) {
		error_destroy(header_error);
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

void writer_abandon(struct writer *writer)
{
	struct stat status;

	if (!writer->stream && writer->fd >= 0 && fstat(writer->fd, &status) == 0 &&
	    S_ISREG(status.st_mode))
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
		strbuf_deinit(&writer->features[i]);
	free_all(writer->path, writer->old_path, writer->traces, writer);
}

/* ---- compressed records ---- */

/* Numbers in the feature COMPRESSED: its version, and zstd as the kind of compression. */
#define COMPRESSION_VERSION 1
#define COMPRESSION_ZSTD    1
#define ALIGNMENT           8 /* of records, in bytes */

struct packed_header {
	struct perf_event_header header;
	uint64_t size; /* of the packed bytes, without the padding after them */
};

#define CONTENT_SIZE_MAX (RECORD_SIZE_MAX - sizeof(struct packed_header))

struct lane {
	ZSTD_CStream *stream;
	uint8_t *packed; /* a frame */
	uint64_t original_size, packed_size;
};

struct compressor {
	int level;
	uint64_t max_batch;
	size_t packed_capacity; /* of a lane */
	unsigned int lane_count;
	struct lane lanes[];
};

struct error *compressor_create(int level, uint64_t max_batch, unsigned int lanes,
				struct compressor **result)
{
	if (level < 1 || level > ZSTD_maxCLevel())
		return error_other("-z: the level must be from 1 to %d", ZSTD_maxCLevel());

	struct compressor *compressor =
		xcalloc(1, sizeof(*compressor) + lanes * sizeof(*compressor->lanes));

	compressor->level = level;
	compressor->max_batch = max_batch;
	compressor->packed_capacity = ZSTD_compressBound(max_batch);
	compressor->lane_count = lanes;
	array_each (struct lane, lane, compressor->lanes, lanes) {
		lane->stream = ZSTD_createCStream();
		lane->packed = xmalloc(compressor->packed_capacity);
		if (!lane->stream || ZSTD_isError(ZSTD_initCStream(lane->stream, level))) {
			compressor_destroy(compressor);
			return error_other("-z: zstd cannot be set up");
		}
	}
	*result = compressor;
	return NULL;
}

void compressor_destroy(struct compressor *compressor)
{
	for (unsigned int i = 0; compressor && i < compressor->lane_count; i++) {
		ZSTD_freeCStream(compressor->lanes[i].stream);
		free(compressor->lanes[i].packed);
	}
	free(compressor);
}

unsigned int compressor_lanes(const struct compressor *compressor)
{
	return compressor->lane_count;
}

static struct error *pack_frame(struct lane *lane, size_t capacity, const struct iovec *parts,
				int count, size_t *size)
{
	ZSTD_outBuffer output = { lane->packed, capacity, 0 };
	uint64_t total = sum_over(uint64_t, i, 0, count, parts[i].iov_len);

	/* zstd's tables are as large as the frame needs; for one of unknown size the highest levels
	 * would clear hundreds of megabytes each time */
	*size = ZSTD_CCtx_setPledgedSrcSize(lane->stream, total);
	if (ZSTD_isError(*size))
		return error_other("zstd: %s", ZSTD_getErrorName(*size));
	for (int i = 0; i < count; i++) {
		ZSTD_inBuffer input = { parts[i].iov_base, parts[i].iov_len, 0 };
		ZSTD_EndDirective end = i + 1 == count ? ZSTD_e_end : ZSTD_e_continue;
		size_t left;

		do {
			left = ZSTD_compressStream2(lane->stream, &output, &input, end);
			if (ZSTD_isError(left))
				return error_other("zstd: %s", ZSTD_getErrorName(left));
			/* The capacity is that of the worst case. */
			if (output.pos == output.size && (left || input.pos < input.size))
				return error_other("zstd: a batch grew beyond its bound");
		} while (input.pos < input.size || (end == ZSTD_e_end && left));
		lane->original_size += parts[i].iov_len;
	}
	*size = output.pos;
	return NULL;
}

struct error *compressor_pack(struct compressor *compressor, unsigned int lane_index,
			      const struct iovec *parts, int count, struct strbuf *records)
{
	struct lane *lane = &compressor->lanes[lane_index];
	size_t size = 0, before = records->length;

	RETURN_ERROR(pack_frame(lane, compressor->packed_capacity, parts, count, &size));
	for (size_t at = 0; at < size;) {
		size_t content = size - at < CONTENT_SIZE_MAX ? size - at : CONTENT_SIZE_MAX;
		size_t padding = (ALIGNMENT - content % ALIGNMENT) % ALIGNMENT;
		struct packed_header header = {
			.header = { .type = RECORD_COMPRESSED2,
				    .size = sizeof(header) + content + padding },
			.size = content,
		};

		strbuf_add(records, &header, sizeof(header));
		strbuf_add(records, lane->packed + at, content);
		strbuf_add(records, &(uint64_t){ 0 }, padding);
		at += content;
	}
	lane->packed_size += records->length - before;
	return NULL;
}

uint64_t compressor_original_size(const struct compressor *compressor)
{
	return sum_over(uint64_t, i, 0, compressor->lane_count, compressor->lanes[i].original_size);
}

uint64_t compressor_packed_size(const struct compressor *compressor)
{
	return sum_over(uint64_t, i, 0, compressor->lane_count, compressor->lanes[i].packed_size);
}

void compressor_put_feature(const struct compressor *compressor, struct strbuf *content)
{
	uint64_t packed = compressor_packed_size(compressor);

	feature_put_u32(content, COMPRESSION_VERSION);
	feature_put_u32(content, COMPRESSION_ZSTD);
	feature_put_u32(content, compressor->level);
	feature_put_u32(content,
			packed ? (compressor_original_size(compressor) + packed / 2) / packed : 1);
	/* readers allocate as much for the content of one record */
	feature_put_u32(content, compressor->max_batch);
}
