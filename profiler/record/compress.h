/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records packed by zstd into PERF_RECORD_COMPRESSED records.
 *
 * Each batch becomes one zstd frame, cut over as many records as it needs, and filled up to a multiple of 8
 * bytes by a skippable frame (RFC 8878, 3.1.2): so every record of the file stays aligned, as
 * PERF_RECORD_COMPRESSED2 would have it, and every perf since 5.2 reads it.
 */
#ifndef DTPROF_RECORD_COMPRESS_H
#define DTPROF_RECORD_COMPRESS_H

#include <stdint.h>
#include <sys/uio.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct compressor;

/* `max_batch`: of compressor_pack(), in bytes; `lanes`: how many threads may pack at a time. */
struct error *compressor_create(int level, uint64_t max_batch, unsigned int lanes,
				struct compressor **result);
void compressor_destroy(struct compressor *compressor);
unsigned int compressor_lanes(const struct compressor *compressor);

/* The parts as COMPRESSED records, added to `records`. A lane is one thread's at a time. */
struct error *compressor_pack(struct compressor *compressor, unsigned int lane, const struct iovec *parts,
			      int count, struct strbuf *records);
/* Content of the feature COMPRESSED, and the ratio so far. */
void compressor_put_feature(const struct compressor *compressor, struct strbuf *content);
uint64_t compressor_original_size(const struct compressor *compressor);
uint64_t compressor_packed_size(const struct compressor *compressor);

#endif
