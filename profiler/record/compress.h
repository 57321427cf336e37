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
 * `max_batch` is the most that compressor_pack() gets at a time, in bytes; `lanes` is how many
 * threads may pack at a time.
 */
struct error *compressor_create(int level, uint64_t max_batch, unsigned int lanes,
				struct compressor **result);
void compressor_destroy(struct compressor *compressor);
unsigned int compressor_lanes(const struct compressor *compressor);

/* Adds the parts to `records` as COMPRESSED records. Only one thread may use a lane at a time. */
struct error *compressor_pack(struct compressor *compressor, unsigned int lane, const struct iovec *parts,
			      int count, struct strbuf *records);
/* Adds the content of the feature COMPRESSED, with the ratio so far. */
void compressor_put_feature(const struct compressor *compressor, struct strbuf *content);
uint64_t compressor_original_size(const struct compressor *compressor);
uint64_t compressor_packed_size(const struct compressor *compressor);

#endif
