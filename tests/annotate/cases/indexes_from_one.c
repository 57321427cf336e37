// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: n->keys[i - 1]: the address is one element before the array.

struct node {
	int count, leaf;
	unsigned long keys[15];
	void *values[15];
};

int place(struct node *n, unsigned long key)
{
	long i = n->count; // EXPECT: struct node +0 (count)

	while (i > 0 && n->keys[i - 1] > key) // EXPECT: struct node +8 (keys)
		i--;
	return (int)i;
}
