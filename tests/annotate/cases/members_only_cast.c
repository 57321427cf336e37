// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A member that points to void is cast by a macro alone, and no function of the unit stores to it. All that is read through it tells the record to which the unit casts.
// RUN: gcc

struct system {
	int device;
	void *private, *cache;
};
struct settings {
	unsigned short mode, level;
	unsigned long options;
	long counts[8];
	char *name;
};
struct block {
	unsigned short level, items, space;
	int parent;
};
struct page {
	unsigned short level, items, space;
	int next;
};
int print(const char *);

#define SETTINGS(s) ((struct settings *)(s)->private)

int mode(struct system *s)
{
	return SETTINGS(s)->mode; // EXPECT: struct system +8 (private); struct settings +0 (mode) [inferred]
}

void set_mode(struct system *s)
{
	SETTINGS(s)->mode = 2; // EXPECT: struct system +8 (private); struct settings +0 (mode)
}

long count(struct system *s)
{
	return SETTINGS(s)->counts[3]; // EXPECT: struct system +8 (private); struct settings +40 (counts)
}

int name(struct system *s)
{
	return print(SETTINGS(s)->name); // EXPECT: struct system +8 (private); struct settings +80 (name)
}

/* Two of the unit's records would do. */
int items(struct system *s)
{
	return ((struct block *)s->cache)->items; // EXPECT: struct system +16 (cache); none (a pointer to void or to an undefined type)
}

int level(struct system *s)
{
	return ((struct block *)s->cache)->level + ((struct page *)s->cache)->space; // EXPECT: struct system +16 (cache); none (a pointer to void or to an undefined type)
}
