/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many of a table's samples are memory accesses, how many of these have a type, and why the others have
 * none. */
#ifndef DTPROF_REPORT_COVERAGE_H
#define DTPROF_REPORT_COVERAGE_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "report/result.h"

#define COVERAGE_REASONS 32

struct coverage {
	uint64_t samples;
	uint64_t accesses;
	uint64_t typed;
	struct {
		const char *text; /* interned, without the parentheses of the `how` column */
		uint64_t samples;
	} reasons[COVERAGE_REASONS]; /* those with the most samples first, after coverage_sort() */
	size_t reason_count;
	uint64_t charged;   /* samples that were charged to another instruction than theirs */
	uint64_t held_back; /* samples that belong to no access because interrupts were off */
	uint64_t computed;  /* samples whose data address was computed from registers */
	uint64_t recorded;  /* and those that brought it along */
};

void coverage_add(struct coverage *coverage, const struct result *result);
void coverage_sort(struct coverage *coverage);
/* A reason without the parentheses that it has in a column; *length bytes. */
const char *coverage_reason(const struct coverage *coverage, size_t reason, size_t *length);
/* As "# ..." lines. */
void print_coverage(const struct coverage *coverage, struct strbuf *buffer);
/* The lines on samples that were charged, or could not be; nothing where there are none. */
void print_charges(const struct coverage *coverage, struct strbuf *buffer);
/* The line on data addresses; nothing where none are known. */
void print_address_coverage(const struct coverage *coverage, struct strbuf *buffer);

#endif
