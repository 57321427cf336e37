// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Memory of alloca() has the type of the pointer that is kept. (clang accesses it from both ends.)
// RUN: gcc
// CODE: subq

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void fill(struct node *, long);

long use(long n)
{
	struct node *a = __builtin_alloca(n * sizeof(*a));

	fill(a, n);
	return a->key + a->value; // EXPECT: struct node +16 (value); struct node +8 (key)
}
