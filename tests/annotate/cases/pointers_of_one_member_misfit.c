// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function uses one pointer from a member as a pointer to a record, but an access through another does not fit this record: the member has several types, and nothing is known.
// RUN: gcc clang -fno-var-tracking

struct text {
	unsigned long length;
	unsigned int refs;
	char bytes[4];
};

struct list {
	long length, count, first;
};

struct cell {
	int type;
	void *data;
};

void use(struct text *t);

#define text_of(c) ((struct text *)(c)->data)
#define list_of(c) ((struct list *)(c)->data)

unsigned long misfit(struct cell *a, struct cell *b, struct cell *c)
{
	use(text_of(a)); // EXPECT: struct cell +8 (data)
	return list_of(b)->first + text_of(c)->length;
	// EXPECT: struct cell +8 (data); none MAY: struct text +0 (length)
}
