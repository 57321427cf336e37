// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A read takes the end of one member and the start of the next: this is private data of another kind.
// LINK: kernel

#include "inodes.h"

struct halves {
	int low, high;
};

static inline __attribute__((always_inline)) struct halves *HALVES(struct super *s)
{
	return s->private; // MAY: struct super +8 (private)
}

long elsewhere(struct super *s)
{
	return HALVES(s)->high; // EXPECT: struct halves +4 (high) MAY: struct super +8 (private)
}

long get(struct super *s)
{
	return *(long *)s->private;
	// EXPECT: struct super +8 (private) MAY: none (the offset is outside the type)
	// MAY: none (a pointer to void or to an undefined type)
}
