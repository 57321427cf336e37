// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Code computes the address of a record in a page; its flexible array begins in its padding.
// RUN: gcc

struct tuple {
	unsigned minimum, maximum;
	unsigned short mask;
	unsigned char offset, bits[];
};

struct page {
	long number;
	short flags, kind;
	unsigned items[];
};

int get(struct page *page, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		struct tuple *t = (struct tuple *)((char *)page + page->items[i]);
		// EXPECT: struct page +12 (items)

		sum += t->bits[0] + t->offset;
		// EXPECT: struct tuple +11 (bits); struct tuple +10 (offset)
	}
	return sum;
}
