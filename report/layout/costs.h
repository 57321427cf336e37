/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a cacheline on the machine that was recorded, by where it is and how code reaches it:
 * for replay.c.
 */
#ifndef DTPROF_REPORT_LAYOUT_COSTS_H
#define DTPROF_REPORT_LAYOUT_COSTS_H

#include "report/layout/lines.h"

/* Assumptions about the machine. */
struct cost_assumption {
	double share; /* from the low (0) to the high end (1) of the costs that machines have */
	double l3;    /* bytes of L3 that are this program's */
	double many;  /* factor of the lines in use */
	double scale; /* of the costs, from a measured pace; 1: as in the tables */
	bool table;   /* no line costs more than the tables say, whatever the scale */
};

/* The cost of one line in ns, more than of one in L1. */
struct line_cost {
	double all;
	double far; /* the part for L3 and memory */
};

/* Returns the cost of a line that hits caches as in `order` and is waited for as in `walk`, if
 * `set` is in use. */
struct line_cost line_cost(const struct advice_machine *machine, const struct touch *touch,
			   enum advice_walk order, enum advice_walk walk,
			   const struct line_set *set, const struct cost_assumption *assumption);
/* Returns the cost of a line beside the first one of a visit, as a share of the cost of a visit in
 * no order. `waits`: the code waits for the first one before it goes on. */
double cost_beside(const struct advice_machine *machine, bool waits,
		   const struct cost_assumption *assumption);

/* Returns the bytes of a cache that are likely this program's own. */
double own_cache_size(const struct advice_machine *machine, int level);
/* Returns the smallest level that holds this many bytes. */
int cache_level_of(const struct advice_machine *machine, double set);

#endif
