// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Where pointers into records of several types meet, and all of them have one record there, the pointer is to that record.
// RUN: gcc
// RUN untracked: gcc -fno-var-tracking

struct value {
	long bits;
	unsigned char tag;
};
union slot {
	struct value value;
	struct {
		long bits;
		unsigned char tag;
		unsigned short delta;
	} list;
};
struct closure {
	long code;
	unsigned char count;
	struct value up[1];
};
struct state {
	union slot *base, *top;
	struct closure *closure;
	struct value registry, nil;
};

/* A pseudo index is counted down from a large number. */
#define FIRST (-1000100)

static inline struct value *at(struct state *state, int index)
{
	if (index > 0) {
		union slot *slot = state->base + index; // MAY: struct state +0 (base)

		return slot >= state->top ? &state->nil : &slot->value;
		// EXPECT: struct state +8 (top) MAY: struct state +0 (base)
	}
	if (index == FIRST)
		return &state->registry;
	index = FIRST - index;
	return index <= state->closure->count ? &state->closure->up[index - 1] : &state->nil;
	// EXPECT: struct state +16 (closure); struct closure +8 (count)
}

int kind(struct state *state, int index)
{
	return at(state, index)->tag;
	// EXPECT: struct value +8 (tag)
	// MAY: struct state +48 (nil.tag); struct state +32 (registry.tag)
}

long number(struct state *state, int index)
{
	struct value *value = at(state, index);

	return value->tag == 3 ? value->bits : 0; // EXPECT: struct value +8 (tag); struct value +0 (bits)
}

void clear(struct state *state, int index)
{
	at(state, index)->tag = 0;
	// EXPECT: struct value +8 (tag)
	// MAY: struct state +48 (nil.tag); struct state +32 (registry.tag)
}
