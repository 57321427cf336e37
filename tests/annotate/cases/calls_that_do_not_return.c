// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A call of a function that does not return does not reach the code after it.
// RUN: gcc -O1 -fno-reorder-blocks
// CODE: callq

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

void give_up(int) __attribute__((noreturn));

long use(struct pair *p)
{
	if (p->first->next->value < 0)
	// EXPECT: struct pair +0 (first); struct node +0 (next); struct node +16 (value)
		give_up(1);
	return p->first->next->key; // EXPECT: struct node +8 (key)
}
