/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of all registers and stack slots at one place: the element that flows along the edges of a
 * function.
 *
 * The low and the high eight bytes of a vector register are values of their own, for compilers carry pairs of
 * pointers in them. Slots are exact pieces of stack memory that were stored to; they do not overlap and are
 * sorted.
 */
#ifndef DTPROF_ANNOTATE_STATE_H
#define DTPROF_ANNOTATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/value.h"
#include "disasm/insn.h"

/* Index of a value in a state: a register's (its low eight bytes'), or those of the high half of a vector
 * register. */
#define STATE_HIGH(reg) (REG_COUNT + (reg)-REG_XMM0)
#define STATE_VALUES    (REG_COUNT + (REG_XMM31 - REG_XMM0 + 1))

struct slot {
	int64_t offset; /* from the base `frame` */
	uint32_t size;  /* bytes */
	uint8_t frame;
	struct value value;
};

struct state {
	bool reached;
	uint32_t vectors; /* bit a vector register: only of these are the values set; of the others nothing is
			     known */
	struct value values[STATE_VALUES];
	struct slot *slots;
	uint32_t slot_count;
	uint32_t slot_capacity;
};

/* What is known of a register's low or high half, by its index in `values`. */
static inline struct value state_value(const struct state *state, unsigned int index)
{
	unsigned int lane = index >= REG_COUNT ? index - REG_COUNT : index - REG_XMM0;

	if (index >= REG_XMM0 && !(state->vectors & UINT32_C(1) << lane))
		return value_unknown(0);
	return state->values[index];
}

/* Sets both halves. */
static inline void state_set_vector(struct state *state, uint8_t reg, struct value low, struct value high)
{
	uint32_t bit = UINT32_C(1) << (reg - REG_XMM0);
	bool known = low.kind != VALUE_UNKNOWN || low.origin || high.kind != VALUE_UNKNOWN || high.origin;

	if (!known) {
		state->vectors &= ~bit;
		return;
	}
	state->vectors |= bit;
	state->values[reg] = low;
	state->values[STATE_HIGH(reg)] = high;
}

/* Copies contents; `to` keeps its own slot memory. */
void state_copy(struct state *to, const struct state *from);
void state_release(struct state *state);

/* The slot that is exactly these bytes, or NULL. */
const struct slot *state_slot(const struct state *state, uint8_t frame, int64_t offset, uint32_t size);
/* Forget whatever overlaps [offset, offset + size) of `frame`. */
void state_kill(struct state *state, uint8_t frame, int64_t offset, uint64_t size);
/* Store: replaces all that overlaps. */
void state_store(struct state *state, uint8_t frame, int64_t offset, uint32_t size, struct value value);

#endif
