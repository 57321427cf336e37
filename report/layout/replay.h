/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prediction: what the regions of a type would cost with another layout.
 *
 * The uses of each region are replayed over the old and the new layout. An iteration costs the
 * larger of its computation and of the lines that are fetched ahead (streams), plus the lines that
 * nothing can fetch ahead. A line costs what the level costs in which the lines in use fit. Neither
 * the costs nor the computation are known exactly, so the answer is a range over all their ends.
 *
 * Samples limit what is believed: a region cannot gain more than the share of its samples that
 * waited for the type. Where the times and addresses of samples show how fast a loop moves through
 * an array, that pace takes the place of the assumed cost.
 */
#ifndef DTPROF_REPORT_LAYOUT_REPLAY_H
#define DTPROF_REPORT_LAYOUT_REPLAY_H

#include "report/layout/advice.h"

/* Sets proposal->prediction, whose texts and arrays belong to the arena. */
void replay_predict(const struct advice_type *type, const struct advice_machine *machine,
		    struct advice_proposal *proposal, struct arena *arena);

/* A range of bytes in an element of an array. */
struct replay_bytes {
	uint64_t offset, size;
};

/*
 * Returns how many cachelines one element of an array touches on average, if elements lie `size`
 * bytes apart and code accesses the `count` ranges `used` of each. A line that the element before
 * has touched does not count.
 */
double replay_stream_lines(const struct replay_bytes *used, size_t count, uint64_t size,
			   uint64_t cacheline);

#endif
