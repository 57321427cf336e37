/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct perf_event_attr as files have it: of any size, in either byte order. */
#ifndef DTPROF_INGEST_ATTR_H
#define DTPROF_INGEST_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the attr in the first `size` bytes; fields beyond the attr's own size (or `size`) are 0, those that
 * this program does not know are passed over. False: shorter than the first published attr (64 bytes).
 */
bool attr_parse(const void *data, size_t size, bool swap, struct perf_event_attr *attr);

/*
 * The attr's size as its own size field gives it (64 where that is 0, as in the first version); *data must
 * hold 8 bytes.
 */
size_t attr_size(const void *data, bool swap);

#endif
