// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Several records of the unit begin with a header: an access past the header is to the record that is named only in a cast.
// RULES: cast-down
// RUN: gcc clang
// RUN off: gcc clang --no-rule=cast-down

struct head {
	long kind, next;
	int mark;
};

struct text {
	struct head head;
	char *bytes;
	int length, room;
};

struct list {
	struct head head;
	struct head *first;
	int count, limit;
};

#define LIST(h) ((struct list *)(h))

long length(struct text *t)
{
	return t->length; // EXPECT: struct text +32 (length)
}

long count(struct head *h)
{
	return LIST(h)->count;
	// EXPECT: struct list +32 (count) EXPECT off: none (the offset is outside the type)
}

/* No record has a word there. */
long beyond(struct head *h)
{
	return ((long *)h)[7]; // EXPECT: none (the offset is outside the type)
}
