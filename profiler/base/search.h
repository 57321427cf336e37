/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search, for keys of any type and arrays of anything. */
#ifndef DTPROF_BASE_SEARCH_H
#define DTPROF_BASE_SEARCH_H

#include <stddef.h>

/*
 * The first index in [first, end) of which `condition` does not hold; `end`: it holds of all.
 * `condition` is an expression in the variable `index`, and holds of no index behind one of which it
 * does not hold. Of items by address, with
 *
 *	items[i].low < address	it gives the first that does not begin before the address,
 *	items[i].low <= address	the first that begins behind it.
 *
 * `first` may be `end`, not above it. The condition is compiled where it is written: nothing is called
 * or copied.
 */
#define partition_point(first, end, index, condition)                                                        \
	({                                                                                                   \
		size_t partition_low_ = (first), partition_high_ = (end);                                    \
		while (partition_low_ < partition_high_) {                                                   \
			size_t index = partition_low_ + (partition_high_ - partition_low_) / 2;              \
			if (condition)                                                                       \
				partition_low_ = index + 1;                                                  \
			else                                                                                 \
				partition_high_ = index;                                                     \
		}                                                                                            \
		partition_low_;                                                                              \
	})

#endif
