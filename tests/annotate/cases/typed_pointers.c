// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Loads through pointers have the members of the declared type.
// CODE: (%rdi), %rax

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

long walk(struct node *n)
{
	long sum = 0;

	for (; n; n = n->next) // EXPECT: struct node +0 (next)
		sum += n->key; // EXPECT: struct node +8 (key)
	return sum;
}

/* The base register is overwritten by what is loaded through it. */
int third(struct node *n)
{
	return n->next->next->value; // EXPECT: struct node +0 (next); struct node +16 (value)
}
