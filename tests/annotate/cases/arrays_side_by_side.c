// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Two arrays lie side by side on the stack: an index from 1 into the second one begins at the
// last element of the first one, and is no access to that.
// RUN: gcc

struct node {
	long key;
	struct {
		struct node *next;
		unsigned long span;
	} levels[];
};

void use(struct node **nodes, unsigned long *ranks);

__attribute__((noinline)) void find(struct node *node, long key, int top)
{
	struct node *nodes[32];
	unsigned long ranks[32];

	for (int i = top - 1; i >= 0; i--) {
		ranks[i] = i == top - 1 ? 0 : ranks[i + 1];
		// MAY: none (the index may be into either of two arrays); unsigned long[]...; long unsigned int[]...
		while (node->levels[i].next && node->levels[i].next->key < key) {
		// EXPECT: struct node +8 (levels.next); struct node +0 (key)
			ranks[i] += node->levels[i].span;
			// EXPECT: struct node +16 (levels.span)
			// MAY: none (the index may be into either of two arrays); unsigned long[]...; long unsigned int[]...
			node = node->levels[i].next;
			// MAY: struct node +8 (levels.next)
		}
		nodes[i] = node; // EXPECT: struct node*[]...
	}
	use(nodes, ranks);
}

int main(void)
{
	return 0;
}
