// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: What is added to a pointer to a record is a multiple of the record's size: a value to which anything else is added is a number, or a pointer to bytes. The difference of two pointers is a number, but they are not.
// RUN: gcc
// RUN: clang

struct node {
	long tag;
	union {
		struct {
			unsigned long reserved;
			struct node *next;
		} links;
		struct {
			char *text;
			unsigned long length;
		} string;
	} u;
};

extern void take(char byte);

void end_of(const struct node *node, const char *text)
{
	take(text[node->u.string.length]); // EXPECT: struct node +16 (u.string.length) MAY: char[] +0; char*[] +0; char +0; none
}

long distance(const struct node *node, const char *end)
{
	return end - node->u.string.text; // EXPECT: struct node +8 (u)
}

/* A string's text follows the header of its bytes, so a pointer to a record is cast. */
struct cell {
	long tag;
	union {
		struct {
			struct cell *bytes;
			unsigned long offset;
		} string;
		struct {
			unsigned long length, top;
		} stack;
		struct {
			struct cell *file;
			void *handle;
		} library;
	} u;
};

char first_of(const struct cell *cell)
{
	return ((const char *)cell->u.string.bytes)[16 + cell->u.string.offset]; // EXPECT: struct cell +8 (u); struct cell +16 (u); none
}
