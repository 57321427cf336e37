// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A macro casts a header to a record that no variable of the function points to: the access is to the one record of the unit that has the header, and a member there.
// RULES: indexed-record, unit-record
// RUN: gcc clang
// RUN off: gcc clang --no-rule=unit-record,indexed-record,cast-down,shown-record

typedef struct {
	long first, last;
	int minimum;
} header;

/* A record with only a typedef's name counts as well. */
typedef struct {
	header head;
	unsigned char kinds[256];
	short extra;
} table;

/* This record begins with a table, and has the same bytes there: the table is meant. */
struct larger_table {
	table table;
	short widths[256];
};

#define TABLE(h)  ((table *)(h))
#define LARGER(h) ((struct larger_table *)(h))

struct part {
	long low, high;
	short count;
};
struct one {
	struct part part;
	long value;
};
struct two {
	struct part part;
	long value;
};
#define ONE(p) ((struct one *)(p))
#define TWO(p) ((struct two *)(p))

struct link {
	struct link *next;
};
struct item {
	struct link link;
	struct item *owner;
};
#define ITEM(l) ((struct item *)(l))

struct alone {
	long a;
	short b;
};

int kind(header *h, const unsigned char *text)
{
	return TABLE(h)->kinds[*text]; // EXPECT: unsigned char +0; table +24 (kinds) [inferred]
	// EXPECT off: unsigned char +0; none (the offset is outside the type)
}

int extra(header *h)
{
	return TABLE(h)->extra; // EXPECT: table +280 (extra) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

int width(header *h, unsigned char c)
{
	return LARGER(h)->widths[c]; // EXPECT: struct larger_table +288 (widths) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

/* Nothing of the table is so wide. */
long wide(header *h)
{
	return *(long *)((char *)h + 32); // EXPECT: none (the offset is outside the type)
}

/* Two records of the unit have the part, and a member there. */
long either(struct part *p, int which)
{
	return which ? ONE(p)->value : TWO(p)->value; // EXPECT: none (the offset is outside the type)
}

/* It may as well be the next link of an array. */
long owned(struct link *l)
{
	return (long)ITEM(l)->owner; // EXPECT: none (the offset is outside the type)
}

/* The value is none of these links. */
struct item *owner(struct link *l)
{
	return ITEM(l)->owner; // EXPECT: struct item +8 (owner) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

/* No record has this one. */
short after(struct alone *a)
{
	return *(short *)((char *)a + 20); // EXPECT: none (the offset is outside the type)
}

/* A page has its nodes at distances that it says itself. Its words are also the bytes of a union, in
 * which no distance leads. */
struct page {
	unsigned long number;
	unsigned short pad, flags;
	unsigned short places[1];
};
union first_page {
	struct page page;
	char bytes[16];
};
struct node {
	unsigned short low, high, flags;
};
struct place {
	struct page *pages[4];
	int top;
};

#define NODE(p, i) ((struct node *)((char *)(p) + (p)->places[i]))

int flags_of_first(struct place *place)
{
	struct node *node = NODE(place->pages[place->top], 0);
	// EXPECT: struct place +32 (top); struct place +0 (pages); struct page +12 (places)

	return node->flags & 4; // MAY: struct node +4 (flags); none (the offset is outside the type)
}

int bytes_of_first(union first_page *first, int i)
{
	return first->bytes[i]; // EXPECT: union first_page +0 (bytes)
}
