// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Adding an index to a pointer keeps its type, and the member is the same in each element.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

int at(struct node *n, long i)
{
	return n[i].flags; // EXPECT: struct node +20 (flags)
}

long before(struct node *n, long i)
{
	return n[i - 1].key; // EXPECT: struct node +8 (key)
}

long sum(struct node *n, int count)
{
	long s = 0;

	for (int i = 0; i < count; i++)
		s += n[i].key + n[i].value; // EXPECT: struct node +16 (value); struct node +8 (key)
	return s;
}
