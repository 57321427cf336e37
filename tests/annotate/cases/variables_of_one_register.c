// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A compiler that does not follow variables gives several of them one register for the whole function: the accesses tell which one it is, or nothing does.
// RUN: gcc -fno-var-tracking

struct cat {
	long name, legs;
	struct cat *next;
};
struct dog {
	long name;
	struct dog *next;
	long legs;
};
struct page {
	short kind;
	char flags, used;
	long size;
	struct page *next;
};
void *get(int);

/* Both lists fit both types. */
long count(void)
{
	struct cat *c = get(1);
	struct dog *d;
	long n = 0;

	for (; c; c = c->next) // MAY: none
		n += c->legs; // EXPECT: none
	for (d = get(2); d; d = d->next) // MAY: none
		n += d->legs; // EXPECT: none
	return n;
}

/* Only a page has a byte there. */
long pages(void)
{
	struct cat *c = get(1);
	struct page *p;
	long n = 0;

	for (; c; c = c->next) // MAY: none
		n += c->legs; // EXPECT: none
	for (p = get(2); p; p = p->next) // EXPECT: struct page +16 (next)
		n += p->used; // EXPECT: struct page +3 (used)
	return n;
}
