/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spill slots in functions of Rust and C++.
 *
 * Such a function passes on the addresses of many objects on the stack that have no variable, and
 * so no known size: temporaries, and numbers that a reference is bound to. A call could change all
 * memory above such an address, but not a spill slot, because nothing has its address.
 */
#pragma once

#include "annotate/values/value.h"

struct solver;

/* The most slots of a state that outlive a call. */
#define SPILL_SLOTS_MAX 32

/* The spill slots of a function. Zero-initialized is empty; the memory is used again for the next
 * function. Free with spill_slots_deinit(). */
struct spill_slots {
	int64_t *items; /* distances above the stack pointer, sorted */
	size_t count, capacity;
	uint64_t round; /* first_round of struct solver for the function whose slots these are */
};

/* The values of a state's spill slots, while memory whose address was passed on is forgotten. */
struct spilled_values {
	struct slot slots[SPILL_SLOTS_MAX];
	size_t count;
};

/* Save and restore the values of spill slots. */
void spill_slots_keep(struct solver *solver, const struct state *state,
		      struct spilled_values *kept);
void spill_slots_restore(struct state *state, const struct spilled_values *kept);
void spill_slots_deinit(struct spill_slots *slots);
