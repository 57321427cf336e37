/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads that contradict the types that were inferred for their pointers. */
#ifndef DTPROF_ANNOTATE_EVIDENCE_MISREADS_H
#define DTPROF_ANNOTATE_EVIDENCE_MISREADS_H

#include <stdbool.h>
#include <stdint.h>

struct solver;

/* A read through a pointer whose type was inferred that goes to no member of that type. The pointer
 * may be several things, of which a test tells which one it is here. */
struct misread {
	uint32_t origin;
	uint32_t insn;
};

/* The solver owns it. Zero-initialized is empty. */
struct misreads {
	struct misread *items;
	uint32_t count, capacity;
};

/* True if code that always runs before the current instruction, or always after it, misreads the
 * pointer of this origin. */
bool misreads_concern(struct solver *solver, uint32_t origin);

#endif
