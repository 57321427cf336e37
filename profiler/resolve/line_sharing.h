/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which threads use which bytes of one cacheline of memory, by the samples' data addresses: what is said of
 * false sharing is what the samples show. One thread writes bytes that another one, on another processor, has
 * nothing to do with, and that one uses other bytes of the line: of the same object, of the one beside it, or
 * of something of another type.
 *
 * Memory is used again for something else: only threads that use a line in turns share it, one after the
 * other and the first one again. Lines are those of a process, or of the kernel: memory that processes share
 * is not known to be one.
 */
#ifndef DTPROF_RESOLVE_LINE_SHARING_H
#define DTPROF_RESOLVE_LINE_SHARING_H

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "annotate/histogram.h"
#include "profiler/base/memory.h"
#include "report/annotated.h"
#include "report/result.h"

struct line_sharing;

/* `cacheline`: bytes, not 0. To be destroyed. */
struct line_sharing *line_sharing_create(uint64_t cacheline);
void line_sharing_destroy(struct line_sharing *sharing);

/* An ACCESS_TYPE in `object`; results without a data address or a time are passed over. `access` is not
 * copied. */
void line_sharing_add(struct line_sharing *sharing, const struct result *result, const void *object,
		      const struct access *access, const struct access_count *count);

/* Once all are there: look through the lines. */
void line_sharing_finish(struct line_sharing *sharing);

/* What is known of one type, into *type: what lives longer is in `texts`. */
void line_sharing_show(const struct line_sharing *sharing, const struct histogram *histogram,
		       struct arena *texts, struct annotated_type *type);

#endif
