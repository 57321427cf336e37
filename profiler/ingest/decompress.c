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
#define RATIO_MAX  256
#define SIZE_FLOOR ((uint64_t)16 << 20)

struct decompressor {
	struct session *session;
	const struct stream *stream;
	struct stream result; /* its pieces alone */
	struct spool *spool;
	ZSTD_DCtx *context;
	uint64_t limit;
	size_t pending;  /* bytes at the buffer's begin that are no whole record yet */
	uint64_t offset; /* of the compressed record that they came from */
	uint64_t held;   /* bytes that it held so far */
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
					    "%s: the compressed data holds a record of %u bytes",
					    stream_place(state->session, state->stream, offset), header.size);
		if (header.size > state->pending - done)
			break;
		done += header.size;
	}
	RETURN_ERROR(spool_add(state->spool, state->buffer, done));
	memmove(state->buffer, state->buffer + done, state->pending - done);
	state->pending -= done;
	if (spool_size(state->spool) > state->limit)
		return error_create(ERROR_FORMAT, "%s: compressed data grows to more than %d times its size",
				    stream_place(state->session, state->stream, offset), RATIO_MAX);
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
			return error_create(ERROR_FORMAT, "%s: cannot decompress: %s",
					    stream_place(state->session, state->stream, offset),
					    ZSTD_getErrorName(result));
		state->pending += output.pos;
		state->held += output.pos;
		RETURN_ERROR(decompress_drain(state, offset));
		more = output.pos == output.size || input.pos < input.size;
		if (more && !output.pos && input.pos == before)
			return error_create(ERROR_FORMAT, "%s: cannot decompress: no progress",
					    stream_place(state->session, state->stream, offset));
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
				    "%s: a compressed record of %u bytes says that it holds %" PRIu64,
				    stream_place(state->session, state->stream, offset), header->size, size);
	state->offset = state->stream->offset + offset;
	state->held = 0;
	state->session->totals.compressed[header->type == RECORD_COMPRESSED2]++;
	stream_add_piece(&state->result, &(struct stream_piece){
						 .begin = spool_size(state->spool) + state->pending,
						 .offset = state->offset,
						 .compressed = true,
					 });
	return decompress_piece(state, record + cursor.position, size, offset);
}

/* One that is not compressed; what is pending comes behind it. */
static struct error *decompress_copy(struct decompressor *state, const uint8_t *record, size_t size,
				     size_t offset)
{
	stream_add_piece(&state->result, &(struct stream_piece){
						 .begin = spool_size(state->spool),
						 .offset = state->stream->offset + offset,
					 });
	RETURN_ERROR(spool_add(state->spool, record, size));
	if (state->pending)
		stream_add_piece(
			&state->result,
			&(struct stream_piece){
				.begin = spool_size(state->spool),
				.offset = state->offset,
				.within = state->held > state->pending ? state->held - state->pending : 0,
				.compressed = true,
			});
	return NULL;
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
		if (header.type == PERF_RECORD_COMPRESSED || header.type == RECORD_COMPRESSED2)
			RETURN_ERROR(decompress_record(state, &header, record, offset));
		else
			RETURN_ERROR(decompress_copy(state, record, header.size + extra, offset));
		offset += header.size + extra;
	}
	if (state->pending)
		session_warn(state->session, "%s: the compressed data ends within a record",
			     stream_place(state->session, stream, offset));
	state->pending = 0;
	return decompress_copy(state, stream->data + offset, stream->size - offset, offset);
}

struct error *session_decompress(struct session *session, uint32_t index)
{
	struct stream *stream = &session->streams[index];
	_cleanup_free_ struct decompressor *state = xcalloc(1, sizeof(*state));
	struct spool *spool = &session->spools[index];

	state->session = session;
	state->stream = stream;
	state->spool = spool;
	state->limit = SIZE_FLOOR + RATIO_MAX * (uint64_t)stream->size;
	state->context = ZSTD_createDCtx();
	if (!state->context)
		return error_create(ERROR_OTHER, "cannot set up zstd");
	struct error *error = decompress_stream(state);

	ZSTD_freeDCtx(state->context);
	if (error && error->code != ERROR_FORMAT) {
		free(state->result.pieces);
		return error;
	}
	if (error) {
		session_warn(session, "%s; what follows is not read", error->message);
		error_destroy(error);
	}
	stream->pieces = state->result.pieces;
	stream->piece_count = state->result.piece_count;
	stream->piece_capacity = state->result.piece_capacity;
	return spool_finish(spool, &stream->data, &stream->size);
}
