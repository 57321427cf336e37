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
	uint8_t unused[3]; /* 0 */
	struct value value;
};

/* There is no padding: equal slots are equal bytes. */
_Static_assert(sizeof(struct slot) == 16 + sizeof(struct value), "padding in struct slot");

static inline bool slot_is_same(const struct slot *a, const struct slot *b)
{
	return a->frame == b->frame && a->offset == b->offset && a->size == b->size;
}

/* In the order of a state's slots. */
static inline bool slot_is_before(const struct slot *a, const struct slot *b)
{
	return a->frame != b->frame ? a->frame < b->frame : a->offset < b->offset;
}

struct state {
	bool reached;
	uint32_t vectors; /* bit a vector register: only of these are the values set; of the others nothing is
			     known */
	struct value values[REG_XMM0]; /* of the general registers */
	struct value *lanes; /* low halves of the vector registers, then high ones; NULL as long as none was
				known */
	struct slot *slots;
	uint32_t slot_count;
	uint32_t slot_capacity;
};

/* Where the value of this index is kept; of a vector register only if its bit is set. */
static inline struct value *state_place(struct state *state, unsigned int index)
{
	return index < REG_XMM0 ? &state->values[index] : &state->lanes[index - REG_XMM0];
}

/* What is known of a general register, or of a vector register's low or high half, by its index. */
static inline struct value state_value(const struct state *state, unsigned int index)
{
	unsigned int lane = index >= REG_COUNT ? index - REG_COUNT : index - REG_XMM0;

	if (index < REG_XMM0)
		return state->values[index];
	if (!(state->vectors & UINT32_C(1) << lane))
		return value_unknown(0);
	return state->lanes[index - REG_XMM0];
}

/* Sets both halves. */
void state_set_vector(struct state *state, uint8_t reg, struct value low, struct value high);

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
