// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Private data has the type that an accessor of the unit returns. (clang does not tell which functions were written as inline.)
// RUN: gcc
// LINK: kernel

#include "inodes.h"

long elsewhere(struct super *s)
{
	return DISK(s)->blocks; // EXPECT: struct super +8 (private); struct disk +0 (blocks)
}

long get(struct super *s)
{
	return ((struct disk *)s->private)->bits;
	// EXPECT: struct super +8 (private); struct disk +8 (bits) [inferred]
}
