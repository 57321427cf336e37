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

char first(page p)
{
	return p[0]; // EXPECT: char +0
}
