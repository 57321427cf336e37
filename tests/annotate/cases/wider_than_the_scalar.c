// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access that is wider than the scalar to which the pointer is declared is to something else.
// RUN: gcc clang -fno-strict-aliasing -fno-tree-vectorize
// FORBID: enum kind +
// FORBID: int +

enum kind { FIRST, SECOND };
struct header { int count; enum kind kind; int flags; };

void set(enum kind *k, unsigned long v)
{
	*(unsigned long *)k |= v; // EXPECT: none
}

unsigned long get(enum kind *k)
{
	return *(unsigned long *)k; // EXPECT: none
}

void fill(int *numbers, unsigned long v)
{
	*(unsigned long *)numbers = v; // EXPECT: none
}

// The record has room for it, and only the first of the members is named.
void member(struct header *h, unsigned long v)
{
	*(unsigned long *)&h->kind |= v; // EXPECT: struct header +4 (kind)
}

void each(enum kind *k, unsigned long n, unsigned long v)
{
	for (unsigned long i = 0; i < n; i++)
		*(unsigned long *)&k[i] |= v; // EXPECT: none MAY: none
}

/* The addresses of two places behind an enumeration of one byte meet. */
enum __attribute__((packed)) tag { STREAM, CHECK };

void either(enum tag *t, int which, int flags)
{
	void *place = (char *)t + (which ? 32 : 128);

	if (*(int *)place > flags) // EXPECT: none
		*(int *)place = flags; // EXPECT: none
}
