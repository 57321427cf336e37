// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A parameter that a loop changes is in its register at the function's entry, although gcc
// says only that it is what the register held there.

struct page {
	unsigned short count;
	unsigned short leaf;
	unsigned int id;
	unsigned long keys[14];
	union {
		struct page *child[15];
		unsigned long value[15];
	} u;
};

unsigned long find(const struct page *p, unsigned long key)
{ // MAY: struct page +0 (count)
	for (;;) {
		int i = 0;

		while (i < p->count && p->keys[i] <= key)
			// EXPECT: struct page +8 (keys) MAY: struct page +0 (count)
			i++;
		if (p->leaf)			      // EXPECT: struct page +2 (leaf)
			return p->u.value[i]; // EXPECT: struct page +120 (u.value)
		p = p->u.child[i];	      // EXPECT: struct page +120 (u.child)
	}
}
