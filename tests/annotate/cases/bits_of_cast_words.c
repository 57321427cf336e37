// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A test of one bit of a word may access only a part of it: its size tells no record apart.
// RUN: gcc -Os

typedef unsigned long word;

struct text {
	word flags;
	long length, room;
	char *bytes;
};

struct small {
	unsigned int kind;
	char *first, *second, *third;
};

#define TEXT(w) ((struct text *)(w))

char *bytes(word w)
{
	if (TEXT(w)->flags & 0x2000) // EXPECT: none
		return 0;
	return TEXT(w)->bytes; // EXPECT: none
}

unsigned int kind(struct small *small)
{
	return small->kind; // EXPECT: struct small +0 (kind)
}

long room(struct text *text)
{
	return text->room; // EXPECT: struct text +16 (room)
}
