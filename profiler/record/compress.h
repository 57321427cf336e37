/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records packed by zstd into PERF_RECORD_COMPRESSED records.
 *
 * Each batch becomes one zstd frame, cut into as many records as it needs. A skippable frame (RFC
 * 8878, 3.1.2) pads it to a multiple of 8 bytes, so every record of the file stays aligned, as with
 * PERF_RECORD_COMPRESSED2, and every perf since 5.2 can read it.
 */
#ifndef DTPROF_RECORD_COMPRESS_H
#define DTPROF_RECORD_COMPRESS_H

#include <stdint.h>
#include <sys/uio.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct compressor;

/*
 * Creates a compressor for a level of zstd, which the caller destroys. compressor_pack() gets at
 * most `max_batch` bytes at a time, and at most `lanes` threads call it at a time.
 */
struct error *compressor_create(int level, uint64_t max_batch, unsigned int lanes,
				struct compressor **result);
void compressor_destroy(struct compressor *compressor);
unsigned int compressor_lanes(const struct compressor *compressor);

/* Adds the parts to `records` as COMPRESSED records. Only one thread may use a lane at a time. */
struct error *compressor_pack(struct compressor *compressor, unsigned int lane,
			      const struct iovec *parts, int count, struct strbuf *records);
/* Appends the content of the feature COMPRESSED, with the ratio so far. */
void compressor_put_feature(const struct compressor *compressor, struct strbuf *content);
/* Return the bytes of all records so far, before and after they were packed. */
uint64_t compressor_original_size(const struct compressor *compressor);
uint64_t compressor_packed_size(const struct compressor *compressor);

#endif
