/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feature TRACING_DATA of a perf.data file, as trace-cmd and perf write it (trace-cmd.dat.v6.5(5)). */
#ifndef DTPROF_TESTS_TRACING_DATA_H
#define DTPROF_TESTS_TRACING_DATA_H

#include "profiler/base/strbuf.h"

/* A text behind its length in 8 bytes. */
void put_sized(struct strbuf *data, const char *text);

/* Appends the beginning: the magic, little endian, words of 8 bytes, pages of 4096, and the headers of pages
 * and events. Behind it are a count and ftrace's own formats, then a count, and the systems with theirs. */
void put_tracing_head(struct strbuf *data);

#endif
