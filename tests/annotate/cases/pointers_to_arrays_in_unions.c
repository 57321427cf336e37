// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to an array is the address of its first element: bytes behind it are accessed as those of a string are.
// RUN: gcc clang -O2

typedef unsigned char bits[32];

struct state {
	char kind;
	long length;
	union {
		char *text;
		bits *set;
	} u;
};

_Bool is_in(struct state *state, unsigned char byte)
{
	return (*state->u.set)[byte >> 3] & 1 << (byte & 7); // EXPECT: struct state +16 (u); none (nothing known of the base register)
}
