/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns that divide a row's share by one field of its data sources, as perf 7.2 has them: op, cache,
 * memory, snoop, dtlb. Each is as many columns side by side as there are classes with samples in the whole
 * table.
 */
#ifndef DTPROF_REPORT_BREAKDOWN_H
#define DTPROF_REPORT_BREAKDOWN_H

#include <stdint.h>

struct result;

#define BREAKDOWN_CLASSES 7  /* of one of them, at most */
#define BREAKDOWN_PARTS   29 /* classes of all of them */
#define BREAKDOWN_WIDTH   7  /* of a class's column: "  42.7%" */

struct breakdown {
	const char *title;
	uint8_t first; /* its first class in an array of parts */
	uint8_t count;
	const char *names[BREAKDOWN_CLASSES];
};

/* Add the result's period to its class of each breakdown. */
void breakdown_add(uint64_t parts[BREAKDOWN_PARTS], const struct result *result);

#endif
