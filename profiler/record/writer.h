/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf.data file that is being written.
 *
 * At every moment the file on disk is one that can be read up to the last flush: the header is there from the
 * start and its data size is brought up to date as the data grows. Records are appended whole. Once the disk
 * is full the file is cut back to whole records with room for the features, and stays readable.
 */
#ifndef DTPROF_RECORD_WRITER_H
#define DTPROF_RECORD_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "profiler/record/counters.h"
#include "profiler/record/event.h"
#include "profiler/record/file_format.h"

struct writer;

/*
 * Create `path` and write its header; an existing non-empty file becomes `path`.old first, as perf does.
 * `counters` gives the events' ids. "-" writes to standard output in the form for pipes.
 */
struct error *writer_create(const char *path, const struct event_list *events,
			    const struct counters *counters, struct writer **result);
/*
 * Append whole records, in `count` parts of which only the records as a sequence are whole; `samples` of
 * them, or packed in them, are samples.
 */
struct error *writer_add(struct writer *writer, const struct iovec *parts, int count, uint64_t samples);
/* The same for records that are no samples. */
struct error *writer_add_record(struct writer *writer, const void *record, size_t size);
/* Bring the header's data size up to date, for whoever reads the file if this process is killed. */
struct error *writer_flush(struct writer *writer);
/* Keep the content of a feature until writer_finish(), or send it at once into a stream; `content` is
 * emptied. */
void writer_set_feature(struct writer *writer, enum feature feature, struct strbuf *content);
/* Features behind the data, and the header's last word. */
struct error *writer_finish(struct writer *writer);
/* Samples in the file: fewer than were added if the disk was full. */
uint64_t writer_samples(const struct writer *writer);
/* Bytes in the file. */
uint64_t writer_size(const struct writer *writer);
/* Of the records alone. */
uint64_t writer_data_size(const struct writer *writer);
/* Remove the file and put back the one that was there before: the recording did not come about. */
void writer_abandon(struct writer *writer);
void writer_destroy(struct writer *writer);

#endif
