// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What is added to an index is a pointer if the sum is one, and the index counts what it points to.
// RUN: gcc
// CODE: addq (%rdi)

struct pair {
	long first, second;
};

struct table {
	union {
		long count;
		struct pair *pairs;
		double *numbers;
	} u;
};

long second_of_pair(struct table *t, long index)
{
	return t->u.pairs[index].second; // EXPECT: struct table +0 (u.pairs) MAY: struct pair +8 (second); none
}
