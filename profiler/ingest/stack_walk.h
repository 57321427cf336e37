/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For count_chain.c only: callers in user space, from the copy of the stack and the registers that a sample
 * carries (record --call-graph dwarf), by the call frame information of the objects (dwarf/unwind.h).
 *
 * Only x86-64 is walked. Nothing outside of the copy is read. A frame in an object that is not there, or
 * whose callers the copy does not reach, is the last one.
 */
#ifndef DTPROF_INGEST_STACK_WALK_H
#define DTPROF_INGEST_STACK_WALK_H

#include "profiler/ingest/placer.h"
#include "profiler/ingest/sample.h"

struct session;
struct walked_object;

struct stack_walker {
	struct session *session;
	struct walked_object *objects; /* by dso id */
	size_t object_count;
	bool other_machine; /* the file is not of x86-64 */
};

/* Where one sample is. */
struct walked_sample {
	const struct sample *sample;
	uint32_t space; /* of its task */
	struct moment moment;
};

void stack_walker_init(struct stack_walker *walker, struct session *session);
void stack_walker_deinit(struct stack_walker *walker);

/* Whether the sample has what it takes. */
bool stack_walker_can(const struct stack_walker *walker, const struct sample *sample);

/*
 * Calls back for each frame, the innermost first, `limit` at most, with the address that it is at: of a
 * caller the last byte of its call instruction.
 */
void stack_walker_walk(struct stack_walker *walker, struct placer *placer, const struct walked_sample *walked,
		       unsigned int limit, void (*visit)(void *data, uint64_t ip), void *data);

#endif
