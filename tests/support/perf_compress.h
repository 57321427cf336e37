/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compresses records as perf record -z does. */
#ifndef DTPROF_TESTS_PERF_COMPRESS_H
#define DTPROF_TESTS_PERF_COMPRESS_H

#include "tests/support/perf_image.h"

#define PERF_RECORD_COMPRESSED 81
#define RECORD_COMPRESSED2     83

/* The records so far as one zstd stream in pieces of `piece` bytes of input, a compressed record of `type`
 * each. */
void perf_image_compress(struct perf_image *image, size_t piece, uint32_t type);

#endif
