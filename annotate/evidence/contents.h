/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that nothing declares, such as an allocation's result in a `void *`, or an array whose
 * variable the compiler took apart. All accesses to it in a function together show what is there:
 *
 *     all = malloc(n * 24);           the call's result is the origin of all addresses below
 *     sum += all[i].a * all[i].b;     steps of 24 bytes, to whole members of a struct entry
 *
 * If the addresses advance by the size of just one record in scope that has a whole member wherever
 * the accesses go, the elements are such records (rule record-array).
 */
#ifndef DTPROF_ANNOTATE_EVIDENCE_CONTENTS_H
#define DTPROF_ANNOTATE_EVIDENCE_CONTENTS_H

#include "annotate/values/value.h"

struct solver;

/* One access to memory; only the origin of its address is known. */
struct untyped_access {
	int64_t offset;
	uint32_t origin; /* of the address */
	uint32_t stride; /* of the address; 0: no index is in it */
	uint32_t size;   /* bytes, at most 8 */
	/* Whether the access fits a floating-point member, and any other scalar. Compilers copy the
	 * former to vector registers and the latter to general ones; conversions read both. */
	bool may_be_float, may_be_other;
};

/* The solver owns it. Zero-initialized is empty. */
struct untyped_accesses {
	struct untyped_access *items;
	uint32_t count, capacity;
};

/* Notes an access of the current instruction to an address that is UNKNOWN. Called in the pass
 * that gathers uses. */
void contents_note(struct solver *solver, const struct value *address,
		   const struct operand *operand);
/* Notes a use of each origin whose accesses show what it points to, and forgets the accesses. True
 * if more is now known of any origin. */
bool contents_use(struct solver *solver);

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
