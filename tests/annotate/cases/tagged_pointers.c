// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A word without its tag is not the pointer that the union has beside the word.
// LINK: kernel
// CODE: $0xfffffffffffffffe

struct route {
	long device;
	int error;
};

struct list {
	struct list *next, *previous;
};

struct packet {
	long data;

	union {
		unsigned long tagged;
		struct list list;
	};
};

__attribute__((section(".data..percpu"))) long some = 1;
int other = 1;

static inline __attribute__((always_inline)) struct route *ROUTE(struct packet *p)
{
	return (struct route *)(p->tagged & ~1ul); // EXPECT: struct packet +8 (tagged)
}

long untagged(struct packet *p)
{
	return ROUTE(p)->device; // EXPECT: struct route +0 (device)
}

/* The pointer itself has its declared type. */
long declared(struct packet *p)
{
	return (long)p->list.next->previous->next;
	// EXPECT: struct packet +8 (list.next); struct list +8 (previous); struct list +0 (next)
}
