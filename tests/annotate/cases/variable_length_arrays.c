// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable-length array moves the stack pointer by an amount that is not known.
// CODE: subq

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void fill(long *, long);

long use(long n, struct node *m)
{
	long a[n];

	fill(a, n);
	return a[2] + m->key;
	// EXPECT: struct node +8 (key)
	// MAY: none (an integer as the base); none (stack memory of no known variable)
}
