// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Memory of alloca() is passed on: the values that the function keeps on the stack beside it stay known.
// RUN: gcc

struct node {
	struct node *next;
	long key;
};

void fill(long *, long);
__attribute__((const)) struct node *find(long);

/* The result of find(), which no variable has, is needed after other registers. */
long use(long n)
{
	long sum = find(n)->key; // EXPECT: struct node +8 (key) MAY: long int +0
	long a[n];

	fill(a, n); // MAY: long int[]* +0
	__asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
	fill(a, 1); // MAY: long int[]* +0
	return sum + find(n)->key + find(n)->next->key; // EXPECT: struct node +8 (key); struct node +0 (next) MAY: long int +0
}
