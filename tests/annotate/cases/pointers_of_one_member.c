// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function uses one pointer that it loads from a member as a pointer to a record: others from the same member are to that record, too.
// RUN: gcc clang -fno-var-tracking

struct text {
	unsigned long length;
	unsigned int refs;
	char bytes[4];
};

struct number {
	int low, high;
};

struct cell {
	int type;
	void *data;
};

void use(struct text *t);
void use_number(struct number *n);

#define text_of(c)   ((struct text *)(c)->data)
#define number_of(c) ((struct number *)(c)->data)

unsigned long lengths(struct cell *a, struct cell *b)
{
	use(text_of(a)); // EXPECT: struct cell +8 (data)
	return text_of(b)->length;
	// EXPECT: struct cell +8 (data); struct text +0 (length) [inferred]
}
