/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data file that is being written: tools/perf/Documentation/perf.data-file-format.txt of
 * the kernel. It has a header, the ids and attrs of the events, the records, and after them a
 * table of features with their contents. As a stream (-o -) everything is a record.
 *
 * The file on disk can be read up to the last flush at any time: the header is there from the
 * start, and its data size is kept up to date. If the disk is full, the file is cut back to whole
 * records with room for the features.
 */
#pragma once

#include <sys/uio.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/ingest/format.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"

/* Strings of features are padded to a multiple of this, in bytes (perf's NAME_ALIGN). */
#define FILE_NAME_ALIGN 64

struct writer;

/* Creates `path` and writes its header; an existing non-empty file becomes `path`.old first, as
 * with perf. `counters` has the ids of the events. "-" writes a stream to standard output. */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct counters *counters, struct writer **result);
/* Appends whole records in `count` parts. A record may begin in one part and end in the next.
 * `samples` is the number of samples among the records, or among those packed in them. */
struct error *writer_add(struct writer *writer, const struct iovec *parts, int count,
			 uint64_t samples);
/* Appends an AUXTRACE record and the AUX data after it. The feature AUXTRACE will have its place.
 */
struct error *writer_add_trace(struct writer *writer, const struct iovec *parts, int count);
/* Appends one buffer of records that are not samples. */
struct error *writer_add_record(struct writer *writer, const void *record, size_t size);
/* Updates the data size in the header, so that the file can be read if this process is killed. */
struct error *writer_flush(struct writer *writer);
/* Keeps a feature until writer_finish(), or sends it in a stream. Empties `content`. */
void writer_set_feature(struct writer *writer, enum feature feature, struct strbuf *content);
/* Writes the features after the data, and the final header. */
struct error *writer_finish(struct writer *writer);
/* Returns the number of samples in the file: fewer than were added if the disk was full. */
uint64_t writer_samples(const struct writer *writer);
/* Returns the size of the file in bytes. */
uint64_t writer_size(const struct writer *writer);
/* Removes the file, puts the one before back, and frees the writer: nothing to keep. */
void writer_abandon(struct writer *writer);
/* Closes the file and frees the writer, which may be NULL. */
void writer_destroy(struct writer *writer);

/* ---- compressed records ---- */

/*
 * Records packed by zstd into PERF_RECORD_COMPRESSED2 records, which perf writes and reads since
 * Linux 6.16. They say how many of their bytes are packed data, so they are padded to a multiple of
 * 8 bytes and every record of the file stays aligned.
 *
 * Each batch becomes one zstd frame, cut into as many records as it needs.
 */

struct compressor;

/* Creates a compressor for a level of zstd, which the caller destroys. compressor_pack() gets at
 * most `max_batch` bytes at a time, and at most `lanes` threads call it at a time. */
struct error *compressor_create(int level, uint64_t max_batch, unsigned int lanes,
				struct compressor **result);
void compressor_destroy(struct compressor *compressor);
unsigned int compressor_lanes(const struct compressor *compressor);

/* Adds the parts to `records` as COMPRESSED2 records. Only one thread may use a lane at a time. */
struct error *compressor_pack(struct compressor *compressor, unsigned int lane,
			      const struct iovec *parts, int count, struct strbuf *records);
/* Appends the content of the feature COMPRESSED, with the ratio so far. */
void compressor_put_feature(const struct compressor *compressor, struct strbuf *content);
/* Returns the size of all records so far in bytes, before they were packed. */
uint64_t compressor_original_size(const struct compressor *compressor);
/* Returns the size of all records so far in bytes, after they were packed. */
uint64_t compressor_packed_size(const struct compressor *compressor);

/* ---- features of the file: the machine, the command, the events ---- */

/* Adds the features that describe the machine below `root` (sysfs.h): names, processor, memory,
 * PMUs, topology; and `version`, that of this program, with the costs of memory if they are not
 * NULL. */
void feature_add_machine(struct writer *writer, const char *root, const char *version,
			 const char *memory_costs);
void feature_add_command(struct writer *writer, int argc, const char *const *argv);
/* Adds the events with the ids of their counters, groups, and branches. */
void feature_add_events(struct writer *writer, const struct event_list *events,
			const struct counters *counters);
/* Adds the times of the first and the last sample, in ns. */
/* Adds CLOCKID and CLOCK_DATA, by which perf turns times of the clock of -k into times of day. */
void feature_add_clock(struct writer *writer, int32_t clock);
void feature_add_sample_time(struct writer *writer, uint64_t first, uint64_t last);

/* Appends a number in this machine's byte order to the content of a feature. */
void feature_put_u32(struct strbuf *content, uint32_t value);
void feature_put_u64(struct strbuf *content, uint64_t value);
