// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without strict aliasing, a word at a pointer to bytes is a member of some record; with it, it may be text.
// RUN: gcc -fno-strict-aliasing
// RUN strict: gcc

typedef char *page;

struct header {
	unsigned int low, high;
	unsigned short flags;
};

unsigned int low(page p)
{
	return ((struct header *)p)->low; // EXPECT: none EXPECT strict: char +0
}

void set_high(page p, unsigned int n)
{
	((struct header *)p)->high = n; // EXPECT: none EXPECT strict: char +0
}

char first(page p)
{
	return p[0]; // EXPECT: char +0
}
