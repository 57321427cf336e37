// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A word at a pointer to bytes fits two records that the unit names in casts alone, or only one that a parameter has: there is no answer.
// RUN: gcc -fno-strict-aliasing

typedef char *page;

struct header {
	unsigned int low, high;
	unsigned short flags;
};

/* Begins with the same members under the same names. */
struct long_header {
	unsigned int low, high;
	unsigned short flags, more;
	unsigned int owner;
};

struct trailer {
	unsigned int kind;
	unsigned short level, slots;
};

struct root {
	unsigned int kind;
	long time;
	unsigned int level, slots;
};

unsigned int low_or_kind(page p, int last)
{
	return last ? ((struct trailer *)p)->kind : ((struct header *)p)->low;
	// EXPECT: none
}

/* The shorter record is the head of the longer one. */
unsigned short flags(page p)
{
	return ((struct header *)p)->flags; // EXPECT: struct header +8 (flags) [inferred]
}

unsigned short more(page p)
{
	return ((struct long_header *)p)->more; // EXPECT: struct long_header +10 (more) [inferred]
}

unsigned int slots(struct root *r)
{
	return r->slots; // EXPECT: struct root +20 (slots)
}

/* The unit has variables of this type, so that its name in a cast shows nothing. */
unsigned int root_level(page p)
{
	return ((struct root *)p)->level; // EXPECT: none
}
