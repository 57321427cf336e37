// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function that does more than fetch the member is no accessor. Other functions of the unit
// tell what the pointer is.
// RUN: gcc clang
// RUN off: gcc clang --no-rule=distant-member
// LINK: kernel

#include "inodes.h"

static struct disk *make(struct super *s)
{
	struct disk *d = s->private; // EXPECT: struct super +8 (private)

	s->magic++; // EXPECT: struct super +0 (magic)
	return d;
}

long elsewhere(struct super *s)
{
	return make(s)->blocks; // EXPECT: struct disk +0 (blocks)
}

long get(struct super *s)
{
	return ((struct disk *)s->private)->bits;
	// EXPECT: struct super +8 (private); struct disk +8 (bits) [inferred, rule distant-member]
	// EXPECT off: struct super +8 (private); none (a pointer to void or to an undefined type)
}
