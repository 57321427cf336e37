// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without strict aliasing, a word at a pointer to bytes is a member of a record that the unit names in casts alone; with it, it may be text.
// RUN: gcc -fno-strict-aliasing
// RUN strict: gcc

typedef char *page;

struct header {
	unsigned int low, high;
	unsigned short flags;
	unsigned short slots[];
};

unsigned int low(page p)
{
	return ((struct header *)p)->low; // EXPECT: struct header +0 (low) [inferred] EXPECT strict: char +0
}

void set_high(page p, unsigned int n)
{
	((struct header *)p)->high = n; // EXPECT: struct header +4 (high) [inferred] EXPECT strict: char +0
}

unsigned int slot(page p, long n)
{
	return ((struct header *)p)->slots[n]; // EXPECT: struct header +10 (slots) [inferred] EXPECT strict: char +0
}

/* No member of the record is there. */
long beyond(page p)
{
	return *(long *)(p + 4); // EXPECT: none EXPECT strict: char +0
}

/* A compiler narrows a test of a word's bits to one byte of it. */
void full(page p)
{
	if (((struct header *)p)->flags & 1) // EXPECT: struct header +8 (flags) [inferred] EXPECT strict: char +0
		set_high(p, 0);
}

/* The record that is cast to has no word there. */
void marked(page p, long offset)
{
	if (*(unsigned int *)(p + offset + 20) & 4) // EXPECT: none EXPECT strict: char +0
		set_high(p, 0);
}

char first(page p)
{
	return p[0]; // EXPECT: char +0
}
