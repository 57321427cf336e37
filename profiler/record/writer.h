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
#ifndef DTPROF_RECORD_WRITER_H
#define DTPROF_RECORD_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/format.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"

/* Strings of features are padded to a multiple of this, in bytes (perf's NAME_ALIGN). */
#define FILE_NAME_ALIGN 64

struct writer;

/*
 * Creates `path` and writes its header; an existing non-empty file becomes `path`.old first, as
 * with perf. `counters` has the ids of the events. "-" writes a stream to standard output.
 */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct counters *counters, struct writer **result);
/*
 * Appends whole records in `count` parts, which may cut a record. `samples` of the records, or of
 * those packed in them, are samples.
 */
struct error *writer_add(struct writer *writer, const struct iovec *parts, int count,
			 uint64_t samples);
/* Appends one buffer of records that are not samples. */
struct error *writer_add_record(struct writer *writer, const void *record, size_t size);
/* Updates the data size in the header, for whoever reads the file if this process is killed. */
struct error *writer_flush(struct writer *writer);
/*
 * Keeps the content of a feature until writer_finish(), or sends it at once if this is a stream.
 * Empties `content`.
 */
void writer_set_feature(struct writer *writer, enum feature feature, struct strbuf *content);
/* Writes the features after the data, and the final header. */
struct error *writer_finish(struct writer *writer);
/* Returns the number of samples in the file: fewer than were added if the disk was full. */
uint64_t writer_samples(const struct writer *writer);
/* Returns the size of the file in bytes. */
uint64_t writer_size(const struct writer *writer);
/*
 * Removes the file and puts back the one that was there before, because there is nothing to keep.
 */
void writer_abandon(struct writer *writer);
/* Closes the file. `writer` may be NULL. */
void writer_destroy(struct writer *writer);

#endif
