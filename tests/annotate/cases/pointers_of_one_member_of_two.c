// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function uses pointers from one member as pointers to two records: nothing is known of the others.
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

unsigned long two(struct cell *a, struct cell *b, struct cell *c)
{
	use(text_of(a));          // EXPECT: struct cell +8 (data)
	use_number(number_of(b)); // EXPECT: struct cell +8 (data)
	return text_of(c)->length; // EXPECT: struct cell +8 (data); none
}
