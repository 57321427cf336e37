// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements gzip.h with zlib.
 */
#include "report/gzip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "profiler/base/memory.h"

#define GZIP_WINDOW (15 + 16) /* deflateInit2: the largest window, with a gzip header */
#define GZIP_MEMORY 9         /* deflateInit2: the most, 256 KB */

struct gzip_sink {
	z_stream stream;
	gzip_receiver *sink;
	void *data;
	bool failed;
};

struct error *gzip_sink_create(gzip_receiver *sink, void *data, int level,
			       struct gzip_sink **result)
{
	struct gzip_sink *gzip = xcalloc(1, sizeof(*gzip));

	*gzip = (struct gzip_sink){ .sink = sink, .data = data };
	if (deflateInit2(&gzip->stream, level, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return error_create(ERROR_OTHER, "zlib cannot compress");
	}
	*result = gzip;
	return NULL;
}

static void compress_part(struct gzip_sink *gzip, const char *bytes, size_t length, int flush)
{
	char buffer[1 << 14];

	gzip->stream.next_in = (Bytef *)bytes;
	gzip->stream.avail_in = (uInt)length;
	do {
		gzip->stream.next_out = (Bytef *)buffer;
		gzip->stream.avail_out = sizeof(buffer);
		gzip->failed |= deflate(&gzip->stream, flush) == Z_STREAM_ERROR;
		gzip->sink(gzip->data, buffer, sizeof(buffer) - gzip->stream.avail_out);
	} while (!gzip->stream.avail_out && !gzip->failed);
}

void gzip_sink_add(void *into, const char *bytes, size_t length)
{
	/* zlib counts in unsigned int */
	for (size_t part; length; bytes += part, length -= part) {
		part = length < 1U << 30 ? length : 1U << 30;
		compress_part(into, bytes, part, Z_NO_FLUSH);
	}
}

struct error *gzip_sink_destroy(struct gzip_sink *gzip)
{
	struct error *error = NULL;

	compress_part(gzip, "", 0, Z_FINISH);
	if (gzip->failed)
		error = error_create(ERROR_OTHER, "zlib cannot compress");
	deflateEnd(&gzip->stream);
	free(gzip);
	return error;
}
