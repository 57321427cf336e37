/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream that compresses what is added to it by gzip (RFC 1952). */
#ifndef DTPROF_REPORT_GZIP_H
#define DTPROF_REPORT_GZIP_H

#include <stddef.h>

#include "profiler/base/error.h"

#define GZIP_DEFAULT  (-1) /* zlib's choice between time and size */
#define GZIP_SMALLEST 9

/* Receives the compressed bytes in order. */
typedef void gzip_receiver(void *data, const char *bytes, size_t length);

struct gzip_sink;

/* Begins a stream. `sink` is called with `data`, which must outlive the stream. */
struct error *gzip_sink_create(gzip_receiver *sink, void *data, int level, struct gzip_sink **gzip);
/* Adds bytes; `gzip` is a struct gzip_sink. Has the form of `flush` in struct json. */
void gzip_sink_add(void *gzip, const char *bytes, size_t length);
/* Passes on what is left and frees the stream. Returns the first error. */
struct error *gzip_sink_destroy(struct gzip_sink *gzip);

#endif
