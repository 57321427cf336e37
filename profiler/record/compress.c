// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd in perf.data: see compress.h. */
#include "profiler/record/compress.h"

#include <perf/event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/record/feature.h"

/* Numbers in the feature COMPRESSED: its version, and zstd as the kind of compression. */
#define COMPRESSION_VERSION 1
#define COMPRESSION_ZSTD    1
#define CONTENT_SIZE_MAX    (RECORD_SIZE_MAX - sizeof(struct perf_event_header))
#define SKIPPABLE_HEADER    8 /* magic number and size */
#define ALIGNMENT           8 /* of records, in bytes */
/*
 * Readers allocate as much for the content of one record as the feature says. perf up to 6.1
 * advances its output by twice the content of a frame if another frame follows, as the skippable
 * one does here, so it gets more than twice the room.
 */
#define ROOM_FACTOR 4

struct lane {
	ZSTD_CStream *stream;
	uint8_t *packed; /* a frame with its padding */
	uint64_t original_size;
	uint64_t packed_size;
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
		return error_create(ERROR_OTHER, "-z: the level must be from 1 to %d",
				    ZSTD_maxCLevel());

	struct compressor *compressor =
		xcalloc(1, sizeof(*compressor) + lanes * sizeof(*compressor->lanes));

	compressor->level = level;
	compressor->max_batch = max_batch;
	compressor->packed_capacity = ZSTD_compressBound(max_batch) + SKIPPABLE_HEADER + ALIGNMENT;
	compressor->lane_count = lanes;
	for (unsigned int i = 0; i < lanes; i++) {
		struct lane *lane = &compressor->lanes[i];

		lane->stream = ZSTD_createCStream();
		lane->packed = xmalloc(compressor->packed_capacity);
		if (!lane->stream || ZSTD_isError(ZSTD_initCStream(lane->stream, level))) {
			compressor_destroy(compressor);
			return error_create(ERROR_OTHER, "-z: zstd cannot be set up");
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

/* Packs all parts into one frame. */
static struct error *pack_frame(struct lane *lane, size_t capacity, const struct iovec *parts,
				int count, size_t *size)
{
	ZSTD_outBuffer output = { lane->packed, capacity - SKIPPABLE_HEADER - ALIGNMENT, 0 };

	for (int i = 0; i < count; i++) {
		ZSTD_inBuffer input = { parts[i].iov_base, parts[i].iov_len, 0 };
		ZSTD_EndDirective end = i + 1 == count ? ZSTD_e_end : ZSTD_e_continue;
		size_t left;

		do {
			left = ZSTD_compressStream2(lane->stream, &output, &input, end);
			if (ZSTD_isError(left))
				return error_create(ERROR_OTHER, "zstd: %s",
						    ZSTD_getErrorName(left));
			/* The capacity is that of the worst case. */
			if (output.pos == output.size && (left || input.pos < input.size))
				return error_create(ERROR_OTHER,
						    "zstd: a batch grew beyond its bound");
		} while (input.pos < input.size || (end == ZSTD_e_end && left));
		lane->original_size += parts[i].iov_len;
	}
	*size = output.pos;
	return NULL;
}

/* Pads a frame of `size` bytes with a skippable one. Returns the size of both. */
static size_t add_padding(struct lane *lane, size_t size)
{
	const uint32_t magic = ZSTD_MAGIC_SKIPPABLE_START;
	uint32_t padding = (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;

	if (!padding)
		return size;
	memcpy(lane->packed + size, &magic, sizeof(magic));
	memcpy(lane->packed + size + 4, &padding, sizeof(padding));
	memset(lane->packed + size + SKIPPABLE_HEADER, 0, padding);
	return size + SKIPPABLE_HEADER + padding;
}

struct error *compressor_pack(struct compressor *compressor, unsigned int lane_index,
			      const struct iovec *parts, int count, struct strbuf *records)
{
	struct lane *lane = &compressor->lanes[lane_index];
	size_t size = 0, before = records->length;

	RETURN_ERROR(pack_frame(lane, compressor->packed_capacity, parts, count, &size));
	size = add_padding(lane, size);
	for (size_t at = 0; at < size;) {
		size_t content = size - at < CONTENT_SIZE_MAX ? size - at : CONTENT_SIZE_MAX;
		struct perf_event_header header = { .type = PERF_RECORD_COMPRESSED,
						    .size = sizeof(header) + content };

		strbuf_add(records, &header, sizeof(header));
		strbuf_add(records, lane->packed + at, content);
		at += content;
	}
	lane->packed_size += records->length - before;
	return NULL;
}

uint64_t compressor_original_size(const struct compressor *compressor)
{
	uint64_t size = 0;

	for (unsigned int i = 0; i < compressor->lane_count; i++)
		size += compressor->lanes[i].original_size;
	return size;
}

uint64_t compressor_packed_size(const struct compressor *compressor)
{
	uint64_t size = 0;

	for (unsigned int i = 0; i < compressor->lane_count; i++)
		size += compressor->lanes[i].packed_size;
	return size;
}

void compressor_put_feature(const struct compressor *compressor, struct strbuf *content)
{
	uint64_t packed = compressor_packed_size(compressor);

	feature_put_u32(content, COMPRESSION_VERSION);
	feature_put_u32(content, COMPRESSION_ZSTD);
	feature_put_u32(content, compressor->level);
	feature_put_u32(content,
			packed ? (compressor_original_size(compressor) + packed / 2) / packed : 1);
	feature_put_u32(content, compressor->max_batch * ROOM_FACTOR);
}
