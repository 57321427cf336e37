// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A workspace has several arrays, of which only one is known, from its use: an access far before that one is not to an element of it.
// RULES: before-array
// RUN: gcc clang

struct node {
	int count;
	short parent;
	char byte, bits;
};

struct rank {
	int base, current;
};

void sort(struct rank *ranks);

long count(void *workspace, long n)
{
	long sum = 0;

	sort((struct rank *)((char *)workspace + 4096));
	for (long i = 0; i < n; i++)
		sum += ((struct node *)workspace)[i * i + 3].count;
		// EXPECT: none (the offset is outside the type)
	return sum;
}

/* The index is counted from one. */
long current(void *workspace, long n)
{
	sort((struct rank *)((char *)workspace + 8));
	return ((struct rank *)workspace)[n].current; // EXPECT: struct rank +4 (current)
}
