// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PERF_RECORD_COMPRESSED and COMPRESSED2: one zstd stream in pieces, whose contents are records again.
 *
 * A record may begin in one piece and end in a later one, with other records between them, so what is not
 * whole yet waits.
 */
#include <inttypes.h>
#include <string.h>
#include <zstd.h>

#include "profiler/base/cursor.h"
#include "profiler/ingest/session_private.h"

#define BLOCK_SIZE ((size_t)128 << 10)
/* More than this is no trace but an attack on the disk. Real ones are below 50. */
#define RATIO_LIMIT 256
#define SIZE_FLOOR  ((uint64_t)16 << 20)

struct decompressor {
	struct session *session;
	const struct stream *stream;
	struct spool *spool;
	ZSTD_DCtx *context;
	uint64_t limit;
	size_t pending; /* bytes at the buffer's begin that are no whole record yet */
	uint8_t buffer[BLOCK_SIZE + UINT16_MAX + 1];
};

/* Move the whole records of the buffer to the spool. */
static struct error *decompress_drain(struct decompressor *state, size_t offset)
{
	size_t done = 0;

	while (state->pending - done >= RECORD_HEADER_SIZE) {
		struct record_header header =
			record_header(state->buffer + done, state->session->header.swap);

		if (header.size < RECORD_HEADER_SIZE)
			return error_create(ERROR_FORMAT,
					    STREAM_PLACE ": the compressed data holds a record of %u bytes",
					    STREAM_AT(state->stream, offset), header.size);
		if (header.size > state->pending - done)
			break;
		done += header.size;
	}
	RETURN_ERROR(spool_add(state->spool, state->buffer, done));
	memmove(state->buffer, state->buffer + done, state->pending - done);
	state->pending -= done;
	if (spool_size(state->spool) > state->limit)
		return error_create(ERROR_FORMAT,
				    STREAM_PLACE ": compressed data grows to more than %d times its size",
				    STREAM_AT(state->stream, offset), RATIO_LIMIT);
	return NULL;
}

static struct error *decompress_piece(struct decompressor *state, const uint8_t *data, size_t size,
				      size_t offset)
{
	ZSTD_inBuffer input = { .src = data, .size = size };

	for (bool more = true; more;) {
		ZSTD_outBuffer output = { .dst = state->buffer + state->pending, .size = BLOCK_SIZE };
		size_t before = input.pos;
		size_t result = ZSTD_decompressStream(state->context, &output, &input);

		if (ZSTD_isError(result))
			return error_create(ERROR_FORMAT, STREAM_PLACE ": cannot decompress: %s",
					    STREAM_AT(state->stream, offset), ZSTD_getErrorName(result));
		state->pending += output.pos;
		RETURN_ERROR(decompress_drain(state, offset));
		more = output.pos == output.size || input.pos < input.size;
		if (more && !output.pos && input.pos == before)
			return error_create(ERROR_FORMAT, STREAM_PLACE ": cannot decompress: no progress",
					    STREAM_AT(state->stream, offset));
	}
	return NULL;
}

static struct error *decompress_record(struct decompressor *state, const struct record_header *header,
				       const uint8_t *record, size_t offset)
{
	struct cursor cursor = cursor_of(record, header->size, state->session->header.swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint64_t size = header->type == RECORD_COMPRESSED2 ? cursor_u64(&cursor) : cursor_left(&cursor);

	if (cursor.failed || size > cursor_left(&cursor))
		return error_create(ERROR_FORMAT,
				    STREAM_PLACE
				    ": a compressed record of %u bytes says that it holds %" PRIu64,
				    STREAM_AT(state->stream, offset), header->size, size);
	return decompress_piece(state, record + cursor.position, size, offset);
}

/* Until the first record that is broken: what to say of that one is the walk's. */
static struct error *decompress_stream(struct decompressor *state)
{
	const struct stream *stream = state->stream;
	bool swap = state->session->header.swap;
	size_t offset = 0;

	while (stream->size - offset >= RECORD_HEADER_SIZE) {
		const uint8_t *record = stream->data + offset;
		struct record_header header = record_header(record, swap);
		size_t left = stream->size - offset;

		if (header.size < RECORD_HEADER_SIZE || header.size > left)
			break;
		uint64_t extra = record_extra(record, &header, swap);

		if (extra > left - header.size)
			break;
		if (header.type == RECORD_COMPRESSED || header.type == RECORD_COMPRESSED2)
			RETURN_ERROR(decompress_record(state, &header, record, offset));
		else
			RETURN_ERROR(spool_add(state->spool, record, header.size + extra));
		offset += header.size + extra;
	}
	if (state->pending)
		session_warn(state->session, STREAM_PLACE ": the compressed data ends within a record",
			     STREAM_AT(stream, offset));
	return spool_add(state->spool, stream->data + offset, stream->size - offset);
}

struct error *session_decompress(struct session *session, uint32_t index)
{
	struct stream *stream = &session->streams[index];
	_cleanup_free_ struct decompressor *state = xcalloc(1, sizeof(*state));
	struct spool *spool = &session->spools[index];

	state->session = session;
	state->stream = stream;
	state->spool = spool;
	state->limit = SIZE_FLOOR + RATIO_LIMIT * (uint64_t)stream->size;
	state->context = ZSTD_createDCtx();
	if (!state->context)
		return error_create(ERROR_OTHER, "cannot set up zstd");
	struct error *error = decompress_stream(state);

	ZSTD_freeDCtx(state->context);
	if (error && error->code != ERROR_FORMAT)
		return error;
	if (error) {
		session_warn(session, "%s; what follows is not read", error->message);
		error_free(error);
	}
	RETURN_ERROR(spool_finish(spool, &stream->data, &stream->size));
	/* No offset of the file is one of this stream any more. */
	char *name = xasprintf("%s, decompressed", stream->name);

	stream->name = arena_strdup(&session->arena, name);
	stream->offset = 0;
	free(name);
	return NULL;
}
