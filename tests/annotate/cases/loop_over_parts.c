// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loop moves the pointer to a record by the size of an element; the record begins with other members of that size.
// RUN: gcc clang -fno-tree-vectorize -fno-unroll-loops

struct link {
	struct link *next, *previous;
};
struct item {
	void *page;
	unsigned length, offset;
};
struct device {
	struct link all, free;
	long count;
	struct item items[9];
};

long lengths(struct device *d, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++) {
		sum += d->items[i].length; // EXPECT: struct device +48 (items.length)
		asm volatile("" : "+r"(sum));
	}
	return sum;
}

/* Without a loop, it is one of the two that the pointer is to. */
struct link *either(struct device *d, int free)
{
	struct link *link = free ? &d->free : &d->all;

	return link->next; // MAY: struct link +0 (next); struct device +0 (all.next); struct device +16 (free.next)
}
