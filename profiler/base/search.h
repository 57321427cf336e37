/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search over an index, for keys and arrays of any type. */
#ifndef DTPROF_BASE_SEARCH_H
#define DTPROF_BASE_SEARCH_H

#include <stddef.h>

/*
 * Returns the first index in [first, end) for which `condition` is false, or `end` if it is true
 * for all. `condition` is an expression that uses the variable `index`; it must be true up to some
 * index and false from there on. For items sorted by address the condition
 *
 * 	items[i].low < address	finds the first item that begins at or after the address,
 * 	items[i].low <= address	finds the first item that begins after it.
 *
 * `first` must not exceed `end`. This is a macro so that the condition is compiled in place,
 * without a call.
 */
#define partition_point(first, end, index, condition)                                              \
	({                                                                                         \
		size_t partition_low_ = (first), partition_high_ = (end);                          \
		while (partition_low_ < partition_high_) {                                         \
			size_t index = partition_low_ + (partition_high_ - partition_low_) / 2;    \
			if (condition)                                                             \
				partition_low_ = index + 1;                                        \
			else                                                                       \
				partition_high_ = index;                                           \
		}                                                                                  \
		partition_low_;                                                                    \
	})

#endif
