// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers and stack slots at one place: see state.h. */
#include "annotate/state.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/* A function that keeps more spills than this alive forgets the rest: it bounds the work of each join. */
#define SLOT_LIMIT 1024

#define LANES (STATE_VALUES - REG_XMM0)

static void need_lanes(struct state *state)
{
	if (!state->lanes)
		state->lanes = xcalloc(LANES, sizeof(*state->lanes));
}

void state_set_vector(struct state *state, uint8_t reg, struct value low, struct value high)
{
	uint32_t bit = UINT32_C(1) << (reg - REG_XMM0);
	bool known = low.kind != VALUE_UNKNOWN || low.origin || high.kind != VALUE_UNKNOWN || high.origin;

	if (!known) {
		state->vectors &= ~bit;
		return;
	}
	need_lanes(state);
	state->vectors |= bit;
	*state_place(state, reg) = low;
	*state_place(state, STATE_HIGH(reg)) = high;
}

void state_copy(struct state *to, const struct state *from)
{
	struct slot *slots = to->slots;
	uint32_t capacity = to->slot_capacity;

	if (from->slot_count > capacity) {
		slots = xrealloc_array(slots, from->slot_count, sizeof(*slots));
		capacity = from->slot_count;
	}
	memcpy(to->values, from->values, sizeof(to->values));
	if (from->vectors) {
		need_lanes(to);
		memcpy(to->lanes, from->lanes, LANES * sizeof(*to->lanes));
	}
	to->reached = from->reached;
	to->vectors = from->vectors;
	to->slot_count = from->slot_count;
	to->slots = slots;
	to->slot_capacity = capacity;
	if (from->slot_count)
		memcpy(slots, from->slots, from->slot_count * sizeof(*slots));
}

void state_release(struct state *state)
{
	free(state->slots);
	free(state->lanes);
	state->lanes = NULL;
	state->vectors = 0;
	state->slots = NULL;
	state->slot_count = state->slot_capacity = 0;
}

static bool ends_before(const struct slot *slot, uint8_t frame, int64_t offset)
{
	return slot->frame < frame || (slot->frame == frame && slot->offset + (int64_t)slot->size <= offset);
}

/* Index of the first slot that ends after (frame, offset). Mostly that is asked of what is below all of them,
 * or above. */
static uint32_t first_after(const struct state *state, uint8_t frame, int64_t offset)
{
	if (!state->slot_count || !ends_before(&state->slots[0], frame, offset))
		return 0;
	if (ends_before(&state->slots[state->slot_count - 1], frame, offset))
		return state->slot_count;
	return (uint32_t)partition_point(0, state->slot_count, i,
					 ends_before(&state->slots[i], frame, offset));
}

const struct slot *state_slot(const struct state *state, uint8_t frame, int64_t offset, uint32_t size)
{
	uint32_t i = first_after(state, frame, offset);

	if (i == state->slot_count)
		return NULL;
	const struct slot *slot = &state->slots[i];

	return slot->frame == frame && slot->offset == offset && slot->size == size ? slot : NULL;
}

/* state_kill() from the first slot on that ends after the place's start. */
static void kill_from(struct state *state, uint32_t first, uint8_t frame, int64_t offset, uint64_t size)
{
	int64_t end = size > INT64_MAX / 2 ? INT64_MAX : offset + (int64_t)size;
	uint32_t last = first;

	while (last < state->slot_count && state->slots[last].frame == frame &&
	       state->slots[last].offset < end)
		last++;
	if (last == first)
		return;
	memmove(&state->slots[first], &state->slots[last],
		(state->slot_count - last) * sizeof(*state->slots));
	state->slot_count -= last - first;
}

void state_kill(struct state *state, uint8_t frame, int64_t offset, uint64_t size)
{
	kill_from(state, first_after(state, frame, offset), frame, offset, size);
}

void state_store(struct state *state, uint8_t frame, int64_t offset, uint32_t size, struct value value)
{
	uint32_t i = first_after(state, frame, offset);

	if (i < state->slot_count && state->slots[i].frame == frame && state->slots[i].offset == offset &&
	    state->slots[i].size == size) {
		state->slots[i].value = value;
		return;
	}
	kill_from(state, i, frame, offset, size);
	if (state->slot_count >= SLOT_LIMIT)
		return;
	array_reserve(state->slots, state->slot_count, state->slot_capacity);
	memmove(&state->slots[i + 1], &state->slots[i], (state->slot_count - i) * sizeof(*state->slots));
	state->slots[i] = (struct slot){ .offset = offset, .size = size, .frame = frame, .value = value };
	state->slot_count++;
}
