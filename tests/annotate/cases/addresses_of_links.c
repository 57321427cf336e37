// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The address of a list's link is a register plus a number: the register points to the record that has the link.
// RUN: clang
// RUN: clang -O1

struct node {
	long key;
	struct node *next;
	short level;
	_Bool flag;
};
struct table {
	long count;
	struct node *buckets[64];
};

// As LLVM passes it: a pointer to the record, of which only the address of the link has a name.
__attribute__((noinline)) long walk(long first)
{
	long sum = 0;
	struct node *const *n = (struct node *const *)(first + 8);

	while (*n) { // EXPECT: struct node +8 (next)
		if ((*n)->flag) // EXPECT: struct node +18 (flag)
			sum += (*n)->key; // EXPECT: struct node +0 (key)
		n = &(*n)->next;
	}
	return sum;
}

// An array of links may begin where a node has its link.
long buckets(long memory)
{
	long sum = 0;
	struct node **b = (struct node **)(memory + 8);

	for (int i = 0; i < 64; i++) {
		struct node *n = *b; // EXPECT: struct node* +0

		if (n)
			sum += n->key; // EXPECT: struct node +0 (key)
		b++;
	}
	return sum;
}
long buckets_of(struct table *t)
{ // EXPECT: struct table +0 (count)
	long sum = 0;

	for (long i = 0; i < t->count; i++) {
		struct node *n = t->buckets[i];
		// EXPECT: struct table +8 (buckets) MAY: struct table +24 (buckets); struct table +16 (buckets)

		if (n)
			sum += n->key; // EXPECT: struct node +0 (key)
	}
	return sum;
}
