// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The bytes at the end of a record contain another record. If no variable in scope says so, a variable that the function has there elsewhere tells its type.
// RULES: after-record
// RUN: gcc

struct buffer {
	long start, length;
	char data[];
};

struct head {
	long generation;
	int items, level;
};
struct tail {
	long checksum;
	int size;
};

void print(int);

#define GENERATION(b) (((struct head *)(b)->data)->generation)

long oldest(struct buffer *a, struct buffer *b)
{
	struct head *h = (struct head *)a->data;

	print(h->items); // EXPECT: struct head +8 (items)
	return GENERATION(b); // EXPECT: struct head +0 (generation)
}

/* No variable is there. */
long generation(struct buffer *b)
{
	return GENERATION(b); // EXPECT: none
}

/* Both are there, at different times. */
long either(struct buffer *a, struct buffer *b, struct buffer *c)
{
	struct head *h = (struct head *)a->data;

	print(h->level); // EXPECT: struct head +12 (level)
	struct tail *t = (struct tail *)b->data;

	print(t->size); // EXPECT: struct tail +8 (size)
	return GENERATION(c); // EXPECT: none
}
