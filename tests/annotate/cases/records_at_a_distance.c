// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record lies at a distance from a pointer to void that is known only at run time: the sum points to what other such sums are used as.
// RUN: gcc

struct handle {
	struct table *table;
	void *previous, *next;
	int hash;
};
struct table {
	struct handle *tail;
	long distance;
};
struct element {
	int key;
	short kind;
};
struct elements {
	struct element *first;
	unsigned long size;
	long count;
};

#define HANDLE(table, element) ((struct handle *)((char *)(element) + (table)->distance))

void remove_handle(struct table *table, struct handle *h)
{
	if (h == table->tail) // EXPECT: struct table +0 (tail)
		table->tail = HANDLE(table, h->previous);
	// EXPECT: struct table +8 (distance); struct handle +8 (previous); struct table +0 (tail)
	if (h->previous)
		HANDLE(table, h->previous)->next = h->next;
	// EXPECT: struct handle +16 (next); struct table +8 (distance); struct handle +16 (next) [inferred]
}

/* Two records lie at distances from the pointer. */
#define ELEMENT(table, e) ((struct element *)((char *)(e) + (table)->distance + 32))

int both(struct table *table, struct elements *elements, struct handle *h, int which)
{
	if (which == 1)
		table->tail = HANDLE(table, h->previous);
	// MAY: struct handle +8 (previous); struct table +8 (distance); struct table +0 (tail)
	else if (which == 2)
		elements->first = ELEMENT(table, h->previous); // MAY: struct elements +0 (first)
	return ((int *)((char *)h->previous + table->distance))[6];
	// EXPECT: none (a pointer to void or to an undefined type) MAY: struct table +8 (distance)
}
