// SPDX-License-Identifier: GPL-2.0-or-later
// RUN: gcc -O1
// CASE: A record in the bytes that an object ends in, to which an inlined accessor has a pointer: gcc describes the pointer by the
// memory that the object's address was loaded from. Bytes of a text are no such record.

struct header {
	unsigned char sum[32];
	unsigned long number;
	unsigned count;
	unsigned char level;
};

struct buffer {
	unsigned long start;
	unsigned length, references;
	char data[];
};

struct root {
	struct buffer *node;
	long id;
};

struct info {
	long id;
	struct root *root;
};

struct copy {
	unsigned long start;
	unsigned char level;
};

static inline unsigned char header_level(const struct buffer *b)
{
	const struct header *h = (const struct header *)b->data;

	return h->level; // EXPECT: struct buffer +60 (data.level) MAY: struct root +0 (node)
}

void copy_root(struct info *i, struct copy *c)
{
	c->start = i->root->node->start;
	// EXPECT: struct info +8 (root); struct root +0 (node); struct buffer +0 (start); struct copy +0 (start)
	c->level = header_level(i->root->node); // EXPECT: struct info +8 (root); struct copy +8 (level)
}

int level_of(const struct buffer *b)
{
	return header_level(b) + 1; // EXPECT: struct header +44 (level)
}

int starts_with(const struct buffer *b)
{
	return b->data[44] == 'x'; // EXPECT: struct buffer +60 (data)
}
