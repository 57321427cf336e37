// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union has several pointers: accesses for which only one pointee has room tell which one was loaded.
// RULES: union-pointer
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "kernel.h"

struct mapping {
	long host;
	long flags[3];
	struct task *owner;
	int error;
};

struct pool {
	struct task *task;
	int count;
};

struct page {
	long flags;

	union {
		struct mapping *mapping;
		struct pool *pool;
		long private;
	};
};

long one_has(struct page *p)
{
	return p->mapping->error + p->mapping->host;
	// EXPECT: struct page +8 (mapping); struct mapping +40 (error) [inferred]
	// EXPECT: struct mapping +0 (host) [inferred]
}

/* Both have something there, but only one of them a number. */
long both_have(struct page *p)
{
	return p->mapping->host;
	// EXPECT: struct page +8 (mapping); struct mapping +0 (host) [inferred]
}

/* None has a whole member there. */
long none_has(struct page *p)
{
	return *(short *)((char *)p->mapping + 26);
	// EXPECT: struct page +8 (mapping); none (nothing known of the base register)
}

struct stream {
	int tag;
	long arguments;
	const char *argument[8];
	int file;
};

struct pair {
	int tag;
	long count;
	struct stream *half[2];
};

union channel {
	int tag;
	struct stream stream;
	struct pair pair;
};

/* Besides the one record, there is only text, which has no words that far from its start. */
int record_or_text(union channel *c)
{
	if (c->tag != 4) // EXPECT: union channel +0 (tag)
		return -1;
	return c->pair.half[0]->file;
	// EXPECT: union channel +16 (pair.half); struct stream +80 (file) [inferred]
}

/* The text has no whole word, either. */
long record_or_text_near(union channel *c)
{
	return c->pair.half[1]->arguments;
	// EXPECT: union channel +24 (pair.half); struct stream +8 (arguments) [inferred]
}

/* The access may be to the second pair, or to a member of the long record. */
struct couple {
	long first, second;
};
struct line {
	long start, end, width;
	long color;
};
union shape {
	struct couple *couples;
	struct line *line;
};

long second_of_two(union shape *shape)
{
	return shape->couples[1].second; // EXPECT: union shape +0 (line...; none
}
