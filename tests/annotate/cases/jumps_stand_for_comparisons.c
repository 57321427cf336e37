// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A sample at a jump belongs to the comparison with which the processor fused it; a jump alone accesses nothing.
// RUN: gcc clang
// RUN fused: gcc clang --fused
// CODE: cmp

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

int has(struct node *n, long key)
{
	while (n && n->key != key) // EXPECT: struct node +8 (key)
		n = n->next; // EXPECT: struct node +0 (next) EXPECT fused: nothing
	return n != 0;
}
