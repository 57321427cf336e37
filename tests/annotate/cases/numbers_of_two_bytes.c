// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The elements of an array of records with numbers of two bytes are cast to other records, as a file system has them on disk. A byte that is moved is none of such a number; a bit that is tested may be.
// RUN: gcc clang

struct slot {
	signed char next, count;
	unsigned short name[15];
};

struct entry {
	unsigned int number;
	signed char next;
	unsigned char length;
	unsigned short name[11];
	unsigned int index;
};

struct page {
	long next;
	struct slot slots[64];
};

int length_of(struct page *p, int i)
{
	return ((struct entry *)&p->slots[i])->length; // EXPECT: none
}

int next_of(struct page *p)
{
	struct slot *slot = &p->slots[3];

	return ((struct entry *)slot)->next; // EXPECT: none
}

void set_next(struct page *p, int next)
{
	((struct entry *)&p->slots[3])->next = (signed char)next; // EXPECT: none
}

int is_marked(struct slot *s)
{
	return (s->name[4] & 0x4000) != 0; // MAY: struct slot +10 (name); struct slot +11 (name)
}

/* as gcc 16 tests it */
int is_marked_in_byte(struct slot *s)
{
	return ((unsigned char *)s->name)[9] >> 6 & 1;
	// EXPECT-IN is_marked_in_byte: struct slot +11 (name)
}

void mark(struct slot *s)
{
	s->name[4] |= 0x4000; // MAY: struct slot +10 (name); struct slot +11 (name)
}

void narrow(struct slot *s, char *text)
{
	text[0] = (char)s->name[0]; // EXPECT: struct slot +2 (name); char +0
	text[1] = (char)s->name[1]; // EXPECT: struct slot +4 (name); char +0
}
