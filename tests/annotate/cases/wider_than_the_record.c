// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access that is wider than the record, or after it, is to another record.
// RULES: narrow-store
// RUN: gcc clang -fno-strict-aliasing

struct small {
	int x;
};

long get(struct small *s)
{
	return *(long *)s; // EXPECT: none (the offset is outside the type)
}

/* A text whose length is stored through its first member's pointer: no half of a length
 * is stored. */
void set(unsigned long *length, int count, long *bits)
{
	*length = 1; // MAY: long unsigned int +0; unsigned long +0
	*(int *)((char *)length + 8) = count; // EXPECT: none (the offset is outside the type)
	*bits |= 2; // MAY: long int +0; long +0
}
