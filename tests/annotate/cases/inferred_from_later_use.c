// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A void pointer has the type that it is passed on as, unless inference is off.
// RUN: gcc clang
// RUN no-infer: gcc clang --no-infer

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void *allocate(unsigned long);
void keep(struct node *);

void *make(long k)
{
	void *p = allocate(24); // MAY: void* +0

	*(long *)((char *)p + 8) = k;
	// EXPECT: struct node +8 (key) [inferred]
	// EXPECT no-infer: none (a pointer to void or to an undefined type)
	keep(p); // MAY: void* +0
	return p;
} // MAY: void* +0
