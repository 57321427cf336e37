// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A list that a loop builds from NULL keeps its type in the loops after it, where no variable has a location.
// RUN: gcc clang

struct node {
	struct node *next;
	long key;
	char text[48];
};

void *allocate(unsigned long);

long sum(void)
{
	struct node *head = 0;
	long total = 0;

	for (int i = 0; i < 200000; i++) {
		struct node *node = allocate(sizeof(*node));

		node->next = head; // EXPECT: struct node +0 (next)
		node->key = i; // EXPECT: struct node +8 (key)
		head = node;
	}
	for (int round = 0; round < 200; round++)
		for (struct node *node = head; node; node = node->next) // EXPECT: struct node +0 (next)
			total += node->key; // EXPECT: struct node +8 (key)
	return total;
}
