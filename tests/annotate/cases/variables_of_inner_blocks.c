// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Two variables name one register from the same instruction on: an access before that is through the variable whose block it is in.
// BEFORE: gcc 16

enum tag { TAG_NUMBER = 1, TAG_TEXT = 2 };

struct node {
	enum tag tag;
};

struct number {
	enum tag tag;
	int value;
};

void *allocate(long size);

#define make(type, number)                              \
	({                                              \
		struct node *made = allocate(sizeof(type)); \
		made->tag = number;                     \
		(type *)made;                           \
	})

void add(struct number *n);

void store(int value)
{
	struct number *n = make(struct number, TAG_NUMBER); // EXPECT: struct node +0 (tag)

	n->value = value; // EXPECT: struct number +4 (value)
	add(n);
}

/* No other block holds the store. */
void store_at_once(int value)
{
	struct number *n = allocate(sizeof(*n));

	n->tag = TAG_NUMBER; // EXPECT: struct number +0 (tag)
	n->value = value;    // EXPECT: struct number +4 (value)
	add(n);
}
