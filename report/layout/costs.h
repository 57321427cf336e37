/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a cacheline on the machine of the recording, by the cache that has it and the way in
 * which code reaches it. replay.c adds up these costs.
 */
#pragma once

#include "report/layout/lines.h"

/* Assumptions about the machine. */
struct cost_assumption {
	double share; /* from the low (0) to the high end (1) of the costs that machines have */
	/* bytes of L3 that are this program's; if costs were measured, the factor of the lines in
	 * use by which other data takes room in L2 and L3 */
	double l3;
	double many; /* from the least (0) to the most lines (1) that may be in use */
};

/* The cost of one line in ns, more than of one in L1. */
struct line_cost {
	double all;
	double far; /* the part for L3 and memory */
};

/* Returns the cost of a line while the lines of `set` are in use. `order` is the walk that decides
 * in which cache the line is; `walk`, how long code waits for it. */
struct line_cost line_cost(const struct advice_machine *machine, const struct touch *touch,
			   enum advice_walk order, enum advice_walk walk,
			   const struct line_set *set, const struct cost_assumption *assumption);
/* Returns the cost of a line beside the first one of a visit, as a share of the cost of a visit in
 * no order. `waits`: the code waits for the first line before it goes on. */
double cost_beside(const struct advice_machine *machine, bool waits,
		   const struct cost_assumption *assumption);

/* Returns the ns of a cycle. */
double cycle_time(const struct advice_machine *machine);
/* Returns the bytes of a cache that are likely this program's own. */
double own_cache_size(const struct advice_machine *machine, int level);
/* Returns the smallest level that holds this many bytes. */
int cache_level_of(const struct advice_machine *machine, double set);
