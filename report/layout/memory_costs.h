/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The costs of cachelines on one machine, as profiler/machine/ measures them: the time for each
 * line of loops over more and more memory. A size that no longer fits a cache, or whose pages no
 * longer fit the TLB, shows as a step in these curves.
 */
#pragma once

#include "base/strbuf.h"

enum memory_curve {
	CURVE_STREAM,    /* every line, in order */
	CURVE_SPARSE,    /* every second line, in order */
	CURVE_WRITTEN,   /* every line, in order, each changed */
	CURVE_CHASE,     /* lines in no order, each found through the one before */
	CURVE_SCATTERED, /* lines in no order, found without the others */
	/* the same with one line of each SPREAD: the pages have that many times as many bytes */
	CURVE_CHASE_SPREAD,
	CURVE_SCATTERED_SPREAD,
	CURVE_COUNT,
};

#define SPREAD       4
#define CURVE_POINTS 16
#define CURVE_FIRST                                                                                \
	((uint64_t)8 << 10) /* bytes of the first point; each next one has twice as many */

struct memory_costs {
	bool known;
	double cycle;  /* ns */
	double beside; /* of a second line beside one in no order, as a share of the first one's */
	double ns[CURVE_COUNT][CURVE_POINTS]; /* of a line, more than at the first point */
};

static inline uint64_t memory_costs_bytes(int point)
{
	return CURVE_FIRST << point;
}

/* Returns the ns of a line if the loop is over this many bytes. */
double memory_costs_at(const struct memory_costs *costs, enum memory_curve curve, double bytes);

/* Append the costs as text, and read it. Returns whether the text is of this version and whole. */
void memory_costs_print(const struct memory_costs *costs, struct strbuf *text);
bool memory_costs_parse(const char *text, struct memory_costs *costs);
