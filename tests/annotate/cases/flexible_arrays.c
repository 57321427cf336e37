// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Elements of a flexible array, also with an index that is moved by one.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

struct table {
	int count;
	struct pair slots[];
};

struct node *get(struct table *t, int i)
{
	return t->slots[i].second; // EXPECT: struct table +16 (slots.second)
}

struct levels {
	double score;
	struct pair level[];
};

struct node *above(struct levels *l, long i)
{
	return l->level[i + 1].second ? l->level[i - 1].first : 0;
	// EXPECT: struct levels +16 (level.second); struct levels +8 (level.first)
}

// A tuple has a header with a bitmap, and after that, at header->size bytes, a record of another type.
struct header {
	long xmin, xmax;
	short flags;
	unsigned char size;
	unsigned char bits[];
};

struct row {
	int id[18];
	int owner;
};

int owner_of(struct header *h)
{
	return ((struct row *)((char *)h + h->size))->owner; // EXPECT: struct header +18 (size); none (the offset is outside the type)
}
