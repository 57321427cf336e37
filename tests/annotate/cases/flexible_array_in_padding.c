// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A flexible array begins in the padding at the end of its record.
// CODE: 0xb(%rdi); 0xe(%rdi)

struct tuple {
	unsigned minimum, maximum;
	unsigned short mask;
	unsigned char offset, bits[];
};

int first_bits(struct tuple *t)
{
	return t->bits[0]; // EXPECT: struct tuple +11 (bits)
}

struct page {
	long number;
	struct tuple tuple;
	unsigned items[];
};

/* The record is a member of another one. */
int nested(struct page *page)
{
	return page->tuple.bits[0]; // EXPECT: struct page +19 (tuple.bits)
}

struct words {
	long id;
	int count;
	short offset, list[];
};

/* Elements have their own size. */
int element(struct words *w)
{
	return w->list[0]; // EXPECT: struct words +14 (list)
}

struct marked {
	long id;
	char first, mark[0];
	int number;
	char last;
};

/* Padding in which no array begins has no member. */
int padding(struct marked *m)
{
	return ((char *)m)[9] + ((char *)m)[17]; // EXPECT: none (the offset is outside the type)
}
