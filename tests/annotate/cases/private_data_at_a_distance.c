// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Several modules keep private data in one place, at distances that are known only at run time.
// RULES: private-data, unknown-offset
// RUN: gcc
// LINK: kernel

#include "inodes.h"

extern int distance;

int distance = 8;

static inline __attribute__((always_inline)) struct disk *PART(struct super *s)
{
	return s->private + distance; // EXPECT: int +0
}

long get(struct super *s)
{
	return PART(s)->bits; // EXPECT: struct super +8 (private); struct disk +8 (bits)
}
