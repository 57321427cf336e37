// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A spilled value has the type that it is passed on as later.
// RUN: gcc
// CODE: (%rsp)

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void *any(void);
long walk(struct node *);

long use(void)
{
	void *a = any(), *b = any(), *c = any(), *d = any(), *e = any(), *f = any(),
	// MAY: void* +0
	     *g = any(), *h = any(); // MAY: void* +0

	long k = *(long *)((char *)a + 8); // EXPECT: struct node +8 (key) MAY: void* +0
	return k + walk(a) + walk(b) + walk(c) + walk(d) + walk(e) + walk(f) + walk(g) +
	// MAY: void* +0
	       walk(h); // MAY: void* +0
}
