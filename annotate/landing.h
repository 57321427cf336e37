/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where control comes to in a function by no jump: landing pads of exceptions, targets of static branches.
 * Private to annotate/. */
#ifndef DTPROF_ANNOTATE_LANDING_H
#define DTPROF_ANNOTATE_LANDING_H

#include "annotate/solution.h"

/* In all parts of a function. */
struct landings {
	struct landing_pad *pads;
	size_t pad_count, pad_capacity;
	struct hidden_edge *edges;
	size_t edge_count, edge_capacity;
	uint64_t *leaders; /* of both */
	size_t leader_count;
};

/* NULL function: it has none. *landings is zeroed before. */
void landings_read(struct worker *worker, const struct function *function, struct landings *landings);
void landings_release(struct landings *landings);

/* Tell the solver, which has the function's code, which block an exception out of each call goes on at, and
 * each static branch. */
void landings_place(struct solver *solver, const struct landings *landings);

#endif
