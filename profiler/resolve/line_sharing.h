/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * False sharing: which threads use which bytes of one cacheline, by the samples' data addresses.
 *
 * False sharing is reported when one thread writes bytes that a thread on another processor does
 * not use, while that thread uses other bytes of the same line: of the same object, of its
 * neighbour, or of something of another type.
 *
 * Memory is reused, so threads share a line only if they take turns: one, the other, and the first
 * one again. Lines belong to a process or to the kernel; memory shared between processes is not
 * recognized.
 */
#ifndef DTPROF_RESOLVE_LINE_SHARING_H
#define DTPROF_RESOLVE_LINE_SHARING_H

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "annotate/histogram.h"
#include "profiler/base/memory.h"
#include "report/print/annotated.h"
#include "report/result.h"

struct line_sharing;

/*
 * Returns an empty collection, which the caller destroys. `cacheline` is the size in bytes, and
 * must not be 0.
 */
struct line_sharing *line_sharing_create(uint64_t cacheline);
void line_sharing_destroy(struct line_sharing *sharing);

/*
 * Adds a sample whose access is an ACCESS_TYPE in `object`. Ignores results without a data address
 * or a time. `access` must outlive the collection.
 */
void line_sharing_add(struct line_sharing *sharing, const struct result *result, const void *object,
		      const struct access *access, const struct access_count *count);

/* Finds the pairs of threads that share lines. Call it once, after the last line_sharing_add(). */
void line_sharing_finish(struct line_sharing *sharing);

/* Sets the cachelines and sharings of one type. Texts and arrays are allocated in `texts`. */
void line_sharing_show(const struct line_sharing *sharing, const struct histogram *histogram,
		       struct arena *texts, struct annotated_type *type);

#endif
