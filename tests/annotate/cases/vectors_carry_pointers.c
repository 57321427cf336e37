// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is copied through a vector register keeps the pointers in it.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

void set(struct pair *p, struct node *a, struct node *b)
{
	p->first = a; // EXPECT: struct pair +0 (first)
	p->second = b; // EXPECT: struct pair +8 (second)
}

long copy(struct pair *to, struct pair *from)
{
	*to = *from; // EXPECT: struct pair +0 (first)
	return to->first->key; // EXPECT: struct node +8 (key) MAY: struct pair +0 (first)
}
