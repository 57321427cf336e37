/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns a little-endian perf.data file, in place, into one of a big-endian machine: headers, attrs
 * (whose flags are bit-fields, which such machines fill from the other end), records, samples, and
 * the features that dtprof reads.
 *
 * It shares no code with dtprof. The file must be complete and not compressed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if the file has records that this does not know (compressed ones); the bytes are
 * then useless. */
bool byte_order_reverse(uint8_t *data, size_t size);
