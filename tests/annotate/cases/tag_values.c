// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member is compared with a constant: the object, or the pointee of its pointer, is what the unit's other functions declare behind the same comparison.
// RUN: gcc clang
// RULES: tag-value

enum tag { TAG_NONE, TAG_NUMBER, TAG_CALL, TAG_PAIR, TAG_NAME, TAG_LIST, TAG_BOTH };

struct node {
	enum tag tag;
};

struct number {
	struct node node;
	int base;
	long value;
};

struct call {
	struct node node;
	int count;
	struct node *callee;
};

struct pair {
	struct node node;
	int depth;
	struct node *left, *right;
};

/* These are cast to and fro: nothing but the tag tells which one is meant. */
struct name {
	struct node node;
	int length;
	char *text;
};

struct cell {
	unsigned int flags;
	int uses;
	void *data;
};

#define IS_NUMBER 1
#define IS_TEXT   0x400
#define KIND      0xff0000
#define IS_LIST   0x30000

struct text {
	unsigned long length;
	char *bytes;
};

struct list {
	long count;
	struct list *next;
};

extern void take(void *anything);
extern void take_number(struct number *number);
extern long take_long(long number);

/* ---- functions that declare what is behind a tag */

long number_of(struct node *node)
{
	if (node->tag == TAG_NUMBER) { // EXPECT: struct node +0 (tag)
		struct number *number = (struct number *)node;

		return number->value + number->base; // EXPECT: struct number +8 (value); struct number +4 (base)
	}
	return 0;
}

// EXPECT-IN callee_of: struct call +8 (callee)
struct node *callee_of(struct node *node)
{
	if (node->tag != TAG_CALL) // EXPECT: struct node +0 (tag)
		return node;
	struct call *call = (struct call *)node;

	take_long(call->count); // EXPECT: struct call +4 (count)
	return call->callee; // MAY: struct call +8 (callee); struct node* +0
}

int depth_of(struct node *node)
{
	switch (node->tag) { // EXPECT: struct node +0 (tag)
	case TAG_PAIR: {
		struct pair *pair = (struct pair *)node;

		return pair->depth; // EXPECT: struct pair +4 (depth)
	}
	case TAG_NUMBER: return 1;
	default: return 0;
	}
}

/* Two records have this tag. */
int first_of_both(struct node *node)
{
	if (node->tag == TAG_BOTH) { // EXPECT: struct node +0 (tag)
		struct name *name = (struct name *)node;

		return name->length; // EXPECT: struct name +4 (length)
	}
	return 0;
}

int second_of_both(struct node *node)
{
	if (node->tag == TAG_BOTH) { // EXPECT: struct node +0 (tag)
		struct call *call = (struct call *)node;

		return call->count; // EXPECT: struct call +4 (count)
	}
	return 0;
}

unsigned long length_of(struct cell *cell)
{
	if (cell->flags & IS_TEXT) { // MAY: struct cell +0 (flags); struct cell +1 (flags)
		struct text *text = cell->data; // MAY: struct cell +8 (data)

		return text->length + 1; // EXPECT: struct text +0 (length) MAY: struct cell +8 (data)
	}
	return 0;
}

long count_of(struct cell *cell)
{
	if ((cell->flags & KIND) == IS_LIST) { // MAY: struct cell +0 (flags); struct cell +2 (flags)
		struct list *list = cell->data; // MAY: struct cell +8 (data)

		return list->count + 1; // EXPECT: struct list +0 (count) MAY: struct cell +8 (data)
	}
	return 0;
}

/* ---- functions that only test the tag */

#define number_in(n) ((struct number *)(n))
#define call_in(n)   ((struct call *)(n))
#define pair_in(n)   ((struct pair *)(n))
#define text_in(c)   ((struct text *)(c)->data)
#define list_in(c)   ((struct list *)(c)->data)

long value(struct node *node)
{
	if (node->tag == TAG_NUMBER) // EXPECT: struct node +0 (tag)
		return number_in(node)->value; // EXPECT: struct number +8 (value) [inferred]
	return 0;
}

struct node *callee(struct node *node)
{
	if (node->tag != TAG_CALL) // EXPECT: struct node +0 (tag)
		return 0;
	return call_in(node)->callee; // EXPECT: struct call +8 (callee) [inferred]
}

/* All members are tried, so no two records agree on what is at the end. */
long all(struct node *node) // MAY: (jump table)
{
	switch (node->tag) { // EXPECT: struct node +0 (tag) MAY: (jump table)
	case TAG_NUMBER: return take_long(number_in(node)->value); // EXPECT: struct number +8 (value) [inferred]
	case TAG_CALL: take(call_in(node)->callee); return 1; // EXPECT: struct call +8 (callee) [inferred]
	case TAG_PAIR: take(pair_in(node)->right); return 2; // EXPECT: struct pair +16 (right) [inferred]
	case TAG_NAME: return 3;
	case TAG_LIST: return 4;
	default: return 0;
	}
}

unsigned long length(struct cell *cell)
{
	if (cell->flags & IS_TEXT) // MAY: struct cell +0 (flags); struct cell +1 (flags)
		return text_in(cell)->length; // EXPECT: struct cell +8 (data); struct text +0 (length) [inferred]
	return 0;
}

long count(struct cell *cell)
{
	if ((cell->flags & KIND) == IS_LIST) // MAY: struct cell +0 (flags); struct cell +2 (flags)
		return list_in(cell)->count; // EXPECT: struct cell +8 (data); struct list +0 (count) [inferred]
	return 0;
}

/* ---- where the tag says nothing */

/* The edge on which the tag is another one. */
long not_equal(struct node *node)
{
	if (node->tag != TAG_NUMBER) // EXPECT: struct node +0 (tag)
		return ((long *)node)[1]; // EXPECT: none
	return 0;
}

/* Two records have this tag, and both have eight bytes there. */
void *both(struct node *node)
{
	if (node->tag == TAG_BOTH) // EXPECT: struct node +0 (tag)
		return call_in(node)->callee; // EXPECT: none
	return 0;
}

/* Nothing declares what is behind this tag. */
void *nothing_known(struct node *node)
{
	if (node->tag == TAG_LIST) // EXPECT: struct node +0 (tag)
		return call_in(node)->callee; // EXPECT: none
	return 0;
}

/* A call in between gets the object, and may change its tag. */
long changed(struct node *node)
{
	if (node->tag == TAG_NUMBER) { // EXPECT: struct node +0 (tag)
		take(node); // MAY: struct node* +0
		return ((long *)node)[1]; // EXPECT: none MAY: struct node* +0
	}
	return 0;
}

/* Another object was tested. */
long other(struct node *node, struct node *second)
{
	if (node->tag == TAG_NUMBER) // EXPECT: struct node +0 (tag)
		return ((long *)second)[1]; // EXPECT: none
	return 0;
}

extern struct node *next(void);

long replaced(struct node *node)
{
	if (node->tag == TAG_NUMBER) { // EXPECT: struct node +0 (tag)
		node = next();
		return ((long *)node)[1]; // EXPECT: none
	}
	return 0;
}

long other_bits(struct cell *cell)
{
	if (cell->flags & IS_NUMBER) // EXPECT: struct cell +0 (flags)
		return list_in(cell)->count; // EXPECT: struct cell +8 (data); none
	return 0;
}
