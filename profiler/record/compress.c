// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd in perf.data: see compress.h. */
#include "profiler/record/compress.h"

#include <perf/event.h>
#include <string.h>
#include <zstd.h>

#include "profiler/base/memory.h"
#include "profiler/record/feature.h"

#define COMPRESSION_VERSION 1
#define COMPRESSION_ZSTD    1
#define MAX_RECORD_SIZE     65528 /* header.size has 16 bits; a multiple of 8 */
#define MAX_CONTENT_SIZE    (MAX_RECORD_SIZE - sizeof(struct perf_event_header))
#define SKIPPABLE_HEADER    8 /* magic number and size */
/*
 * Readers allocate what the feature says for the content of one record. perf up to 6.1 advances its output by
 * twice what a frame held when another, here the skippable one, follows: so it gets more than twice the room.
 */
#define ROOM_FACTOR 4

struct compressor {
	ZSTD_CStream *stream;
	int level;
	uint64_t max_batch;
	uint8_t *packed; /* a frame with its padding */
	size_t packed_capacity;
	uint8_t *records; /* the same, cut into records */
	uint64_t original_size;
	uint64_t packed_size;
};

struct error *compressor_create(int level, uint64_t max_batch, struct compressor **result)
{
	struct compressor *compressor = xcalloc(1, sizeof(*compressor));
	size_t records;

	if (level < 1 || level > ZSTD_maxCLevel()) {
		free(compressor);
		return error_create(ERROR_OTHER, "-z: the level must be from 1 to %d", ZSTD_maxCLevel());
	}
	compressor->level = level;
	compressor->max_batch = max_batch;
	compressor->stream = ZSTD_createCStream();
	if (!compressor->stream || ZSTD_isError(ZSTD_initCStream(compressor->stream, level))) {
		compressor_destroy(compressor);
		return error_create(ERROR_OTHER, "-z: zstd cannot be set up");
	}
	compressor->packed_capacity = ZSTD_compressBound(max_batch) + SKIPPABLE_HEADER + 8;
	records = compressor->packed_capacity / MAX_CONTENT_SIZE + 1;
	compressor->packed = xmalloc(compressor->packed_capacity);
	compressor->records =
		xmalloc(compressor->packed_capacity + records * sizeof(struct perf_event_header));
	*result = compressor;
	return NULL;
}

void compressor_destroy(struct compressor *compressor)
{
	if (!compressor)
		return;
	ZSTD_freeCStream(compressor->stream);
	free(compressor->packed);
	free(compressor->records);
	free(compressor);
}

/* One frame of all parts. */
static struct error *pack_frame(struct compressor *compressor, const struct iovec *parts, int count,
				size_t *size)
{
	ZSTD_outBuffer output = { compressor->packed, compressor->packed_capacity - SKIPPABLE_HEADER - 8, 0 };

	for (int i = 0; i < count; i++) {
		ZSTD_inBuffer input = { parts[i].iov_base, parts[i].iov_len, 0 };
		ZSTD_EndDirective end = i + 1 == count ? ZSTD_e_end : ZSTD_e_continue;
		size_t left;

		do {
			left = ZSTD_compressStream2(compressor->stream, &output, &input, end);
			if (ZSTD_isError(left))
				return error_create(ERROR_OTHER, "zstd: %s", ZSTD_getErrorName(left));
			/* The room is that of the worst case. */
			if (output.pos == output.size && (left || input.pos < input.size))
				return error_create(ERROR_OTHER, "zstd: a batch grew beyond its bound");
		} while (input.pos < input.size || (end == ZSTD_e_end && left));
		compressor->original_size += parts[i].iov_len;
	}
	*size = output.pos;
	return NULL;
}

static size_t add_padding(struct compressor *compressor, size_t size)
{
	const uint32_t magic = ZSTD_MAGIC_SKIPPABLE_START;
	uint32_t padding = (8 - size % 8) % 8;

	if (!padding)
		return size;
	memcpy(compressor->packed + size, &magic, sizeof(magic));
	memcpy(compressor->packed + size + 4, &padding, sizeof(padding));
	memset(compressor->packed + size + SKIPPABLE_HEADER, 0, padding);
	return size + SKIPPABLE_HEADER + padding;
}

struct error *compressor_pack(struct compressor *compressor, const struct iovec *parts, int count,
			      struct iovec *records)
{
	size_t size = 0, written = 0;

	RETURN_ERROR(pack_frame(compressor, parts, count, &size));
	size = add_padding(compressor, size);
	for (size_t at = 0; at < size;) {
		size_t content = size - at < MAX_CONTENT_SIZE ? size - at : MAX_CONTENT_SIZE;
		struct perf_event_header header = { .type = PERF_RECORD_COMPRESSED,
						    .size = sizeof(header) + content };

		memcpy(compressor->records + written, &header, sizeof(header));
		memcpy(compressor->records + written + sizeof(header), compressor->packed + at, content);
		written += header.size;
		at += content;
	}
	compressor->packed_size += written;
	*records = (struct iovec){ .iov_base = compressor->records, .iov_len = written };
	return NULL;
}

void compressor_put_feature(const struct compressor *compressor, struct strbuf *content)
{
	uint64_t packed = compressor->packed_size;

	feature_put_u32(content, COMPRESSION_VERSION);
	feature_put_u32(content, COMPRESSION_ZSTD);
	feature_put_u32(content, compressor->level);
	feature_put_u32(content, packed ? (compressor->original_size + packed / 2) / packed : 1);
	feature_put_u32(content, compressor->max_batch * ROOM_FACTOR);
}

uint64_t compressor_original_size(const struct compressor *compressor)
{
	return compressor->original_size;
}

uint64_t compressor_packed_size(const struct compressor *compressor)
{
	return compressor->packed_size;
}
