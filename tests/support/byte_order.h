/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A little-endian perf.data file turned, in place, into what a big-endian machine would have
 * written: headers, attrs (their flags are bit-fields, which such machines fill from the other
 * end), records, samples, and those features that are read.
 *
 * It shares nothing with the code under test. The file must be whole and not compressed.
 */
#ifndef DTPROF_TESTS_BYTE_ORDER_H
#define DTPROF_TESTS_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there is something in it that this does not know (compressed records), and the bytes are
 * spoilt. */
bool byte_order_reverse(uint8_t *data, size_t size);

#endif
