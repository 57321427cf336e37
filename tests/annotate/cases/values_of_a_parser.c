// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A parser's values are a union of pointers: the record whose whole members are accessed is the pointee.
// RULES: union-pointer
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "kernel.h"

struct symbol {
	const char *name;
	signed char type;
	unsigned char offset;
	union {
		long number;
		double *vector;
	} value;
};

struct call {
	struct call *link;
	short type;
	short argument;
	int line;
};

union parsed {
	struct symbol *symbol;
	struct call *call;
	int start;
};

/* The other record has halves of a number there. Compilers narrow loads, but not twice in one place. */
int two_bytes(union parsed *p)
{
	if (p->symbol->type < 9) // EXPECT: union parsed +0 (symbol); struct symbol +8 (type) [inferred]
		return -1;
	return p->symbol->offset; // EXPECT: struct symbol +9 (offset) [inferred]
}

/* A union in the record is a whole member, too. */
long byte_and_union(union parsed *p)
{
	if (p->symbol->type < 9) // EXPECT: union parsed +0 (symbol); struct symbol +8 (type) [inferred]
		return -1;
	return p->symbol->value.number; // EXPECT: struct symbol +16 (value.number) [inferred]
}

/* One byte alone may be a part of the other record's number. */
int one_byte(union parsed *p)
{
	return p->symbol->type; // EXPECT: union parsed +0 (...; none (nothing known of the base register)
}

/* No compiler stores a part of a number, unless it sets or clears bits. */
struct count {
	long all;
	int users, waiting;
};
struct text {
	long length, width;
};
union counted {
	struct count *count;
	struct text *text;
};
void one_more(union counted *c)
{
	c->count->users++; // EXPECT: union counted +0 (count); struct count +8 (users) [inferred]
}
void one_bit(union counted *c)
{
	c->count->users |= 4; // EXPECT: union counted +0 (...; none (nothing known of the base register)
}
