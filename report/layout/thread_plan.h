/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thread plans: the code of two threads whose objects or fields share lines, as data for
 * profiler/machine/run_threads.c. It makes the same accesses on memory of its own, in today's
 * layout and in the one without shared lines, with both threads running at one time. The cost of a
 * line that another processor writes depends on how often each of them goes there, and on the
 * machine, so that samples alone do not tell it.
 */
#pragma once

#include "report/layout/advice.h"

#define THREAD_TOUCHES 32                  /* of an iteration; further ones are left out */
#define THREAD_BYTES   (UINT64_C(1) << 21) /* of the two objects: larger ones are not run */

struct thread_touch {
	uint64_t offsets[2]; /* from the first object, in today's layout and in the proposed one */
	bool write, atomic;
};

/* One thread's code: an iteration of a loop, or the code of a function that is in no loop. */
struct thread_code {
	uint32_t region; /* index in type->regions */
	struct thread_touch touches[THREAD_TOUCHES];
	uint32_t touch_count;
	double cycles;       /* least cycles of computation in an iteration; 0: not known */
	double instructions; /* of an iteration */
	double waits; /* share of the region's time in which it waits for the type, at most */
};

struct thread_plan {
	const char *refusal; /* why there is no plan: one clause without a full stop; else NULL */
	struct thread_code codes[2];
};

/* Sets the plan for a proposal that pads the type. */
void thread_plan_make(const struct advice_type *type, const struct advice_machine *machine,
		      const struct advice_proposal *proposal, struct thread_plan *plan);

/* Judges the proposal by what the two threads took: a gain, none, or "cannot tell". */
void thread_plan_judge(const struct advice_type *type, const struct thread_plan *plan,
		       const struct replayed_visit visits[2], struct advice_proposal *proposal,
		       struct arena *arena);
