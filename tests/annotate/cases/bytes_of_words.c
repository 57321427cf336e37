// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Bits of a word in memory are set, cleared and tested in their byte.
// LINK: kernel

#include "kernel.h"

struct set {
	long count;
	unsigned long bits[4];
};

unsigned int caps[8] = { 1 };

int get(struct set *s)
{
	asm volatile("lock orb $4, %0" : "+m"(*(char *)&((char *)caps)[6]));
	// EXPECT: unsigned int[] +6
	int set;

	asm("testb $1, %1; setne %b0" : "=q"(set) : "m"(((char *)s->bits)[9]));
	// EXPECT: struct set +17 (bits)
	return set;
}

/* Code that writes words byte by byte reads a byte of a word, which has no member of its own. */
struct digest {
	unsigned long length;
	unsigned int state[4];
	void *blocks[2];
};

void output(volatile unsigned char *to, struct digest *d)
{
	to[0] = ((volatile unsigned char *)d->state)[7]; // EXPECT: unsigned char +0; struct digest +15 (state)
	to[1] = ((volatile unsigned char *)d->blocks)[3]; // EXPECT: unsigned char +0; none
}
