// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Functions of the unit store pointers to several records in a pointer to void: an access that only one of the records has a member for is to that record.
// RULES: member-types
// RUN: gcc clang

struct text {
	unsigned long length;
	unsigned int refs;
	unsigned short kind;
	char bytes[2];
};

struct list {
	struct list *next, *last;
	long count;
	double sum;
};

struct cell {
	int type;
	void *data;
};

void set_text(struct cell *c, struct text *t)
{
	c->type = 1;
	c->data = t;
}

void set_list(struct cell *c, struct list *l)
{
	c->type = 2;
	c->data = l;
}

#define text_of(c) ((struct text *)(c)->data)
#define list_of(c) ((struct list *)(c)->data)

unsigned int refs(struct cell *c)
{
	return text_of(c)->refs; // EXPECT: struct cell +8 (data); struct text +8 (refs) [inferred]
}

double sum(struct cell *c)
{
	return list_of(c)->sum; // EXPECT: struct cell +8 (data); struct list +24 (sum) [inferred]
}

/* Both have eight bytes there. */
unsigned long length(struct cell *c)
{
	return text_of(c)->length; // EXPECT: struct cell +8 (data); none
}

/* None has a whole member there. */
int middle(struct cell *c)
{
	return *(int *)((char *)c->data + 28); // EXPECT: struct cell +8 (data); none
}
