// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: If the per-cpu section is at 0, small numbers (sizes of frames, offsets) are still not addresses.
// RUN: gcc clang -O1 -fno-inline
// LINK: kernel

#include "kernel.h"

void fill(long *p);

struct big {
	long a[40];
	int last;
};

int get(struct big *b)
{
	long room[16];

	fill(room);
	return b->last + room[8];
	// EXPECT: struct big +320 (last) [variable] MAY: long int[] +64; long[] +64
}

void fill(long *p)
{ // MAY: int +0
	for (int i = 0; i < other; i++) // MAY: int +0
		p[i] = 0; // MAY: long int +0; long +0
}
