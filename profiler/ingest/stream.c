// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the bytes of a stream come from: see session_private.h. */
#include <inttypes.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session_private.h"

void stream_add_piece(struct stream *stream, const struct stream_piece *piece)
{
	const struct stream_piece *last =
		stream->piece_count ? &stream->pieces[stream->piece_count - 1] : NULL;

	/* records that were copied one after the other */
	if (last && !last->compressed && !piece->compressed &&
	    piece->offset - last->offset == piece->begin - last->begin)
		return;
	array_reserve(stream->pieces, stream->piece_count, stream->piece_capacity);
	stream->pieces[stream->piece_count++] = *piece;
}

/* The last piece that begins at or before `offset`; NULL: the stream is the file itself. */
static const struct stream_piece *stream_piece_at(const struct stream *stream, size_t offset)
{
	size_t low = 0;
	size_t high = stream->piece_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (stream->pieces[middle].begin <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &stream->pieces[low - 1] : NULL;
}

uint64_t stream_file_offset(const struct stream *stream, size_t offset)
{
	const struct stream_piece *piece = stream_piece_at(stream, offset);

	if (!piece)
		return stream->offset + offset;
	return piece->compressed ? piece->offset : piece->offset + (offset - piece->begin);
}

const char *stream_place(struct session *session, const struct stream *stream, size_t offset)
{
	const struct stream_piece *piece = stream_piece_at(stream, offset);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (piece && piece->compressed)
		strbuf_add_format(&text,
				  "%s: compressed record at offset %" PRIu64 ", byte %" PRIu64
				  " of what it holds",
				  stream->name, piece->offset, piece->within + (offset - piece->begin));
	else
		strbuf_add_format(&text, "%s: offset %" PRIu64, stream->name,
				  stream_file_offset(stream, offset));
	return arena_strdup(&session->arena, text.data);
}
